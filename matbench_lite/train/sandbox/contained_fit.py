"""Train submitted code in a sandbox: the same predictions as `fit_predict`, or an error that tells nobody anything."""

from __future__ import annotations

import os
import pickle
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.cleaner import for_terminal
from matbench_lite.errors import IsolationError, ModelError, SubmittedCodeError
from matbench_lite.train import PieceRecord, Predicted, checked_predictions
from matbench_lite.train.sandbox import protocol
from matbench_lite.train.sandbox.isolation import did_not_start, isolation_problem, launched
from matbench_lite.train.sandbox.sandbox_watch import Watch
from matbench_lite.train.sandbox.sandbox_worker import Job

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.tasks import Task
    from matbench_lite.train import Split

_MB = 2**20


def fit_contained(
    model: Path,
    split: Split,
    *,
    where: str = "",
    limits: protocol.Limits | None = None,
    isolated: bool = True,
    threads: int = 1,
    device: str | None = None,
) -> tuple[list[Predicted], PieceRecord]:
    """Train a model that a stranger sent, a folder with `model.py`, and predict the rows that are asked.

    Predictions are those of `fit_predict`, bit for bit. The code runs in a process of its own that sees the regular
    files of the model, Python, and the inputs and training targets of the split, and no other file of this machine; it
    has no network, no rights, and ends, with all it has started, before this function returns. Of the task it gets
    neither table, file, digests nor statistics: they tell of rows that it must not know.

    Gives the predictions for each set of rows, checked, and a record: wall time from when the data was handed over to
    the end, s, and what the code printed, for the organiser only: it may quote private data.

    `where` says which fold, for messages. The code gets so many `threads`, and `device` as `CUDA_VISIBLE_DEVICES`; a
    sandbox has no files of devices, so that only code that is not isolated finds one. `isolated` is false for a machine
    that cannot isolate: time, memory, output and size of each file are still limited, but the code then has the rights
    of this process: it can read and write all its files, use the network, and stop it.

    Raises:
        SubmittedCodeError: If there are no usable predictions; its `stage` says why in words that anyone may read.
        IsolationError: If the code cannot be isolated on this machine.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import Split
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> X, y = task.train_data(0)
        >>> split = Split(task=task, X=X, y=y, asked={"test": task.test_inputs(0)}, rows={}, seed=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "model.py").write_text("raise ValueError('secret')")
        ...     fit_contained(Path(folder), split, where="fold 0", isolated=False)
        Traceback (most recent call last):
        matbench_lite.errors.SubmittedCodeError: mini_gap fold 0: the submitted code could not be loaded; ...
    """
    limits = limits or protocol.Limits()
    if isolated and (problem := isolation_problem()):
        raise problem
    if os.name != "posix":
        raise IsolationError("submitted code cannot be limited here", fix="score on Linux or macOS")
    task, X_tests = split.task, list(split.asked.values())
    place = f"{task.name} {where}".strip()
    job = Job(
        files=_folder_content(model, limits, place),
        task=_without_data(task),
        X_train=_on_its_own(split.X),
        y_train=_on_its_own(split.y),
        X_tests=tuple(map(_on_its_own, X_tests)),
        seed=split.seed,
        where=where,
        threads=threads,
    )
    longest = protocol.longest_frame([len(X) for X in X_tests], task.classes)
    with launched(limits, isolated=isolated, threads=threads, device=device) as (process, results, orders):
        watch = Watch(process, results, orders, pickle.dumps(job, protocol=5), limits=limits, longest=longest)
        stopped = watch.until_the_end()
    # What does not show takes more room when it is written out: no more is kept than may be printed.
    output = for_terminal(bytes(watch.output), None)[-int(limits.output_mb * _MB) :]
    if watch.began is None:
        raise did_not_start(output.strip() or f"exit code {watch.code}")
    if stopped is not None:
        raise _error(stopped, place, f"stopped after {watch.seconds:.1f} s", output)
    predicted = _predictions(watch, X_tests, task, place, output)
    return predicted, PieceRecord(seconds=round(watch.seconds, 3), printed=output)


def _predictions(
    watch: Watch, X_tests: Sequence[pd.Series | pd.DataFrame], task: Task, place: str, output: str
) -> list[Predicted]:
    sent = bytes(watch.sent).removeprefix(protocol.READY)
    try:
        frame = protocol.decode(sent, [len(X) for X in X_tests], task.classes)
    except protocol.FrameError as error:
        if not sent and watch.code >= 128:
            raise _error(protocol.CRASHED, place, f"killed by signal {watch.code - 128}", output) from None
        raise _error(protocol.UNUSABLE, place, f"exit code {watch.code}, result pipe: {error}", output) from None
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
    for path in (Path(parent, name) for parent, _, names in os.walk(folder) for name in names):
        if (content := _regular_content(path, left)) is not None:
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
