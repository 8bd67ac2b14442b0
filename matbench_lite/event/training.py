"""Submitted code, trained on the private data in a sandbox, inner fold by inner fold."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import EventError, SubmittedCodeError
from matbench_lite.event.folds import PARTS, FoldPredicted, event_folds
from matbench_lite.event.received import Received, ReceivedFolder
from matbench_lite.event.sandbox import fit_contained
from matbench_lite.event.settings import Event
from matbench_lite.run.model import MODEL_FILE
from matbench_lite.run.saved_predictions import from_npz, to_npz
from matbench_lite.run.trial_job import inner_seed, row_predictions

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.run.inner import InnerFold
    from matbench_lite.tasks import Task


_LONGEST_SOURCE = 1_000_000  # characters: a longer file is no model that somebody wrote


def train_submission(
    event: Event, folder: ReceivedFolder, submission: Received, *, isolated: bool = True, jobs: int = 1
) -> float:
    """Train the model of a submission on every inner fold that has not been trained.

    Args:
        event: The event.
        folder: What was received.
        submission: The submission.
        isolated: Whether it is kept from the network and the private folder.
        jobs: How many inner folds at a time.

    Returns:
        What training took, in seconds of wall clock, summed over the inner folds trained now.

    Raises:
        SubmittedCodeError: If it fails, with the first inner fold's reason.
    """
    files, home = folder.files(submission.id), folder.folder(submission.id)
    if not (files / MODEL_FILE).is_file():
        raise SubmittedCodeError(
            f"there is no {MODEL_FILE}", stage="has no model.py", details=f"there is no {MODEL_FILE} at the top"
        )
    task = event.private_task
    inputs = private_inputs(task, files / MODEL_FILE)
    missing = [inner for inner in event_folds(event, task) if not _file(home, inner.number).is_file()]

    def train(inner: InnerFold) -> float:
        fitted = fit_contained(
            files,
            replace(task, table=None),
            inputs.iloc[inner.train],
            task.targets["target"].iloc[inner.train],
            [inputs.iloc[inner.valid], inputs.iloc[inner.test]],
            seed=inner_seed(event.seed, task.name, 0, inner.number),
            where=f"inner fold {inner.number}",
            limits=event.training,
            isolated=isolated,
        )
        valid, test = fitted.predicted
        predicted = {
            "valid": row_predictions(task, inner.valid, valid),
            "test": row_predictions(task, np.arange(len(inner.test), dtype=np.intp), test),
        }
        write_bytes(_file(home, inner.number), to_npz(predicted))
        return fitted.seconds

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(train, inner) for inner in missing]
        try:
            return sum(future.result() for future in as_completed(futures))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def saved_folds(event: Event, home: Path) -> tuple[FoldPredicted, ...]:
    """What the models of a submission predicted when they were trained.

    Raises:
        EventError: If a fold was not trained, or its file is damaged.
    """
    folds = []
    for number in range(event.inner_folds):
        path = _file(home, number)
        try:
            folds.append(FoldPredicted(number=number, **from_npz(path.read_bytes(), PARTS)))
        except (OSError, ValueError, KeyError) as error:
            raise EventError(f"{path} cannot be read: {error}", fix="remove it and score again") from error
    return tuple(folds)


def forget_folds(home: Path) -> None:
    """Let a submission be trained anew."""
    for path in home.glob("fold-*.npz"):
        path.unlink()


def private_inputs(task: Task, model: Path) -> pd.Series:
    """The inputs of every private row, as the model declares them; its file is read, not executed."""
    if (
        task.input == "structure"
        and declared_input(model.read_text(encoding="utf-8", errors="replace")) == "composition"
    ):
        return task.targets["formula"].rename("composition")
    return task.inputs


def declared_input(source: str) -> str | None:
    r"""What a model file declares as its `input`, from its text alone.

    Examples:
        >>> declared_input('input = "composition"\n'), declared_input("import os")
        ('composition', None)
    """
    if len(source) > _LONGEST_SOURCE:
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # it will fail when it is loaded
    for statement in body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if "input" in names and isinstance(statement.value, ast.Constant):  # type: ignore[attr-defined]
            return str(statement.value.value)  # type: ignore[attr-defined]
    return None


def _file(home: Path, number: int) -> Path:
    return home / f"fold-{number}.npz"
