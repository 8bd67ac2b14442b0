"""The boards of an event as pages, with the tables and the look of the leaderboard's site."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from matbench_lite import site
from matbench_lite.event.event_boards import PrivateBoard, PublicBoard, board_document
from matbench_lite.event.event_columns import final_columns, public_columns, submission_columns
from matbench_lite.event.event_settings import Event
from matbench_lite.metrics import METRICS
from matbench_lite.text import spread
from matbench_lite.view import Filter, Table, unit_of

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
    assets = site.load_assets()
    tables = {
        ("index", "Public board", "public_board"): public_table(event, public),
        ("final", "Final ranking", "final_board"): None if final is None else final_table(event, final),
        ("submissions", "Submissions", "submissions"): submissions_table(event, public),
    }
    pages = [
        _page(event, now, *names, public=public, final=final, table=table)
        for names, table in tables.items()
        if table is not None
    ]
    data = orjson.dumps(board_document(event, public, final, now), option=orjson.OPT_INDENT_2)
    settings = site.common_configuration(event.title, assets, [{title: file.path} for title, file in pages])
    files = [*assets, site.File(_DATA, data), *(file for _, file in pages)]
    site.write_pages(folder, files, site.configuration_files(settings, by="mbl event board"))
    return site.render_site(folder) / ("index.html" if final is None else "final.html")


def _page(event: Event, now: datetime, name: str, title: str, template: str, **values: Any) -> tuple[str, site.File]:
    text = site.page(
        f"event/{template}.md.j2",
        address=f"{name}.html",
        title=title,
        hide=("navigation", "toc"),
        event=event,
        phase=event.phase(now),
        metric=METRICS[event.metric],
        header=METRICS[event.metric].label,
        unit=unit_of(event.metric, event.public_task.unit),
        spread=spread,
        data=_DATA,
        now=now,
        **values,
    )
    return title, site.File(f"{name}.md", text)


def public_table(event: Event, board: PublicBoard) -> Table:
    """Participants down, by validation score."""
    columns = public_columns(event, board)
    return Table(id="public", label="Public board", columns=columns, empty="No submission was scored yet.")


def final_table(event: Event, board: PrivateBoard) -> Table:
    """Participants down, by test score."""
    columns = final_columns(event, board)
    return Table(id="final", label="Final ranking", columns=columns, empty="No submission was scored.")


def submissions_table(event: Event, board: PublicBoard) -> Table:
    """All submissions, the last first."""
    lines = board.submissions[::-1]
    values = sorted({line.state for line in lines})
    states = Filter(
        key="state", label="state", values=values if len(values) > 1 else (), rows=[[line.state] for line in lines]
    )
    return Table(
        id="submissions",
        label="Submissions",
        columns=submission_columns(event, lines),
        filters=[states],
        find="Find a submission",
        empty="Nothing was received yet.",
    )
