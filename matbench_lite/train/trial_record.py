"""What a local test is and what it found, where it is kept, and who has looked at the official test part.

```
<output>/.run/try/<benchmark>/<task>/fold-0/    a journal; fold-0-official/ where the official test part was shown
<output>/.run/official-test/                    who has looked at it: said in every entry made there afterwards
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import RunError
from matbench_lite.metrics import Summary, summarise
from matbench_lite.submission import is_averaged, score_rows
from matbench_lite.train.bagging import RowPredictions, bag_prefixes
from matbench_lite.train.jobs import Outcome
from matbench_lite.train.journal import HEADER, Journal
from matbench_lite.train.protocols import DEFAULT_INNER_FOLDS, PARTS

if TYPE_CHECKING:
    from matbench_lite.tasks import Benchmark, Task

Metrics = Mapping[str, float]
Predictions = Mapping[str, RowPredictions]
"""Predictions of one inner model, by part: "train", "valid" and "test"."""

BAGGED_PARTS = ("valid", "test")
"""What the averaged models are scored on."""
_TRIALS = Path(".run") / "try"
_NOTES = Path(".run") / "official-test"


@dataclass(frozen=True, kw_only=True)
class TrialSettings:
    """What is tested: two trials with equal settings give equal predictions.

    Args:
        benchmark: Name of the benchmark.
        task: Name of the task.
        fold: The fold inside whose training part everything happens.
        model: Name of the model.
        model_sha256: Digest over its source files.
        inner_folds: Number of inner folds.
        seed: Seed of the inner folds and of the models.
        official_test: Whether `test` is the official test part of the fold.
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

    Args:
        number: The inner fold.
        state: What became of it.
        seconds: Wall-clock seconds: `fit`, then what it took to predict `train`, `valid` and `test`.
        scores: The metrics of train, valid and test, once scored.
        error: What went wrong, if it did.
        traceback: Where it went wrong.
        printed: What the model printed.
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
    """A local test, as far as it has come.

    Args:
        settings: What was tested.
        results: One per inner fold, in order.
        scores: What they say together; None if every fold failed.
    """

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


def trial_scores(
    task: Task, results: Sequence[InnerResult], outcomes: Mapping[int, Outcome], *, bagging: bool = True
) -> TrialScores | None:
    """Sum up the inner folds that were scored, None if none was; outcomes by number are needed for bagging."""
    scored = [result for result in results if result.state == "scored"]
    if not scored:
        return None
    bagged = {}
    if bagging:
        for part in BAGGED_PARTS:
            prefixes = bag_prefixes([outcomes[result.number].predictions[part] for result in scored])
            bagged[part] = tuple(score_part(task, prefix) for prefix in prefixes)
    return TrialScores(
        folds=tuple(result.number for result in scored),
        failed=tuple(result.number for result in results if result.state == "error"),
        mean={part: mean_metrics([result.scores[part] for result in scored]) for part in PARTS},
        seconds=mean_metrics([result.seconds for result in scored]),
        bagged=bagged,
    )


def mean_metrics(folds: Sequence[Metrics]) -> dict[str, Summary]:
    """Mean and standard deviation over folds of every metric that all of them have."""
    everywhere = [name for name in folds[0] if all(name in fold for fold in folds) and is_averaged(name)]
    return {name: summarise([fold[name] for fold in folds]) for name in everywhere}


def trial_journal(output: Path, task: Task, fold: int, *, official_test: bool = False) -> Journal:
    """Where a test is kept in the output folder of a model.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> trial_journal(Path("out"), load_benchmark("mini")["mini_gap"], 0).folder.as_posix()
        'out/.run/try/mini/mini_gap/fold-0'
    """
    return Journal(output / _TRIALS / task.benchmark / task.name / f"fold-{fold}{'-official' * official_test}")


def tried_tasks(output: Path, bench: Benchmark, fold: int, *, official_test: bool = False) -> tuple[str, ...]:
    """The tasks of a benchmark that have a finished test in an output folder, in registry order.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> tried_tasks(Path("nowhere"), load_benchmark("mini"), 0)
        ()
    """
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
    try:
        return TrialSettings(**header)
    except TypeError as error:
        raise RunError(
            f"{journal.folder / HEADER} is damaged: {error}", fix="run `mbl try` without --rescore to train again"
        ) from error


@dataclass(frozen=True, kw_only=True)
class OfficialTestUse:
    """One fold whose official test part was looked at while a model was being made: how often, and when (UTC)."""

    benchmark: str
    task: str
    fold: int
    first: str
    last: str
    times: int


def note_official_test(folder: Path, task: Task, fold: int) -> OfficialTestUse:
    """Note that the official test part of a fold is shown to whoever makes the model in `folder`.

    A note that cannot be written is a `RunError`: then nothing may be shown.
    """
    # One file per fold, so that two programs at work in one folder cannot lose each other's notes.
    path = folder / _NOTES / f"{task.benchmark}.{task.name}.{fold}.json"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    use = OfficialTestUse(benchmark=task.benchmark, task=task.name, fold=fold, first=now, last=now, times=1)
    if path.is_file():
        before = _read(path)
        use = replace(use, first=before.first, times=before.times + 1)
    try:
        write_bytes(path, json.dumps(asdict(use), indent=2).encode() + b"\n")
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror}", fix="choose another output folder") from error
    return use


def official_test_uses(folder: Path) -> tuple[OfficialTestUse, ...]:
    """What was noted in a folder, by benchmark, task and fold; empty where nobody looked."""
    uses = [_read(path) for path in (folder / _NOTES).glob("*.json")]
    return tuple(sorted(uses, key=lambda use: (use.benchmark, use.task, use.fold)))


def _read(path: Path) -> OfficialTestUse:
    try:
        return OfficialTestUse(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise RunError(
            f"the note {path} about the official test part cannot be read: {error}", fix="restore it, or delete it"
        ) from error
