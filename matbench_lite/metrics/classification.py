"""How well two classes are told apart, from labels or from probabilities."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from matbench_lite.metrics.metric import Metric, Sample


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


def _balanced_accuracy(sample: Sample) -> float:
    true_positive, false_positive, false_negative, true_negative = sample.counts
    classes = ((true_negative, true_negative + false_positive), (true_positive, true_positive + false_negative))
    recalls = [hit / rows for hit, rows in classes if rows]
    return sum(recalls) / len(recalls)


def _accuracy(sample: Sample) -> float:
    true_positive, _, _, true_negative = sample.counts
    return (true_positive + true_negative) / sum(sample.counts)


def _f1(sample: Sample) -> float:
    true_positive, false_positive, false_negative, _ = sample.counts
    wrong = false_positive + false_negative
    return 2 * true_positive / (2 * true_positive + wrong) if true_positive else 0.0


def _rocauc(sample: Sample) -> float:
    positives = int(np.count_nonzero(sample.positive))
    negatives = len(sample.positive) - positives
    if not positives or not negatives:
        return math.nan
    # Ranks from 1; equal values share the mean of their ranks.
    _, group, size = np.unique(sample.predicted, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(size) - (size - 1) / 2)[group]
    # The Mann-Whitney statistic: the rank sum of the positive rows above its smallest possible value.
    above = float(ranks[sample.positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


_metric = partial(Metric, kinds=("classification",), better="higher", published=True)

CLASSIFICATION_METRICS = (
    _metric(
        name="balanced_accuracy",
        label="balanced accuracy",
        remark="published as ROC-AUC",
        description="mean over the two classes of the share of their rows that is recognised",
        function=_balanced_accuracy,
    ),
    _metric(
        name="accuracy",
        label="accuracy",
        description="share of the rows that are predicted right",
        function=_accuracy,
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
)
"""The metrics of two classes, in the order of their columns. To add one, add its record: nothing else names it."""
