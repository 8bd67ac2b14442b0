"""What a local test is and what it found, where it is kept, and who has looked at the official test part.

```
<output>/.run/try/<benchmark>/<task>/fold-0/    a journal; fold-0-official/ where the official test part was shown
<output>/.run/official-test/                    who has looked at it: said in every entry made there afterwards
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import RunError, raising
from matbench_lite.metrics import Summary, summarise
from matbench_lite.submission import is_averaged, score_rows
from matbench_lite.train.bagging import RowPredictions
from matbench_lite.train.journal import HEADER, Journal
from matbench_lite.train.protocols import DEFAULT_INNER_FOLDS

if TYPE_CHECKING:
    from matbench_lite.tasks import Benchmark, Task

Metrics = Mapping[str, float]
Predictions = Mapping[str, RowPredictions]
"""Predictions of one inner model, by part: "train", "valid" and "test"."""

BAGGED_PARTS = ("valid", "test")
"""What the averaged models are scored on."""
_TRIALS = Path(".run") / "try"
_NOTES = Path(".run") / "official-test"
_NOTED = {"benchmark": str, "task": str, "fold": int, "times": int, "last": str}


@dataclass(frozen=True, kw_only=True)
class TrialSettings:
    """What is tested: two trials with equal settings give equal predictions.

    Everything happens inside the training part of `fold`; `official_test` says whether `test` is its test part.
    """

    benchmark: str
    task: str
    fold: int
    model: str
    model_sha256: str
    inner_folds: int = DEFAULT_INNER_FOLDS
    seed: int = 0
    official_test: bool = False


@dataclass(frozen=True, kw_only=True)
class InnerResult:
    """One inner fold: what became of it, how long it took, what it scored.

    `seconds` are of wall clock: `fit`, then what it took to predict `train`, `valid` and `test`; `scores` are their
    metrics.
    """

    number: int
    state: Literal["scored", "error"] = "scored"
    seconds: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[str, Metrics] = field(default_factory=dict)
    error: str | None = None
    traceback: str | None = None
    printed: str = ""


@dataclass(frozen=True, kw_only=True)
class TrialScores:
    """What the inner folds say together; folds that failed are left out, and listed in `failed`.

    Mean and standard deviation (ddof=0) over the folds are by part and metric, those of the times by step. By part
    ("valid", "test"), `bagged` has the scores of the averaged predictions after the first fold, the first two, and so
    on; the last is what is reported. It is empty if nothing was bagged.
    """

    folds: tuple[int, ...]
    failed: tuple[int, ...]
    mean: Mapping[str, Mapping[str, Summary]]
    seconds: Mapping[str, Summary]
    bagged: Mapping[str, tuple[Metrics, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A local test, as far as it has come; `scores` is None if every inner fold failed."""

    settings: TrialSettings
    results: tuple[InnerResult, ...]
    scores: TrialScores | None

    @property
    def ended(self) -> bool:
        """Whether every inner fold was scored or failed: nothing is left to train."""
        return len(self.results) == self.settings.inner_folds

    @property
    def ok(self) -> bool:
        """Whether every inner fold was scored."""
        return self.ended and all(result.state == "scored" for result in self.results)


def score_part(task: Task, predictions: RowPredictions) -> Metrics:
    """Every metric of the task on some of its rows.

    Raises:
        MetricError: If a prediction is NaN or infinite.

    Examples:
        >>> import numpy as np
        >>> from matbench_lite import load_benchmark
        >>> rows = np.arange(3)
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> score_part(task, RowPredictions(rows=rows, prediction=task.target_values[rows] + 1, type="value"))["mae"]
        1.0
    """
    truth = task.target_values[predictions.rows]
    return score_rows(task.scored_as, truth, predictions.scorable(), classes=len(task.classes))


def mean_metrics(folds: Sequence[Metrics]) -> dict[str, Summary]:
    """Mean and standard deviation over folds of every metric that all of them have."""
    everywhere = [name for name in folds[0] if all(name in fold for fold in folds) and is_averaged(name)]
    return {name: summarise([fold[name] for fold in folds]) for name in everywhere}


def trial_journal(output: Path, task: Task, fold: int, *, official_test: bool = False) -> Journal:
    """Where a test is kept in the output folder of a model."""
    return Journal(output / _TRIALS / task.benchmark / task.name / f"fold-{fold}{'-official' * official_test}")


def tried_tasks(output: Path, bench: Benchmark, fold: int, *, official_test: bool = False) -> tuple[str, ...]:
    """The tasks of a benchmark that have a finished test in an output folder, in registry order."""
    ended = []
    for task in bench:
        journal = trial_journal(output, task, fold, official_test=official_test)
        if journal.header() is not None and len(journal.read()) == read_settings(journal).inner_folds:
            ended.append(task.name)
    return tuple(ended)


def read_settings(journal: Journal) -> TrialSettings:
    """What was tested; a `RunError` if nothing was."""
    header = journal.header()
    if header is None:
        raise RunError(
            f"there is no {journal.folder}: nothing was tried there", fix="run `mbl try` first, without --rescore"
        )
    fix = "run `mbl try` without --rescore to train again"
    with raising(RunError, f"{journal.folder / HEADER} is damaged", fix=fix, on=TypeError):
        return TrialSettings(**header)


def note_official_test(folder: Path, task: Task, fold: int) -> None:
    """Note that the official test part of a fold is shown to whoever makes the model in `folder`.

    A note that cannot be written is a `RunError`: then nothing may be shown.
    """
    # One file per fold, so that two programs at work in one folder cannot lose each other's notes.
    path = folder / _NOTES / f"{task.benchmark}.{task.name}.{fold}.json"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before: dict[str, Any] = _read(path) if path.is_file() else {"first": now, "times": 0}
    note = {"benchmark": task.benchmark, "task": task.name, "fold": fold}
    note |= {"first": before["first"], "last": now, "times": before["times"] + 1}
    with raising(RunError, f"{path} cannot be written", fix="choose another output folder"):
        write_bytes(path, json.dumps(note, indent=2).encode() + b"\n")


def official_test_uses(folder: Path) -> list[dict[str, Any]]:
    """Which folds' official test parts were looked at, how often, and when last (UTC); empty where nobody looked."""
    notes = [_read(path) for path in (folder / _NOTES).glob("*.json")]
    return sorted(({name: note[name] for name in _NOTED} for note in notes), key=lambda use: [*use.values()][:3])


def _read(path: Path) -> dict[str, Any]:
    message = f"the note {path} about the official test part cannot be read"
    with raising(RunError, message, fix="restore it, or delete it", on=(OSError, ValueError, TypeError, KeyError)):
        note = json.loads(path.read_bytes())
        return {name: kind(note[name]) for name, kind in (_NOTED | {"first": str}).items()}
