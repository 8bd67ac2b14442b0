"""What a metric is: one record, from which boards, pages, files and the command line follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from matbench_lite.metrics.sample import Need, Sample

Place = Literal["board", "entry", "overview"]
"""Where a metric is shown: on the board of a task, on the page of an entry, in the overview of a submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: how it is computed, and how people see it.

    Attributes:
        name: Its key in a dictionary of scores.
        label: Header of its column.
        description: What it is, in one line.
        function: Computes it, from the rows of one fold.
        kinds: The kinds of tasks that have it.
        needs: What the predictions must have beside values: a standard deviation, an interval, probabilities.
        better: Which way is better; None if neither, and the best value is in the description.
        unit: "target" if it has the unit of the target; "" without unit.
        shown: Where it is shown.
        published: Whether Matbench's files have it, under the same name.

    Examples:
        >>> from matbench_lite.metrics import METRICS
        >>> METRICS["mae"].label, METRICS["mae"].function(Sample([1.0, 2.0], [1.5, 2.0]))
        ('MAE', 0.25)
    """

    name: str
    label: str
    description: str
    function: Callable[[Sample], float]
    kinds: tuple[str, ...]
    needs: Need | None = None
    better: Literal["lower", "higher"] | None = "lower"
    unit: Literal["target", ""] = ""
    shown: tuple[Place, ...] = ("board", "entry")
    published: bool = False

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a high value is good; None if neither a high nor a low one is."""
        return None if self.better is None else self.better == "higher"

    @property
    def in_target_unit(self) -> bool:
        """Whether it has the unit of the target."""
        return self.unit == "target"
