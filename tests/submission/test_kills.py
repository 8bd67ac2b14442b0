"""Killed before any file operation of a save, a seal or an import: the old entry or the new one, complete."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matbench_lite import Submission
from matbench_lite.airlock import Reply
from matbench_lite.matbench import read_results
from matbench_lite.submission import seal

from ..killing import killed_at_each_step
from ..matbench.conftest import made_up_task, rehashed

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin with all that is imported"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

PROVENANCE = {"python": "3.11"}


@pytest.fixture(autouse=True)
def _no_airlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoders run in the process itself: every forked one would start an airlock of its own, half a second each."""

    def inside(decoder: Callable[..., Any], about: Any, *blobs: bytes, **_: Any) -> Reply:
        return Reply(*decoder(about, [memoryview(blob) for blob in blobs]))

    monkeypatch.setattr("matbench_lite.submission.examination.inside", inside)
    monkeypatch.setattr("matbench_lite.matbench.matbench_decoder.inside", inside)


CREATED = "2024-01-01T00:00:00+00:00"


def content(folder: Path) -> dict[str, bytes]:
    """All that is in the folder, hidden things too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()} | {
        str(path.relative_to(folder)): b"" for path in folder.rglob("*") if path.is_dir()
    }


def old_or_new_at_every_step(folder: Path, old: Path | None, work: Callable[[], Any]) -> None:
    """Kill `work`, which changes the entry in `folder` from what is in `old`, before each of its steps."""

    def prepare() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        if old is not None:
            shutil.copytree(old, folder)

    prepare()
    work()
    before, after = {} if old is None else content(old), content(folder)
    assert before != after
    seen = []
    for step in killed_at_each_step(folder, prepare, work):
        committed = (folder / "submission.json").exists() or (folder / ".saved").exists()
        if old is not None or committed:
            Submission.load(folder)
        found = {name: body for name, body in content(folder).items() if not name.startswith(".saving")}
        assert found in (before, after), (step, found.keys())
        seen.append(found == after)
        work()
        assert content(folder) == after, step
    assert content(folder) == after
    assert seen == sorted(seen), "what is committed stays so"
    assert {*seen} == {False, True}


def small(**about: Any) -> Submission:
    submission = Submission("mini", **{"algorithm": "Zero", "authors": ["A. Name"]} | about)
    for fold in range(2):
        submission.record("mini_gap", fold, [0.0] * 100)
    submission.created, submission.provenance = CREATED, PROVENANCE
    return submission


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """An entry with code and a README."""
    (tmp_path / "old_model.py").write_text("x = 1\n")
    folder = small().save(tmp_path / "old", code=tmp_path / "old_model.py")
    (folder / "README.md").write_text("# Zero\n")
    seal(folder)
    return folder


def test_a_first_save(tmp_path) -> None:
    submission = small()
    old_or_new_at_every_step(tmp_path / "entry", None, lambda: submission.save(tmp_path / "entry"))


def test_a_second_save_with_more_folds_and_other_code(old, tmp_path) -> None:
    submission = small()
    submission.record("mini_n", 0, [1.0] * 80)
    (tmp_path / "new_model.py").write_text("x = 2\n")
    entry = tmp_path / "entry"
    old_or_new_at_every_step(entry, old, lambda: submission.save(entry, code=tmp_path / "new_model.py"))
    assert content(entry).keys() == {"submission.json", "predictions.parquet", "new_model.py", "README.md"}


def test_a_seal(old, tmp_path) -> None:
    entry = tmp_path / "entry"
    old_or_new_at_every_step(entry, old, lambda: seal(entry, changes={"description": "Nothing."}))


def test_an_import_over_an_older_copy(tmp_path) -> None:
    def result(value: float) -> Path:
        path = tmp_path / f"{value}" / "results.json"
        path.parent.mkdir()
        document = {
            "@module": "matbench.bench",
            "@class": "MatbenchBenchmark",
            "version": "0.6",
            "tasks": {"matbench_steels": made_up_task("matbench_steels", lambda rng, n: [value] * n)},
            "user_metadata": {"algorithm": "Constant"},
            "benchmark_name": "matbench_v0.1",
            "datestamp": "2022.06.28 19:36.19",
        }
        path.write_text(json.dumps(rehashed(document)))
        return path

    first, second = read_results(result(1.0)), read_results(result(2.0))
    first.provenance = second.provenance = PROVENANCE
    older = first.save(tmp_path / "older")
    entry = tmp_path / "entry"
    old_or_new_at_every_step(entry, older, lambda: second.save(entry, overwrite=True))
    assert Submission.load(entry).imported["from"] == "matbench"
