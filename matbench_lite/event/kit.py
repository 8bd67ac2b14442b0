"""The participant's side: a kit, whether a submission can be used, and packing one."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from matbench_lite.atomic import replacing
from matbench_lite.errors import EventError, RunError
from matbench_lite.event.arrival import take
from matbench_lite.event.event_data import read_inputs
from matbench_lite.event.event_protocol import event_jobs
from matbench_lite.event.event_settings import BENCHMARK_FILE, SETTINGS_FILE, Event, only_task, read_settings
from matbench_lite.event.submission_files import (
    PREDICTIONS_FILE,
    PartPredictions,
    event_folds,
    named,
    read_about,
    read_predictions,
    write_predictions,
)
from matbench_lite.tasks import Task
from matbench_lite.train import MODEL_FILE, InnerFold, Model, Step, drive, runner


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


def pack(kit: Kit, model: Model, output: Path, *, jobs: int = 1) -> Path:
    """Make a submission of a model: a zip file with what the event asks for.

    Args:
        kit: The kit.
        model: The model; a folder, whose `submission.toml` says who sends it.
        output: The zip file to write.
        jobs: How many inner folds to train at a time, where predictions are sent.

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
            write_predictions(files / PREDICTIONS_FILE, ids, predict_folds(kit, model, jobs=jobs), kit.task.classes)
        check_submission(kit, files)
        with replacing(output) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(path for path in files.rglob("*") if path.is_file()):
                archive.write(file, file.relative_to(files).as_posix())
    return output


def predict_folds(kit: Kit, model: Model, *, jobs: int = 1) -> tuple[PartPredictions, ...]:
    """Train a model on every inner fold, as `mbl try` does, to predict what it held out and the private inputs."""
    work = event_jobs(kit.event, kit.task, model, kit=kit.event.folder)

    def trained(step: Step) -> None:
        if step.outcome.record.error is not None:
            raise RunError(step.outcome.record.error, fix=step.outcome.record.fix)

    with runner(workers=min(jobs, len(work))) as using:
        outcomes = drive(work, using, title=model.name, report=trained)
    return tuple(outcome.predictions for outcome in outcomes)
