"""A submission made from a model in a kit: packed, and trained before where predictions are sent."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.atomic import replacing
from matbench_lite.errors import EventError, MatbenchLiteError, RunError
from matbench_lite.event.about import named, read_about
from matbench_lite.event.arriving import take
from matbench_lite.event.datasets import read_inputs
from matbench_lite.event.folds import FoldPredicted
from matbench_lite.event.kit import Kit, check_submission
from matbench_lite.event.predictions_file import PREDICTIONS_FILE, write_predictions
from matbench_lite.run.backends import outcomes
from matbench_lite.run.fitting import Predicted, fit_predict
from matbench_lite.run.inner import InnerFold
from matbench_lite.run.inputs import model_inputs
from matbench_lite.run.model import MODEL_FILE, Model
from matbench_lite.run.trial_job import inner_seed, row_predictions
from matbench_lite.run.unit import Job, Outcome
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

Seen = Callable[[int], None]
"""Called with each inner fold that is done."""


def pack(kit: Kit, model: Model, output: Path, *, jobs: int = 1, seen: Seen = lambda _: None) -> Path:
    """Make a submission of a model: a zip file with what the event asks for.

    Args:
        kit: The kit.
        model: The model; a folder, whose `submission.toml` says who sends it.
        output: The zip file to write.
        jobs: How many inner folds to train at a time, where predictions are sent.
        seen: Called with each inner fold as it is done.

    Returns:
        The zip file.

    Raises:
        EventError: If the model is no folder with a name in its `submission.toml`.
        RunError: If the model fails in an inner fold.
    """
    if model.path is None or not model.path.is_dir():
        raise EventError(
            f"{model.name} is no folder with {MODEL_FILE}", fix="copy models/start of the kit, and change the copy"
        )
    with TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        take(model.path, files, limits=kit.event.arrival)  # what the organiser would not take is known now
        if kit.event.mode == "predictions":
            named(read_about(files).participant)  # before an hour of training
            ids = {"valid": kit.task.ids, "test": read_inputs(kit.folder, kit.task).index}
            write_predictions(files / PREDICTIONS_FILE, ids, predict_folds(kit, model, jobs=jobs, seen=seen))
        check_submission(kit, files)
        with replacing(output) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(path for path in files.rglob("*") if path.is_file()):
                archive.write(file, file.relative_to(files).as_posix())
    return output


def predict_folds(kit: Kit, model: Model, *, jobs: int = 1, seen: Seen = lambda _: None) -> tuple[FoldPredicted, ...]:
    """Train a model on every inner fold; predict what it held out, and the private inputs.

    The training is that of `mbl try`: the same rows, the same seeds.

    Raises:
        RunError: If the model fails in an inner fold.
    """
    work = [
        _PackJob(
            model=model,
            benchmark=kit.task.benchmark,
            task=kit.task.name,
            fold=0,
            seed=kit.event.seed,
            about=replace(kit.task),  # without what it has cached: it goes to another process
            inner=inner,
            kit=kit.folder,
        )
        for inner in kit.folds
    ]
    done: dict[int, FoldPredicted] = {}
    for outcome in outcomes(work, workers=min(jobs, len(work))):
        assert isinstance(outcome.job, _PackJob)
        done[outcome.job.inner.number] = outcome.job.received(outcome)
        seen(outcome.job.inner.number)
    return tuple(done[number] for number in sorted(done))


@dataclass(frozen=True, kw_only=True)
class _PackJob(Job):
    """One inner fold to train; predictions for what it holds out and for the private inputs come back as one array."""

    about: Task
    inner: InnerFold
    kit: Path

    @property
    def place(self) -> str:
        """Which inner fold, for messages."""
        return f"{self.task} inner fold {self.inner.number}"

    def work(self) -> Outcome:
        """Train and predict, in this process."""
        try:
            valid, test = self._predicted()
        except MatbenchLiteError as error:
            return Outcome(job=self, error=f"{self.place}: {error.message}", fix=error.fix)
        std = None if valid.std is None or test.std is None else np.concatenate([valid.std, test.std])
        return Outcome(job=self, values=np.concatenate([valid.values, test.values]), std=std)

    def _predicted(self) -> list[Predicted]:
        inputs = model_inputs(self.model, self.about)
        return fit_predict(
            self.model.estimator(self.about),
            self.about,
            inputs.iloc[self.inner.train],
            self.about.targets["target"].iloc[self.inner.train],
            [inputs.iloc[self.inner.valid], _private_inputs(self.model, self.about, self.kit)],
            seed=inner_seed(self.seed, self.task, self.fold, self.inner.number),
            where=f"inner fold {self.inner.number}",
        )

    def received(self, outcome: Outcome) -> FoldPredicted:
        """What came back, as predictions of rows."""
        if outcome.error is not None or outcome.values is None:
            raise RunError(outcome.error or f"{self.place}: nothing came back", fix=outcome.fix)
        cut = len(self.inner.valid)
        std = outcome.std
        valid = Predicted(values=outcome.values[:cut], std=None if std is None else std[:cut])
        test = Predicted(values=outcome.values[cut:], std=None if std is None else std[cut:])
        return FoldPredicted(
            number=self.inner.number,
            valid=row_predictions(self.about, self.inner.valid, valid),
            test=row_predictions(self.about, np.arange(len(test.values), dtype=np.intp), test),
        )


def _private_inputs(model: Model, task: Task, kit: Path) -> pd.Series:
    inputs = read_inputs(kit, task)
    if model.input == "composition" and task.input == "structure":
        return inputs.map(lambda structure: structure.composition.reduced_formula).rename("composition")
    return inputs
