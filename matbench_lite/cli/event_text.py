"""Events on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from matbench_lite.cli.board_text import Column, print_fitted
from matbench_lite.cli.output import out
from matbench_lite.digits import MISSING, ends, spread

if TYPE_CHECKING:
    from matbench_lite.event import Event, PrivateBoard, PublicBoard, Received

_STATE_STYLES = {"scored": "green", "error": "red"}


def print_created(event: Event, *, already_public: bool) -> None:
    """What was made, and what to do with it."""
    task = event.public_task
    _say(f"{event.folder}: {event.title}, {task.target} from {task.input}s, ranked by {_metric(event)}")
    _say(f"  kit      hand it out: {len(task.train_rows(0))} rows to train on, {len(task.test_rows(0))} to test on")
    private = event.private_task
    trained = f"{len(private.train_rows(0))} rows to train on, " if event.mode == "code" else ""
    _say(f"  private  keep it to yourself: {trained}{len(private.test_rows(0))} rows that decide")
    _say(f"  opens {_time(event.opening)}, closes {_time(event.closing)} (edit event.toml to change that)")
    if already_public:
        _say("these targets are public, in the package or on the web: fit for practice, not for prizes", style="yellow")
    _say(f"\nnext: mbl event receive {event.folder} SUBMISSION, mbl event score {event.folder}, mbl event board …")


def print_received(taken: Sequence[Received]) -> None:
    """What was taken in."""
    for each in taken:
        mark = f" ({_mark(each)}: kept, does not count)" if each.mark else ""
        _say(f"received {each.id} from {each.participant}{mark}")


def print_scored(each: Received) -> None:
    """How one submission fared; no scores."""
    _say(
        f"{each.id}: {each.state}" + (f", {each.stage}" if each.stage else ""), style=_STATE_STYLES.get(each.state, "")
    )


def print_status(event: Event, received: Sequence[Received], now: datetime) -> None:
    """When, and what was received, with errors in full."""
    _say(f"{event.title}: {_phase(event, now)}")
    _say(f"opens {_time(event.opening)}, public board {_time(event.public_opening)}, closes {_time(event.closing)}")
    if not received:
        _say("nothing was received yet")
        return
    print_fitted(
        [
            Column(header="submission", cells=[each.id for each in received]),
            Column(header="participant", cells=[each.participant for each in received], spare=2),
            Column(header="received", cells=[_time(each.time) for each in received], spare=1),
            Column(header="state", cells=[each.state for each in received]),
            Column(header="does not count", cells=[_mark(each) or MISSING for each in received]),
            Column(header="title", cells=[each.title or MISSING for each in received], spare=3),
        ]
    )
    for each in received:
        if each.state == "error":
            _say(f"\n{each.id}: {each.stage}", style="red")
            _say((each.trace or "").strip())


def print_boards(event: Event, public: PublicBoard, final: PrivateBoard | None, now: datetime) -> None:
    """The public board and, if it may be seen, the private one."""
    _say(f"{event.title}: {_phase(event, now)}")
    if final is not None:
        _print_final(event, final)
        out.print()
    if not public.rows:
        _say("no submission was scored yet")
        return
    print_fitted(
        [
            Column(header="rank", cells=[str(row.rank) for row in public.rows], right=True),
            Column(header="participant", cells=[row.submission.participant for row in public.rows]),
            Column(
                header=f"{event.public} {_metric(event)}", cells=[spread(row.valid) for row in public.rows], right=True
            ),
            Column(header="submissions", cells=[str(row.submissions) for row in public.rows], right=True, spare=2),
            Column(header="received", cells=[_time(row.submission.received) for row in public.rows], spare=1),
            Column(header="title", cells=[row.submission.title or MISSING for row in public.rows], spare=3),
        ],
        title="Public board: validation scores",
    )


def _print_final(event: Event, final: PrivateBoard) -> None:
    if not final.rows:
        return
    print_fitted(
        [
            Column(header="rank", cells=[str(row.rank) for row in final.rows], right=True),
            Column(header="public", cells=[f"{row.public_rank} ({row.move:+d})" for row in final.rows], right=True),
            Column(header="participant", cells=[row.submission.participant for row in final.rows]),
            Column(
                header=f"{event.final} {_metric(event)}", cells=[spread(row.test) for row in final.rows], right=True
            ),
            Column(
                header="behind the first, 95 %", cells=[ends(row.behind) for row in final.rows], right=True, spare=1
            ),
            Column(header="title", cells=[row.submission.title or MISSING for row in final.rows], spare=2),
        ],
        title=f"Private board: test scores on {final.test_rows} rows",
    )
    if final.tied:
        _say(f"{final.tied} of {len(final.rows) - 1} cannot be told apart from the first on these rows")


def plain_received(each: Received) -> dict[str, Any]:
    """A submission as JSON, for the organiser."""
    return asdict(each)


def plain_status(event: Event, received: Sequence[Received], now: datetime) -> dict[str, Any]:
    """The state of an event as JSON, for the organiser."""
    from matbench_lite.event.boards import event_document

    return {**event_document(event, now), "submissions": [plain_received(each) for each in received]}


def _metric(event: Event) -> str:
    from matbench_lite.metrics import METRICS, metric_name  # numpy: not for every command

    name = metric_name(event.metric, event.public_task.unit)
    return f"{name}, {'higher' if METRICS[event.metric].higher_is_better else 'lower'} is better"


def _phase(event: Event, now: datetime) -> str:
    words = {"announced": "not open yet", "private": "open, no public board yet", "open": "open", "closed": "closed"}
    return words[event.phase(now)]


def _mark(each: Received) -> str:
    return f"duplicate of {each.same_as}" if each.mark == "duplicate" else each.mark or ""


def _time(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _say(text: str, style: str = "") -> None:
    out.print(Text(text, style=style), soft_wrap=True)
