"""Score tables in the layout that RAMP's users know: a line per part, a column per metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from matbench_lite.cli.output import out
from matbench_lite.digits import MISSING, spread
from matbench_lite.metrics import METRICS, metric_name

if TYPE_CHECKING:
    from matbench_lite.metrics import Summary
    from matbench_lite.tasks import Task

_INDENT = " " * 8
_GAP = 2
_DIGITS = 4
_WIDEST_HEADER = 18
_RULE = "-" * 28
_STYLES = {"train": "green", "valid": "cyan", "test": "magenta"}


def print_title(title: str) -> None:
    """A heading between two rules."""
    for line in (_RULE, title, _RULE):
        out.print(Text(line, style="bold yellow"))


def print_scores(
    task: Task, parts: Mapping[str, Mapping[str, float]], seconds: Mapping[str, float] | None = None
) -> None:
    """Print the scores of some parts ("train", "valid", "test") as a table, with the seconds each took."""
    columns = {
        _header(metric): [score_text(task, metric, part.get(metric)) for part in parts.values()]
        for metric in _metrics(parts)
    }
    if seconds is not None:
        columns["time (s)"] = [f"{seconds[part]:.3f}" for part in parts]
    _print(list(parts), columns)


def print_mean_scores(parts: Mapping[str, Mapping[str, Summary]], seconds: Mapping[str, Summary]) -> None:
    """Print mean ± standard deviation of the scores of some parts, and of the seconds each took."""
    columns = {_header(metric): [spread(part.get(metric)) for part in parts.values()] for metric in _metrics(parts)}
    columns["time (s)"] = [spread(seconds[part]) for part in parts]
    _print(list(parts), columns)


def score_text(task: Task, metric: str, value: float | None) -> str:
    """A score with the same decimals wherever it stands, so that columns line up and can be compared.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> score_text(task, "mae", 0.87431), score_text(task, "r2", 0.3280), score_text(task, "r2", float("nan"))
        ('0.874', '0.328', '–')
    """
    if value is None or math.isnan(value):
        return MISSING
    scale = float(task.target_values.std()) if METRICS[metric].in_target_unit else 1.0
    decimals = _DIGITS - 1 - (math.floor(math.log10(scale)) if 0 < scale < math.inf else 0)
    fits = 0 <= decimals <= 7 and abs(value) < 1e6
    return f"{value:.{decimals}f}" if fits else f"{value:.{_DIGITS}g}"


def _metrics(parts: Mapping[str, Mapping[str, object]]) -> list[str]:
    """The metrics to show, in the order of the catalogue."""
    known = {name for part in parts.values() for name in part}
    return [name for name, metric in METRICS.items() if name in known and "board" in metric.shown]


def _header(metric: str) -> str:
    name = metric_name(metric, "")
    return name if len(name) <= _WIDEST_HEADER else metric


def _print(parts: Sequence[str], columns: Mapping[str, Sequence[str]]) -> None:
    """Print the columns side by side; where they do not fit, in blocks, one below the other."""
    label = max(map(cell_len, ("score", *parts)))
    room = out.width - len(_INDENT) - label
    blocks: list[list[str]] = [[]]
    used = 0
    widths = {header: max(map(cell_len, (header, *cells))) + _GAP for header, cells in columns.items()}
    for header, width in widths.items():
        if blocks[-1] and used + width > room:
            blocks.append([])
            used = 0
        blocks[-1].append(header)
        used += width
    for block in blocks:
        out.print(_line("score", block, label, [widths[header] for header in block], "bold", "bold"))
        for row, part in enumerate(parts):
            colour = _STYLES.get(part, "")
            cells = [columns[header][row] for header in block]
            first = f"bold {colour}" if block is blocks[0] else colour
            out.print(_line(part, cells, label, [widths[header] for header in block], first, colour))


def _line(name: str, cells: Sequence[str], label: int, widths: Sequence[int], first: str, style: str) -> Text:
    line = Text(_INDENT)
    line.append(name + " " * (label - cell_len(name)), style=first)
    for position, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        line.append(" " * (width - cell_len(cell)))
        line.append(cell, style=first if position == 0 else style)
    return line
