"""The columns of an event's boards, each described once, and pages with the look of the leaderboard's site."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import orjson

from matbench_lite.event.event_boards import PrivateBoard, PublicBoard, SubmissionLine, board_document
from matbench_lite.event.event_settings import Event
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.text import MISSING, spread
from matbench_lite.view import (
    EMPTY,
    Cell,
    Column,
    Filter,
    Table,
    column_of_numbers,
    column_of_texts,
    difference_column,
    interval_cell,
    p_column,
    places_column,
    unit_of,
    word_column,
)

_INTERVAL = "95 % interval of the test score on other rows like these, for these trained models (bootstrap by cluster)."
_MOVE = "Places won from the public to the private board."
_MARK = "Kept, but early, late, a copy of an earlier one, or above the limits."


def public_columns(event: Event, board: PublicBoard) -> list[Column]:
    """Participants down, by validation score."""
    rows = board.rows
    lines = [row.submission for row in rows]
    return [
        column_of_numbers("rank", [row.rank for row in rows], kind="rank"),
        column_of_texts("participant", [line.participant for line in lines], kind="name", foreign=True),
        _scores(event, event.public, "validation", [row.valid for row in rows], [row.rank == 1 for row in rows]),
        column_of_numbers("submissions", [row.submissions for row in rows], spare=2),
        _times(lines),
        column_of_texts("title", [line.title for line in lines], kind="entry", spare=3, foreign=True),
    ]


def final_columns(event: Event, board: PrivateBoard) -> list[Column]:
    """Participants down, by test score."""
    rows = board.rows
    places = [row.place for row in rows]
    leading = [place.leading or place.rank == 1 for place in places]
    intervals = [interval_cell(row.interval) for row in rows]
    moves = [Cell(text=f"{row.move:+d}" if row.move else "0", value=float(row.move)) for row in rows]
    return [
        column_of_numbers("rank", [row.rank for row in rows], kind="rank"),
        column_of_texts("participant", [row.submission.participant for row in rows], kind="name", foreign=True),
        places_column(places),
        _scores(event, event.final, "test", [row.test for row in rows], leading),
        Column("interval", "95 % interval", intervals, note=_INTERVAL, right=True, spare=4),
        difference_column([place.difference_interval for place in places], path="difference_interval", spare=3),
        word_column(places),
        p_column([place.p for place in places], spare=5),
        column_of_numbers("public rank", [row.public_rank for row in rows], spare=2),
        Column("move", "move", moves, note=_MOVE, right=True, down=True, spare=2),
        _scores(event, event.public, "validation", [row.valid for row in rows], [False] * len(rows), spare=6),
        column_of_texts("title", [row.submission.title for row in rows], kind="entry", spare=6, foreign=True),
    ]


def submission_columns(event: Event, lines: Sequence[SubmissionLine]) -> list[Column]:
    """Submissions down, as everybody may see them."""
    return [
        Column("id", "submission", [Cell(text=line.id) for line in lines], kind="name"),
        column_of_texts("participant", [line.participant for line in lines], foreign=True),
        _times(lines),
        Column("state", "state", [Cell(text=line.state, small=line.stage or "") for line in lines]),
        Column("mark", "does not count", [Cell(text=line.mark or MISSING) for line in lines], note=_MARK),
        _scores(event, event.public, "validation", [line.valid for line in lines], [False] * len(lines)),
        column_of_texts("title", [line.title for line in lines], kind="entry", foreign=True),
    ]


def _times(lines: Sequence[SubmissionLine]) -> Column:
    cells = [Cell(text=f"{line.received:%Y-%m-%d %H:%M}", value=line.received.isoformat()) for line in lines]
    return Column("received", "received", cells, unit="UTC", spare=1)


def _scores(
    event: Event, combining: str, part: str, scores: Sequence[Summary | None], strong: Sequence[bool], *, spare: int = 0
) -> Column:
    over = "mean and standard deviation over the inner folds" if combining == "mean" else "of the averaged predictions"
    cells = [
        EMPTY if score is None else Cell(text=spread(score), value=score.mean, ink="leading" if bold else "")
        for score, bold in zip(scores, strong, strict=True)
    ]
    return Column(
        part,
        f"{part} {METRICS[event.metric].label}",
        cells,
        unit=unit_of(event.metric, event.public_task.unit),
        note=f"{METRICS[event.metric].description}, {over}",
        right=True,
        down=event.higher_is_better,
        spare=spare,
    )


_DATA = "board.json"


def build_board(event: Event, public: PublicBoard, final: PrivateBoard | None, folder: Path, *, now: datetime) -> Path:
    """Make pages of the boards, and give the path of the first.

    `folder` gets `docs` (Markdown and data) and `site` (HTML). The final board is there if whoever sees the pages may
    see it.

    Raises:
        MatbenchLiteError: If a file cannot be written, or mkdocs fails.
    """
    from matbench_lite import site  # mkdocs: not for a board in the terminal

    tables = _tables(event, public, final)
    pages = [
        site.page_file(
            f"event/{name}.md.j2",
            address=f"{name}.html",
            title=table.label,
            hide=("navigation", "toc"),
            event=event,
            phase=event.phase(now),
            metric=METRICS[event.metric],
            unit=unit_of(event.metric, event.public_task.unit),
            spread=spread,
            data=_DATA,
            now=now,
            public=public,
            final=final,
            table=table,
        )
        for name, table in tables.items()
    ]
    data = orjson.dumps(board_document(event, public, final, now), option=orjson.OPT_INDENT_2)
    contents = [{table.label: f"{name}.md"} for name, table in tables.items()]
    settings = site.common_configuration(event.title, contents)
    site.write_pages(folder, [site.File(_DATA, data), *pages], settings, by="mbl event board")
    return site.render_site(folder) / ("index.html" if final is None else "final.html")


def _tables(event: Event, public: PublicBoard, final: PrivateBoard | None) -> dict[str, Table]:
    """The table of every page, by the name of the page."""
    tables = {
        "index": Table(
            id="public",
            label="Public board",
            columns=public_columns(event, public),
            empty="No submission was scored yet.",
        )
    }
    if final is not None:
        columns = final_columns(event, final)
        tables["final"] = Table(id="final", label="Final ranking", columns=columns, empty="No submission was scored.")
    lines = public.submissions[::-1]  # the last first
    states = sorted({line.state for line in lines})
    chips = states if len(states) > 1 else ()
    tables["submissions"] = Table(
        id="submissions",
        label="Submissions",
        columns=submission_columns(event, lines),
        filters=[Filter(key="state", values=chips, rows=[[line.state] for line in lines])],
        find="Find a submission",
        empty="Nothing was received yet.",
    )
    return tables
