"""Entries on a board are read when they are looked at, and never believed beyond what was checked."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError
from matbench_lite.submission import EntryShelf
from matbench_lite.submission import entry_shelf as module


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    made = Submission("mini", algorithm="Zero", authors=["A. Name"])
    made.record("mini_gap", 0, [0.0] * 100, params={"depth": 3})
    return made.save(tmp_path / "zero")


def opened(folder: Path) -> Submission:
    """In a new process, but for the time that starting one takes."""
    shelf = EntryShelf(load_benchmark("mini"))
    found = Submission.from_entry(shelf.open(folder))
    shelf.remember()
    return found


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as settled at once."""
    monkeypatch.setattr(module, "_SETTLED", -3600.0)


def test_predictions_and_parameters_are_read_when_they_are_looked_at(entry: Path) -> None:
    opened(entry)
    held = opened(entry).recorded("mini_gap")[0]
    assert held.predictions.prediction.tolist() == [0.0] * 100
    assert dict(held.params) == {"depth": 3}


def test_the_document_is_read_once_for_the_parameters_of_all_folds(tmp_path: Path, monkeypatch) -> None:
    made = Submission("mini", algorithm="Zero")
    for fold in range(2):
        made.record("mini_gap", fold, [0.0] * 100, params={"depth": fold})
    entry = made.save(tmp_path / "zero")
    opened(entry)
    read = []
    decode = module.decode_document
    monkeypatch.setattr(module, "decode_document", lambda *given: read.append(given) or decode(*given))
    recorded = opened(entry).recorded("mini_gap")
    assert [dict(recorded[fold].params) for fold in range(2)] == [{"depth": 0}, {"depth": 1}]
    assert len(read) == 1


def test_a_data_directory_that_cannot_be_written_is_no_reason_to_stop(entry: Path, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "file" / "store"))
    monkeypatch.setattr(module, "_decoded", module._Decoded())
    assert opened(entry).recorded("mini_gap")[0].predictions.prediction.tolist() == [0.0] * 100


def test_a_file_changed_in_place_with_its_old_times_is_read_again(entry: Path) -> None:
    opened(entry)
    path = entry / "predictions.parquet"
    about = path.stat()
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    time.sleep(0.02)  # the clock of the file system has moved on
    with path.open("r+b") as stream:
        stream.write(content)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    with pytest.raises(EntryError, match="was changed after it was saved"):
        opened(entry)
