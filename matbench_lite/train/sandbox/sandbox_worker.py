"""The process in which submitted code is trained: no rights, its job on standard input, a pipe for the result."""

from __future__ import annotations

import errno
import os
import pickle
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from matbench_lite.errors import ModelError
from matbench_lite.train.sandbox import protocol
from matbench_lite.train.sandbox.launcher import RESULTS

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.tasks import Task

_NO_SPACE = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_NO_THREAD = ("can't start new thread",)
_LONGEST_CHAIN = 50


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that submitted code gets to see: the files of its folder by path, and a task that leads to no data."""

    files: Mapping[str, bytes]
    task: Task
    X_train: pd.Series | pd.DataFrame
    y_train: pd.Series
    X_tests: tuple[pd.Series | pd.DataFrame, ...]
    seed: int
    where: str
    threads: int = 1


def main() -> NoReturn:
    """Take the job, train, send the predictions, end."""
    # Before the job: what it takes to begin does not count against its time.
    import pandas as pd  # noqa: F401

    import matbench_lite.data.structure_array  # noqa: F401
    from matbench_lite.train import fit_predict, load_model

    _send(protocol.READY)
    stage = protocol.UNLOADABLE
    try:
        with os.fdopen(os.dup(0), "rb") as stream:
            job: Job = pickle.load(stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        estimator = load_model(_unpacked(job.files)).estimator(job.task)
        stage = protocol.RAISED
        data = job.X_train, job.y_train, job.X_tests
        predicted = fit_predict(estimator, job.task, *data, seed=job.seed, where=job.where, threads=job.threads)
        frame = protocol.encode_predictions(predicted, job.task.classes)
    except BaseException as error:
        if stage == protocol.RAISED and isinstance(error, ModelError) and error.__cause__ is None:
            stage = protocol.UNUSABLE  # nothing was raised: what came was looked at and refused
        else:
            stage = _scarcity(error) or stage
        frame = protocol.encode_failure(stage, traceback.format_exc())
    sys.stdout.flush()
    sys.stderr.flush()
    _send(frame)
    # At once: what the model has registered for the end is of no use to anybody.
    os._exit(0)


def _unpacked(files: Mapping[str, bytes]) -> Path:
    """The folder of the model: beside the working directory, where the model writes its own files."""
    folder = Path("model").absolute()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    os.chdir("home")
    return folder


def _send(content: bytes) -> None:
    while content:
        content = content[os.write(RESULTS, content) :]


def _scarcity(error: BaseException) -> str | None:
    """What there was too little of, if an exception or one that it was raised from tells of that."""
    link: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if link is None:
            return None
        number = link.errno if isinstance(link, OSError) else None
        if isinstance(link, MemoryError) or number == errno.ENOMEM:
            return protocol.MEMORY
        if number in _NO_SPACE:
            return protocol.DISK
        if number == errno.EAGAIN or (type(link) is RuntimeError and link.args == _NO_THREAD):
            return protocol.PROCESSES
        link = link.__cause__ or link.__context__
    return None
