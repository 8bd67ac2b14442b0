"""Changed bytes in the files of an entry: its findings, never the end of the program; the others are checked too."""

from __future__ import annotations

import random
import resource
import shutil
from pathlib import Path

import pytest
from entries import deadly, forge_content
from fuzz_readers import mutated, mutated_document

from matbench_lite import Submission, load_benchmark
from matbench_lite.airlock import close
from matbench_lite.check import check_entries, check_entry
from matbench_lite.errors import EntryError
from matbench_lite.submission import Finding
from matbench_lite.submission.entry_document import canonical_bytes, digest, parse
from matbench_lite.submission.examination import decode_predictions

from ..conftest import LONG

MASKS = (0x01, 0x80, 0xFF)
CRASH = "crashes (SIGABRT)"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An entry of one fold."""
    entry = Submission("mini", algorithm="Small", authors=["A. Name"], description="Small.")
    entry.record("mini_gap", 0, [float(row % 7) for row in range(100)])
    return entry.save(tmp_path_factory.mktemp("entries") / "small")


def test_every_byte_of_a_small_file(small: Path) -> None:
    """One byte of the footer that is changed makes pyarrow abort: a finding like any other."""
    content = (small / "predictions.parquet").read_bytes()
    told: set[str] = set()
    for place in range(len(content)):
        for mask in MASKS if LONG or place % 3 == 0 else MASKS[:1]:
            changed = bytearray(content)
            changed[place] ^= mask
            problems: list[Finding] = []
            decode_predictions(load_benchmark("mini"), bytes(changed), {"mini_gap": "value"}, problems.append)
            told.update(problem.message for problem in problems)
    assert any(CRASH in message for message in told), "the bytes that this is about"
    assert any("not a readable Parquet file" in message for message in told)


def test_the_byte_that_crashes_is_a_finding_and_the_others_are_checked(small: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(small, tmp_path / name)
    forge_content(tmp_path / "b", deadly((small / "predictions.parquet").read_bytes()))
    checked = check_entries(tmp_path)
    codes = {slug: {finding.code for finding in entry.findings} for slug, entry in checked.items()}
    assert "MBL119" in codes["b"]
    assert "MBL119" not in codes["a"] | codes["c"]
    assert checked["a"].submission is not None
    with pytest.raises(EntryError, match="cannot be read: the program that reads it crashes"):
        Submission.load(tmp_path / "b")


@pytest.mark.parametrize("file", ["predictions.parquet", "submission.json"])
def test_random_mutations(sound: Path, tmp_path: Path, file: str) -> None:
    """Each has its finding, unless nothing of what the file says is changed; within limits of memory, all together."""
    close()
    rng = random.Random(17)
    entry = Path(shutil.copytree(sound, tmp_path / "entry"))
    content = (entry / file).read_bytes()
    document = parse(content, file) if file == "submission.json" else {}
    for _ in range(10_000 if LONG else 100):
        if document and rng.random() < 0.5:
            changed = mutated_document(rng, document)
            changed["digest"] = digest(changed)
            body = canonical_bytes(changed)
        else:
            body = mutated(rng, content)
        (entry / file).write_bytes(body)
        checked = check_entry(entry)
        errors = [finding for finding in checked.findings if finding.severity == "error"]
        assert errors or body == content or document, body[:200]
        assert all(finding.fix for finding in errors)
    close()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 600_000 or not LONG


def test_many_values_where_none_belong(sound: Path, tmp_path: Path) -> None:
    entry = Path(shutil.copytree(sound, tmp_path / "entry"))
    document = parse((entry / "submission.json").read_bytes(), "submission.json")
    for place in ("files", "tasks", "card", "code"):
        changed = {**document, place: {str(number): number for number in range(25_000)}}
        changed["digest"] = digest(changed)
        (entry / "submission.json").write_bytes(canonical_bytes(changed))
        assert not check_entry(entry).ok, place
