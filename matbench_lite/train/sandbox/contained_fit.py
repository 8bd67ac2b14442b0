"""Train submitted code in a sandbox: the same predictions as `fit_predict`, or an error that tells nobody anything."""

from __future__ import annotations

import os
import pickle
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.cleaner import for_terminal
from matbench_lite.errors import IsolationError, ModelError, SubmittedCodeError
from matbench_lite.train import Predicted, checked_predictions
from matbench_lite.train.sandbox import protocol
from matbench_lite.train.sandbox.isolation import did_not_start, isolation_problem, launched
from matbench_lite.train.sandbox.sandbox_watch import Ended, watch
from matbench_lite.train.sandbox.sandbox_worker import Job

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.tasks import Task

_MB = 2**20


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What came of training submitted code.

    Args:
        predicted: Predictions for each set of rows, checked.
        seconds: Wall time from when the data was handed over to the end, s.
        output: What it printed; for the organiser only, it may quote private data.
    """

    predicted: list[Predicted]
    seconds: float
    output: str


def fit_contained(
    model: Path,
    task: Task,
    X_train: pd.Series | pd.DataFrame,
    y_train: pd.Series,
    X_tests: Sequence[pd.Series | pd.DataFrame],
    *,
    seed: int,
    where: str = "",
    limits: protocol.Limits | None = None,
    isolated: bool = True,
) -> Fitted:
    """Train a model that a stranger sent, and predict one or more sets of rows.

    Predictions are those of `fit_predict`, bit for bit. The code runs in a process of its own that sees the files of
    the model, Python, and the data given here, and no other file of this machine; it has no network, no rights, and
    ends, with all it has started, before this function returns.

    Args:
        model: A folder with `model.py`; only its regular files are taken along.
        task: The task. The model gets it without table, file, digests and statistics: they tell of rows that it must
            not know.
        X_train: Formulas, structures, or columns of a table.
        y_train: Targets of the same rows.
        X_tests: Sets of rows to predict.
        seed: Seed for everything random, below 2**32; see `derived_seed`.
        where: Which fold, for messages, e.g. "inner fold 3".
        limits: What it may take; `Limits()` by default.
        isolated: False for a machine that cannot isolate: time, memory, output and size of each file are still
            limited, but the code then has the rights of this process: it can read and write all its files, use the
            network, and stop it.

    Raises:
        SubmittedCodeError: If there are no usable predictions; its `stage` says why in words that anyone may read.
        IsolationError: If the code cannot be isolated on this machine.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "model.py").write_text("raise ValueError('secret')")
        ...     fit_contained(Path(folder), task, *task.train_data(0), [], seed=0, where="fold 0", isolated=False)
        Traceback (most recent call last):
        matbench_lite.errors.SubmittedCodeError: mini_gap fold 0: the submitted code could not be loaded; ...
    """
    limits = limits or protocol.Limits()
    if isolated and (problem := isolation_problem()):
        raise problem
    if os.name != "posix":
        raise IsolationError("submitted code cannot be limited here", fix="score on Linux or macOS")
    place = f"{task.name} {where}".strip()
    job = Job(
        files=_folder_content(model, limits, place),
        task=_without_data(task),
        X_train=_on_its_own(X_train),
        y_train=_on_its_own(y_train),
        X_tests=tuple(map(_on_its_own, X_tests)),
        seed=seed,
        where=where,
    )
    longest = protocol.longest_frame([len(X) for X in X_tests], task.classes)
    with launched(limits, isolated=isolated) as (process, results):
        ended = watch(
            process, results, pickle.dumps(job, protocol=5), limits=limits, longest=longest, isolated=isolated
        )
    # What does not show takes more room when it is written out: no more is kept than may be printed.
    output = for_terminal(ended.output, None)[-int(limits.output_mb * _MB) :]
    if not ended.began:
        raise did_not_start(output.strip() or f"exit code {ended.code}")
    predicted = _predictions(ended, X_tests, task, place, output)
    return Fitted(predicted=predicted, seconds=round(ended.seconds, 3), output=output)


def _predictions(
    ended: Ended, X_tests: Sequence[pd.Series | pd.DataFrame], task: Task, place: str, output: str
) -> list[Predicted]:
    if ended.stopped is not None:
        raise _error(ended.stopped, place, f"stopped after {ended.seconds:.1f} s", output)
    try:
        frame = protocol.decode(ended.sent, [len(X) for X in X_tests], task.classes)
    except protocol.FrameError as error:
        if not ended.sent and ended.code >= 128:
            raise _error(protocol.CRASHED, place, f"killed by signal {ended.code - 128}", output) from None
        raise _error(protocol.UNUSABLE, place, f"exit code {ended.code}, result pipe: {error}", output) from None
    if isinstance(frame, protocol.Failure):
        raise _error(frame.stage, place, frame.text, output)
    try:
        # Again, on this side: what was checked there was checked by a process that the code may have changed.
        return [
            checked_predictions(values, std, X, task, place) for (values, std), X in zip(frame, X_tests, strict=True)
        ]
    except ModelError as error:
        raise _error(protocol.UNUSABLE, place, str(error), output) from None


def _error(stage: str, place: str, what: str, output: str) -> SubmittedCodeError:
    details = f"{what}\n\noutput:\n{output}" if output else what
    return SubmittedCodeError(
        f"{place}: the submitted code {stage}",
        fix="the organiser sees its trace; the others are not affected",
        stage=stage,
        details=details,
    )


def _without_data(task: Task) -> Task:
    """The task as a stranger may see it; a new record, so that nothing cached goes along."""
    return replace(
        task,
        table=None,
        original=None,
        folds_sha256=None,
        targets_sha256=None,
        inputs_sha256=None,
        mean_absolute_deviation=None,
        fraction_true=None,
    )


def _on_its_own(series: pd.Series | pd.DataFrame) -> pd.Series | pd.DataFrame:
    """The same rows in memory of their own: a slice of some arrays is pickled with all that it was cut from."""
    import pandas as pd

    every = np.arange(len(series))
    if isinstance(series, pd.DataFrame):
        return pd.DataFrame(
            {name: _on_its_own(column) for name, column in series.items()}, index=series.index.take(every)
        )
    return pd.Series(series.array.take(every), index=series.index.take(every), name=series.name)


def _folder_content(folder: Path, limits: protocol.Limits, place: str) -> dict[str, bytes]:
    """The regular files of a model folder; links and the like are left out."""
    files: dict[str, bytes] = {}
    left = limits.disk_mb * _MB
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent) / name
            content = _regular_content(path, left)
            if content is None:
                continue
            left -= len(content)
            if left < 0:
                raise _error(protocol.DISK, place, f"the folder is larger than {limits.disk_mb} MB", "")
            files[str(path.relative_to(folder))] = content
    return files


def _regular_content(path: Path, most: int) -> bytes | None:
    """What is in a file, at most one byte more than `most`; None if it is no regular file."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(number, "rb") as stream:
        return stream.read(most + 1) if stat.S_ISREG(os.fstat(number).st_mode) else None
