"""What the page of comparisons needs in the browser: scores by fold, and what only the predictions tell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from matbench_lite.board import TaskBoard
from matbench_lite.metrics import METRICS
from matbench_lite.site import addresses
from matbench_lite.site.asset_files import hashed, script_with
from matbench_lite.site.files import File
from matbench_lite.site.plots.words import brief
from matbench_lite.site.score_columns import header_of, unit_of
from matbench_lite.site.site import Site
from matbench_lite.tasks import Task

ALL_PAIRS = 25
"""Up to so many entries on a task, every pair has an interval."""
NEIGHBOURS = 4
"""Beyond, each entry has one with the first, and with so many that follow it: the cost grows with the entries."""


def comparison_script(site: Site) -> File:
    """The data of all comparisons. The test over the folds is computed in the browser; the bootstrap is not."""
    slugs = list(site.results.entries)
    content = {
        "entries": [
            {
                "slug": slug,
                "name": brief(site.results.entries[slug].algorithm),
                "page": addresses.entry_page(slug),
            }
            for slug in slugs
        ],
        "tasks": [_task(site, task, {slug: place for place, slug in enumerate(slugs)}) for task in site.benchmark],
    }
    return hashed("comparison.js", script_with("mblComparison", content))


def pairs(board: TaskBoard) -> Iterator[tuple[str, str]]:
    """The pairs of entries whose difference has an interval, the better one first.

    Args:
        board: The board of a task.
    """
    slugs = [row.slug for row in board.rows]
    if len(slugs) <= ALL_PAIRS:
        yield from combinations(slugs, 2)
        return
    yield from ((slugs[0], other) for other in slugs[1:])
    for place, slug in enumerate(slugs[1:], start=2):
        yield from ((slug, other) for other in slugs[place : place + NEIGHBOURS])


def _task(site: Site, task: Task, places: dict[str, int]) -> dict[str, Any]:
    board = site.boards[task.name]
    return {
        "name": task.name,
        "page": addresses.task_page(task.name),
        "metric": header_of(board.metric),
        "unit": unit_of(board.metric, board.unit),
        "higher": bool(METRICS[board.metric].higher_is_better),
        "scores": {
            places[slug]: [_short(value) for value in result.by_fold] for slug, result in site.results.on(task).items()
        },
        "stated": [places[row.slug] for row in board.rows if not row.verified],
        "pairs": _pairs(site, task, list(pairs(board)), places),
    }


def _pairs(site: Site, task: Task, slugs: list[tuple[str, str]], places: dict[str, int]) -> list[list[float]]:
    """Both places, the ends of the interval, and the rows that each wins."""
    return [
        [
            places[first],
            places[second],
            *map(_short, (pair.interval.low, pair.interval.high, pair.first_wins, pair.second_wins)),
        ]
        for (first, second), pair in zip(slugs, site.results.pairs(slugs, task), strict=True)
        if pair is not None
    ]


def _short(value: float) -> float:
    return float(f"{value:.7g}")
