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

from matbench_lite.event.sandbox.launcher import RESULTS
from matbench_lite.event.sandbox.protocol import (
    DISK,
    MEMORY,
    PROCESSES,
    RAISED,
    READY,
    encode_failure,
    encode_predictions,
)

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.tasks import Task

_ENDED_WELL = 0
_NO_SPACE = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that submitted code gets to see.

    Args:
        files: The model folder: path in it, and content.
        task: The task, without anything that leads to its data.
        X_train: Inputs of the training rows.
        y_train: Their targets.
        X_tests: Inputs of sets of rows to predict.
        seed: Seed for everything random.
        where: Which fold, for messages.
    """

    files: Mapping[str, bytes]
    task: Task
    X_train: pd.Series
    y_train: pd.Series
    X_tests: tuple[pd.Series, ...]
    seed: int
    where: str


def main() -> NoReturn:
    """Take the job, train, send the predictions, end."""
    # Before the job: what it takes to begin does not count against its time.
    import pandas as pd  # noqa: F401

    import matbench_lite.data.structures.array
    import matbench_lite.run  # noqa: F401

    _send(READY)
    try:
        with os.fdopen(os.dup(0), "rb") as stream:
            job: Job = pickle.load(stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        frame = _trained(job)
    except BaseException as error:
        frame = encode_failure(_stage(error), traceback.format_exc())
    sys.stdout.flush()
    sys.stderr.flush()
    _send(frame)
    # At once: what the model has registered for the end is of no use to anybody.
    os._exit(_ENDED_WELL)


def _trained(job: Job) -> bytes:
    from matbench_lite.run import fit_predict, load_model

    # Beside the working directory, where the model writes its own files.
    folder = Path("model").absolute()
    for name, content in job.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    os.chdir("home")
    estimator = load_model(folder).estimator(job.task)
    predicted = fit_predict(estimator, job.task, job.X_train, job.y_train, job.X_tests, seed=job.seed, where=job.where)
    return encode_predictions(predicted)


def _send(content: bytes) -> None:
    while content:
        content = content[os.write(RESULTS, content) :]


def _stage(error: BaseException) -> str:
    """What kind of failure an exception tells of, or the one that it was raised from."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    for cause in chain:
        if isinstance(cause, MemoryError):
            return MEMORY
        if isinstance(cause, OSError) and cause.errno in _NO_SPACE:
            return DISK
        if isinstance(cause, BlockingIOError) or (
            isinstance(cause, RuntimeError) and "can't start new thread" in str(cause)
        ):
            return PROCESSES
        if isinstance(cause, OSError) and cause.errno == errno.ENOMEM:
            return MEMORY
    return RAISED
