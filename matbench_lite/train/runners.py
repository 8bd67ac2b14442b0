"""Where pieces are done: in this process, in processes of this machine, in sandboxes, or on a Dask cluster.

A piece is trained in a process of its own, which one that never ends, eats the memory or crashes takes with it, and
nobody else. Jobs go there pickled on standard input, outcomes come back on standard output; what the model prints goes
to standard error. The process ends when its standard input does, and when it had nothing to do for a while: workers of
a cluster live long.

Only names and numbers travel to the workers of a cluster, predictions come back: each reads inputs from the store of
its own machine. When a worker dies, Dask gives its pieces to another one, which starts them again with the same seed.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from itertools import cycle, islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

from matbench_lite.errors import RunError, raising
from matbench_lite.train.jobs import Job, Outcome, PieceRecord, Resources
from matbench_lite.train.worker import Child

if TYPE_CHECKING:
    from matbench_lite.train.model_file import Model

Done = tuple[Job, Outcome]
Given = TypeVar("Given")
Result = TypeVar("Result")
_CONNECT = "10s"  # how long to wait for a scheduler
_BATCHES = 16
"""So many times each worker asks for more small pieces: few enough to be cheap, many enough to end at the same time."""
_own = threading.local()


class Runner(AbstractContextManager["Runner"]):
    """Does jobs; used in a `with` block, at the end of which nothing of it is left."""

    def done(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """Do jobs, and give each one's outcome as soon as it is there."""
        raise NotImplementedError

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""


def runner(resources: Resources = Resources(), *, most: int | None = None) -> Runner:
    """What does jobs with the resources that the user gives; where there are few jobs, with so many workers at most.

    Raises:
        RunError: If devices are named for a cluster.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import Folds, Job, load_model
        >>> job = Job(model=load_model("dummy"), protocol=Folds(task=load_benchmark("mini")["mini_gap"]), piece=0)
        >>> with runner() as one:
        ...     [(job, outcome)] = one.done([job])
        >>> job.place, outcome.record.error
        ('mini_gap fold 0', None)
    """
    workers = resources.workers if most is None else max(1, min(resources.workers, most))
    if resources.backend != "dask":
        return Processes(workers, devices=resources.devices)
    if resources.devices:
        raise RunError(
            "devices cannot be given to the workers of a cluster", fix="start each with its CUDA_VISIBLE_DEVICES"
        )
    return Cluster(workers, resources.scheduler)


