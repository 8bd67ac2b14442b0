"""The columns of an event's boards, each described once, and pages with the look of the leaderboard's site."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import orjson

from matbench_lite.event.event_boards import PrivateBoard, PublicBoard, SubmissionLine, board_document
from matbench_lite.event.event_settings import Event
from matbench_lite.event.shown_scores import GUESSES, MEAN_DIGITS, STD_DIGITS, ShownScore, told
from matbench_lite.metrics import METRICS
from matbench_lite.text import MISSING
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
_OWN = ": on rows whose targets are in the kit; its author can choose it, so it ranks nobody"
SHOWN = (
    f"Scores have {MEAN_DIGITS} digits, their standard deviations {STD_DIGITS}; what is more than {GUESSES} times as "
    "far from perfect as a constant guess is off the scale: a board is not to be read like a file of hidden targets."
)
"""How scores are shown, and why."""
KNOWN_TARGETS = (
    "This event was made before there were hidden validation rows: participants have the targets that this board ranks "
    "by, and a copy of them is a perfect score. The private test decides. A new event has hidden rows."
)
"""What is said of an event whose public board ranks by targets in the kit."""
_MARK = "Kept, but early, late, a copy of an earlier one, or above the limits."


def public_columns(event: Event, board: PublicBoard) -> list[Column]:
    """Participants down, by the score that ranks in public."""
    rows = board.rows
    lines = [row.submission for row in rows]
    return [
        column_of_numbers("rank", [row.rank for row in rows], kind="rank"),
        column_of_texts("participant", [line.participant for line in lines], kind="name", foreign=True),
        *_public_scores(event, lines, [row.rank == 1 for row in rows]),
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
        _scores(event, event.public, public_part(event), [row.score for row in rows], spare=6),
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
        *_public_scores(event, lines),
        column_of_texts("title", [line.title for line in lines], kind="entry", foreign=True),
    ]


def _times(lines: Sequence[SubmissionLine]) -> Column:
    cells = [Cell(text=f"{line.received:%Y-%m-%d %H:%M}", value=line.received.isoformat()) for line in lines]
    return Column("received", "received", cells, unit="UTC", spare=1)


def public_part(event: Event) -> str:
    """The rows that the public board ranks by, in a word or two."""
    hidden = event.mode == "predictions" and not event.ranks_known_targets
    return "hidden validation" if hidden else "validation"


def _public_scores(event: Event, lines: Sequence[SubmissionLine], strong: Sequence[bool] = ()) -> list[Column]:
    """The score that ranks and, where predictions are sent, beside it the one that its author can choose."""
    own = [line.own_valid for line in lines]
    return [
        _scores(event, event.public, public_part(event), [line.score for line in lines], strong),
        _scores(event, event.public, "own validation", own, note=_OWN, spare=1),
    ]


def _scores(
    event: Event,
    combining: str,
    part: str,
    scores: Sequence[ShownScore | None],
    strong: Sequence[bool] = (),
    *,
    note: str = "",
    spare: int = 0,
) -> Column:
    over = "mean and standard deviation over the inner folds" if combining == "mean" else "of the averaged predictions"
    cells = [
        EMPTY
        if score is None
        else Cell(text=score.text, value=math.nan if score.off_the_scale else score.mean, ink="leading" if bold else "")
        for score, bold in zip(scores, strong or [False] * len(scores), strict=True)
    ]
    return Column(
        part.replace(" ", "_"),
        f"{part} {METRICS[event.metric].label}",
        cells,
        unit=unit_of(event.metric, event.public_task.unit),
        note=f"{METRICS[event.metric].description}, {over}{note}",
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
            part=public_part(event),
            shown=SHOWN,
            told=told(event),
            known_targets=KNOWN_TARGETS,
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
