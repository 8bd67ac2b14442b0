"""An event: what is asked for, when, by what it is ranked, and how much anybody may send; read from `event.toml`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from matbench_lite.documents import TomlTable, toml_document
from matbench_lite.errors import EventError
from matbench_lite.event.arrival_files import ArrivalLimits
from matbench_lite.metrics import CLASSIFICATION_METRICS, METRICS, REGRESSION_METRICS
from matbench_lite.tasks import Scoring, Task, load_benchmark
from matbench_lite.train import DEFAULT_INNER_FOLDS, MAX_INNER_FOLDS, Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mode = Literal["predictions", "code"]
Combining = Literal["mean", "bagged"]
"""Of the models of the inner folds: the mean of their scores, or the score of their mean."""
Phase = Literal["announced", "private", "open", "closed"]
"""Before the opening; open, with a board that nobody sees yet; open, with a public board; after the closing."""

SETTINGS_FILE = "event.toml"
BENCHMARK_FILE = "benchmark.toml"


@dataclass(frozen=True, kw_only=True)
class SubmissionLimits:
    """How much one participant may send: in all, and on one day, in UTC."""

    submissions: int = 50
    per_day: int = 10


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event, as its organiser has set it up.

    The `folder` is the organiser's; `name` is fit for a file's name, `title` for people; `mode` is what participants
    send. Submissions are taken from the `opening` and count until the `closing`, by the organiser's clock, when the
    final ranks are shown; the public board is shown from the `public_opening`. The `metric` ranks; `public` and `final`
    say what is shown of the validation scores, and what decides of the test scores. The `seed` is that of the inner
    folds and of everything random in the models. Limits are those of one participant, of the arrival of a submission,
    and of the training of one inner fold, where code is sent.
    """

    folder: Path
    name: str
    title: str
    mode: Mode
    opening: datetime
    public_opening: datetime
    closing: datetime
    metric: str
    description: str = ""
    public: Combining = "mean"
    final: Combining = "mean"
    inner_folds: int = DEFAULT_INNER_FOLDS
    seed: int = 0
    participant: SubmissionLimits = field(default_factory=SubmissionLimits)
    arrival: ArrivalLimits = field(default_factory=ArrivalLimits)
    training: Limits = field(default_factory=Limits)

    @property
    def kit(self) -> Path:
        """The folder for participants."""
        return self.folder / "kit"

    @property
    def private(self) -> Path:
        """The folder that nobody but the organiser may see."""
        return self.folder / "private"

    @cached_property
    def public_task(self) -> Task:
        """The public data: rows to train on, and rows to test on."""
        return only_task(self.kit / BENCHMARK_FILE)

    @cached_property
    def private_task(self) -> Task:
        """The private data: rows to train on, or of hidden validation where predictions are sent; those that decide."""
        return only_task(self.private / BENCHMARK_FILE)

    @property
    def valid_task(self) -> Task:
        """The data that inner folds hold out: public where predictions are sent, private where code is."""
        return self.private_task if self.mode == "code" else self.public_task

    @cached_property
    def private_parts(self) -> dict[str, NDArray[np.intp]]:
        """Rows of the private data that submissions are scored on and whose targets no model is shown, by part.

        "test" decides. Where predictions are sent, "hidden" are the rows that the public board ranks by: the kit asks
        for them, too. Events that were made before there were such rows have none.
        """
        from matbench_lite.event.event_data import input_ids  # which needs this module

        task = self.private_task
        rows = task.train_rows(0)
        hidden = rows[task.ids[rows].isin(input_ids(self.kit, task))] if self.mode == "predictions" else rows[:0]
        return {**({"hidden": hidden} if len(hidden) else {}), "test": task.test_rows(0)}

    @property
    def ranks_known_targets(self) -> bool:
        """Whether the public board ranks by rows whose targets participants have, as events once did."""
        return self.mode == "predictions" and "hidden" not in self.private_parts

    @property
    def higher_is_better(self) -> bool:
        """Whether a high score is a good one."""
        return bool(METRICS[self.metric].higher_is_better)

    def phase(self, now: datetime) -> Phase:
        """What is allowed and shown at a time.

        Examples:
            >>> first, second, third = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3))
            >>> event = Event(folder=Path(), name="e", title="E", mode="code", opening=first, public_opening=second,
            ...               closing=third, metric="mae")
            >>> event.phase(first), event.phase(second), event.phase(third)
            ('private', 'open', 'closed')
        """
        if now >= self.closing:
            return "closed"
        if now >= max(self.opening, self.public_opening):
            return "open"
        return "private" if now >= self.opening else "announced"


