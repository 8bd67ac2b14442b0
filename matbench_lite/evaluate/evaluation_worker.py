"""The work of one model: pieces in this process, or in several, with the same results."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.engine import Done, Engine, Piece
from matbench_lite.evaluate.evaluated_models import Candidate, load_candidate
from matbench_lite.evaluate.evaluation_file import Code, Evaluation
from matbench_lite.evaluate.evaluation_loader import working_in
from matbench_lite.evaluate.group_plan import Plan, make_plan
from matbench_lite.evaluate.scorers import Scorer, make_scorers

_BATCHES = 16
"""So many times each worker asks for more work: few enough to be cheap, many enough to end at the same time."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a model has no results: what went wrong and where, and the traceback."""

    message: str
    details: str = ""

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """The failure that an error means."""
        return cls(message=str(error), details="\n".join(getattr(error, "__notes__", ())))


@dataclass(frozen=True, kw_only=True)
class Job:
    """The work of one model; `number` is its place in the evaluation file, `name` is in the results."""

    number: int
    name: str
    plan: Plan = field(repr=False)
    scorers: Sequence[Scorer] = field(repr=False)
    candidate: Candidate

    def engine(self) -> Engine:
        """A new model, trained as far as it can be before the first group."""
        with working_in(self.candidate.folder):
            return Engine(self.plan, self.scorers, self.candidate.make(), self.name)

    def run(self, engine: Engine, piece: Piece) -> Done:
        """Do a piece where the model's code lies."""
        with working_in(self.candidate.folder):
            return engine.run(piece)


@contextmanager
def workers_started(evaluation: Evaluation, jobs: int) -> Iterator[None]:
    """Have the worker processes load the first model while the block does something else.

    What they import takes seconds, as long as reading the data does here. They do not read the data: it may have to be
    fetched, or its space groups computed, which is done once.
    """
    from joblib import Parallel, delayed

    loading = Parallel(n_jobs=jobs, return_as="generator", batch_size=1)(
        delayed(_load)(evaluation.models[0]) for _ in range(jobs)
    )
    try:
        yield
        # A model that ends its process ends it again when it is its turn, and is told so then.
        with suppress(RuntimeError, OSError):
            deque(loading, maxlen=0)
    finally:
        _close(loading)


def _load(code: Code) -> None:
    _end_with(os.getppid())
    with warnings.catch_warnings(), suppress(EvaluationError):
        warnings.simplefilter("ignore")  # the process that started this one tells of both
        load_candidate(code)


def outcomes(job: Job, pieces: Sequence[Piece], jobs: int) -> Iterator[list[Done] | Failure]:
    """Do pieces, and give what is done in their order. The first failure is the last thing that comes."""
    if jobs == 1 or len(pieces) < 2:
        yield from _here(job, pieces)
    else:
        yield from _in_processes(job, pieces, jobs)


def _here(job: Job, pieces: Sequence[Piece]) -> Iterator[list[Done] | Failure]:
    try:
        with one_thread() as limit:
            engine = job.engine()
            for piece in pieces:
                limit()
                yield [job.run(engine, piece)]
    except EvaluationError as error:
        yield Failure.of(error)


def _in_processes(job: Job, pieces: Sequence[Piece], jobs: int) -> Iterator[list[Done] | Failure]:
    from joblib import Parallel, delayed

    size = max(1, len(pieces) // (jobs * _BATCHES))
    batches = [pieces[start : start + size] for start in range(0, len(pieces), size)]
    about = (job.plan.evaluation, job.plan.digest, job.number, job.name)
    parallel = Parallel(n_jobs=jobs, return_as="generator", batch_size=1, pre_dispatch=2 * jobs)
    every = parallel(delayed(_batch)(*about, batch) for batch in batches)
    try:
        for outcome in every:
            yield outcome
            if isinstance(outcome, Failure):
                return
    except (RuntimeError, OSError) as error:  # a worker that was killed, e.g. for want of memory
        yield Failure(message=f"{job.name}: a worker process ended: {error}")
    finally:
        _close(every)


def _close(outcomes: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib tells of the batches that nobody wants any more
        outcomes.close()


def _batch(evaluation: Evaluation, digest: str, number: int, name: str, pieces: Sequence[Piece]) -> Any:
    """What a worker does: it reads the data and trains once, and keeps both for the next batch."""
    _end_with(os.getppid())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said once already, by the process that started this one
            job = _job(evaluation, digest, number, name)
            with one_thread() as limit:
                engine = _engine(job, digest)
                done = []
                for piece in pieces:
                    limit()
                    done.append(job.run(engine, piece))
                return done
    except EvaluationError as error:
        return Failure.of(error)


@cache
def _end_with(parent: int) -> None:
    """End this worker when the program that started it has been killed: joblib's would wait for work for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_kept: dict[str, Any] = {}
"""What a worker keeps between batches: the data, and the last model."""


def _job(evaluation: Evaluation, digest: str, number: int, name: str) -> Job:
    key = (evaluation.name, digest, repr(evaluation.stated))
    if _kept.get("data_key") != key:
        plan = make_plan(evaluation)
        if plan.digest != digest:
            raise EvaluationError("the data were changed while the evaluation ran", fix="start it again")
        _kept.clear()
        _kept.update(data_key=key, plan=plan, scorers=make_scorers(plan))
    candidate = load_candidate(evaluation.models[number])
    return Job(number=number, name=name, plan=_kept["plan"], scorers=_kept["scorers"], candidate=candidate)


def _engine(job: Job, digest: str) -> Engine:
    key = (digest, job.number, job.candidate.digest)
    if _kept.get("engine_key") != key:
        _kept.update(engine_key=key, engine=job.engine())
    engine: Engine = _kept["engine"]
    return engine


@contextmanager
def one_thread() -> Iterator[Callable[[], None]]:
    """One thread for linear algebra, here as in every worker: sums in another order are other numbers.

    Gives a function that limits what a model has loaded since the last time.
    """
    from threadpoolctl import threadpool_limits

    modules = len(sys.modules)
    limits = [threadpool_limits(limits=1)]

    def limit() -> None:
        nonlocal modules
        if len(sys.modules) != modules:
            limits.append(threadpool_limits(limits=1))
            modules = len(sys.modules)

    try:
        yield limit
    finally:
        for one in reversed(limits):
            one.restore_original_limits()
