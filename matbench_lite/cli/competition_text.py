"""Judgements and events on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from matbench_lite import event as events
from matbench_lite import judge, metrics
from matbench_lite.cli.output import errors, out, print_fitted, say, text_column
from matbench_lite.text import MISSING, share

_MOST_FAILURES = 20


def plain_formula(known: judge.KnownFormula) -> dict[str, Any]:
    """A synthetic set as plain JSON, without what is hidden."""
    return {
        "name": known.name,
        "title": known.title,
        "target": known.target,
        "unit": known.unit,
        "features": sorted([*known.relevant, *known.irrelevant, *known.decoys]),
        "noise": known.noise,
        "property": known.property_spec.kind,
    }


def print_formulas(formulas: Sequence[judge.KnownFormula]) -> None:
    """The synthetic sets."""
    described = [plain_formula(item) for item in formulas]
    print_fitted(
        [
            text_column("dataset", [item["name"] for item in described]),
            text_column("features", [str(len(item["features"])) for item in described], right=True),
            text_column("noise", [share(item["noise"]) for item in described], right=True),
            text_column("property", [item["property"] for item in described]),
            text_column("what it is", [item["title"] for item in described], spare=1),
        ]
    )


def report_run(run: judge.Run, done: int, total: int) -> None:
    """One line per run, as it comes in."""
    place = f"{done}/{total} {run.algorithm} on {run.dataset}, run {run.run}"
    numbers = f"R2 {run.r2:.3f}, {run.components:g} components, property {run.property_value:.3g}"
    say(f"{place}: ", (run.flaw, "red") if run.flaw else numbers, to=errors)


def print_judgement(judgement: judge.Judgement, title: str) -> None:
    """Scores, places, why, how certain, and who failed where."""
    rows = judgement.algorithms
    say((title, "bold"), f": {judgement.rules.text}\n")
    first = [row.place == 1 for row in rows]
    print_fitted(
        [
            text_column("place", [str(row.place) for row in rows], right=True),
            text_column("algorithm", [row.algorithm for row in rows], strong=first),
            text_column("score", [f"{row.score:.3f}" for row in rows], right=True, strong=first),
            *(
                text_column(name, [f"{row.points[name]:.2f}" for row in rows], right=True, spare=2)
                for name in rows[0].points
            ),
            text_column("datasets\nwon", [str(row.won) for row in rows], right=True, spare=3),
            text_column("wins when\ndrawn again", [share(row.wins) for row in rows], right=True, spare=1),
        ]
    )
    out.print()
    for sentence in judgement.why:
        say(sentence, soft_wrap=False)
    others = judgement.sensitivity.others
    differ = [other for other in others if other.winners != judgement.winners]
    say(f"\nOf {len(others)} other rules, {len(others) - len(differ)} have the same winner.")
    for other in differ:
        say(f"  {other.rules.text}: {', '.join(other.winners)}")
    _print_failures(judgement)


def _print_failures(judgement: judge.Judgement) -> None:
    for item in judgement.disqualified:
        gate = f"beats {judgement.rules.qualify} on {item.beaten} of {item.datasets} datasets"
        say((f"{item.algorithm} is not judged:", "yellow"), f" it {gate}")
    if judgement.failures:
        say((f"\n{len(judgement.failures)} runs did not count:", "yellow"))
    rows = list(judge.grouped_failures(judgement.failures))
    for row in rows[:_MOST_FAILURES]:
        say(f"  {row.algorithm} on {row.dataset}, run {row.runs}: {row.reason}")
    if len(rows) > _MOST_FAILURES:
        say(f"  and {len(rows) - _MOST_FAILURES} more; --json has them all")


def print_trust(trust: judge.Trust) -> None:
    """Whom the experts trust, names opened."""
    rows = trust.algorithms
    say(("\nTrusted most:", "bold"), f" {', '.join(trust.winners)}\n")
    print_fitted(
        [
            text_column("place", [str(row.place) for row in rows], right=True),
            text_column("algorithm", [row.algorithm for row in rows], strong=[row.place == 1 for row in rows]),
            text_column("mean trust rank", [f"{row.mean_rank:.2f}" for row in rows], right=True),
            *(
                text_column(name, [f"{row.by_dataset[name]:.2f}" for row in rows], right=True, spare=1)
                for name in trust.datasets
            ),
        ]
    )
    say(f"\n{judge.COMBINING_RULE}", soft_wrap=False)


_STATE_STYLES = {"scored": "green", "error": "red"}


def print_created(event: events.Event, *, already_public: bool) -> None:
    """What was made, and what to do with it."""
    task = event.public_task
    inputs = "columns of a table" if task.input == "table" else f"{task.input}s"
    say(f"{event.folder}: {event.title}, {task.target} from {inputs}, ranked by {_metric(event)}")
    say(f"  kit      hand it out: {len(task.train_rows(0))} rows to train on, {len(task.test_rows(0))} to test on")
    private = event.private_task
    ranks = "to train on" if event.mode == "code" else "of hidden validation"
    say(
        f"  private  keep it to yourself: {len(private.train_rows(0))} rows {ranks}, "
        f"{len(private.test_rows(0))} rows that decide"
    )
    known = events.told(event)
    say(
        f"  the public board tells at most {known['bits_per_submission']} bits of private targets by a submission, "
        f"{known['bits_per_day']} a day, {known['bits_in_all']} in all to one participant"
    )
    say(f"  opens {_time(event.opening)}, closes {_time(event.closing)} (edit event.toml to change that)")
    if already_public:
        say(("these targets are public, in the package or on the web: fit for practice, not for prizes", "yellow"))
    say(f"\nnext: mbl event receive {event.folder} SUBMISSION, mbl event score {event.folder}, mbl event board …")


def print_received(taken: Sequence[events.Received]) -> None:
    """What was taken in."""
    for each in taken:
        mark = f" ({_mark(each)}: kept, does not count)" if each.mark else ""
        say(f"received {each.id} from {each.participant}{mark}")


def print_scored(each: events.Received) -> None:
    """How one submission fared; no scores."""
    stage = f", {each.stage}" if each.stage else ""
    say((f"{each.id}: {each.state}{stage}", _STATE_STYLES.get(each.state, "")))


def print_status(event: events.Event, received: Sequence[events.Received], now: datetime) -> None:
    """When, and what was received, with errors in full."""
    say(f"{event.title}: {_phase(event, now)}")
    say(f"opens {_time(event.opening)}, public board {_time(event.public_opening)}, closes {_time(event.closing)}")
    _print_known_targets(event)
    if not received:
        say("nothing was received yet")
        return
    print_fitted(
        [
            text_column("submission", [each.id for each in received]),
            text_column("participant", [each.participant for each in received], spare=2),
            text_column("received", [_time(each.time) for each in received], spare=1),
            text_column("state", [each.state for each in received]),
            text_column("does not count", [_mark(each) or MISSING for each in received]),
            text_column("title", [each.title or MISSING for each in received], spare=3),
        ]
    )
    for each in received:
        if each.state == "error":
            say((f"\n{each.id}: {each.stage}", "red"))
            say((each.trace or "").strip())


def print_boards(
    event: events.Event, public: events.PublicBoard, final: events.PrivateBoard | None, now: datetime
) -> None:
    """The public board and, if it may be seen, the private one."""
    say(f"{event.title}: {_phase(event, now)}")
    if final is not None:
        if final.rows:
            title = f"Private board: test scores on {final.test_rows} rows, {_metric(event)}"
            print_fitted(events.final_columns(event, final), title=title)
            say(f"\n{final.headline}", soft_wrap=False)
        out.print()
    if not public.rows:
        say("no submission was scored yet")
        return
    what = f"{events.public_part(event)} scores, {_metric(event)}"
    print_fitted(events.public_columns(event, public), title=f"Public board: {what}")
    _print_known_targets(event)


def _print_known_targets(event: events.Event) -> None:
    if event.ranks_known_targets:
        say((f"\n{events.KNOWN_TARGETS}", "yellow"), soft_wrap=False)


def _metric(event: events.Event) -> str:
    name = metrics.metric_name(event.metric, event.public_task.unit)
    return f"{name}, {'higher' if metrics.METRICS[event.metric].higher_is_better else 'lower'} is better"


def _phase(event: events.Event, now: datetime) -> str:
    words = {"announced": "not open yet", "private": "open, no public board yet", "open": "open", "closed": "closed"}
    return words[event.phase(now)]


def _mark(each: events.Received) -> str:
    return f"duplicate of {each.same_as}" if each.mark == "duplicate" else each.mark or ""


def _time(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