def clock() -> datetime:
    """The organiser's clock."""
    return datetime.now(UTC)


def load_event(folder: Path) -> Event:
    """Open the folder of an event and check its settings.

    Raises:
        EventError: If it is none, with every mistake in `event.toml`, or if the kit was made for other inner folds.
    """
    event = read_settings(folder / SETTINGS_FILE)
    kit = read_settings(event.kit / SETTINGS_FILE)
    for name in ("name", "mode", "inner_folds", "seed", "metric"):
        if getattr(kit, name) != getattr(event, name):
            raise EventError(
                f"{folder}: {name} is {getattr(event, name)!r}, but {getattr(kit, name)!r} in the kit",
                fix=f"restore {name} in {folder / SETTINGS_FILE}: participants work with the kit",
            )
    return event


def read_settings(file: Path) -> Event:
    """Read `event.toml`, of an event or of a kit; an `EventError` names every mistake, each with its place."""
    known = tuple(dict.fromkeys(name for kind in get_args(Scoring) for name in ranking_metrics(kind)))
    with toml_document(file, EventError, fix="give the folder of an event, or make one with `mbl event create`") as top:
        scoring = TomlTable(top.take("scoring", dict), "scoring.", top.problems)
        event = Event(
            folder=file.parent,
            name=top.name(),
            title=top.take("title", str),
            description=top.take("description", str, ""),
            mode=top.choice("mode", get_args(Mode)),
            opening=top.time("opening"),
            public_opening=top.time("public_opening"),
            closing=top.time("closing"),
            metric=scoring.choice("metric", known),
            public=scoring.choice("public", get_args(Combining), "mean"),
            final=scoring.choice("final", get_args(Combining), "mean"),
            inner_folds=scoring.take("inner_folds", int, DEFAULT_INNER_FOLDS),
            seed=scoring.take("seed", int, 0),
            participant=_limits(top, "participant", SubmissionLimits),
            arrival=_limits(top, "submission", ArrivalLimits),
            training=_limits(top, "training", Limits),
        )
        if not top.problems and not event.opening < event.closing:
            top.complain("closing", f"{event.closing:%Y-%m-%d %H:%M} is not after the opening")
        if not 2 <= event.inner_folds <= MAX_INNER_FOLDS:
            scoring.complain("inner_folds", f"{event.inner_folds} is not between 2 and {MAX_INNER_FOLDS}")
        if event.seed < 0:
            scoring.complain("seed", f"{event.seed} is below 0")
        scoring.close()
        top.close()
    return event


def ranking_metrics(kind: Scoring) -> tuple[str, ...]:
    """The metrics that an event can be ranked by.

    Examples:
        >>> ranking_metrics("classification")
        ('balanced_accuracy', 'accuracy', 'f1', 'rocauc', 'log_loss')
    """
    metrics = (*REGRESSION_METRICS, *CLASSIFICATION_METRICS)
    return tuple(metric.name for metric in metrics if kind in metric.kinds and metric.higher_is_better is not None)


def only_task(file: Path) -> Task:
    """The one task of an event's data."""
    return load_benchmark(file).tasks[0]


def _limits(top: TomlTable, key: str, kind: type[Any]) -> Any:
    """A record of limits: each a positive number, with its default where it is not given."""
    section = TomlTable(top.take(key, dict, {}), f"{key}.", top.problems)
    values = {}
    for each in fields(kind):
        # Annotations are texts; a number that may be broken may be written without a point, too.
        value = section.take(each.name, float if each.type == "float" else int, each.default)
        if value > 0:
            values[each.name] = value
        else:
            section.complain(each.name, f"{value} is not above 0")
    section.close()
    return kind(**values)
