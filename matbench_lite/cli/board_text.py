"""How boards look in a terminal: numbers with honest digits, and tables that fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from matbench_lite.cli.output import out, plain_table

if TYPE_CHECKING:
    from matbench_lite.metrics import Summary
    from matbench_lite.stats import Interval

MISSING = "–"
_GAP = 2


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table that fits the terminal.

    Args:
        header: Its header.
        cells: One text per row.
        right: Whether it holds numbers.
        spare: 0 is always shown; of the others, the highest goes first where there is no room.
        strong: The rows that are printed in bold.
    """

    header: str
    cells: Sequence[str]
    right: bool = False
    spare: int = 0
    strong: Sequence[bool] = ()

    @property
    def width(self) -> int:
        """How many terminal columns it needs."""
        lines = (line for text in (self.header, *self.cells) for line in text.split("\n"))
        return max(cell_len(line) for line in lines) + _GAP


def print_fitted(columns: Sequence[Column], *, title: str | None = None) -> list[str]:
    """Print a table; where it does not fit, leave out spare columns rather than cut words.

    A spare column in which nothing is known is left out, too.

    Returns:
        The headers of the columns that there was no room for.
    """
    known = [column for column in columns if not column.spare or set(column.cells) != {MISSING}]
    shown = list(known)
    while sum(column.width for column in shown) - _GAP > out.width:
        most = max(shown, key=lambda column: column.spare)
        if not most.spare:
            break
        shown.remove(most)
    table = plain_table(*(column.header for column in shown), title=title)
    for drawn, column in zip(table.columns, shown, strict=True):
        drawn.justify = "right" if column.right else "left"
        drawn.vertical = "bottom"
    for row in range(len(shown[0].cells)):
        table.add_row(*(Text(column.cells[row], style=_style(column, row)) for column in shown))
    out.print(table)
    return [column.header.replace("\n", " ") for column in known if column not in shown]


def metric_header(metric: str, unit: str) -> str:
    r"""The header of a metric's column, with its unit; a remark goes on a line of its own.

    Examples:
        >>> metric_header("mae", "eV"), metric_header("rocauc", "")
        ('MAE (eV)', 'ROC-AUC\n(probabilities)')
    """
    from matbench_lite.metrics import METRICS

    about = METRICS[metric]
    return f"{about.label} ({unit})" if about.in_target_unit and unit else about.label.replace(" (", "\n(")


def metric_name(metric: str, unit: str) -> str:
    """The name of a metric in a cell, with its unit, without remarks.

    Examples:
        >>> metric_name("balanced_accuracy", "")
        'balanced accuracy'
    """
    return metric_header(metric, unit).partition("\n")[0]


def number(value: float | None, uncertainty: float | None) -> str:
    """A number with as many digits as its uncertainty allows: two of the uncertainty's own.

    Examples:
        >>> number(0.033189, 0.00047), number(103.512, 13.64), number(0.5, 0.0), number(None, None)
        ('0.03319', '104', '0.5', '–')
    """
    if value is None or math.isnan(value):
        return MISSING
    if uncertainty is None or not 0 < uncertainty < math.inf:
        return f"{value:.3g}"
    return f"{value:.{decimals(uncertainty)}f}"


def decimals(uncertainty: float) -> int:
    """How many decimals show two digits of an uncertainty."""
    return max(0, 1 - math.floor(math.log10(uncertainty)))


def mean_of(value: Summary | None) -> str:
    """The mean of a metric over folds, its digits by the standard deviation."""
    return MISSING if value is None else number(value.mean, value.std)


def spread(value: Summary | None) -> str:
    """The mean and standard deviation of a metric over folds."""
    if value is None or math.isnan(value.mean):
        return MISSING
    from matbench_lite.submission.display import rounded

    return rounded(value)


def ends(interval: Interval | None, *, sign: bool = False) -> str:
    """Both ends of an interval.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> ends(Interval(0.1660, 0.1734)), ends(Interval(-1.0, 2.0), sign=True)
        ('0.1660 to 0.1734', '-1.0 to +2.0')
    """
    if interval is None:
        return MISSING
    half = (interval.high - interval.low) / 2
    digits = f".{decimals(half)}f" if half > 0 else ".3g"
    plus = "+" if sign else ""
    return f"{interval.low:{plus}{digits}} to {interval.high:{plus}{digits}}"


def p_value(p: float | None) -> str:
    """A p-value, two digits of it.

    Examples:
        >>> p_value(0.0312), p_value(0.00001), p_value(None)
        ('0.031', '< 0.001', '–')
    """
    if p is None:
        return MISSING
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def share(value: float | None) -> str:
    """A share from 0 to 1 as a percentage."""
    return MISSING if value is None or math.isnan(value) else f"{100 * value:.0f} %"


def _style(column: Column, row: int) -> str:
    return "bold" if column.strong and column.strong[row] else ""
