"""An honest submission gets the predictions that it would get without a sandbox, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import SubmittedCodeError
from matbench_lite.train import Predicted, Split, fit_predict, load_model, model_inputs
from matbench_lite.train.sandbox import Limits, fit_contained

from .conftest import train

pytestmark = pytest.mark.usefixtures("isolation")

DEVIATIONS = """
import numpy as np

class Model:
    def fit(self, X, y):
        self.mean, self.std = y.mean(), y.std()
        return self

    def predict(self, X, return_std=False):
        values = self.mean + np.random.rand(len(X))
        return (values, np.full(len(X), self.std)) if return_std else values

def get_estimator(task):
    return Model()
"""
LABELS = """
import numpy as np

class Model:
    def fit(self, X, y):
        self.share = y.mean()
        return self

    def predict(self, X):
        return np.random.rand(len(X)) < self.share

def get_estimator(task):
    return Model()
"""

LIBRARIES = """
import asyncio, multiprocessing, shutil, sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory
import joblib
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import cross_val_score

async def program():
    process = await asyncio.create_subprocess_exec("true")
    return await process.wait()
"""
USE = """
numbers, targets = np.random.rand(60, 4), np.random.rand(60)
for backend in ("loky", "threading", "multiprocessing"):
    with joblib.parallel_backend(backend, n_jobs=2):
        assert len(cross_val_score(RandomForestRegressor(3, n_jobs=2), numbers, targets, cv=2)) == 2
large = np.ones(2 * 10**6)  # handed over as a file in shared memory
assert joblib.Parallel(n_jobs=2)(joblib.delayed(np.sum)(large) for _ in range(2)) == [2e6, 2e6]
for method in ("fork", "spawn", "forkserver"):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(abs, [-1, -2])) == [1, 2]
fork = multiprocessing.get_context("fork")
with fork.Manager() as manager:
    assert list(manager.list([1])) == [1]
with fork.Pool(2) as pool:
    assert pool.map(abs, [-1]) == [1]
fork.Array("d", 1000)
block = shared_memory.SharedMemory(create=True, size=10**6)
block.close(), block.unlink()
assert asyncio.run(program()) == 0
pd.DataFrame({"x": [1]}).to_parquet("x.parquet")
shutil.copy2("x.parquet", "y.parquet")
assert pd.read_parquet("y.parquet")["x"].tolist() == [1]
sqlite3.connect(":memory:").execute("create table t (x)")
"""


def same(a: Predicted, b: Predicted) -> bool:
    return (
        a.values.dtype == b.values.dtype
        and a.values.tobytes() == b.values.tobytes()
        and (a.std is None) == (b.std is None)
        and (a.std is None or b.std is None or a.std.tobytes() == b.std.tobytes())
    )


def compared(folder: Path, task_name: str, rows: int) -> list[Predicted]:
    model, task = load_model(folder), load_benchmark("mini")[task_name]
    X_train = model_inputs(model, task, task.train_rows(1)[:rows])
    y_train = task.targets["target"].iloc[task.train_rows(1)[:rows]]
    rows_asked = {"valid": task.test_rows(1)[:9], "test": task.test_rows(1)[9:30]}
    asked = {part: model_inputs(model, task, some) for part, some in rows_asked.items()}
    split = Split(task=task, X=X_train, y=y_train, asked=asked, rows=rows_asked, seed=3)
    predicted, record = fit_contained(folder, split, where="fold 1", limits=Limits(seconds=120))
    expected = fit_predict(model.estimator(task), task, X_train, y_train, list(asked.values()), seed=3)
    assert record.seconds > 0
    assert all(map(same, predicted, expected))
    assert len(predicted) == len(expected) == 2
    return predicted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("baseline", "task_name", "rows"), [("ridge-magpie", "mini_gap", 60), ("rf-structure", "mini_e_form", 15)]
)
def test_baselines_as_submissions(tmp_path: Path, baseline: str, task_name: str, rows: int) -> None:
    text = load_model(baseline).files[0].read_text().replace("n_estimators=200", "n_estimators=5")
    (tmp_path / "model.py").write_text(text)
    predicted = compared(tmp_path, task_name, rows)
    assert all(one.std is None for one in predicted)


def test_standard_deviations_come_along(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(DEVIATIONS)
    assert all(one.std is not None for one in compared(tmp_path, "mini_gap", 80))


def test_labels_stay_labels(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(LABELS)
    predicted = compared(tmp_path, "mini_is_ductile", 80)
    assert [one.values.dtype for one in predicted] == [bool, bool]


def test_files_beside_the_model_are_there_and_what_it_prints_is_kept(write: Callable[..., Path]) -> None:
    folder = write(
        top="""
        import shift
        from parts.deep import FACTOR
        weight = float((Path(__file__).parent / "weights.txt").read_text())
        """,
        fit="print('hello from fit'); print('and stderr', file=sys.stderr)",
        predict="return np.full(len(X), shift.BY + FACTOR * weight)",
    )
    (folder / "shift.py").write_text("BY = 1.0")
    (folder / "parts").mkdir()
    (folder / "parts" / "deep.py").write_text("FACTOR = 2.0")
    (folder / "weights.txt").write_text("0.25")
    predicted, record = train(folder)
    assert [set(one.values) for one in predicted] == [{1.5}, {1.5}]
    assert "hello from fit" in record.printed
    assert "and stderr" in record.printed


def test_a_submission_may_use_processes_threads_and_files_within_its_limits(
    works: Callable[..., str], tmp_path: Path
) -> None:
    works(
        """
        import multiprocessing, tempfile
        from concurrent.futures import ThreadPoolExecutor
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(abs, [-1, -2]) == [1, 2]
        assert subprocess.run(["sh", "-c", "echo 3"], capture_output=True, check=True).stdout == b"3\\n"
        assert list(ThreadPoolExecutor(4).map(abs, [-1])) == [1]
        for folder in (tempfile.gettempdir(), "/tmp", "/dev/shm", ".", Path.home()):
            (Path(folder) / "file").write_bytes(bytes(10**6))
        """
    )
    assert not list(tmp_path.rglob("file"))


@pytest.mark.slow
def test_what_libraries_do_in_parallel_works(write: Callable[..., Path]) -> None:
    train(write(top=LIBRARIES, fit=USE), Limits(seconds=300, memory_mb=2000))


def test_many_rows_in_and_out(write: Callable[..., Path]) -> None:
    import pandas as pd

    rows = 30_000  # far more than a pipe holds
    task = load_benchmark("mini")["mini_gap"]
    X = pd.Series(["NaCl"] * rows, index=[f"row-{number}" for number in range(rows)])
    y = pd.Series(np.random.default_rng(0).normal(size=rows), index=X.index)
    folder = write(fit="self.y = np.asarray(y)", predict="return self.y")
    split = Split(task=task, X=X, y=y, asked={"valid": X, "test": X}, rows={}, seed=0)
    predicted, _ = fit_contained(folder, split, where="all")
    assert [one.values.tobytes() for one in predicted] == [y.to_numpy().tobytes()] * 2


def test_linear_algebra_uses_the_same_instructions_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    (tmp_path / "model.py").write_text(
        "import os\n\n\ndef get_estimator(task):\n    raise ValueError(sorted(os.environ))\n"
    )
    task = load_benchmark("mini")["mini_gap"]
    X, y = task.train_data(0)
    with pytest.raises(SubmittedCodeError) as caught:
        fit_contained(tmp_path, Split(task=task, X=X, y=y, asked={}, rows={}, seed=0))
    assert "OPENBLAS_CORETYPE" in caught.value.details
    assert "SECRET_TOKEN" not in caught.value.details
