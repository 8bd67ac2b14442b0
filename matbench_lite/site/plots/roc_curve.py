"""How well does it separate the classes? The ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.metrics import DECISION_THRESHOLD, Summary, rocauc
from matbench_lite.site.plots.axis import linear_axis
from matbench_lite.site.plots.figure import Plot, draw, px
from matbench_lite.site.plots.predicted import Predicted
from matbench_lite.site.plots.words import clean, count, number, rounded, share
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEFT, _TOP, _SIDE = 66, 10, 372
_POINTS = 150


def roc_curve(task: Task, predicted: Predicted, *, score: Summary | None = None) -> Plot | None:
    """Draw the ROC curve of a classification task.

    Args:
        task: The task.
        predicted: What an entry predicted.
        score: ROC-AUC over the folds; left out, that of all rows together is written.

    Returns:
        The plot; None unless there are probabilities, and both classes.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_is_stable"]
        >>> truth, formulas = np.array([0.0, 0.0, 1.0, 1.0]), np.array(["C", "Si", "GaAs", "ZnO"], dtype=object)
        >>> predicted = Predicted(type="probability", truth=truth, prediction=truth * 0.8 + 0.1, formulas=formulas)
        >>> roc_curve(task, predicted).description
        'ROC curve of mini_is_stable, 4 rows: the area under it is 1.00, ...'
    """
    truth = predicted.truth > 0
    if predicted.type != "probability" or truth.all() or not truth.any():
        return None
    x = linear_axis(0, 1, _LEFT, _LEFT + _SIDE)
    y = linear_axis(0, 1, _TOP + _SIDE, _TOP)
    false_rate, true_rate = _rates(truth, predicted.prediction)
    said = predicted.prediction > DECISION_THRESHOLD
    recall, alarms = float(said[truth].mean()), float(said[~truth].mean())
    pooled = rocauc(truth, predicted.prediction)
    auc = number(pooled) if score is None else rounded(score.mean, score.std)
    return draw(
        "roc_curve",
        height=_TOP + _SIDE + 50,
        title="How well does it separate the classes?",
        caption="Each point of the curve is one threshold on the probability; the higher above the diagonal "
        "(guessing), "
        "the better. Dot: the threshold 0.5, which decides on the boards. All folds together.",
        description=(
            f"ROC curve of {task.name}, {count(len(truth), 'row')}: the area under it is {auc}, where 0.5 is guessing "
            f"and 1 "
            f"is perfect. At the threshold 0.5 it finds {share(recall)} of the true rows and takes {share(alarms)} of "
            f"the "
            f"false ones for true."
        ),
        x=x,
        y=y,
        x_name=f"share of rows without {clean(task.target)} said to have it",
        y_name=f"share of rows with {clean(task.target)} found",
        curve="M"
        + "L".join(
            f"{px(a)} {px(b)}" for a, b in zip(x.at(false_rate).tolist(), y.at(true_rate).tolist(), strict=True)
        ),
        at=(x.at(alarms), y.at(recall)),
        auc=f"ROC-AUC {auc}",
        tip=f"threshold 0.5: finds {share(recall)}, false alarms {share(alarms)}",
    )


def _rates(
    truth: NDArray[np.bool_], probability: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """False and true positive rates at falling thresholds, no more points than can be seen."""
    order = np.argsort(-probability, kind="stable")
    ends = np.flatnonzero(np.diff(probability[order], append=-np.inf))
    found = np.cumsum(truth[order])[ends]
    true_rate = np.concatenate([[0.0], found / truth.sum()])
    false_rate = np.concatenate([[0.0], (ends + 1 - found) / (~truth).sum()])
    # Along the curve, in equal steps of both rates together.
    steps = np.searchsorted(false_rate + true_rate, np.linspace(0, 2, _POINTS))
    kept = np.unique(np.clip(np.concatenate([[0], steps]), 0, len(true_rate) - 1))
    return false_rate[kept], true_rate[kept]
