"""The way of every run: what is missing goes to a runner, and each outcome is kept when it comes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass

from matbench_lite.progress import progress
from matbench_lite.text import count, duration
from matbench_lite.train.jobs import Job, Outcome
from matbench_lite.train.journal import Journal
from matbench_lite.train.runners import Runner

_PULSE = 600.0
"""Seconds between two lines that say that the program is at work, where no bar is shown: in the log of a queue."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One piece that has just ended.

    `done` of `total` have ended in this run; the last is estimated to end in `seconds_left` of wall time, s.
    """

    job: Job
    outcome: Outcome
    done: int
    total: int
    seconds_left: float


def drive(
    jobs: Sequence[Job],
    runner: Runner,
    journal: Journal | None = None,
    *,
    title: str = "",
    work: Callable[[Job], float] = lambda _: 1.0,
    finish: Callable[[Job, Outcome], Outcome] = lambda _, outcome: outcome,
    report: Callable[[Step], None] = lambda _: None,
    until_failure: bool = False,
) -> list[Outcome]:
    """Do jobs, and keep what becomes of each; Ctrl-C says what is kept.

    `journal` keeps the outcomes, as `finish` leaves them; `work` says how much a job is, in any unit, for the estimate
    of the time left. With `until_failure`, the first job that fails is the last, and there are fewer outcomes than
    jobs; they are in the order of the jobs.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import Folds, Here, load_model
        >>> protocol = Folds(task=load_benchmark("mini")["mini_gap"])
        >>> jobs = [Job(model=load_model("dummy"), protocol=protocol, piece=fold) for fold in range(2)]
        >>> [len(outcome.predictions["test"].rows) for outcome in drive(jobs, Here())]
        [100, 100]
    """
    outcomes: dict[int, Outcome] = {}
    places = {id(job): place for place, job in enumerate(jobs)}
    start, ended, left = time.perf_counter(), 0.0, sum(map(work, jobs))
    try:
        with progress(title, len(jobs)) as advance, _pulse(title, len(jobs), outcomes):
            for job, received in runner.done(jobs):
                outcome = finish(job, received)
                outcomes[places[id(job)]] = outcome
                if journal is not None:
                    journal.keep(job, outcome)
                advance(1)
                ended, left = ended + work(job), left - work(job)
                seconds_left = (time.perf_counter() - start) / ended * left
                done = len(outcomes)
                report(Step(job=job, outcome=outcome, done=done, total=len(jobs), seconds_left=seconds_left))
                if until_failure and outcome.record.error is not None:
                    break
    except KeyboardInterrupt:
        if journal is not None:
            kept = f"{count(len(outcomes), 'piece')} of {len(jobs)} done in this run and kept in {journal.folder}"
            sys.stderr.write(f"stopped: {kept}; the same command again goes on\n")
        raise
    finally:
        if journal is not None:
            journal.flush()
    return [outcomes[place] for place in sorted(outcomes)]


@contextmanager
def _pulse(title: str, total: int, done: Sized) -> Iterator[None]:
    """Say on standard error every now and then how far the work is, inside long pieces too."""
    ended, began = threading.Event(), time.monotonic()

    def say() -> None:
        while not ended.wait(_PULSE):
            after = duration(time.monotonic() - began)
            sys.stderr.write(f"{title}: {len(done)} of {total} done after {after}\n")
            sys.stderr.flush()

    if not sys.stderr.isatty():
        threading.Thread(target=say, daemon=True).start()
    try:
        yield
    finally:
        ended.set()
