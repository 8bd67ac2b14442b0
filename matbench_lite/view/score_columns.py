"""Columns of scores that several tables have: headers, cells, and intervals as small bars drawn by the stylesheet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from markupsafe import Markup

from matbench_lite.board import EntryTask, SubsetScore, TaskRow
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.stats import Interval
from matbench_lite.text import MISSING, count, ends, number, place_range, share, spread
from matbench_lite.view.axis import Axis
from matbench_lite.view.columns import DATA, EMPTY, PEOPLE, Cell, Column
from matbench_lite.view.words import has_unit, plain_unit, with_unit

STEPS = 9
"""Steps of the colour scale of scaled errors."""
MOST_DECIMALS = 0.01
"""The uncertainty, at least, that the decimals of a scaled error show: three are enough to compare colours by."""
_EASIER = "Easier: lower than the scaled error on all rows, so that these rows are no harder to predict."
_SCALED = "scaled by those rows' own deviation: 0 is perfect, 1 is a constant guess"
_SUBSETS = {
    "without_relatives": (
        "without relatives",
        f"Error on test rows with no composition within 5 at.% in their training part, {_SCALED}. {_EASIER}",
    ),
    "unseen_systems": (
        "unseen chemical systems",
        f"Error on test rows with a set of elements that their training part does not have, {_SCALED}. {_EASIER}",
    ),
}
"""Headers and notes of scores on some of the rows, by the fields of a row that hold them."""
_POOLED_APART = 0.05
"""The relative difference of a metric of all rows together from its mean over the folds that is shown."""
_MARGIN = 2.0
"""Free room at both ends, in percent."""


def unit_of(metric: str, unit: str) -> str:
    """The unit of a metric as a header has it; "" where it has none.

    Examples:
        >>> unit_of("mae", "cm^-1"), unit_of("r2", "eV"), unit_of("mae", "unitless")
        ('cm⁻¹', '', '')
    """
    return plain_unit(unit) if METRICS[metric].in_target_unit and has_unit(unit) else ""


def score_cell(score: Summary | None, *, verified: bool, ink: str = "") -> Cell:
    """A score: its mean and standard deviation over the folds."""
    if score is None:
        return EMPTY
    return Cell(text=spread(score), value=score.mean, data=score, ink=ink, stated=not verified)


def metric_cell(metric: str, row: TaskRow | EntryTask, *, labels_only: bool) -> Cell:
    """A metric over the folds; of the largest error, the largest of all folds, not their mean."""
    value = row.metrics.get(metric)
    if metric == "rocauc" and labels_only:
        return Cell(text="labels only", value=math.nan)
    if value is None:
        return EMPTY
    if metric == "max_error":
        return Cell(text=number(value.max, value.std), value=value.max, data=value)
    small, note = _remark(metric, row, value)
    return Cell(text=number(value.mean, value.std), value=value.mean, data=value, small=small, note=note)


def _remark(metric: str, row: TaskRow | EntryTask, value: Summary) -> tuple[str, str]:
    """What has to be said beside a metric, in few words and in a sentence."""
    pooled = row.pooled.get(metric)
    if pooled is not None and pooled_differs(metric, value.mean, pooled):
        return f"pooled {number(pooled, value.std)}", "Pooled: of the test rows of all folds together."
    if metric == "mape" and row.mape_half_rows is not None:
        few = count(row.mape_half_rows, "row")
        return f"half from {few}", f"More than half of this comes from {few}."
    if metric == "crps" and row.constant_std is not None:
        return "constant std", f"The recorded std is the same for {row.constant_std}."
    return "", ""


def uncertainty_words(row: EntryTask) -> str:
    """What the page of an entry says of the uncertainty that it recorded for a task; "" if there is none."""
    score, width = (row.metrics.get(name) for name in ("crps", "conformal_width"))
    if score is None or math.isnan(score.mean):
        return ""
    words = f"Uncertainty: CRPS {with_unit(spread(score), row.unit)}, to be compared with the MAE"
    if width is not None and not math.isnan(width.mean):
        words += "; recalibrated on the other folds, intervals that hold 95 % of the rows are "
        words += f"{with_unit(spread(width), row.unit)} wide"
    if row.constant_std is not None:
        words += f". Its std is constant, the same for {row.constant_std}: it says how large errors are, not where"
    return f"{words}."


def pooled_differs(metric: str, mean: float, pooled: float) -> bool:
    """Whether a metric of all rows together is more than 5 % away from its mean over the folds.

    Of a metric whose best is 1, as R², it is what is missing to 1 that differs by so much.

    Examples:
        >>> pooled_differs("rmse", 1.0, 1.04), pooled_differs("rmse", 1.0, 1.06)
        (False, True)
        >>> pooled_differs("r2", 0.9, 0.902), pooled_differs("r2", 0.9, 0.91)
        (False, True)
    """
    whole = 1 - mean if METRICS[metric].higher_is_better else mean
    return abs(pooled - mean) > _POOLED_APART * abs(whole)


def pooled_columns(rows: Sequence[TaskRow]) -> Iterator[Column]:
    """Metrics of the rows of all folds together, for machines; people read them where they differ from the mean."""
    for name in dict.fromkeys(name for row in rows for name in row.pooled):
        cells = [Cell(text="", value=row.pooled.get(name)) for row in rows]
        yield Column(f"pooled_{name}", f"pooled {name}", cells, path=("pooled", name), outputs=DATA)


def interval_cell(interval: Interval | None, *, sign: bool = False) -> Cell:
    """An interval; pages sort by and download all its digits."""
    if interval is None:
        return EMPTY
    text = ends(interval, sign=sign)
    return Cell(text=text, value=f"{interval.low:.8g} to {interval.high:.8g}", data=interval)


def subset_columns(rows: Sequence[TaskRow]) -> Iterator[Column]:
    """Scaled errors on some of the rows, entries down; for people only where these are not all."""
    for first, (key, (header, note)) in zip((True, False), _SUBSETS.items(), strict=True):
        held = [getattr(row, key) for row in rows]
        cells = [_subset_cell(subset, row.scaled_error) for subset, row in zip(held, rows, strict=True)]
        some = next((subset for subset in held if subset is not None), None)
        spare = 3 if first else 28
        unit = f"scaled, {share(some.share)} of rows" if some else ""
        outputs = PEOPLE | DATA if some and some.is_some else DATA
        yield Column(key, header, cells, unit=unit, right=True, note=note, shown=first, spare=spare, outputs=outputs)


def entry_subset_columns(rows: Sequence[EntryTask]) -> Iterator[Column]:
    """Scaled errors on some of the rows, tasks down, with the share of these rows."""
    for first, (key, (header, note)) in zip((True, False), _SUBSETS.items(), strict=True):
        cells = [_subset_cell(getattr(row, key), row.scaled_error, with_share=True) for row in rows]
        yield Column(key, header, cells, right=True, shown=first, spare=1, note=note)


def _subset_cell(subset: SubsetScore | None, on_all: float | None, *, with_share: bool = False) -> Cell:
    """A scaled error on some of the rows; said where these are easier than all, whose scaled error is given."""
    if subset is None or subset.scaled_error is None:
        return replace(EMPTY, data=subset)
    easier = ["easier"] if subset.is_easier(on_all) else []
    about = [f"{share(subset.share)} of rows"] if with_share else []
    remark = ", ".join(easier + about)
    # On pages in front, so that the numbers stand below each other.
    drawn = Markup("<small>{}</small> ").format(remark) if remark else ""
    mark = f"({remark})" if remark else ""
    return Cell(text=scaled_text(subset.scaled_error), value=subset.scaled_error, data=subset, before=drawn, mark=mark)


def places_cell(first: int | None, last: int | None, *, ink: str = "") -> Cell:
    """Between which places an entry is; pages sort by the first."""
    return EMPTY if first is None or last is None else Cell(text=place_range(first, last), value=first, ink=ink)


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


def heat(scaled_error: float | None) -> int | None:
    """The colour of a scaled error: from 0, perfect, in equal steps to 1, a constant guess, and beyond.

    Examples:
        >>> heat(0.0), heat(0.5), heat(1.0), heat(7.0), heat(float("nan"))
        (0, 4, 8, 8, None)
    """
    if scaled_error is None or math.isnan(scaled_error):
        return None
    return max(0, min(STEPS - 1, int(scaled_error * STEPS)))


def interval_bars(values: Sequence[float], intervals: Sequence[Interval | None], *, log: bool) -> list[Markup]:
    """One bar per row, on one scale: logarithmic for errors, of which some may be many times others.

    Examples:
        >>> print(interval_bars([1.0, 3.0], [Interval(1.0, 2.0), None], log=False)[0])
        <span class="mbl-bar" style="--at:2.0%;--low:2.0%;--high:50.0%"></span>
    """
    bounds = [
        (interval.low, interval.high) if interval else (value, value)
        for value, interval in zip(values, intervals, strict=True)
    ]
    known = [end for both in bounds for end in both if math.isfinite(end) and (end > 0 or not log)]
    if not known:
        return [Markup("")] * len(values)
    axis = Axis(low=min(known), high=max(known), start=_MARGIN, end=100 - _MARGIN, log=log)
    bar = Markup('<span class="mbl-bar" style="--at:{:.1f}%;--low:{:.1f}%;--high:{:.1f}%"></span>')
    return [
        bar.format(*(axis.at(each) if axis.high > axis.low else 50 for each in (value, *both)))
        for value, both in zip(values, bounds, strict=True)
    ]
