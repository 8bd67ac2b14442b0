"""The boards of an event as pages, with the tables and the look of the leaderboard's site."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

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
    assets, tables = site.load_assets(), _tables(event, public, final)
    pages = {
        name: site.page(
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
    }
    data = orjson.dumps(board_document(event, public, final, now), option=orjson.OPT_INDENT_2)
    contents = [{table.label: f"{name}.md"} for name, table in tables.items()]
    settings = site.common_configuration(event.title, assets, contents)
    files = [*assets, site.File(_DATA, data), *(site.File(f"{name}.md", text) for name, text in pages.items())]
    site.write_pages(folder, files, site.configuration_files(settings, by="mbl event board"))
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
        filters=[Filter(key="state", label="state", values=chips, rows=[[line.state] for line in lines])],
        find="Find a submission",
        empty="Nothing was received yet.",
    )
    return tables
