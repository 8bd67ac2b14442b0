"""What the worker says about submissions that fail: one of a fixed list of words, whatever was raised."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.train.sandbox.contained_fit import _without_data
from matbench_lite.train.sandbox.protocol import READY, Failure, FrameError, decode
from matbench_lite.train.sandbox.sandbox_worker import Job

from .conftest import MODEL

EVIL = """
class Evil:
    def __init__(self, length): self.length = length
    def __len__(self): return self.length
    def __reduce__(self): return os.system, ("touch evil",)
    def __array__(self, dtype=None, copy=None): return np.array([os] * self.length, dtype=object)
"""
AWKWARD = """
class Awkward(Exception):
    def __str__(self): raise self
    __repr__ = __str__
"""
UNLOADABLE, RAISED, UNUSABLE = "could not be loaded", "raised an error", "sent no usable predictions"
MEMORY, DISK, PROCESSES = "took too much memory", "filled its disk", "started too many processes"
CASES = {
    "it is fine": ({}, "predictions"),
    "ends while it is imported": ({"top": "sys.exit(0)"}, UNLOADABLE),
    "is interrupted while it is imported": ({"top": "raise KeyboardInterrupt"}, UNLOADABLE),
    "is no Python": ({"top": "del Path\n1 +"}, UNLOADABLE),
    "raises": ({"fit": "raise ValueError"}, RAISED),
    "raises what cannot be printed": ({"top": AWKWARD, "fit": "raise Awkward"}, RAISED),
    "calls itself without end": ({"top": "def f(x): return f(x)", "fit": "f(0)"}, RAISED),
    "ends": ({"fit": "sys.exit(0)"}, RAISED),
    "predicts NaN": ({"predict": "return np.full(len(X), np.nan)"}, UNUSABLE),
    "predicts too few rows": ({"predict": "return np.zeros(len(X) - 1)"}, UNUSABLE),
    "predicts too many columns": ({"predict": "return np.zeros((len(X), 1000))"}, UNUSABLE),
    "predicts objects with a will of their own": ({"top": EVIL, "predict": "return Evil(len(X))"}, UNUSABLE),
    "is out of memory": ({"fit": "np.ones(10**15)"}, MEMORY),
    "is out of memory, and says another thing": (
        {"fit": "try:\n    np.ones(10**15)\nexcept MemoryError:\n    raise ValueError from None"},
        MEMORY,
    ),
    "is out of memory, says the system": ({"fit": "raise OSError(12, 'no memory')"}, MEMORY),
    "has a full disk": ({"fit": "open('/dev/full', 'wb', buffering=0).write(b'x')"}, DISK),
    "has too large a file": (
        {
            "fit": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10**4, 10**4))\n"
            "Path('large').write_bytes(bytes(10**5))"
        },
        DISK,
    ),
    "has too many processes": ({"fit": "raise BlockingIOError(11, 'no more')"}, PROCESSES),
    "has too many threads": ({"fit": 'raise RuntimeError("can\'t start new thread")'}, PROCESSES),
    "has closed its pipe": ({"fit": "os.close(3)"}, "nothing"),
    "is there twice": ({"fit": "if os.fork(): os.wait()"}, "nothing"),
    "is gone": ({"fit": "os._exit(0)"}, "nothing"),
}
ONE_AFTER_THE_OTHER = """
import os, sys
import pandas
import matbench_lite.data.structure_array, matbench_lite.train.estimators, matbench_lite.train.model_file
from matbench_lite.train.sandbox import sandbox_worker

for folder in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.dup2(os.open("job", os.O_RDONLY), 0)
        os.dup2(os.open("results", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 3)
        sandbox_worker.main()
    os.waitpid(child, 0)
"""


@pytest.mark.slow
def test_every_failure_has_its_word(tmp_path: Path) -> None:
    """Without a sandbox: a process that has loaded its libraries is copied for each case."""
    task = load_benchmark("mini")["mini_gap"]
    X, y = task.train_data(0)
    folders = []
    for number, (parts, _) in enumerate(CASES.values()):
        text = {"top": "", "fit": "pass", "predict": "return np.full(len(X), self.mean)"} | parts
        text |= {part: "\n".join(" " * 8 + line for line in text[part].splitlines()) for part in ("fit", "predict")}
        folders.append(tmp_path / str(number))
        (folders[-1] / "home").mkdir(parents=True)
        job = Job(
            files={"model.py": MODEL.format(mark="worker", **text).encode()},
            task=_without_data(task),
            X_train=X.iloc[:10],
            y_train=y.iloc[:10],
            X_tests=(X.iloc[:3],),
            seed=0,
            where="",
        )
        (folders[-1] / "job").write_bytes(pickle.dumps(job))
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", ONE_AFTER_THE_OTHER, *map(str, folders)]
    subprocess.run(command, env=environment, capture_output=True, check=True)
    said = {name: _outcome((folder / "results").read_bytes()) for name, folder in zip(CASES, folders, strict=True)}
    assert said == {name: outcome for name, (_, outcome) in CASES.items()}
    assert not list(tmp_path.rglob("evil"))


def _outcome(sent: bytes) -> str:
    assert sent.startswith(READY)
    try:
        frame = decode(sent.removeprefix(READY), [3])
    except FrameError:
        return "nothing"
    return frame.stage if isinstance(frame, Failure) else "predictions"
