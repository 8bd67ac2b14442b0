"""Killed before any file operation of an update of the store: the old data or the new, complete."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from matbench_lite.data import add
from matbench_lite.data.store import file_sha256, holdings

from ..killing import killed_at_each_step

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin with all that is imported"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::matbench_lite.errors.UnverifiedDataWarning"),
]
ROWS = 20


@pytest.mark.parametrize("is_update", [False, True], ids=["the first data", "other data"])
def test_an_update_of_the_store(synthetic, data_directory: Path, tmp_path: Path, is_update: bool) -> None:
    task, old = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    old = old.rename(tmp_path / f"matbench_steels.old{''.join(old.suffixes[-2:])}")
    rows = [[synthetic.composition(row), synthetic.target(task, row) + 1] for row in range(ROWS)]
    new = synthetic.write_split(tmp_path / "matbench_steels.json.gz", ["composition", "yield strength"], rows)
    # Neither is the published file: the later of the two stays.
    task = synthetic.replace(task, original=synthetic.replace(task.original, sha256="0" * 64), targets_sha256="0" * 64)
    bench = synthetic.benchmark(task)

    def store(path: Path) -> None:
        (added,) = add([path], bench, allow_unverified=True)
        if added.error is not None:
            raise added.error

    def state() -> dict[str, object]:
        held = holdings(task)
        for item in held.values():
            assert file_sha256(item.path) == item.sha256
        return {part: (item.sha256, item.source) for part, item in held.items()}

    def prepare() -> None:
        shutil.rmtree(data_directory)
        data_directory.mkdir()
        shutil.copytree(kept, data_directory, dirs_exist_ok=True)

    kept = tmp_path / "kept"
    if is_update:
        store(old)
    shutil.copytree(data_directory, kept)
    before = state()
    store(new)
    after = state()
    assert before != after
    files = {path.name for path in (data_directory / task.benchmark).iterdir()}
    seen = []
    for step in killed_at_each_step(data_directory, prepare, lambda: store(new)):
        found = state()
        assert found in (before, after), step
        seen.append(found == after)
        store(new)
        assert state() == after, step
        assert {path.name for path in (data_directory / task.benchmark).iterdir()} == files, step
    assert np.array_equal(task.target_values, [value for _, value in rows])
    assert seen == sorted(seen), "what is committed stays so"
    assert {*seen} == {False, True}
