"""What a local test is and what it found: inner folds, records of them, and their scores.

Inner folds lie inside the training part of one fold: nobody tunes on the official test part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import DataFormatError, RunError
from matbench_lite.metrics import Summary, summarise
from matbench_lite.submission import is_averaged, score_rows
from matbench_lite.tasks import IN_NO_FOLD, Split, Task, assign_folds, share_groups, split_rows
from matbench_lite.train.bagging import RowPredictions, bag_prefixes

DEFAULT_INNER_FOLDS = 8
"""Inner folds of a local test, unless another number is given."""
MAX_INNER_FOLDS = 100
"""The most that a test may have."""
_TEST_PARTS = 5  # one of them, 20 % of the rows, is the test slice
PARTS = ("train", "valid", "test")
"""What every inner model predicts."""

State = Literal["scored", "error"]
"""What became of an inner fold."""

Metrics = Mapping[str, float]
Predictions = Mapping[str, RowPredictions]
"""Predictions of one inner model, by part: "train", "valid" and "test"."""

BAGGED_PARTS = ("valid", "test")
"""What the averaged models are scored on."""


@dataclass(frozen=True, kw_only=True)
class InnerFold:
    """One inner fold: positions of rows in the task, in file order.

    Args:
        number: 0 to the number of inner folds - 1.
        train: Rows to train on.
        valid: Rows that this fold holds out.
        test: Rows that no inner fold trains on; the same in every fold.
    """

    number: int
    train: NDArray[np.intp]
    valid: NDArray[np.intp]
    test: NDArray[np.intp]


def inner_folds(
    task: Task, fold: int, *, n_folds: int | None = None, seed: int = 0, official_test: bool = False
) -> tuple[InnerFold, ...]:
    """Split the training part of one fold for a local test.

    A fifth of the training part is set aside as `test`, the same rows for every `n_folds` and `seed`: a lucky slice
    cannot be looked for. The rest is held out in `n_folds` turns, shuffled; classification is stratified.

    Where the data itself says which rows are to be tested on, `test` is those, and all others are held out in turn.
    What is held out follows the folds of the benchmark: groups stay together, what is held out comes after what is
    trained on, repeats are drawn again. A column of folds is one of groups, and of folds where the data has parts.

    Args:
        task: The task; its targets must be on this machine or fetchable.
        fold: The fold whose training part is split.
        n_folds: Number of inner folds, 2 or more; by default 8, or as many as the data gives.
        seed: Seed of the shuffle.
        official_test: Give the test part of `fold` itself as `test`. What is trained on and held out stays the same.

    Raises:
        UnknownNameError: If the task has no such fold.
        RunError: If there are too few rows for that many folds.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> folds = inner_folds(task, 0)
        >>> len(folds), set(folds[0].test) <= set(task.train_rows(0)), set(folds[0].test) & set(folds[0].train)
        (8, True, set())
    """
    rows, given = task.train_rows(fold), _given(task)
    rest, test = rows, task.test_rows(fold)
    if not task.has_given_parts:
        # A row of the latest times, where times count: no model is tested on what came before.
        aside = _held_out(task, fold, rows, n_folds=_TEST_PARTS, seed=task.seed, is_slice=True)
        split = aside[-1 if task.scheme == "time" else 0]
        rest, test = split.train, test if official_test else split.test
    if n_folds is None:
        groups = _groups(task)
        n_folds = given or DEFAULT_INNER_FOLDS if groups is None else min(DEFAULT_INNER_FOLDS, len(set(groups[rest])))
    if not 2 <= n_folds <= (given or MAX_INNER_FOLDS) or n_folds < (given or 2):
        how_many = str(given) if given else f"2 to {MAX_INNER_FOLDS}"
        message = f"{task.name} fold {fold}: {n_folds} inner folds cannot be made"
        raise RunError(message, fix=f"use {how_many} inner folds")
    return tuple(
        InnerFold(number=number, train=split.train, valid=split.test, test=test)
        for number, split in enumerate(_held_out(task, fold, rest, n_folds=n_folds, seed=seed))
    )


def _given(task: Task) -> int | None:
    """How many inner folds the data gives."""
    if not task.has_given_parts:
        return None
    if task.scheme == "repeats":
        return len(task.marks.repeats)
    folds = task.marks.folds
    return None if folds is None else len(set(folds[task.train_rows(0)].tolist()) - {IN_NO_FOLD})


def _groups(task: Task) -> NDArray[np.generic] | None:
    """What keeps rows together; a column of folds does, too, where it is the benchmark's folds that it gives."""
    return task.marks.groups if task.scheme == "group" or task.has_given_parts else task.marks.folds


def _held_out(
    task: Task, fold: int, rows: NDArray[np.intp], *, n_folds: int, seed: int, is_slice: bool = False
) -> list[Split]:
    """Some rows of a task, held out in turn; or in as many slices, of which one is set aside."""
    try:
        if (groups := _groups(task)) is not None:
            some = groups[rows].astype(np.intp)
            shares = share_groups(some, min(n_folds, len(set(some))) if is_slice else n_folds)
        elif task.scheme == "time" or (not is_slice and (task.has_given_parts or task.scheme == "shuffled")):
            if task.scheme in ("drawn", "shuffled"):
                _check_enough(task, fold, task.target_values[rows], n_folds)
            return split_rows(task, rows, n_folds=n_folds - is_slice, seed=seed)
        else:
            # What repeats hold out says nothing of the rows that one of them trains on.
            _check_enough(task, fold, task.target_values[rows], n_folds)
            shares = assign_folds(task.kind, task.target_values[rows], n_folds=n_folds, seed=seed)
    except DataFormatError as error:
        message = f"{task.name} fold {fold}: {n_folds} inner folds cannot be made: {error.message}"
        raise RunError(message, fix="use fewer inner folds, or a benchmark with more rows") from error
    return [Split(rows[shares != number], rows[shares == number]) for number in range(1 + int(shares.max()))]


def _check_enough(task: Task, fold: int, targets: NDArray[np.generic], n_folds: int) -> None:
    size = len(targets)
    if task.kind == "classification":
        size = min(int(np.count_nonzero(targets == value)) for value in range(max(2, len(task.classes))))
    most = min(size, MAX_INNER_FOLDS)
    if not 2 <= n_folds <= most:
        what = "rows" if task.kind == "regression" else "rows of its rarer class"
        raise RunError(
            f"{task.name} fold {fold}: {n_folds} inner folds cannot be made of {size} {what}",
            fix=f"use 2 to {most} inner folds" if most >= 2 else "use a task with more rows",
        )


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
    state: State = "scored"
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
    task: Task, results: Sequence[InnerResult], predictions: Mapping[int, Predictions], *, bagging: bool = True
) -> TrialScores | None:
    """Sum up the inner folds that were scored, None if none was; predictions by number are needed for bagging."""
    scored = [result for result in results if result.state == "scored"]
    if not scored:
        return None
    bagged = {}
    if bagging:
        for part in BAGGED_PARTS:
            prefixes = bag_prefixes([predictions[result.number][part] for result in scored])
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
