"""The boards of an event as pages, with the tables and the look of the leaderboard's site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from matbench_lite.digits import MISSING, spread
from matbench_lite.event.boards import PrivateBoard, PublicBoard, SubmissionLine, board_document
from matbench_lite.event.settings import Event
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.site import config
from matbench_lite.site.asset_files import Assets, load_assets
from matbench_lite.site.build import write_pages
from matbench_lite.site.files import File
from matbench_lite.site.rendering import render_site
from matbench_lite.site.score_columns import header_of, interval_cell, unit_of
from matbench_lite.site.tables import EMPTY, Cell, Column, Filter, Table
from matbench_lite.site.templating import page

_TEMPLATES = Path(__file__).parent / "templates"
_PUBLIC, _FINAL, _SUBMISSIONS = "index", "final", "submissions"
_DATA = "board.json"


def build_board(event: Event, public: PublicBoard, final: PrivateBoard | None, folder: Path, *, now: datetime) -> Path:
    """Make pages of the boards.

    Args:
        event: The event.
        public: The public board.
        final: The private board, if it may be seen by whoever sees the pages.
        folder: Gets `docs` (Markdown and data) and `site` (HTML).
        now: The time.

    Returns:
        The first page.

    Raises:
        MatbenchLiteError: If a file cannot be written, or mkdocs fails.
    """
    assets = load_assets()
    titles = {"Public board": _PUBLIC, **({"Final ranking": _FINAL} if final else {}), "Submissions": _SUBMISSIONS}
    navigation = [{title: f"{name}.md"} for title, name in titles.items()]
    settings = config.common_configuration(event.title, assets, navigation)
    files = _files(event, public, final, assets, now)
    write_pages(folder, files, config.written(settings, by="mbl event board"))
    return render_site(folder) / f"{_FINAL if final else _PUBLIC}.html"


def _files(
    event: Event, public: PublicBoard, final: PrivateBoard | None, assets: Assets, now: datetime
) -> Iterator[File]:
    yield from assets
    yield File(_DATA, orjson.dumps(board_document(event, public, final, now), option=orjson.OPT_INDENT_2))
    yield _page(event, now, _PUBLIC, public=public, table=public_table(event, public))
    yield _page(event, now, _SUBMISSIONS, public=public, table=submissions_table(event, public.submissions))
    if final is not None:
        yield _page(event, now, _FINAL, final=final, table=final_table(event, final))


def public_table(event: Event, board: PublicBoard) -> Table:
    """Participants down, by validation score."""
    rows = board.rows
    columns = [
        _ranks([row.rank for row in rows]),
        _participants([row.submission for row in rows]),
        _scores(event, event.public, "validation", [row.valid for row in rows], [row.rank == 1 for row in rows]),
        Column(
            key="submissions", header="submissions", right=True, cells=[Cell(text=str(r.submissions)) for r in rows]
        ),
        _times([row.submission for row in rows]),
        _titles([row.submission for row in rows]),
    ]
    return Table(id="public", label="Public board", columns=columns, empty="No submission was scored yet.")


def final_table(event: Event, board: PrivateBoard) -> Table:
    """Participants down, by test score."""
    rows = board.rows
    tied = [row.rank == 1 or (row.behind is not None and row.behind.low <= 0) for row in rows]
    columns = [
        _ranks([row.rank for row in rows]),
        _participants([row.submission for row in rows]),
        _scores(event, event.final, "test", [row.test for row in rows], tied),
        Column(
            key="behind",
            header="behind the first",
            unit="95 %",
            note="How much larger its error is than that of the first, over the private test rows drawn again.",
            cells=[interval_cell(row.behind, sign=True) for row in rows],
            right=True,
        ),
        Column(
            key="public_rank",
            header="public rank",
            cells=[Cell(text=str(row.public_rank), value=float(row.public_rank)) for row in rows],
            right=True,
        ),
        Column(
            key="move",
            header="move",
            note="Places won from the public to the private board.",
            cells=[Cell(text=_signed(row.move), value=float(row.move)) for row in rows],
            right=True,
            down=True,
        ),
        _scores(event, event.public, "validation", [row.valid for row in rows], [False] * len(rows)),
        _titles([row.submission for row in rows]),
    ]
    return Table(id="final", label="Final ranking", columns=columns, empty="No submission was scored.")


def submissions_table(event: Event, lines: Sequence[SubmissionLine]) -> Table:
    """All submissions, the last first."""
    lines = lines[::-1]
    states = [[line.state] for line in lines]
    columns = [
        Column(key="id", header="submission", kind="name", cells=[Cell(text=line.id) for line in lines]),
        Column(
            key="participant", header="participant", foreign=True, cells=[Cell(text=line.participant) for line in lines]
        ),
        _times(lines),
        Column(
            key="state",
            header="state",
            cells=[Cell(text=line.state, small=line.stage or "") for line in lines],
        ),
        Column(
            key="mark",
            header="does not count",
            note="Kept, but early, late, a copy of an earlier one, or above the limits.",
            cells=[Cell(text=line.mark or MISSING) for line in lines],
        ),
        _scores(event, event.public, "validation", [line.valid for line in lines], [False] * len(lines)),
        _titles(lines),
    ]
    values = sorted({state for row in states for state in row})
    filters = [Filter(key="state", label="state", values=values if len(values) > 1 else (), rows=states)]
    return Table(
        id="submissions",
        label="Submissions",
        columns=columns,
        filters=filters,
        find="Find a participant",
        empty="Nothing was received yet.",
    )


def _page(event: Event, now: datetime, name: str, **values: Any) -> File:
    template = {_PUBLIC: "public_board.md.j2", _FINAL: "final_board.md.j2", _SUBMISSIONS: "submissions.md.j2"}[name]
    text = page(
        template,
        folder=_TEMPLATES,
        address=f"{name}.html",
        title={_PUBLIC: "Public board", _FINAL: "Final ranking", _SUBMISSIONS: "Submissions"}[name],
        hide=("navigation", "toc"),
        event=event,
        phase=event.phase(now),
        metric=METRICS[event.metric],
        header=header_of(event.metric),
        unit=unit_of(event.metric, event.public_task.unit),
        spread=spread,
        data=_DATA,
        now=now,
        **values,
    )
    return File(f"{name}.md", text)


def _ranks(ranks: Sequence[int]) -> Column:
    cells = [Cell(text=str(rank), value=float(rank)) for rank in ranks]
    return Column(key="rank", header="rank", cells=cells, right=True, kind="rank")


def _participants(lines: Sequence[SubmissionLine]) -> Column:
    cells = [Cell(text=line.participant, value=line.participant) for line in lines]
    return Column(key="participant", header="participant", cells=cells, kind="name", foreign=True)


def _titles(lines: Sequence[SubmissionLine]) -> Column:
    cells = [Cell(text=line.title or MISSING, value=line.title) for line in lines]
    return Column(key="title", header="title", cells=cells, kind="entry", foreign=True)


def _times(lines: Sequence[SubmissionLine]) -> Column:
    cells = [Cell(text=f"{line.received:%Y-%m-%d %H:%M}", value=line.received.isoformat()) for line in lines]
    return Column(key="received", header="received", unit="UTC", cells=cells)


def _scores(
    event: Event, combining: str, part: str, scores: Sequence[Summary | None], strong: Sequence[bool]
) -> Column:
    over = "mean and standard deviation over the inner folds" if combining == "mean" else "of the averaged predictions"
    return Column(
        key=part,
        header=f"{part} {header_of(event.metric)}",
        unit=unit_of(event.metric, event.public_task.unit),
        note=f"{METRICS[event.metric].description}, {over}",
        cells=[
            EMPTY if score is None else Cell(text=spread(score), value=score.mean, ink="tied" if bold else "")
            for score, bold in zip(scores, strong, strict=True)
        ],
        right=True,
        down=event.higher_is_better,
    )


def _signed(move: int) -> str:
    return "0" if move == 0 else f"+{move}" if move > 0 else f"−{-move}"
