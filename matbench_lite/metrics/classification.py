"""How well classes are told apart, from labels or from probabilities."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from matbench_lite.metrics.metric import BoolArray, FloatArray, Metric, Sample, shape_of


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
    return _balanced_accuracy(Sample(y_true, y_pred))


def accuracy(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Share of the rows that are predicted right, from 0 to 1; takes and raises what `balanced_accuracy` does.

    Examples:
        >>> accuracy([True, True, True, False], [0.9, 0.8, 0.7, 0.6])
        0.75
    """
    return _accuracy(Sample(y_true, y_pred))


def f1(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Harmonic mean of precision and recall of the positive class, from 0 to 1.

    Takes and raises what `balanced_accuracy` does.

    Returns:
        The score; 0 where no row is both positive and predicted so, as in scikit-learn.

    Examples:
        >>> f1([True, True, False, False], [True, False, True, False])
        0.5
    """
    return _f1(Sample(y_true, y_pred))


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
    return _rocauc(Sample(y_true, y_pred))


def macro_f1(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, classes: int = 2) -> float:
    """Mean of the F1 of every class, from 0 to 1.

    Args:
        y_true: Labels; of more than two classes, their numbers from 0.
        y_pred: The same, or probabilities; of more than two classes in an array of shape (rows, classes), of which the
            largest of a row counts.
        classes: How many classes there are; one that is neither true nor predicted in any row is left out.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no class or no probability.

    Examples:
        >>> macro_f1([0, 0, 1, 2], [0, 1, 1, 2], classes=3)
        0.777...
    """
    return _macro_f1(Sample(y_true, y_pred, classes=classes))


def log_loss(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Mean negative logarithm of the probability that the true class was given; lower is better.

    Args:
        y_true: Labels; of more than two classes, their numbers from 0.
        y_pred: Probabilities of the positive class, or of every class in an array of shape (rows, classes). As in
            scikit-learn, those of 0 and 1 count as off by the smallest number that can be added to 1.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no class or no probability.

    Examples:
        >>> round(log_loss([True, False], [0.8, 0.4]), 4)
        0.367
        >>> round(log_loss([0, 2], [[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]), 4)
        0.367
    """
    return _log_loss(Sample(y_true, y_pred, probability=True, classes=_columns(y_pred)))


def rocauc_ovr(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Mean over the classes of the area under the curve of that class against all others.

    Args:
        y_true: Labels; of more than two classes, their numbers from 0.
        y_pred: Probabilities of the positive class, or of every class in an array of shape (rows, classes).

    Returns:
        A share from 0 to 1; NaN if a class has no row in `y_true`.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no class or no probability.

    Examples:
        >>> rocauc_ovr([0, 1, 2], [[0.6, 0.2, 0.2], [0.2, 0.5, 0.3], [0.3, 0.5, 0.2]])
        0.666...
    """
    return _rocauc_ovr(Sample(y_true, y_pred, classes=_columns(y_pred)))


def _columns(y_pred: npt.ArrayLike) -> int:
    """The classes of an array of probabilities; a flat one is of two."""
    shape = shape_of(y_pred)
    return shape[1] if len(shape) == 2 and shape[1] > 2 else 2


def _balanced_accuracy(sample: Sample) -> float:
    recalls = [hit / rows for hit, rows in zip(*_hits(sample), strict=True) if rows]
    return sum(recalls) / len(recalls)


def _accuracy(sample: Sample) -> float:
    hits, rows = _hits(sample)
    return sum(hits) / sum(rows)


def _hits(sample: Sample) -> tuple[list[int], list[int]]:
    """Of every class, the rows that are recognised, and all."""
    hits: list[int] = sample.confusion.diagonal().tolist()
    rows: list[int] = sample.confusion.sum(axis=1).tolist()
    return hits, rows


def _macro_f1(sample: Sample) -> float:
    hits, rows = _hits(sample)
    said: list[int] = sample.confusion.sum(axis=0).tolist()
    each = [2 * hit / (one + other) for hit, one, other in zip(hits, rows, said, strict=True) if one + other]
    return sum(each) / len(each)


def _log_loss(sample: Sample) -> float:
    smallest = float(np.finfo(np.float64).eps)
    return float(-np.log(np.clip(sample.given_to_truth, smallest, 1 - smallest)).mean())


def _f1(sample: Sample) -> float:
    true_positive, false_positive, false_negative, _ = sample.counts
    wrong = false_positive + false_negative
    return 2 * true_positive / (2 * true_positive + wrong) if true_positive else 0.0


def _rocauc(sample: Sample) -> float:
    return _area(sample.positive, sample.predicted)


def _rocauc_ovr(sample: Sample) -> float:
    if sample.matrix is None:
        return _rocauc(sample)  # of two classes, one has the same area as the other
    areas = [_area(sample.truth == number, column) for number, column in enumerate(sample.matrix.T)]
    return sum(areas) / len(areas)


def _area(positive: BoolArray, predicted: FloatArray) -> float:
    positives = int(np.count_nonzero(positive))
    negatives = len(positive) - positives
    if not positives or not negatives:
        return math.nan
    # Ranks from 1; equal values share the mean of their ranks.
    _, group, size = np.unique(predicted, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(size) - (size - 1) / 2)[group]
    # The Mann-Whitney statistic: the rank sum of the positive rows above its smallest possible value.
    above = float(ranks[positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


_metric = partial(Metric, kinds=("classification",), better="higher", published=True)
_ANY = ("classification", "multiclass")

CLASSIFICATION_METRICS = (
    _metric(
        name="balanced_accuracy",
        label="balanced accuracy",
        remark="published as ROC-AUC",
        description="mean over the classes of the share of their rows that is recognised",
        function=_balanced_accuracy,
        kinds=_ANY,
    ),
    _metric(
        name="accuracy",
        label="accuracy",
        description="share of the rows that are predicted right",
        function=_accuracy,
        kinds=_ANY,
        shown=("board", "entry", "overview"),
    ),
    _metric(
        name="f1",
        label="F1",
        description="harmonic mean of precision and recall of the positive class",
        function=_f1,
        shown=("board", "entry", "overview"),
    ),
    _metric(
        name="rocauc",
        label="ROC-AUC",
        remark="probabilities",
        description="how often a positive row has a higher probability than a negative one",
        function=_rocauc,
        needs="probability",
        shown=("board", "entry", "overview"),
    ),
    Metric(
        name="macro_f1",
        label="macro F1",
        description="mean over the classes of the F1 of each",
        function=_macro_f1,
        kinds=("multiclass",),
        better="higher",
        shown=("board", "entry", "overview"),
    ),
    Metric(
        name="rocauc_ovr",
        label="ROC-AUC, one against the rest",
        description="mean over the classes of how often a row of it has a higher probability of it than another row",
        function=_rocauc_ovr,
        kinds=("multiclass",),
        needs="probability",
        better="higher",
        shown=("board", "entry", "overview"),
    ),
    Metric(
        name="log_loss",
        label="log loss",
        description="mean negative logarithm of the probability that the true class was given",
        function=_log_loss,
        kinds=_ANY,
        needs="probability",
        shown=("entry", "trial"),
    ),
)
"""The metrics of classes, in the order of their columns. To add one, add its record: nothing else names it."""
