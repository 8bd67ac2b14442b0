"""Columns of scores that several tables have."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matbench_lite.digits import MISSING, ends, mean_of, number
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.site.plots.words import has_unit, plain_unit
from matbench_lite.site.tables import EMPTY, Cell
from matbench_lite.stats import Interval

SHOWN_FIRST = {"rmse", "r2", "rocauc"}
"""The metrics that are shown beside the one that ranks before anybody chooses columns: what a laptop has room for."""
MOST_DECIMALS = 0.01
"""The uncertainty, at least, that the decimals of a scaled error show: three are enough to compare colours by."""


def unit_of(metric: str, unit: str) -> str:
    """The unit of a metric as a header has it; "" where it has none.

    Examples:
        >>> unit_of("mae", "cm^-1"), unit_of("r2", "eV"), unit_of("mae", "unitless")
        ('cm⁻¹', '', '')
    """
    return plain_unit(unit) if METRICS[metric].in_target_unit and has_unit(unit) else ""


def header_of(metric: str) -> str:
    """The name of a metric without remarks.

    Examples:
        >>> header_of("balanced_accuracy"), header_of("coverage")
        ('balanced accuracy', 'coverage')
    """
    return METRICS[metric].label.partition(" (")[0].partition(" of the")[0]


def metric_cell(metric: str, value: Summary | None, *, labels_only: bool = False) -> Cell:
    """A metric over the folds; of the largest error, the largest of all folds, not their mean."""
    if metric == "rocauc" and labels_only:
        return Cell(text="labels only", value="")
    if value is None:
        return EMPTY
    if metric == "max_error":
        return Cell(text=number(value.max, value.std), value=value.max)
    return Cell(text=mean_of(value), value=value.mean)


def interval_cell(interval: Interval | None, *, sign: bool = False) -> Cell:
    """An interval; all its digits are downloaded."""
    if interval is None:
        return EMPTY
    return Cell(text=ends(interval, sign=sign), value=f"{interval.low:.8g} to {interval.high:.8g}")


def unseen_cell(unseen: Summary | None, score: Summary) -> Cell:
    """The score on unseen formulas, with the digits of the score on all."""
    return EMPTY if unseen is None else Cell(text=number(unseen.mean, score.std), value=unseen.mean)


def typical(spreads: Sequence[float]) -> float | None:
    """One number of decimals down a column: by the scatter of the typical entry.

    Examples:
        >>> typical([0.2, 0.003, 0.02]), typical([0.0])
        (0.02, None)
    """
    known = sorted(value for value in spreads if value > 0)
    return max(known[len(known) // 2], MOST_DECIMALS) if known else None


def scaled_text(value: float | None, uncertainty: float | None = MOST_DECIMALS) -> str:
    """A scaled error."""
    return MISSING if value is None or math.isnan(value) else number(value, uncertainty or MOST_DECIMALS)
