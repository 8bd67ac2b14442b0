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
from typing import TYPE_CHECKING, Any, NoReturn

from matbench_lite.errors import ModelError
from matbench_lite.train.sandbox import protocol
from matbench_lite.train.sandbox.launcher import RESULTS

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.tasks import Task
    from matbench_lite.train import Predicted

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

    import matbench_lite.data.structure_array
    import matbench_lite.train.estimators
    import matbench_lite.train.model_file  # noqa: F401

    _send(protocol.READY)
    stage = protocol.UNLOADABLE
    try:
        with os.fdopen(os.dup(0), "rb") as stream:
            job: Job = pickle.load(stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        estimator = _estimator(job)
        stage = protocol.RAISED
        frame = protocol.encode_predictions(_predictions(estimator, job), job.task.classes)
    except BaseException as error:
        stage = protocol.UNUSABLE if isinstance(error, _UnusableError) else _scarcity(error) or stage
        frame = protocol.encode_failure(stage, traceback.format_exc())
    sys.stdout.flush()
    sys.stderr.flush()
    _send(frame)
    # At once: what the model has registered for the end is of no use to anybody.
    os._exit(0)


def _estimator(job: Job) -> Any:
    from matbench_lite.train import load_model

    # Beside the working directory, where the model writes its own files.
    folder = Path("model").absolute()
    for name, content in job.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    os.chdir("home")
    return load_model(folder).estimator(job.task)


def _predictions(estimator: Any, job: Job) -> list[Predicted]:
    from matbench_lite.train import fit_predict

    try:
        data = job.X_train, job.y_train, job.X_tests
        return fit_predict(estimator, job.task, *data, seed=job.seed, where=job.where, threads=job.threads)
    except ModelError as error:
        if error.__cause__ is None:  # nothing was raised: what came was looked at and refused
            raise _UnusableError(str(error)) from None
        raise


class _UnusableError(Exception):
    """Predictions that are not one finite number or label per row."""


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
