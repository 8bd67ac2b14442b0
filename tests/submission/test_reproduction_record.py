"""Records of what was reproduced: kept, read, and worth nothing for other predictions or other code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError
from matbench_lite.submission import (
    REPRODUCTIONS,
    ReproducedFold,
    keep_reproduction,
    read_document,
    read_reproductions,
    seal,
)

from ..reproduced import FOLD


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    submission = Submission(load_benchmark("mini"), algorithm="Mine")
    submission.record("mini_gap", 0, [1.0] * 100)
    (tmp_path / "model.py").write_text("def get_estimator(task): ...\n")
    return submission.save(tmp_path / "submissions" / "mine", code=tmp_path / "model.py")


def keep(entry: Path, fold: ReproducedFold = FOLD) -> Path:
    return keep_reproduction(entry.parent.parent / REPRODUCTIONS, entry.name, read_document(entry), fold)


def test_what_is_kept_is_read(entry: Path) -> None:
    assert read_reproductions([entry]) == {}
    assert keep(entry).name == "mine.toml"
    found = read_reproductions([entry])["mine"]
    assert (found.verdict, found.date, found.folds) == ("equal", "2026-11-18", "mini_gap fold 0")
    assert found.values_sha256 == read_document(entry)["values_sha256"]


def test_folds_are_added_and_the_worst_of_them_counts(entry: Path) -> None:
    keep(entry)
    keep(entry, replace(FOLD, fold=2, date="2026-11-20", verdict="within spread"))
    text = keep(entry, replace(FOLD, fold=1, verdict="not reproduced")).read_text()
    found = read_reproductions([entry])["mine"]
    assert (found.verdict, found.date) == ("not reproduced", "2026-11-20")
    assert found.folds == "mini_gap fold 0, mini_gap fold 1, mini_gap fold 2"
    keep(entry, replace(FOLD, fold=1))
    assert read_reproductions([entry])["mine"].verdict == "within spread", (
        "the last word on a fold replaces the one before"
    )
    keep(entry, replace(FOLD, fold=1, verdict="not reproduced"))
    assert (entry.parent.parent / REPRODUCTIONS / "mine.toml").read_text() == text


def test_other_predictions_or_other_code_are_another_entry(entry: Path) -> None:
    keep(entry)
    (entry / "README.md").write_text("what is said of it may change")
    seal(entry, changes={"description": "new words"})
    assert "mine" in read_reproductions([entry])
    (entry / "model.py").write_text("def get_estimator(task): return None\n")
    seal(entry)
    assert read_reproductions([entry]) == {}
    keep(entry, replace(FOLD, fold=3))
    assert read_reproductions([entry])["mine"].folds == "mini_gap fold 3", "what was said of the old code is gone"
    changed = Submission.load(entry)
    changed.record("mini_gap", 1, [2.0] * 100)
    changed.save(entry, overwrite=True)
    assert read_reproductions([entry]) == {}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('verdict = "equal"', 'verdict = "splendid"', r"folds\[0\].verdict: 'splendid' is not one of equal"),
        ("score = 0.25", "score = true", r"folds\[0\].score: true is not a number"),
        ("spread = 1e-05", "", r"folds\[0\].spread: is missing"),
        ("seed = 0", "sead = 0", r"folds\[0\].sead: is not a known key"),
        ("[[folds]]", "[[[", "is not a TOML file"),
        ("code_sha256", "code_sha", "code_sha256: is missing"),
        ("# Written", "x" * 1_000_001, "is larger than 1,000,000 bytes"),
    ],
)
def test_a_damaged_record_is_named_and_never_believed(entry: Path, before: str, after: str, said: str) -> None:
    file = keep(entry)
    file.write_text(file.read_text().replace(before, after))
    damaged = file.read_bytes()
    with pytest.raises(EntryError, match=said):
        read_reproductions([entry])
    with pytest.raises(EntryError, match=said):
        keep(entry)
    assert file.read_bytes() == damaged, "what somebody may want to mend stays"


def test_a_record_in_the_entry_itself_is_nobody_s_word(entry: Path) -> None:
    kept = keep(entry)
    (entry / "mine.toml").write_bytes(kept.read_bytes())
    (entry.parent / "mine.toml").write_bytes(kept.read_bytes())
    kept.unlink()
    assert read_reproductions([entry]) == {}
