"""Accuracy against simplicity: which algorithms are beaten on neither?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matbench_lite.judge.judgement import Judgement
from matbench_lite.judge.pages.templating import colour

if TYPE_CHECKING:
    from matbench_lite.site.plots.axis import Axis
    from matbench_lite.site.plots.labels import Label

_WIDTH, _HEIGHT = 340, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 324, 16, 200


@dataclass(frozen=True, kw_only=True)
class Point:
    """One algorithm: how many components, and which R2.

    Args:
        name: Name of the algorithm.
        components: Median number of components.
        r2: Median R2.
        colour: Number of its colour.
        best: Whether it is on the front.
        x: Where it is drawn.
        y: Where it is drawn.
    """

    name: str
    components: float
    r2: float
    colour: int
    best: bool
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class ParetoPlot:
    """A drawing of accuracy against components.

    Args:
        title: Name of the dataset.
        points: The algorithms.
        front: The path along those that nobody beats on both.
        labels: Names beside the points.
        x: Axis of components, logarithmic.
        y: Axis of R2.
        left_out: Algorithms without a median.
    """

    title: str
    points: tuple[Point, ...]
    front: str
    labels: tuple[Label, ...]
    x: Axis
    y: Axis
    left_out: tuple[str, ...]
    width: int = _WIDTH
    height: int = _HEIGHT

    @property
    def text(self) -> str:
        """What is to be seen, in words."""
        best = [
            f"{point.name} ({point.components:.3g} components, R2 {point.r2:.3f})"
            for point in self.points
            if point.best
        ]
        return f"{self.title}: not beaten on both are {', '.join(best)}"


def pareto_front(values: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """The names that nobody beats: at least as good on both and better on one. Fewest components first.

    Args:
        values: Components and R2 by name.

    Examples:
        >>> pareto_front({"a": (5, 0.8), "b": (20, 0.9), "c": (30, 0.85)})
        ('a', 'b')
    """
    kept = [
        name
        for name, (size, r2) in values.items()
        if not any(
            other_size <= size and other_r2 >= r2 and (other_size, other_r2) != (size, r2)
            for other_size, other_r2 in values.values()
        )
    ]
    return tuple(sorted(kept, key=lambda name: (values[name][0], name)))


def pareto_plots(judgement: Judgement) -> list[ParetoPlot]:
    """One drawing per dataset, preceded by one of the means if there are several."""
    order = [row.algorithm for row in judgement.algorithms]
    by_dataset = {
        dataset: {
            row.algorithm: (row.datasets[dataset].components, row.datasets[dataset].r2) for row in judgement.algorithms
        }
        for dataset in judgement.datasets
    }
    plots = [_draw(dataset, values, order) for dataset, values in by_dataset.items()]
    if len(plots) > 1:
        plots.insert(0, _draw("all datasets, mean", _means(by_dataset, order), order))
    return [plot for plot in plots if plot.points]


def _means(
    by_dataset: Mapping[str, Mapping[str, tuple[float, float]]], order: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Geometric mean of components and mean R2, below 0 taken as 0; only where an algorithm has all datasets."""
    means = {}
    for name in order:
        values = [by_dataset[dataset][name] for dataset in by_dataset]
        if all(math.isfinite(size) and math.isfinite(r2) for size, r2 in values):
            size = math.exp(math.fsum(math.log(size) for size, _ in values) / len(values))
            means[name] = (size, math.fsum(max(r2, 0.0) for _, r2 in values) / len(values))
        else:
            means[name] = (math.nan, math.nan)
    return means


def _draw(title: str, values: Mapping[str, tuple[float, float]], order: Sequence[str]) -> ParetoPlot:
    from matbench_lite.site.plots.axis import linear_axis, log_axis
    from matbench_lite.site.plots.labels import Box, place_labels
    from matbench_lite.site.plots.words import shorten

    known = {name: pair for name, pair in values.items() if math.isfinite(pair[0]) and math.isfinite(pair[1])}
    sizes = [size for size, _ in known.values()] or [1.0]
    low = min([r2 for _, r2 in known.values()] or [0.0])
    high = max([r2 for _, r2 in known.values()] or [1.0])
    # A wild R2 must not flatten the others: what is below 0 is drawn at the bottom.
    low, high = max(low, 0.0), max(high, 0.0)
    room = max(0.1 * (high - low), 0.01)
    x = log_axis(min(sizes) / 1.4, max(sizes) * 1.4, _LEFT, _RIGHT, ticks=5)
    y = linear_axis(max(low - room, 0.0), min(high + room, 1.0), _BOTTOM, _TOP, ticks=4)
    front = pareto_front(known)
    points = tuple(
        Point(
            name=name,
            components=known[name][0],
            r2=known[name][1],
            colour=colour(place),
            best=name in front,
            x=x.at(known[name][0]),
            y=y.at(known[name][1]),
        )
        for place, name in enumerate(order)
        if name in known
    )
    at = {point.name: point for point in points}
    return ParetoPlot(
        title=title,
        points=points,
        front=_steps([at[name] for name in front]),
        labels=tuple(
            place_labels(
                [(point.x, point.y) for point in points],
                [shorten(point.name, 130, size=12) for point in points],
                inside=Box(_LEFT, 0, _WIDTH, _BOTTOM),
                size=12,
            )
        ),
        x=x,
        y=y,
        left_out=tuple(name for name in order if name not in known),
    )


def _steps(points: Sequence[Point]) -> str:
    """A stair from point to point: between two, the simpler one is the best there is."""
    if not points:
        return ""
    path = f"M{points[0].x:.1f} {points[0].y:.1f}"
    for point in points[1:]:
        path += f"H{point.x:.1f}V{point.y:.1f}"
    return f"{path}H{_RIGHT}"
