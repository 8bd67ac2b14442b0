"""The participant's side: a kit, the training on its inner folds, whether a submission can be used, and packing one.

Whoever trains, participant or organiser, has the same seeds and with the same rows gets the same predictions.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from matbench_lite.atomic import replacing
from matbench_lite.errors import EventError, RunError
from matbench_lite.event.arrival import take
from matbench_lite.event.event_data import read_inputs
from matbench_lite.event.event_settings import BENCHMARK_FILE, SETTINGS_FILE, Event, only_task, read_settings
from matbench_lite.event.submission_files import (
    PARTS,
    PREDICTIONS_FILE,
    PartPredictions,
    event_folds,
    named,
    read_about,
    read_predictions,
    write_predictions,
)
from matbench_lite.tasks import Task
from matbench_lite.train import (
    MODEL_FILE,
    InnerFold,
    Job,
    LocalTest,
    Model,
    Named,
    Resources,
    Split,
    Step,
    data_digest,
    drive,
    runner,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class EventFolds(LocalTest):
    """The inner folds of an event, in data that is public in a kit or private at the organiser's.

    A `kit` has the private inputs without their targets; the organiser has none.
    """

    name: ClassVar[str] = "event"
    fold: int = 0
    kit: Path | None = None

    def label(self, piece: int) -> str:
        """Which inner fold."""
        return f"inner fold {piece}"

    def facts(self) -> Any:
        """The data, and how it is split."""
        return [data_digest(self.task), self.inner_folds, self.kit is None]

    def split(self, job: Job) -> Split:
        """What the inner fold holds out, by its place in the data; the private test rows, counted from 0."""
        split = super().split(job)
        private = None if self.kit is None else _private(self.kit, split.task, cast("Model", job.model))
        test, known = (split.asked["test"], PARTS) if private is None else (private, ("valid",))
        return replace(
            split,
            asked={"valid": split.asked["valid"], "test": test},
            rows={"valid": split.rows["valid"], "test": np.arange(len(test), dtype=np.intp)},
            truth={part: split.truth[part] for part in known},
        )


@lru_cache(maxsize=1)
def _private(kit: Path, task: Task, model: Model) -> pd.Series | pd.DataFrame:
    private = read_inputs(kit, task)
    if model.input == "composition" and task.input == "structure":
        formulas = private.map(lambda structure: structure.composition.reduced_formula)
        return formulas.rename("composition")
    return private


def event_jobs(
    event: Event, task: Task, model: Named, *, kit: Path | None = None, resources: Resources = Resources()
) -> list[Job]:
    """The training of a model for an event, an inner fold each."""
    # A bare record of the task, which can be sent to another process.
    protocol = EventFolds(task=replace(task), inner_folds=event.inner_folds, kit=kit)
    first = Job(model=model, protocol=protocol, piece=0, seed=event.seed, resources=resources)
    return [replace(first, piece=number) for number in range(event.inner_folds)]


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What a participant has: the settings, the public data and, where predictions are sent, inputs to predict."""

    event: Event
    task: Task

    @property
    def folds(self) -> tuple[InnerFold, ...]:
        """The inner folds of the public data."""
        return event_folds(self.event, self.task)


def open_kit(folder: Path) -> Kit:
    """Open a kit.

    Raises:
        EventError: If it is none, or its settings have a mistake.
        BenchmarkFileError: If its data was damaged.
    """
    event = read_settings(folder / SETTINGS_FILE)
    if not (folder / BENCHMARK_FILE).is_file():
        raise EventError(f"{folder} is no kit: it has no {BENCHMARK_FILE}", fix="give the folder of the kit")
    return Kit(event=event, task=only_task(folder / BENCHMARK_FILE))


def check_submission(kit: Kit, folder: Path) -> None:
    """See whether the organiser will be able to use a submission's files, as far as that is known without training.

    Raises:
        EventError: If not.
    """
    named(read_about(folder).participant)
    if kit.event.mode == "predictions":
        task, test_ids = kit.task, read_inputs(kit.event.folder, kit.task).index
        read_predictions(folder / PREDICTIONS_FILE, task.kind, kit.folds, task.ids, test_ids, task.classes)
    elif not (folder / MODEL_FILE).is_file():
        raise EventError(f"there is no {MODEL_FILE}", fix=f"put get_estimator(task) into {MODEL_FILE}")


def pack(kit: Kit, model: Model, output: Path, *, resources: Resources = Resources()) -> Path:
    """Make a submission of a model, and give it: a zip file with what the event asks for.

    The model is a folder, whose `submission.toml` says who sends it. Where predictions are sent, it is trained with
    these `resources`.

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
            predicted = predict_folds(kit, model, resources=resources)
            ids = {"valid": kit.task.ids, "test": read_inputs(kit.event.folder, kit.task).index}
            write_predictions(files / PREDICTIONS_FILE, ids, predicted, kit.task.classes)
        check_submission(kit, files)
        with replacing(output) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(path for path in files.rglob("*") if path.is_file()):
                archive.write(file, file.relative_to(files).as_posix())
    return output


def predict_folds(kit: Kit, model: Model, *, resources: Resources = Resources()) -> tuple[PartPredictions, ...]:
    """Train a model on every inner fold, as `mbl try` does, to predict what it held out and the private inputs."""
    work = event_jobs(kit.event, kit.task, model, kit=kit.event.folder, resources=resources)

    def trained(step: Step) -> None:
        if step.outcome.record.error is not None:
            raise RunError(step.outcome.record.error, fix=step.outcome.record.fix)

    with runner(resources, most=len(work)) as using:
        outcomes = drive(work, using, title=model.name, report=trained)
    return tuple(outcome.predictions for outcome in outcomes)