class Here(Runner):
    """Does jobs in this process, one after the other, with one thread: what is kept between them needs no sending."""

    def done(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """In their order."""
        from threadpoolctl import threadpool_limits

        modules = 0
        with ExitStack() as limits:
            for job in jobs:
                # One thread for linear algebra, as in every worker: sums in another order are other numbers.
                if len(sys.modules) != modules:  # the model before may have loaded some more
                    limits.enter_context(threadpool_limits(limits=1))
                    modules = len(sys.modules)
                yield job, job.work()


class Processes(Runner):
    """Does jobs in processes of this machine that can be stopped one by one.

    Where pieces are `small`, many are sent at once, and their outcomes come in order. `prepare` is what a process does
    before its first job, while the program goes on.
    """

    def __init__(
        self,
        workers: int,
        *,
        devices: Sequence[str] = (),
        small: bool = False,
        prepare: Callable[[], object] | None = None,
    ) -> None:
        self._small = small
        self._idle: SimpleQueue[Child] = SimpleQueue()
        self._children = [
            Child(device=device, prepare=prepare) for device in islice(cycle(devices or (None,)), workers)
        ]
        for child in self._children:
            if prepare is not None:
                child.start()
            self._idle.put(child)
        self._pool = ThreadPoolExecutor(workers)

    def done(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """As they come; small ones in their order."""
        workers = len(self._children)
        size = max(1, len(jobs) // (workers * _BATCHES)) if self._small else 1
        batches = [jobs[start : start + size] for start in range(0, len(jobs), size)]
        if self._small:
            found = _in_order([self._pool.submit(self._batch, batch) for batch in batches])
        else:
            found = _one_by_one(lambda batch: self._pool.submit(self._batch, batch), batches, workers)
        for batch in found:
            yield from batch

    def _batch(self, batch: Sequence[Job]) -> list[Done]:
        child = self._idle.get()
        try:
            return list(zip(batch, child.run(batch), strict=False))  # the first that fails is the last
        finally:
            self._idle.put(child)

    def __exit__(self, *_: object) -> None:
        """End the processes, whatever they are doing."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.close()
        self._pool.shutdown()


class Contained(Runner):
    """Does jobs of strangers' code in sandboxes; an error of the machine's, not of the code, ends the run.

    Each may take what `limits` say; unless `isolated` is false, code is kept from the files and the network of this
    machine. Of `devices`, each that is at work has one.
    """

    def __init__(self, workers: int, *, limits: Any, isolated: bool = True, devices: Sequence[str] = ()) -> None:
        self._pool, self._workers = ThreadPoolExecutor(workers), workers
        self._limits, self._isolated = limits, isolated
        self._devices: SimpleQueue[str | None] = SimpleQueue()
        for device in islice(cycle(devices or (None,)), workers):
            self._devices.put(device)

    def done(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """As they come."""
        yield from _one_by_one(lambda job: self._pool.submit(self._contained, job), jobs, self._workers)

    def _contained(self, job: Job) -> Done:
        from matbench_lite.errors import SubmittedCodeError
        from matbench_lite.train.sandbox import fit_contained

        split, device = job.protocol.split(job), self._devices.get()
        try:
            predicted, record = fit_contained(
                cast("Model", job.model).files[0].parent,
                split,
                where=job.protocol.label(job.piece),
                limits=self._limits,
                isolated=self._isolated,
                threads=job.resources.threads,
                device=device,
            )
        except SubmittedCodeError as error:
            record = PieceRecord(
                error=error.message, fix=error.fix, traceback=error.details, log={"stage": error.stage}
            )
            return job, Outcome(record=record)
        finally:
            self._devices.put(device)
        return job, Outcome(predictions=split.answered(predicted), record=record)

    def __exit__(self, *_: object) -> None:
        """Wait for what is at work: a sandbox ends within its limits."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _in_order(futures: Sequence[Future[Result]]) -> Iterator[Result]:
    """The results in this order; what has not begun when nobody asks for more is left undone."""
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _one_by_one(submit: Callable[[Given], Future[Result]], given: Iterable[Given], at_once: int) -> Iterator[Result]:
    """The results as they come. Nothing is begun in the place of another before that one's result has been taken.

    So a program that is killed loses what it was at, and nothing that was done.
    """
    waiting = iter(given)
    running = {submit(each) for each in islice(waiting, at_once)}
    try:
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()
                running |= {submit(each) for each in islice(waiting, 1)}
    finally:
        for future in running:
            future.cancel()


class Cluster(Runner):
    """Does jobs on the workers of a Dask cluster; without the address of a scheduler, of one that is started here."""

    def __init__(self, workers: int, scheduler: str | None) -> None:
        self._workers, self._scheduler = workers, scheduler

    def done(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """As they come."""
        with _client(self._workers, self._scheduler) as client:
            from distributed import as_completed

            waiting = {client.submit(train_on_worker, job, pure=False): job for job in jobs}
            try:
                for future in as_completed(list(waiting)):
                    job = waiting.pop(future)
                    # Not its status: if the worker that held the result has died since, the piece is pending again,
                    # and waited for.
                    if (error := future.exception()) is None:
                        yield job, future.result()
                    else:
                        message = f"{job.place}: the cluster gave up: {type(error).__name__}: {error}"
                        fix = "see the log of the scheduler; the same command again goes on"
                        yield job, Outcome().failed(message, fix)
            finally:
                client.cancel(list(waiting))


def train_on_worker(job: Job) -> Outcome:
    """Do a job in a process of this worker's thread, kept for the next one."""
    from distributed import get_worker

    if not hasattr(_own, "child"):
        _own.child = Child()
    outcome: Outcome = _own.child.run([job])[0]
    printed = f"trained by {get_worker().name}\n{outcome.record.printed}"
    return replace(outcome, record=replace(outcome.record, printed=printed))


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler, or of a cluster that is started here, and ends with the client and leaves no files."""
    try:
        from distributed import Client
    except ImportError:
        raise RunError("Dask is not installed", fix="pip install 'matbench-lite[dask]'") from None
    if scheduler is None:
        import dask

        about: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        where = dask.config.get("temporary-directory", None)
        folder = tempfile.TemporaryDirectory(prefix="mbl-dask-", dir=where, ignore_cleanup_errors=True)
        with folder as scratch, dask.config.set(temporary_directory=scratch), Client(**about) as client:
            yield client
        return
    message, fix = f"no Dask scheduler answers at {scheduler}", "start one with `dask scheduler`"
    with raising(RunError, message, fix=fix, on=(OSError, ValueError)):
        client = Client(scheduler, timeout=_CONNECT)
    with client:
        yield client
