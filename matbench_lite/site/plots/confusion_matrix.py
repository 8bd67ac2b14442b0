"""What does it mistake for what? The confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.site.plots.figure import Plot, draw
from matbench_lite.site.plots.predicted import Predicted
from matbench_lite.site.plots.words import clean, count, share, shorten
from matbench_lite.tasks import Task

_LEFT, _TOP, _WIDE, _HIGH, _GAP = 130, 52, 160, 84, 4


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """One cell, as it is drawn: `level` is the colour."""

    x: int
    y: int
    level: int
    rows: str
    share: str
    right: bool


def confusion_matrix(task: Task, predicted: Predicted) -> Plot | None:
    """Draw how many rows of each class are taken for which.

    Args:
        task: The task.
        predicted: What an entry predicted; probabilities above 0.5 are taken as true.

    Returns:
        The plot; None for regression.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_is_stable"]
        >>> truth, formulas = np.array([0.0, 0.0, 1.0, 1.0]), np.array(["C", "Si", "GaAs", "ZnO"], dtype=object)
        >>> predicted = Predicted(type="probability", truth=truth, prediction=truth * 0.8 + 0.1, formulas=formulas)
        >>> confusion_matrix(task, predicted).description
        'Of the 2 rows of mini_is_stable that are is_stable, 2 (100 %) are predicted so. ...'
    """
    if predicted.type == "value":
        return None
    truth, said = predicted.truth > 0, predicted.prediction > DECISION_THRESHOLD
    counts = np.bincount(2 * truth + said, minlength=4).reshape(2, 2)
    of_class = counts.sum(axis=1)
    target = clean(task.target)
    cells = [
        _cell(int(counts[actual, guess]), int(of_class[actual]), actual == guess, 1 - actual, 1 - guess)
        for actual in (1, 0)
        for guess in (1, 0)
    ]
    return draw(
        "confusion_matrix",
        height=_TOP + 2 * _HIGH + _GAP + 8,
        title="What does it mistake for what?",
        caption="Rows by their true class (down) and by what was predicted (across); percentages are of the true "
        "class. Thick "
        "frames: predicted right.",
        description=" ".join(
            [
                f"Of the {count(int(of_class[1]), 'row')} of {task.name} that are {target}, "
                f"{_part(counts[1, 1], of_class[1])} are predicted so.",
                f"Of the {count(int(of_class[0]), 'row')} that are not, {_part(counts[0, 0], of_class[0])} are "
                f"predicted so.",
            ]
        ),
        cells=cells,
        wide=_WIDE,
        high=_HIGH,
        across=[(_LEFT + _WIDE / 2, "true"), (_LEFT + _WIDE * 1.5 + _GAP, "false")],
        down=[(_TOP + _HIGH / 2, "true"), (_TOP + _HIGH * 1.5 + _GAP, "false")],
        target=shorten(target, _LEFT - 12),
        left=_LEFT,
        top=_TOP,
        middle=_LEFT + _WIDE + _GAP / 2,
    )


def _cell(rows: int, of_class: int, right: bool, down: int, across: int) -> _Cell:
    part = rows / of_class if of_class else 0.0
    return _Cell(
        x=_LEFT + across * (_WIDE + _GAP),
        y=_TOP + down * (_HIGH + _GAP),
        level=round(8 * part),
        rows=count(rows, "row"),
        share=share(part) if of_class else "–",
        right=right,
    )


def _part(rows: int, of_class: int) -> str:
    return f"{rows:,} ({share(rows / of_class)})" if of_class else "0"
