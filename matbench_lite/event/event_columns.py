"""The columns of an event's boards, each described once: the terminal and the pages show the same."""

from __future__ import annotations

from collections.abc import Sequence

from matbench_lite.event.event_boards import PrivateBoard, PublicBoard, SubmissionLine
from matbench_lite.event.event_settings import Event
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.text import MISSING, spread
from matbench_lite.view import EMPTY, Cell, Column, interval_cell, unit_of

_BEHIND = "How much larger its error is than that of the first, over the private test rows drawn again."
_MOVE = "Places won from the public to the private board."
_MARK = "Kept, but early, late, a copy of an earlier one, or above the limits."


def public_columns(event: Event, board: PublicBoard) -> list[Column]:
    """Participants down, by validation score."""
    rows = board.rows
    lines = [row.submission for row in rows]
    return [
        _numbers("rank", [row.rank for row in rows], kind="rank"),
        _texts("participant", [line.participant for line in lines], kind="name"),
        _scores(event, event.public, "validation", [row.valid for row in rows], [row.rank == 1 for row in rows]),
        _numbers("submissions", [row.submissions for row in rows], spare=2),
        _times(lines),
        _texts("title", [line.title for line in lines], kind="entry", spare=3),
    ]


def final_columns(event: Event, board: PrivateBoard) -> list[Column]:
    """Participants down, by test score."""
    rows = board.rows
    tied = [row.rank == 1 or (row.behind is not None and row.behind.low <= 0) for row in rows]
    behind = [interval_cell(row.behind, sign=True) for row in rows]
    moves = [Cell(text=f"{row.move:+d}" if row.move else "0", value=float(row.move)) for row in rows]
    return [
        _numbers("rank", [row.rank for row in rows], kind="rank"),
        _texts("participant", [row.submission.participant for row in rows], kind="name"),
        _scores(event, event.final, "test", [row.test for row in rows], tied),
        Column("behind", "behind the first", behind, unit="95 %", note=_BEHIND, right=True, spare=1),
        _numbers("public rank", [row.public_rank for row in rows]),
        Column("move", "move", moves, note=_MOVE, right=True, down=True),
        _scores(event, event.public, "validation", [row.valid for row in rows], [False] * len(rows), spare=3),
        _texts("title", [row.submission.title for row in rows], kind="entry", spare=2),
    ]


def submission_columns(event: Event, lines: Sequence[SubmissionLine]) -> list[Column]:
    """Submissions down, as everybody may see them."""
    return [
        Column("id", "submission", [Cell(text=line.id) for line in lines], kind="name"),
        _texts("participant", [line.participant for line in lines]),
        _times(lines),
        Column("state", "state", [Cell(text=line.state, small=line.stage or "") for line in lines]),
        Column("mark", "does not count", [Cell(text=line.mark or MISSING) for line in lines], note=_MARK),
        _scores(event, event.public, "validation", [line.valid for line in lines], [False] * len(lines)),
        _texts("title", [line.title for line in lines], kind="entry"),
    ]


def _numbers(header: str, numbers: Sequence[int], *, kind: str = "", spare: int = 0) -> Column:
    cells = [Cell(text=str(number), value=float(number)) for number in numbers]
    return Column(header.replace(" ", "_"), header, cells, right=True, kind=kind, spare=spare)


def _texts(header: str, texts: Sequence[str], *, kind: str = "", spare: int = 0) -> Column:
    cells = [Cell(text=text or MISSING, value=text) for text in texts]
    return Column(header, header, cells, kind=kind, foreign=True, spare=spare)


def _times(lines: Sequence[SubmissionLine]) -> Column:
    cells = [Cell(text=f"{line.received:%Y-%m-%d %H:%M}", value=line.received.isoformat()) for line in lines]
    return Column("received", "received", cells, unit="UTC", spare=1)


def _scores(
    event: Event, combining: str, part: str, scores: Sequence[Summary | None], strong: Sequence[bool], *, spare: int = 0
) -> Column:
    over = "mean and standard deviation over the inner folds" if combining == "mean" else "of the averaged predictions"
    cells = [
        EMPTY if score is None else Cell(text=spread(score), value=score.mean, ink="tied" if bold else "")
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
