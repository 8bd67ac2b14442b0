"""The participant's side: a kit, and whether a submission can be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import EventError
from matbench_lite.event.about import named, read_about
from matbench_lite.event.datasets import read_inputs
from matbench_lite.event.folds import event_folds
from matbench_lite.event.predictions_file import PREDICTIONS_FILE, read_predictions
from matbench_lite.event.settings import BENCHMARK_FILE, SETTINGS_FILE, Event, only_task, read_settings
from matbench_lite.run.inner import InnerFold
from matbench_lite.run.model import MODEL_FILE
from matbench_lite.tasks import Task


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What a participant has: the settings, the public data and, where predictions are sent, inputs to predict.

    Args:
        event: The settings.
        task: The public data.
    """

    event: Event
    task: Task

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.event.folder

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
    """See whether the organiser will be able to use a submission, as far as that can be known without training.

    Args:
        kit: The kit.
        folder: The submission's files.

    Raises:
        EventError: If not.
    """
    named(read_about(folder).participant)
    if kit.event.mode == "predictions":
        test_ids = read_inputs(kit.folder, kit.task).index
        read_predictions(folder / PREDICTIONS_FILE, kit.task.kind, kit.folds, kit.task.ids, test_ids)
    elif not (folder / MODEL_FILE).is_file():
        raise EventError(f"there is no {MODEL_FILE}", fix=f"put get_estimator(task) into {MODEL_FILE}")
