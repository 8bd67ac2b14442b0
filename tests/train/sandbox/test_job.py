"""What is handed to a submission, byte by byte: its rows, and nothing that leads to others."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.train.sandbox.contained_fit import _folder_content, _on_its_own, _without_data
from matbench_lite.train.sandbox.protocol import Limits

from .conftest import mean, train


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([f"secret{number}" for number in range(9)]),
        pd.Series([f"secret{number}" for number in range(9)], dtype="string"),
        pd.Series([f"secret{number}" for number in range(9)], dtype="string[pyarrow]"),
    ],
    ids=["objects", "strings", "arrow"],
)
def test_a_slice_is_sent_without_what_it_was_cut_from(column: pd.Series) -> None:
    column.index = [f"row{number}" for number in range(9)]
    column.attrs["note"] = "secret8"
    own = _on_its_own(column.iloc[2:4].rename("x"))
    sent = pickle.dumps(own, protocol=5)
    assert [number for number in range(9) if f"secret{number}".encode() in sent] == [2, 3]
    assert [number for number in range(9) if f"row{number}".encode() in sent] == [2, 3]
    pd.testing.assert_series_equal(own, column.iloc[2:4].rename("x"))


def test_structures_are_sent_alone() -> None:
    task = load_benchmark("mini")["mini_e_form"]
    inputs = task.inputs
    few = pickle.dumps(_on_its_own(inputs.iloc[:5]), protocol=5)
    assert len(few) < 20_000 < len(pickle.dumps(inputs, protocol=5))
    assert [a.as_dict() for a in pickle.loads(few)] == [b.as_dict() for b in inputs.iloc[:5]]


def test_numbers_are_sent_alone() -> None:
    y = pd.Series(np.arange(10**5, dtype=float))
    own = _on_its_own(y.iloc[5:10])
    assert len(pickle.dumps(own, protocol=5)) < 5000
    pd.testing.assert_series_equal(own, y.iloc[5:10], check_index_type=False)


def test_the_task_leads_to_no_data() -> None:
    task = load_benchmark("mini")["mini_gap"]
    assert len(task.ids) == task.rows  # cached in the record from now on
    bare = _without_data(task)
    assert vars(bare).keys() == {field.name for field in fields(task)}
    assert (bare.table, bare.original, bare.targets_sha256, bare.mean_absolute_deviation) == (None,) * 4
    assert (bare.name, bare.kind, bare.unit) == (task.name, task.kind, task.unit)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "more.txt").write_text("secret")
    folder = tmp_path / "theirs"
    (folder / "sub").mkdir(parents=True)
    (folder / "model.py").write_text("")
    (folder / "sub" / "x.py").write_text("x")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path / "private")
    os.mkfifo(folder / "pipe")
    assert _folder_content(folder, Limits(), "") == {"model.py": b"", "sub/x.py": b"x"}


def test_the_launcher_imports_nothing_heavy() -> None:
    """It has the organiser's rights, and is started for every training."""
    import subprocess
    import sys

    import matbench_lite

    home = str(Path(matbench_lite.__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {home!r}); import matbench_lite.train.sandbox.launcher; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "psutil", "subprocess", "pickle"} & set(done.stdout.split())


def test_without_isolation_the_environment_and_the_folder_are_its_own(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORGANISER_SECRET", "secret")
    folder = write(fit="assert 'ORGANISER_SECRET' not in os.environ; Path('mine').touch(); Path(__file__).unlink()")
    predicted, _ = train(folder, isolated=False)
    assert set(predicted[0].values) == {mean()}
    assert [path.name for path in folder.iterdir()] == ["model.py"]
