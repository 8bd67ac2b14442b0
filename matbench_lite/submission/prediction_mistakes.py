"""Mistakes that are seen as soon as predictions meet the targets: rows in another order, another unit, a wild value."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from matbench_lite.data import targets_here
from matbench_lite.errors import DataError, PredictionWarning
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.stats import tied_ranks
from matbench_lite.text import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task

Kind = Literal["worse than a guess", "unrelated", "out of range", "another unit"]

FIXES: dict[Kind, str] = {
    "worse than a guess": "compare a few of them with the targets",
    "unrelated": "give them in the order of task.test_ids(fold), or as a Series with these ids",
    "out of range": "look at these rows",
    "another unit": "record them in the unit of the task",
}
UNRELATED, _BY_CHANCE = 0.05, 2.5
"""Correlation of ranks below which predictions have nothing to do with the targets; of few rows, what chance gives."""
FAR = 10
"""So many ranges of the training targets a prediction may lie outside of them."""
_WORTH_A_LOOK = 0.8
"""Predictions with less than this share of the error of the constant guess are fine: the rest is not computed."""
_WORSE = 1.05
"""So many times the error of the constant guess is worse than it, and no accident."""
_CLEARLY, _LEARNED = 0.3, 0.5
"""Predictions of another unit are clearly related to the targets, and near to them once it is taken back."""
_FEWEST_ROWS = 50
_NEAR_POWER = 0.1
"""How near to a whole number the logarithm of a ratio is that is a power of ten."""
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "log10": np.log10,
    "the natural logarithm": np.log,
    "10 to the power": lambda y: 10.0**y,
    "exp": np.exp,
}


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """What is probably wrong with the predictions of some rows: what was found, in words; and which rows, if some."""

    kind: Kind
    message: str
    rows: NDArray[np.intp]
    evidence: dict[str, float | int | str]


def mistakes(task: Task, fold: int, predicted: NDArray[np.float64], targets: NDArray[Any]) -> Iterator[Mistake]:
    """What is probably wrong with the predictions of a fold, given the targets of all rows, in file order."""
    if len(predicted) < 2 or np.ptp(predicted) == 0:
        return
    truth, training = targets[task.test_rows(fold)], targets[task.train_rows(fold)]
    if task.kind == "regression":
        yield from _of_numbers(truth, training, predicted)
    else:
        yield from _of_classes(task, truth, predicted)


def warn_of_mistakes(task: Task, fold: int, predicted: NDArray[np.float64]) -> None:
    """Say at once, as warnings, what is probably wrong with the predictions of a fold.

    Nothing is said where its targets are not on this machine, or are damaged.
    """
    with suppress(DataError):
        found = targets_here(task)
        for mistake in () if found is None else mistakes(task, fold, predicted, found.target_values):
            first = mistake.rows[:1]
            where = f" ({task.test_ids(fold)[first[0]]})" if len(first) else ""
            message = f"{task.name} fold {fold}: {mistake.message}{where}: {FIXES[mistake.kind]}"
            warnings.warn(message, PredictionWarning, stacklevel=3)


def _of_numbers(truth: NDArray[Any], training: NDArray[Any], predicted: NDArray[np.float64]) -> Iterator[Mistake]:
    low, high = float(training.min()), float(training.max())
    room = FAR * (high - low)
    wild = np.flatnonzero((predicted < low - room) | (predicted > high + room))
    guess = float(np.abs(training.mean() - truth).mean())
    error = _error_without(wild, truth, predicted)
    if error >= _WORTH_A_LOOK * guess:
        found = _of_all(truth, predicted, error, guess)
        if found is not None:
            yield found
            return
    if len(wild):
        worst = predicted[wild[np.argmax(np.abs(predicted[wild]))]]
        message = f"{count(len(wild), 'prediction')} far outside of {low:.4g} to {high:.4g}, such as {worst:.4g}"
        yield Mistake(kind="out of range", message=message, rows=wild, evidence={"rows": len(wild)})


def _of_all(truth: NDArray[Any], predicted: NDArray[np.float64], error: float, guess: float) -> Mistake | None:
    """What is wrong with predictions that are hardly better than the mean of the training targets, or worse."""
    none = np.empty(0, dtype=np.intp)
    related = _rank_correlation(truth, predicted)
    if abs(related) < max(UNRELATED, _BY_CHANCE / math.sqrt(len(truth))) and len(truth) >= _FEWEST_ROWS:
        message = f"the rank correlation with the targets is {related:.2f}"
        return Mistake(kind="unrelated", message=message, rows=none, evidence={"rank correlation": round(related, 4)})
    if related > _CLEARLY and (other := _another_unit(truth, predicted)):
        return Mistake(kind="another unit", message=other, rows=none, evidence={})
    if _WORSE * guess < error < math.inf:
        message = f"the mean absolute error is {error:.4g}, that of the mean of the training targets {guess:.4g}"
        return Mistake(kind="worse than a guess", message=message, rows=none, evidence={"error": error, "guess": guess})
    return None


def _error_without(rows: NDArray[np.intp], truth: NDArray[Any], predicted: NDArray[np.float64]) -> float:
    errors = np.delete(np.abs(predicted - truth), rows)
    return float(errors.mean()) if len(errors) else math.inf


def _another_unit(truth: NDArray[Any], predicted: NDArray[np.float64]) -> str | None:
    """In words, of which function of the targets these are predictions; None if of the targets themselves."""
    middle = float(np.median(np.abs(truth)))
    ratio = float(np.median(np.abs(predicted))) / middle if middle else 0.0
    if _nearness(truth, predicted) < 1:
        return None
    power = round(math.log10(ratio)) if ratio > 0 else 0
    if power and abs(math.log10(ratio) - power) < _NEAR_POWER and _nearness(truth, predicted / 10.0**power) < _LEARNED:
        return f"they are {10.0**power:.4g} times as large as the targets"
    for name, function in _FUNCTIONS.items():
        with np.errstate(all="ignore"):
            changed = function(truth.astype(np.float64))
        if np.isfinite(changed).all() and np.ptp(changed) and _nearness(changed, predicted) < _LEARNED:
            return f"they look like {name} of the targets"
    return None


def _nearness(truth: NDArray[Any], predicted: NDArray[np.float64]) -> float:
    """The typical error over that of the median: below 1 something was learned."""
    guess = float(np.median(np.abs(truth - np.median(truth))))
    return float(np.median(np.abs(predicted - truth))) / guess if guess else math.inf


def _of_classes(task: Task, truth: NDArray[Any], predicted: NDArray[np.float64]) -> Iterator[Mistake]:
    two = task.scored_as != "multiclass"
    right = (predicted > DECISION_THRESHOLD if two else predicted) == truth
    rates = [(float(right[truth == each].mean()), int((truth == each).sum())) for each in np.unique(truth)]
    score, guess = float(np.mean([rate for rate, _ in rates])), 1 / len(rates)
    scatter = math.sqrt(sum(guess * (1 - guess) / size for _, size in rates)) / len(rates)
    if len(rates) > 1 and len(truth) >= _FEWEST_ROWS and score < guess - 3 * scatter:
        message = f"the balanced accuracy is {score:.4g}, that of a guess {guess:.4g}"
        none = np.empty(0, dtype=np.intp)
        yield Mistake(kind="worse than a guess", message=message, rows=none, evidence={"score": score, "guess": guess})


def _rank_correlation(truth: NDArray[Any], predicted: NDArray[np.float64]) -> float:
    if np.ptp(truth) == 0:
        return 1.0
    plain = float(np.corrcoef(truth, predicted)[0, 1])
    if abs(plain) > _CLEARLY:  # ranks take longer
        return plain
    return float(np.corrcoef(tied_ranks(truth), tied_ranks(predicted))[0, 1])
