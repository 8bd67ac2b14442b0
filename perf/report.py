"""A small table of what was measured, and whether the bounds hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median


@dataclass(frozen=True, kw_only=True)
class Row:
    """One comparison: the medians of both sides, and the median of the ratios within each round.

    Args:
        work: What was done.
        peer: The peer's figures, one per round.
        ours: Ours, of the same rounds.
        unit: Unit of both.
        bound: Largest ratio that is allowed; None where the figure is only worth knowing.
    """

    work: str
    peer: Sequence[float]
    ours: Sequence[float]
    unit: str
    bound: Fraction | None

    @property
    def ratio(self) -> float:
        """Ours by theirs: both sides of a round ran one after the other, on the same busy or idle machine."""
        return median(ours / peer for ours, peer in zip(self.ours, self.peer, strict=True))

    @property
    def holds(self) -> bool:
        return self.bound is None or self.ratio <= self.bound

    @property
    def cells(self) -> tuple[str, ...]:
        sides = (f"{median(values):.3g} {self.unit}" for values in (self.peer, self.ours))
        ratio = f"1/{1 / self.ratio:.1f}"
        if self.bound is None:
            return self.work, *sides, ratio, "", ""
        return self.work, *sides, ratio, f"<= {self.bound}", "yes" if self.holds else "NO"


@dataclass(frozen=True, kw_only=True)
class Limit:
    """One figure of ours that has a bound of its own.

    Args:
        work: What was measured.
        value: The figure.
        unit: Its unit.
        bound: The largest value that is allowed.
    """

    work: str
    value: float
    unit: str
    bound: float

    @property
    def holds(self) -> bool:
        return self.value <= self.bound

    @property
    def cells(self) -> tuple[str, ...]:
        value, bound = (f"{number:.3g} {self.unit}" for number in (self.value, self.bound))
        return self.work, "", value, "", f"<= {bound}", "yes" if self.holds else "NO"


def report(rows: Sequence[Row | Limit], *, peer: str = "matbench 0.6") -> int:
    """Print the table; the exit code is 1 if a bound does not hold."""
    lines = [("work", peer, "ours", "ratio", "bound", "holds"), *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    return int(not all(row.holds for row in rows))
