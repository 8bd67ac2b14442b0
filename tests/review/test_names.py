"""Names that readers would take for those of other entries are found; names that are merely alike are not."""

from __future__ import annotations

import importlib.util
import shutil
import string
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.check import check_entries
from matbench_lite.check.rules.names import _shapes, confusable
from matbench_lite.submission import seal

ROOT = Path(__file__).parents[2]

SAME = [
    ("coNGN", "\u0441oNGN"),  # Cyrillic es
    ("coNGN", "\u03f2oNGN"),  # the lunate sigma, which NFKC takes for another letter
    ("ALIGNN", "\u0430lignn"),  # in another case, too
    ("tpot", "\u0422P\u041e\u0422"),  # capitals whose small letters look otherwise
    ("alignn", "\u0391L\u0399G\u039d\u039d"),  # Greek
    ("Cgcnn", "\u0421\u050c\u0421NN"),
    ("CrabNet", "Crab\u0578et"),  # Armenian
    ("AtomSets", "\u13aatom\u13daets"),  # Cherokee
    ("RF", "\uff32\uff26"),  # full width
    ("rf", "\U0001d411\U0001d405"),  # mathematical
    ("RF", "R\u200bF"),
    ("RF", "R\u00ad F"),
    ("RF", "R\u3164F"),
    ("RF", "RF\ufe0f"),
    ("RF", "R\U000e0041F"),
    ("Model 1", "Model I"),
    ("Model 1", "MODEL l"),
    ("CGCNN v2019", "CGCNN v2O19"),
    ("Modern", "Modem"),
    ("AI", "Al"),
]
DIFFERENT = [
    ("Forest v1", "Forest v2"),
    ("RF", "Rf-1"),
    ("v1.1", "v11"),
    ("Model I", "Model II"),
    ("MI forest", "ML forest"),
    ("ai", "al"),
    ("RNN", "mn"),
    ("RNN", "MN"),
    ("R\u00e9snet", "Resnet"),
    ("\u6811", "\u6797"),
    ("\u0434\u0443\u0431", "\u0434\u043e\u043c"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_are_taken_for_one_another(one, other) -> None:
    assert confusable(one, other)
    assert confusable(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_these_are_not(one, other) -> None:
    assert not confusable(one, other)
    assert not confusable(other, one)


@given(st.text(string.ascii_letters + string.digits + " .-+()", min_size=1), st.data())
def test_letters_in_disguise_and_characters_that_are_not_seen_change_nothing(name, data) -> None:
    disguises = {shape: source for source, shape in _shapes().items()}
    places = data.draw(st.sets(st.integers(0, len(name) - 1)))
    forged = "".join(disguises.get(each, each) if place in places else each for place, each in enumerate(name))
    assert confusable(name, forged)
    assert confusable(name.upper(), "\u2060".join(name))


@pytest.mark.parametrize("letter", string.ascii_letters)
def test_every_look_alike_of_a_letter_is_found(letter) -> None:
    """All that Unicode lists, but what it takes for a stroke rather than for this letter."""
    drawn = {"I": "l", "m": "rn"}.get(letter, letter)
    for source in (source for source, shape in _shapes().items() if shape == drawn):
        assert confusable(f"a{letter}b", f"a{source}b"), hex(ord(source))


def test_the_table_is_that_of_unicode_in_short(tmp_path, monkeypatch) -> None:
    """The script drops what NFKC brings to the same, and ASCII; what it writes is what is read."""
    spec = importlib.util.spec_from_file_location("make_lookalikes", ROOT / "scripts" / "make_lookalikes.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    listed = tmp_path / "confusables.txt"
    listed.write_text(
        "\ufeff# \u00a9 2020 Unicode\n# Version: 13.0.0\n"
        "0441 ;\t0063 ;\tMA\t# ( \u0441 \u2192 c )\n1D41A ;\t0061 ;\tMA\t#\n"
        "0031 ;\t006C ;\tMA\t#\n118E3 ;\t0072 006E ;\tMA\t#\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(made, "TABLE", tmp_path / "lookalikes.txt")
    monkeypatch.setattr("sys.argv", ["make_lookalikes.py", str(listed)])
    made.main()
    lines = (tmp_path / "lookalikes.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["0063: 0441", "0072+006E: 118E3"]
    assert _shapes()["\u0441"] == "c"


def test_a_namesake_in_other_letters_is_found_with_the_evidence(sound, tmp_path) -> None:
    mine = shutil.copytree(sound, tmp_path / "mine")
    theirs = shutil.copytree(sound, tmp_path / "theirs")
    seal(theirs, changes={"algorithm": "T\u0435st f\u043erest"})
    for folder, other in ((mine, "theirs"), (theirs, "mine")):
        (found,) = [each for each in check_entries(tmp_path)[folder.name].findings if each.code == "MBL120"]
        assert (found.severity, found.evidence["entry"]) == ("warning", other)
        assert "U+0435 CYRILLIC SMALL LETTER IE" in found.message
        assert found.evidence["its name"] in ("Test forest", "T\u0435st f\u043erest")


def test_folders_that_look_alike_are_found_on_any_benchmark(sound, tmp_path) -> None:
    for slug, algorithm in (("modern-1", "One"), ("modem-l", "Two"), ("modern-2", "Three")):
        seal(shutil.copytree(sound, tmp_path / slug), changes={"algorithm": algorithm})
    found = {
        slug: [each.message for each in checked.findings if each.code == "MBL120"]
        for slug, checked in check_entries(tmp_path).items()
    }
    assert [len(found[slug]) for slug in ("modern-1", "modem-l", "modern-2")] == [1, 1, 0]
    assert "looks like that of the entry modern-1" in found["modem-l"][0]


def test_published_names_are_not_taken_for_one_another(real_data) -> None:
    facts = real_data.parent / "facts" / "published_entries.toml"
    if not facts.is_file():
        pytest.skip("the list of published entries is not beside the real data")
    entries = tomllib.loads(facts.read_text(encoding="utf-8"))["entries"]
    assert len(entries) > 20
    for names in ([about["algorithm"] for about in entries.values()], list(entries)):
        assert [pair for pair in combinations(names, 2) if confusable(*pair)] == []
