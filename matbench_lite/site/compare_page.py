"""The page of comparisons, A or B, and the data of all pairs: scores by fold, and what is said of two entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from matbench_lite.board import CompareBoard, TaskBoard, compare
from matbench_lite.cleaner import brief
from matbench_lite.metrics import METRICS
from matbench_lite.site import addresses
from matbench_lite.site.page_files import File, hashed, page_file, script_with
from matbench_lite.site.site import Site
from matbench_lite.tasks import Task
from matbench_lite.view import Table, compare_columns, linked, unit_of

ALL_PAIRS = 25
"""Up to so many entries on a task, every pair is on the page."""
NEIGHBOURS = 4
"""Beyond, each entry is there with the first, and with so many that follow it: the page grows with the entries."""


def publish(site: Site) -> Iterator[File]:
    """The page, with the comparison of two entries on it, and the data of all others."""
    script = comparison_script(site)
    board = _shown_first(site)
    names = {slug: brief(site.results.entries[slug].algorithm) for slug in board.slugs} if board else {}
    yield script
    yield page_file(
        "site/compare.md.j2",
        address=addresses.COMPARE,
        title="Compare",
        hide=("navigation", "toc"),
        board=board,
        headline=None if board is None else board.summary(names),
        table=None if board is None else _table(board, names),
        script=script.path,
        guide=site.guide("statistics.md"),
    )


def _shown_first(site: Site) -> CompareBoard | None:
    """The two best general-purpose entries, else the two with the most tasks: what is shown before anybody chooses."""
    ranked = [row.slug for row in site.general.rows]
    others = sorted(site.results.entries, key=lambda slug: (-len(site.results.entries[slug].complete_tasks), slug))
    two = list(dict.fromkeys([*ranked, *others]))[:2]
    return compare(site.results, two) if len(two) == 2 else None


def _table(board: CompareBoard, names: Mapping[str, str]) -> Table:
    columns = compare_columns(board.rows, board.slugs, names)
    return Table(
        id="comparison",
        label=" and ".join(names.values()),
        # All of them, known or not: the script fills this table with other entries.
        columns=linked(
            [column for column in columns if "html" in column.outputs],
            task=[addresses.task_page(row.task) for row in board.rows],
        ),
        empty="There is no task that these entries have in common.",
    )


def comparison_script(site: Site) -> File:
    """The data of all comparisons: what boards say, to be shown by a script."""
    slugs = list(site.results.entries)
    content = {
        "entries": [
            {"slug": slug, "name": brief(site.results.entries[slug].algorithm), "page": addresses.entry_page(slug)}
            for slug in slugs
        ],
        "tasks": [_task(site, task, {slug: place for place, slug in enumerate(slugs)}) for task in site.benchmark],
    }
    return hashed("comparison.js", script_with("mblComparison", content))


def pairs(board: TaskBoard) -> Iterator[tuple[str, str]]:
    """The pairs of entries that are on the page, the better one first."""
    slugs = [row.slug for row in board.rows]
    for place, slug in enumerate(slugs):
        every = len(slugs) <= ALL_PAIRS or place == 0
        yield from ((slug, other) for other in slugs[place + 1 : None if every else place + 1 + NEIGHBOURS])


def _task(site: Site, task: Task, places: dict[str, int]) -> dict[str, Any]:
    board = site.boards[task.name]
    return {
        "name": task.name,
        "page": addresses.task_page(task.name),
        "metric": METRICS[board.metric].label,
        "unit": unit_of(board.metric, board.unit),
        "higher": bool(METRICS[board.metric].higher_is_better),
        "scores": {
            places[slug]: [_short(value) for value in result.by_fold] for slug, result in site.results.on(task).items()
        },
        "stated": [places[row.slug] for row in board.rows if not row.verified],
        "pairs": _pairs(site, task, list(pairs(board)), places),
    }


def _pairs(site: Site, task: Task, slugs: list[tuple[str, str]], places: dict[str, int]) -> list[list[Any]]:
    """Both places, what is said of the first, the ends of the interval, p, and the rows that each wins."""
    found = []
    for (first, second), won in zip(slugs, site.results.rows_won(slugs, task), strict=True):
        pair = site.results.pair(first, second, task)
        if pair is not None and won is not None:
            values = map(_short, (pair.interval.low, pair.interval.high, pair.p, *won))
            found.append([places[first], places[second], pair.word, *values])
    return found


def _short(value: float) -> float:
    return float(f"{value:.7g}")
