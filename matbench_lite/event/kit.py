"""The participant's side: a kit, whether a submission can be used, and packing one."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from matbench_lite.atomic import replacing
from matbench_lite.errors import EventError, MatbenchLiteError, RunError
from matbench_lite.event.arrival import take
from matbench_lite.event.event_data import read_inputs
from matbench_lite.event.event_settings import BENCHMARK_FILE, SETTINGS_FILE, Event, only_task, read_settings
from matbench_lite.event.submission_files import (
    PREDICTIONS_FILE,
    FoldPredicted,
    event_folds,
    named,
    read_about,
    read_predictions,
    save_fold,
    saved_folds,
    write_predictions,
)
from matbench_lite.tasks import Task
from matbench_lite.train import (
    MODEL_FILE,
    InnerFold,
    Job,
    Model,
    Outcome,
    fit_predict,
    inner_seed,
    model_inputs,
    outcomes,
)

Seen = Callable[[int], None]
"""Called with each inner fold that is done."""


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
        test_ids = read_inputs(kit.event.folder, kit.task).index
        task = kit.task
        read_predictions(folder / PREDICTIONS_FILE, task.kind, kit.folds, task.ids, test_ids, task.classes)
    elif not (folder / MODEL_FILE).is_file():
        raise EventError(f"there is no {MODEL_FILE}", fix=f"put get_estimator(task) into {MODEL_FILE}")


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
            ids = {"valid": kit.task.ids, "test": read_inputs(kit.event.folder, kit.task).index}
            write_predictions(files / PREDICTIONS_FILE, ids, predict_folds(kit, model, jobs=jobs, seen=seen), kit.task)
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
    with TemporaryDirectory() as folder:
        work = [
            _PackJob(
                model=model,
                benchmark=kit.task.benchmark,
                task=kit.task.name,
                fold=0,
                seed=kit.event.seed,
                about=replace(kit.task),  # without what it has cached: it goes to another process
                inner=inner,
                kit=kit.event.folder,
                home=Path(folder),
            )
            for inner in kit.folds
        ]
        for outcome in outcomes(work, workers=min(jobs, len(work))):
            assert isinstance(outcome.job, _PackJob)
            if outcome.error is not None:
                raise RunError(outcome.error, fix=outcome.fix)
            seen(outcome.job.inner.number)
        return saved_folds(kit.event, Path(folder))


@dataclass(frozen=True, kw_only=True)
class _PackJob(Job):
    """One inner fold of a kit to train; its predictions are kept in the folder `home`."""

    about: Task
    inner: InnerFold
    kit: Path
    home: Path

    @property
    def place(self) -> str:
        """Which inner fold, for messages."""
        return f"{self.task} inner fold {self.inner.number}"

    def work(self) -> Outcome:
        """Train and predict, in this process."""
        try:
            inputs, private = model_inputs(self.model, self.about), read_inputs(self.kit, self.about)
            if self.model.input == "composition" and self.about.input == "structure":
                formulas = private.map(lambda structure: structure.composition.reduced_formula)
                private = formulas.rename("composition")
            predicted = fit_predict(
                self.model.estimator(self.about),
                self.about,
                inputs.iloc[self.inner.train],
                self.about.targets["target"].iloc[self.inner.train],
                [inputs.iloc[self.inner.valid], private],
                seed=inner_seed(self.seed, self.task, self.fold, self.inner.number),
                where=f"inner fold {self.inner.number}",
            )
            save_fold(self.home, self.about, self.inner, predicted)
        except MatbenchLiteError as error:
            return Outcome(job=self, error=f"{self.place}: {error.message}", fix=error.fix)
        return Outcome(job=self)
