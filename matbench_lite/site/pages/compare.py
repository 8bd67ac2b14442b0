"""The page of comparisons: A or B?"""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.board import CompareBoard, CompareRow, compare
from matbench_lite.digits import p_value, share, spread
from matbench_lite.site import addresses
from matbench_lite.site.comparison import comparison_script
from matbench_lite.site.files import File
from matbench_lite.site.plots.words import brief
from matbench_lite.site.score_columns import header_of, interval_cell, unit_of
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column, Table
from matbench_lite.site.templating import page

ADDRESS = addresses.COMPARE


def publish(site: Site) -> Iterator[File]:
    """The page, with the comparison of two entries on it, and the data of all others."""
    script = comparison_script(site)
    board = _shown_first(site)
    text = page(
        "compare.md.j2",
        address=ADDRESS,
        title="Compare",
        hide=("navigation", "toc"),
        site=site,
        board=board,
        headline=None if board is None else _headline(site, board),
        table=None if board is None else _table(site, board),
        script=script.path,
    )
    yield script
    yield File(addresses.source(ADDRESS), text)


def _shown_first(site: Site) -> CompareBoard | None:
    """The two best general-purpose entries, else the two with the most tasks: what is shown before anybody chooses."""
    ranked = [row.slug for row in site.general.rows]
    others = sorted(site.results.entries, key=lambda slug: (-len(site.results.entries[slug].complete_tasks), slug))
    two = list(dict.fromkeys([*ranked, *others]))[:2]
    return compare(site.results, two) if len(two) == 2 else None


def _headline(site: Site, board: CompareBoard) -> str:
    """The headline with names: the board has slugs, which is what one types in a terminal."""
    text = board.headline
    for slug in board.slugs:
        text = text.replace(f"{slug} wins", f"{brief(site.results.entries[slug].algorithm)} wins", 1)
    return text


def _table(site: Site, board: CompareBoard) -> Table:
    rows = board.rows
    names = {slug: brief(site.results.entries[slug].algorithm) for slug in board.slugs}
    first, second = board.slugs
    columns = [
        Column(
            key="task",
            header="task",
            kind="name",
            cells=[Cell(text=row.task, value=row.task, link=addresses.task_page(row.task)) for row in rows],
        ),
        Column(
            key="winner",
            header="winner",
            kind="entry",
            foreign=True,
            note="The entry that is ahead, if the test over the folds tells the two apart at 5 %.",
            cells=[
                Cell(text=names[row.winner] if row.winner else "tied", ink="tied" if row.winner else "") for row in rows
            ],
        ),
        Column(
            key="metric",
            header="metric",
            unit="unit",
            cells=[Cell(text=header_of(row.metric), small=unit_of(row.metric, row.unit)) for row in rows],
        ),
        _scores(rows, first, names[first]),
        _scores(rows, second, names[second]),
        Column(
            key="difference",
            header="difference",
            unit="95 % interval",
            note="95 % paired bootstrap interval over test rows; it says nothing about training again.",
            cells=[interval_cell(row.interval, sign=True) for row in rows],
            right=True,
        ),
        Column(
            key="p",
            header="p",
            note="P-value of the paired test over the folds (Nadeau-Bengio).",
            cells=[Cell(text=p_value(row.p), value=row.p) for row in rows],
            right=True,
        ),
        Column(
            key="rows_won",
            header="rows won",
            unit="first, second",
            note="Share of the rows on which each has the smaller error.",
            cells=[
                EMPTY if row.first_wins is None else Cell(text=f"{share(row.first_wins)}, {share(row.second_wins)}")
                for row in rows
            ],
            right=True,
        ),
    ]
    return Table(
        id="comparison",
        label=f"{names[first]} and {names[second]}",
        columns=columns,
        empty="There is no task that these entries have in common.",
    )


def _scores(rows: tuple[CompareRow, ...], slug: str, name: str) -> Column:
    scores = [row.first_score if row.first == slug else row.second_score for row in rows]
    cells = [
        Cell(
            text=spread(score),
            value=score.mean,
            ink="tied" if row.ahead == slug else "",
            stated=not row.verified,
        )
        for row, score in zip(rows, scores, strict=True)
    ]
    return Column(key=slug, header=name, cells=cells, right=True)
