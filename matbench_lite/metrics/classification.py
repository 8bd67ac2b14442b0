"""How well two classes are told apart, from labels or from probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics._arrays import BoolArray, FloatArray, floats

DECISION_THRESHOLD = 0.5


def balanced_accuracy(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Mean over the classes of the share of their rows that is recognised; ranks classification tasks.

    Args:
        y_true: Labels, booleans or 0 and 1.
        y_pred: Labels, or probabilities of the positive class, from 0 to 1; above 0.5 is positive.

    Returns:
        A share from 0 to 1; a class without a row in `y_true` is left out of the mean.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no label or no probability.

    Examples:
        >>> balanced_accuracy([True, True, True, False], [0.9, 0.8, 0.7, 0.6])
        0.5
    """
    return _outcomes(*_labels_and_scores(y_true, y_pred)).balanced_accuracy


def accuracy(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Share of the rows that are predicted right, from 0 to 1.

    Args:
        y_true: Labels, booleans or 0 and 1.
        y_pred: Labels, or probabilities of the positive class, from 0 to 1; above 0.5 is positive.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no label or no probability.

    Examples:
        >>> accuracy([True, True, True, False], [0.9, 0.8, 0.7, 0.6])
        0.75
    """
    return _outcomes(*_labels_and_scores(y_true, y_pred)).accuracy


def f1(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Harmonic mean of precision and recall of the positive class, from 0 to 1.

    Args:
        y_true: Labels, booleans or 0 and 1.
        y_pred: Labels, or probabilities of the positive class, from 0 to 1; above 0.5 is positive.

    Returns:
        The score; 0 where no row is both positive and predicted so, as in scikit-learn.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no label or no probability.

    Examples:
        >>> f1([True, True, False, False], [True, False, True, False])
        0.5
    """
    return _outcomes(*_labels_and_scores(y_true, y_pred)).f1


def rocauc(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Area under the receiver operating characteristic: how often a positive row is scored above a negative one.

    Args:
        y_true: Labels, booleans or 0 and 1.
        y_pred: Probabilities of the positive class, from 0 to 1. Labels are taken as 0 and 1, which gives the
            balanced accuracy.

    Returns:
        A share from 0 to 1, ties counted as half; NaN if `y_true` has one class only.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no label or no probability.

    Examples:
        >>> rocauc([True, True, False, False], [0.9, 0.4, 0.4, 0.1])
        0.875
    """
    return _rocauc(*_labels_and_scores(y_true, y_pred))


def classification_scores(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, probability: bool) -> dict[str, float]:
    """Every classification metric of one fold at once, the same numbers as from the single functions.

    Args:
        y_true: Labels, booleans or 0 and 1.
        y_pred: Labels, or probabilities of the positive class, from 0 to 1; above 0.5 is positive.
        probability: Whether `y_pred` are probabilities; if not, each must be a label and there is no `rocauc`.

    Returns:
        The metrics of `CLASSIFICATION_METRICS` by name.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no label or no probability.

    Examples:
        >>> classification_scores([True, False], [0.9, 0.6], probability=True)
        {'balanced_accuracy': 0.5, 'accuracy': 0.5, 'f1': 0.66..., 'rocauc': 1.0}
        >>> classification_scores([True, False], [True, False], probability=False)
        {'balanced_accuracy': 1.0, 'accuracy': 1.0, 'f1': 1.0}
    """
    positive, scores = _labels_and_scores(y_true, y_pred)
    if not probability:
        _require_labels("y_pred", scores)
    outcomes = _outcomes(positive, scores)
    result = {"balanced_accuracy": outcomes.balanced_accuracy, "accuracy": outcomes.accuracy, "f1": outcomes.f1}
    return result | {"rocauc": _rocauc(positive, scores)} if probability else result


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """Rows by what they are and what they were taken for."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def balanced_accuracy(self) -> float:
        positive = self.true_positive + self.false_negative
        negative = self.true_negative + self.false_positive
        recalls = [hit / rows for hit, rows in ((self.true_negative, negative), (self.true_positive, positive)) if rows]
        return sum(recalls) / len(recalls)

    @property
    def accuracy(self) -> float:
        right = self.true_positive + self.true_negative
        return right / (right + self.false_positive + self.false_negative)

    @property
    def f1(self) -> float:
        wrong = self.false_positive + self.false_negative
        return 2 * self.true_positive / (2 * self.true_positive + wrong) if self.true_positive else 0.0


def _outcomes(positive: BoolArray, scores: FloatArray) -> _Outcomes:
    predicted = scores > DECISION_THRESHOLD
    both, true, taken = (int(np.count_nonzero(rows)) for rows in (positive & predicted, positive, predicted))
    return _Outcomes(both, taken - both, true - both, len(positive) - true - taken + both)


def _rocauc(positive: BoolArray, scores: FloatArray) -> float:
    positives = int(np.count_nonzero(positive))
    negatives = len(positive) - positives
    if not positives or not negatives:
        return math.nan
    # The Mann-Whitney statistic: the rank sum of the positive rows above its smallest possible value.
    above = float(_average_ranks(scores)[positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


def _average_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; equal values share the mean of their ranks."""
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(size) - (size - 1) / 2)[group]
    return ranks


def _labels_and_scores(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> tuple[BoolArray, FloatArray]:
    y, scores = floats(y_true=y_true, y_pred=y_pred)
    _require_labels("y_true", y)
    outside = (scores < 0) | (scores > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise MetricError(f"y_pred[{row}]={float(scores[row])} is outside 0 to 1", fix="pass labels or probabilities")
    return y == 1, scores


def _require_labels(name: str, values: FloatArray) -> None:
    other = (values != 0) & (values != 1)
    if other.any():
        row = int(np.argmax(other))
        raise MetricError(f"{name}[{row}]={float(values[row])} is not a label", fix="use True and False, or 1 and 0")
