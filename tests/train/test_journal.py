"""The journal: what is kept is there again, what was cut off or damaged is not done, and two programs write at once."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite import load_benchmark
from matbench_lite.errors import MachineError, RunError
from matbench_lite.train import Folds, Job, Journal, Outcome, PieceRecord, Resources, RowPredictions, load_model

from ..killing import killed_at_each_step

TASK = load_benchmark("mini")["mini_gap"]
JOB = Job(model=load_model("dummy"), protocol=Folds(task=TASK), piece=0)
JOBS = [replace(JOB, piece=piece) for piece in range(3)]


def outcome(value: float, **record: object) -> Outcome:
    predicted = RowPredictions(rows=np.arange(4), prediction=np.full(4, value), type="value", std=np.ones(4))
    return Outcome(predictions={"test": predicted}, record=PieceRecord(**record))


def values(journal: Journal) -> dict[int, float]:
    return {job.piece: float(found.predictions["test"].prediction[0]) for job, found in journal.known(JOBS)[0]}


def filled(folder: Path) -> Path:
    """A journal of three pieces; its file."""
    journal = Journal(folder)
    for job in JOBS:
        journal.keep(job, outcome(job.piece))
    (file,) = folder.glob("*.jsonl")
    return file


def test_what_is_kept_is_there_again_to_the_last_bit(tmp_path: Path) -> None:
    numbers = np.array([0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308])
    parts = {
        "valid": RowPredictions(rows=np.array([7, 0, 3, 9]), prediction=numbers, type="value", std=numbers / 2),
        "test": RowPredictions(rows=np.array([1, 2]), prediction=np.array([0.0, 1.0]), type="label"),
    }
    about = {"seconds": 1.5, "steps": {"fit": 1.0}, "formula": "x1 + x2", "complexity": 3.0, "printed": "é\n\x00"}
    record = PieceRecord(**about, params={"depth": 3}, log={"a": [1, None]}, packages={"numpy": "2"})
    Journal(tmp_path).keep(JOB, Outcome(predictions=parts, answers=[["a", 0.5]], record=record))
    (kept,) = Journal(tmp_path).read()
    assert (kept.model, kept.protocol, kept.task, kept.piece, kept.label) == ("dummy", "folds", "mini_gap", 0, "fold 0")
    assert kept.outcome.record == record
    assert kept.outcome.answers == [["a", 0.5]]
    for part, expected in parts.items():
        found = kept.outcome.predictions[part]
        assert (found.type, found.rows.tolist()) == (expected.type, expected.rows.tolist())
        assert found.prediction.tobytes() == expected.prediction.tobytes()
        assert (found.std is None) == (expected.std is None)


@given(cut=st.integers(0, 3000), at=st.integers(0, 3000), byte=st.integers(0, 255))
def test_a_file_that_was_cut_off_or_damaged_has_only_whole_pieces(
    tmp_path_factory: pytest.TempPathFactory, cut: int, at: int, byte: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    file = filled(folder)
    content = bytearray(file.read_bytes())
    content[at % len(content)] = byte
    file.write_bytes(bytes(content[: len(content) - cut % len(content)]))
    assert all(value == piece for piece, value in values(Journal(folder)).items())


def test_a_cut_off_line_costs_its_piece_alone(tmp_path: Path) -> None:
    file = filled(tmp_path)
    file.write_bytes(file.read_bytes()[:-2])
    assert values(Journal(tmp_path)) == {0: 0.0, 1: 1.0}


def test_it_can_be_killed_at_every_step(tmp_path: Path) -> None:
    """A piece is there in full or not at all, and what was there before stays."""
    folder = tmp_path / "journal"
    Journal(folder).keep(JOBS[0], outcome(0))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def prepare() -> None:
        for path in folder.iterdir():
            path.unlink()
        for name, content in before.items():
            (folder / name).write_bytes(content)

    for step in killed_at_each_step(folder, prepare, lambda: Journal(folder).keep(JOBS[1], outcome(1))):
        assert values(Journal(folder)) in ({0: 0.0}, {0: 0.0, 1: 1.0}), step
    assert values(Journal(folder)) == {0: 0.0, 1: 1.0}


def test_a_piece_that_failed_is_not_known_and_one_that_was_done_stays_done(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.keep(JOB, Outcome().failed("no"))
    assert values(journal) == {}
    assert journal.read()[0].outcome.record.error == "no"
    journal.keep(JOB, outcome(2))
    Journal(tmp_path).keep(JOB, Outcome().failed("no, again"))
    assert values(Journal(tmp_path)) == {0: 2.0}


def test_other_seeds_models_data_and_settings_are_something_else(tmp_path: Path) -> None:
    Journal(tmp_path).keep(JOB, outcome(1))
    others = [
        replace(JOB, seed=1),
        replace(JOB, model=load_model("ridge-magpie")),
        replace(JOB, protocol=Folds(task=TASK, quick=True)),
        replace(JOB, protocol=Folds(task=replace(TASK, targets_sha256="0"))),
    ]
    assert Journal(tmp_path).known(others) == ([], others)
    # Where it is done, and within which limits, changes nothing.
    assert Journal(tmp_path).known([replace(JOB, resources=Resources(seconds=5.0, memory_mb=10.0))])[1] == []


def test_two_programs_write_side_by_side(tmp_path: Path) -> None:
    first, second = Journal(tmp_path), Journal(tmp_path)
    first.keep(JOBS[0], outcome(0))
    second.keep(JOBS[1], outcome(1))
    first.keep(JOBS[2], outcome(2))
    assert values(Journal(tmp_path)) == {0: 0.0, 1: 1.0, 2: 2.0}


def test_a_disk_that_was_full_once_damages_no_other_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.keep(JOBS[0], outcome(0))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(MachineError, match="No space left on device; free some space"):
            journal.keep(JOBS[1], outcome(1))
    journal.keep(JOBS[2], outcome(2))
    assert values(Journal(tmp_path)) == {0: 0.0, 1: 1.0, 2: 2.0}


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff"])
def test_a_damaged_header_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "header.json").write_bytes(content)
    with pytest.raises(RunError, match=r"header\.json is damaged"):
        Journal(tmp_path).header()


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match="cannot be written"), Journal(tmp_path / "file" / "x").locked():
        pass
