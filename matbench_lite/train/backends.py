"""Where folds are trained: in processes of this machine, or on the workers of a Dask cluster.

A fold is trained in a process of its own, which a fold that never ends, eats the memory or crashes takes with it, and
nobody else. Jobs go there pickled on standard input, outcomes come back on standard output; what the model prints goes
to standard error. The process ends when its standard input does, and when it had nothing to do for a while: workers of
a cluster live long.

Only names and numbers travel to the workers of a cluster, predictions come back: each reads inputs from the store of
its own machine. When a worker dies, Dask gives its folds to another one, which starts them again with the same seed.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from matbench_lite.errors import RunError
from matbench_lite.train.jobs import Backend, Job, Outcome

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
_PACKAGE_HOME = str(Path(__file__).parents[2])
_FAREWELL = 5  # seconds that a process which says nothing more has to end
_LONGEST_OUTPUT = 100_000  # characters of what a model printed that are kept
_GONE, _IDLE = 3, 4
"""Exit codes: when the other side is no longer there, and when there was nothing to do."""
_READY = b"\n"
"""What is said once, before the first outcome."""
_PATIENCE = 300  # seconds without a job
_CONNECT = "10s"  # how long to wait for a scheduler
_own = threading.local()


def outcomes(
    jobs: Sequence[Job], *, workers: int = 1, backend: Backend = "joblib", scheduler: str | None = None
) -> Iterator[Outcome]:
    """Train folds and give each one's outcome as soon as it is there, in any order.

    Args:
        jobs: The folds.
        workers: How many at a time.
        backend: "joblib" for this machine, "dask" for a cluster.
        scheduler: Address of a Dask scheduler; without one, a cluster of `workers` processes is started here.

    Raises:
        RunError: If there is no Dask, or no scheduler at that address.
    """
    if backend == "dask":
        yield from _cluster_outcomes(jobs, workers=workers, scheduler=scheduler)
        return
    from joblib import Parallel, delayed

    with ExitStack() as children:
        idle: SimpleQueue[Child] = SimpleQueue()
        for _ in range(workers):
            idle.put(children.enter_context(closing(Child())))

        def run(job: Job) -> Outcome:
            child = idle.get()
            try:
                return child.run(job)
            finally:
                idle.put(child)

        # Threads that each wait for a process: a worker of joblib's own cannot be stopped without losing the others.
        parallel = Parallel(
            n_jobs=workers, backend="threading", return_as="generator_unordered", pre_dispatch=workers, batch_size=1
        )
        yield from parallel(delayed(run)(job) for job in jobs)


class Child:
    """A process that trains folds, one at a time; a new one is started when it was killed or has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._closed = False

    def run(self, job: Job) -> Outcome:
        """Train a fold; what happens to the process becomes part of the outcome."""
        self._output.seek(0)
        self._output.truncate()
        is_new = self._process is None
        self._process = process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        if is_new and process.stdout.read(len(_READY)) != _READY:
            return replace(self._died(job, self._buried(process), late=False), output=self._printed())
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(job.timeout, stop) if job.timeout else None
        try:
            if timer:
                timer.start()
            pickle.dump(job, process.stdin)
            process.stdin.flush()
            outcome: Outcome = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self._buried(process)
            if code == _IDLE:
                return self.run(job)  # it left before the job came
            outcome = self._died(job, code, late=late.is_set())
        finally:
            if timer:
                timer.cancel()
        return replace(outcome, output=self._printed())

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
            self._buried(self._process)
        self._output.close()

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, (_PACKAGE_HOME, os.environ.get("PYTHONPATH"))))
        # Set before numpy is loaded: some libraries read them once.
        threads = dict.fromkeys(_THREAD_VARIABLES, "1")
        environment = {**os.environ, **threads, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen(
            [sys.executable, "-P", "-c", "from matbench_lite.train.backends import work_on_jobs; work_on_jobs()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            env=environment,
        )

    def _buried(self, process: subprocess.Popen[bytes]) -> int:
        """The exit code of a process that has stopped answering; one that does not end is killed."""
        try:
            process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            process.kill()
        self._process = None
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):  # what could not be sent
                stream and stream.close()
        return process.wait()

    def _died(self, job: Job, code: int, *, late: bool) -> Outcome:
        if late:
            return Outcome(
                job=job,
                error=f"{job.place}: not done after {job.timeout:g} s, stopped",
                fix="make the model faster, or give more time with --timeout",
            )
        if self._closed:
            return Outcome(job=job, error=f"{job.place}: stopped")
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return Outcome(
            job=job,
            error=f"{job.place}: the process that trained it {how}",
            fix="see the log; perhaps it took more memory than there is: try fewer --jobs",
        )

    def _printed(self) -> str:
        with suppress(ValueError):  # closed meanwhile
            self._output.seek(0)
            return self._output.read().decode(errors="replace")[-_LONGEST_OUTPUT:]
        return ""


def work_on_jobs() -> None:
    """In the child: train one fold after the other until standard input ends."""
    # Ctrl-C is for the program that the user has started; it ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # A model that prints, or asks for input, must not disturb the conversation.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    # Before the first job: what it takes to begin does not count against a fold's time.
    import pandas as pd  # noqa: F401

    results.write(_READY)
    results.flush()
    jobs: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=_receive, args=(orders, jobs), daemon=True).start()
    packages_sent = False
    while True:
        try:
            job = jobs.get(timeout=_PATIENCE)
        except Empty:
            os._exit(_IDLE)
        outcome = job.work()
        if not packages_sent:
            from matbench_lite.submission import collect_provenance

            outcome = replace(outcome, packages=collect_provenance()["packages"])
            packages_sent = True
        sys.stdout.flush()
        sys.stderr.flush()
        pickle.dump(outcome, results)
        results.flush()


def _receive(stream: IO[bytes], jobs: SimpleQueue[Job]) -> None:
    while True:
        try:
            jobs.put(pickle.load(stream))
        except EOFError:
            os._exit(_GONE)
        except Exception:  # a job of another version of ours
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)


def _cluster_outcomes(jobs: Sequence[Job], *, workers: int, scheduler: str | None) -> Iterator[Outcome]:
    with _client(workers, scheduler) as client:
        from distributed import as_completed

        waiting = {client.submit(train_on_worker, job, pure=False): job for job in jobs}
        try:
            for future in as_completed(list(waiting)):
                yield _outcome(future, waiting.pop(future))
        finally:
            client.cancel(list(waiting))


def train_on_worker(job: Job) -> Outcome:
    """Train a fold in a process of this worker's thread, kept for the next fold."""
    from distributed import get_worker

    if not hasattr(_own, "child"):
        _own.child = Child()
    outcome: Outcome = _own.child.run(job)
    note = f"trained by {get_worker().name}\n"
    return replace(outcome, output=note + outcome.output)


def _outcome(future: Any, job: Job) -> Outcome:
    # Not its status: if the worker that held the result has died since, the fold is pending again, and waited for.
    error = future.exception()
    if error is None:
        outcome: Outcome = future.result()
        return outcome
    return Outcome(
        job=job,
        error=f"{job.place}: the cluster gave up: {type(error).__name__}: {error}",
        fix="see the log of the scheduler; the same command again goes on",
    )


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise RunError("Dask is not installed", fix="pip install 'matbench-lite[dask]'") from None
    if scheduler is None:
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_CONNECT)
    except (OSError, ValueError) as error:
        raise RunError(
            f"no Dask scheduler answers at {scheduler}: {error}", fix="start one with `dask scheduler`"
        ) from error
    with client:
        yield client
