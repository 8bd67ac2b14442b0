"""How well classes are told apart, from labels or from probabilities.

Each takes measured and predicted values: labels, booleans or 0 and 1, of more than two classes their numbers from 0.
Predicted may be probabilities of the positive class, above 0.5 is positive; or of every class, in an array of shape
(rows, classes), of which the largest of a row counts. All but the log loss are from 0 to 1.

Examples:
    >>> balanced_accuracy([True, True, True, False], [0.9, 0.8, 0.7, 0.6])
    0.5
    >>> accuracy([True, True, True, False], [0.9, 0.8, 0.7, 0.6])
    0.75
    >>> f1([True, True, False, False], [True, False, True, False])
    0.5
    >>> rocauc([True, True, False, False], [0.9, 0.4, 0.4, 0.1])
    0.875
    >>> macro_f1([0, 0, 1, 2], [0, 1, 1, 2], classes=3)
    0.777...
    >>> round(log_loss([0, 2], [[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]]), 4)
    0.367
    >>> rocauc_ovr([0, 1, 2], [[0.6, 0.2, 0.2], [0.2, 0.5, 0.3], [0.3, 0.5, 0.2]])
    0.666...
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from matbench_lite.metrics.arrays import BoolArray, FloatArray
from matbench_lite.metrics.metric import OVERVIEW, Sample, metric


def _hits(sample: Sample) -> tuple[list[int], list[int], list[int]]:
    """Of every class, the rows that are recognised, all rows, and those that are taken for it."""
    table = sample.confusion
    return table.diagonal().tolist(), table.sum(axis=1).tolist(), table.sum(axis=0).tolist()


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


_higher = partial(metric, higher_is_better=True, shown=OVERVIEW)
_two, _more = partial(_higher, kinds=("classification",), published=True), partial(_higher, kinds=("multiclass",))
_ANY = ("classification", "multiclass")


@_two("balanced accuracy", kinds=_ANY, shown=("board", "entry"), remark="published as ROC-AUC")
def balanced_accuracy(sample: Sample) -> float:
    """Mean over the classes of the share of their rows that is recognised.

    A class without a row is left out.
    """
    recalls = [hit / rows for hit, rows, _ in zip(*_hits(sample), strict=True) if rows]
    return sum(recalls) / len(recalls)


@_two("accuracy", kinds=_ANY)
def accuracy(sample: Sample) -> float:
    """Share of the rows that are predicted right."""
    hits, rows, _ = _hits(sample)
    return sum(hits) / sum(rows)


@_two("F1")
def f1(sample: Sample) -> float:
    """Harmonic mean of precision and recall of the positive class.

    As in scikit-learn, 0 where no row is positive and predicted so.
    """
    (_, hits), (_, rows), (_, said) = _hits(sample)
    return 2 * hits / (rows + said) if hits else 0.0


@_two("ROC-AUC", needs="probability", remark="probabilities")
def rocauc(sample: Sample) -> float:
    """How often a positive row has a higher probability than a negative one.

    Ties count as half; NaN if there is one class only. Labels are taken as the probabilities 0 and 1, which gives the
    balanced accuracy.
    """
    return _area(sample.positive, sample.predicted)


@_more("macro F1")
def macro_f1(sample: Sample) -> float:
    """Mean over the classes of the F1 of each.

    One that is neither true nor predicted in any row is left out.
    """
    each = [2 * hit / (rows + said) for hit, rows, said in zip(*_hits(sample), strict=True) if rows + said]
    return sum(each) / len(each)


@_more("ROC-AUC, one against the rest", needs="probability")
def rocauc_ovr(sample: Sample) -> float:
    """Mean over the classes of how often a row of it has a higher probability of it than another row.

    NaN if a class has no row.
    """
    if sample.matrix is None:
        return rocauc.function(sample)  # of two classes, one has the same area as the other
    areas = [_area(sample.truth == number, column) for number, column in enumerate(sample.matrix.T)]
    return sum(areas) / len(areas)


@metric("log loss", kinds=_ANY, needs="probability", shown=("entry", "trial"))
def log_loss(sample: Sample) -> float:
    """Mean negative logarithm of the probability that the true class was given.

    As in scikit-learn, 0 and 1 count as off by the smallest number that can be added to 1.
    """
    smallest = float(np.finfo(np.float64).eps)
    return float(-np.log(np.clip(sample.given_to_truth, smallest, 1 - smallest)).mean())


CLASSIFICATION_METRICS = (balanced_accuracy, accuracy, f1, rocauc, macro_f1, rocauc_ovr, log_loss)
"""The metrics of classes, in the order of their columns. To add one, write its function, and name it here."""
