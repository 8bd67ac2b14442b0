"""Does it tell the classes apart, and does it know how sure it is? Confusion matrix, ROC curve, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.cleaner import clean
from matbench_lite.metrics import DECISION_THRESHOLD, Sample, Summary, coverage, miscalibration_area, rocauc
from matbench_lite.tasks import Task
from matbench_lite.text import MISSING, count, px, share
from matbench_lite.view.axis import linear_axis
from matbench_lite.view.figure import Plot, draw
from matbench_lite.view.predicted import Predicted
from matbench_lite.view.words import number, rounded, shorten

_MATRIX_HEIGHT, _TARGET_ROOM = 232, 118
"""Height of the drawing, and the room left of its cells, as the template has them."""
_LEFT, _TOP, _SIDE = 66, 10, 372
_X, _Y = linear_axis(0, 1, _LEFT, _LEFT + _SIDE), linear_axis(0, 1, _TOP + _SIDE, _TOP)
_POINTS = 150
_LEVELS = np.linspace(0, 1, 51)[1:-1]
_BINS = 10
_FEWEST = 10
"""A bin of fewer rows says nothing of a probability."""


def confusion_matrix(task: Task, predicted: Predicted) -> Plot | None:
    """Draw how many rows of each class are taken for which; None for regression.

    Probabilities above 0.5 are taken as true.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_is_stable"]
        >>> truth = np.array([0.0, 0.0, 1.0, 1.0])
        >>> predicted = Predicted(type="probability", truth=truth, prediction=truth * 0.8 + 0.1)
        >>> confusion_matrix(task, predicted).description
        'Of the 2 rows of mini_is_stable that are is_stable, 2 (100 %) are predicted so. ...'
    """
    if predicted.type == "value":
        return None
    truth, said = predicted.truth > 0, predicted.prediction > DECISION_THRESHOLD
    counts = np.bincount(2 * truth + said, minlength=4).reshape(2, 2)
    of_class = counts.sum(axis=1)
    return draw(
        "confusion_matrix",
        height=_MATRIX_HEIGHT,
        title="What does it mistake for what?",
        caption="Rows by their true class (down) and by what was predicted (across); percentages are of the true "
        "class. Thick frames: predicted right.",
        description=f"Of the {count(int(of_class[1]), 'row')} of {task.name} that are {clean(task.target)}, "
        f"{_part(counts[1, 1], of_class[1])} are predicted so. Of the {count(int(of_class[0]), 'row')} that are not, "
        f"{_part(counts[0, 0], of_class[0])} are predicted so.",
        cells=[[_cell(int(counts[actual, guess]), int(of_class[actual])) for guess in (1, 0)] for actual in (1, 0)],
        target=shorten(task.target, _TARGET_ROOM),
    )


def _cell(rows: int, of_class: int) -> dict[str, Any]:
    """One cell; `level` is the colour."""
    part = rows / of_class if of_class else 0.0
    return {"level": round(8 * part), "rows": count(rows, "row"), "share": share(part) if of_class else MISSING}


def _part(rows: int, of_class: int) -> str:
    return f"{rows:,} ({share(rows / of_class)})" if of_class else "0"


def roc_curve(task: Task, predicted: Predicted, *, score: Summary | None = None) -> Plot | None:
    """Draw the ROC curve of a classification task; None unless there are probabilities, and both classes.

    The score is ROC-AUC over the folds; left out, that of all rows together is written.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_is_stable"]
        >>> truth = np.array([0.0, 0.0, 1.0, 1.0])
        >>> predicted = Predicted(type="probability", truth=truth, prediction=truth * 0.8 + 0.1)
        >>> roc_curve(task, predicted).description
        'ROC curve of mini_is_stable, 4 rows: the area under it is 1.00, ...'
    """
    truth = predicted.truth > 0
    if predicted.type != "probability" or truth.all() or not truth.any():
        return None
    false_rate, true_rate = _rates(truth, predicted.prediction)
    said = predicted.prediction > DECISION_THRESHOLD
    recall, alarms = float(said[truth].mean()), float(said[~truth].mean())
    pooled = rocauc(truth, predicted.prediction)
    auc = number(pooled) if score is None else rounded(score.mean, score.std)
    return _draw_square(
        "roc_curve",
        title="How well does it separate the classes?",
        caption="Each point of the curve is one threshold on the probability; the higher above the diagonal "
        "(guessing), the better. Dot: the threshold 0.5, which decides on the boards. All folds together.",
        description=(
            f"ROC curve of {task.name}, {count(len(truth), 'row')}: the area under it is {auc}, where 0.5 is guessing "
            f"and 1 is perfect. At the threshold 0.5 it finds {share(recall)} of the true rows and takes "
            f"{share(alarms)} of the false ones for true."
        ),
        x_name=f"share of rows without {clean(task.target)} said to have it",
        y_name=f"share of rows with {clean(task.target)} found",
        curve=_path(false_rate, true_rate),
        at=(_X.at(alarms), _Y.at(recall)),
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
    drawn = np.unique(np.clip(np.concatenate([[0], steps]), 0, len(true_rate) - 1))
    return false_rate[drawn], true_rate[drawn]


def calibration(task: Task, predicted: Predicted) -> Plot | None:
    """Draw how often a stated certainty holds.

    For regression: the share of true values inside central intervals of each level, which follow from `std`, or else
    from the recorded 95 % intervals. For probabilities: the share of true rows among those of about the same
    probability. None where nothing says how sure the entry was.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_is_stable"]
        >>> truth = np.repeat([0.0, 1.0], 10)
        >>> predicted = Predicted(type="probability", truth=truth, prediction=truth * 0.8 + 0.1)
        >>> calibration(task, predicted).description
        'Probabilities of mini_is_stable: predicted and observed shares differ by 10 percentage points ...'
    """
    if predicted.type == "probability":
        return _of_probabilities(task, predicted)
    if predicted.type == "value" and (predicted.std is not None or predicted.lower is not None):
        return _of_intervals(task, predicted)
    return None


def _of_intervals(task: Task, predicted: Predicted) -> Plot:
    """The reliability curve of what is recorded: of intervals alone as of halves of normal distributions."""
    sample = Sample(
        predicted.truth, predicted.prediction, std=predicted.std, lower=predicted.lower, upper=predicted.upper
    )
    inside = coverage(sample.truth, *sample.bounds)
    area = miscalibration_area.function(sample)
    text = f"Reliability curve of {task.name}: the 95 % intervals hold {share(inside)} of the "
    text += f"{count(len(sample.truth), 'true value')}: {_verdict(inside)}."
    text += f" The area between curve and diagonal is {number(area, digits=2)}; 0 is perfect, 0.5 the worst."
    corner = f"95 % intervals hold {share(inside)}"
    return _draw_square(
        "calibration",
        title="Are its intervals as wide as they should be?",
        caption="Where the curve is below the diagonal its intervals are too narrow (it is too sure of itself), above "
        "it too wide; the dot is the 95 % interval.",
        description=text,
        x_name="what its intervals should hold",
        y_name="share of true values inside",
        curve=_path(np.concatenate([[0], _LEVELS, [1]]), np.concatenate([[0], _observed(sample.z), [1]])),
        dots=[(_X.at(0.95), _Y.at(inside), 6.0, corner)],
        corner=corner,
    )


def _of_probabilities(task: Task, predicted: Predicted) -> Plot:
    places = np.clip((predicted.prediction * _BINS).astype(np.int64), 0, _BINS - 1)
    rows = np.bincount(places, minlength=_BINS)
    full = rows >= _FEWEST
    sums = (
        np.bincount(places, weights=values, minlength=_BINS)[full] for values in (predicted.prediction, predicted.truth)
    )
    said, seen = (total / rows[full] for total in sums)
    sizes = 3 + 6 * np.sqrt(rows[full] / max(1, rows.max()))
    points = list(zip(*(values.tolist() for values in (said, seen, sizes, rows[full])), strict=True))
    off = float(np.average(np.abs(said - seen), weights=rows[full])) if full.any() else 0.0
    return _draw_square(
        "calibration",
        title="Can its probabilities be believed?",
        caption="Rows by their predicted probability, in tenths. On the diagonal, rows said to be true with 70 % are "
        "true in 70 % of the cases; below it the probabilities are too high. "
        f"Larger dots hold more rows; tenths with fewer than {_FEWEST} rows are left out.",
        description=f"Probabilities of {task.name}: predicted and observed shares differ by "
        f"{number(100 * off, digits=2)} percentage points on average over the "
        f"{count(int(rows.sum()), 'row')}."
        + "".join(
            f" Where it says {share(x)}, {share(y)} are true." for x, y, _, _ in points[:: max(1, len(points) // 3)]
        ),
        x_name=f"predicted probability of {clean(task.target)}",
        y_name="share that is true",
        corner=f"off by {number(100 * off, digits=2)} percentage points",
        curve=_path(said, seen),
        dots=[
            (_X.at(x), _Y.at(y), size, f"{share(x)} said, {share(y)} true, {count(of_bin, 'row')}")
            for x, y, size, of_bin in points
        ],
    )


def _draw_square(kind: str, **content: Any) -> Plot:
    """A plot whose axes both go from 0 to 1."""
    return draw(kind, height=_TOP + _SIDE + 50, x=_X, y=_Y, **content)


def _path(across: NDArray[np.float64], up: NDArray[np.float64]) -> str:
    """A line through points in the square; nothing without any."""
    pairs = zip(_X.at(across).tolist(), _Y.at(up).tolist(), strict=True)
    return "M" + "L".join(f"{px(x)} {px(y)}" for x, y in pairs) if len(across) else ""


def _observed(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the rows inside the central interval of each level, from errors in standard deviations."""
    from scipy.special import ndtri

    half_widths = ndtri((1 + _LEVELS) / 2)
    shares: NDArray[np.float64] = np.searchsorted(np.sort(deviations), half_widths, side="right") / len(deviations)
    return shares


def _verdict(inside: float) -> str:
    if inside < 0.93:
        return "too narrow, it is too sure of itself"
    return "too wide, it is less sure than it could be" if inside > 0.97 else "about as wide as they should be"
