"""Folds on the workers of a Dask cluster: only names and numbers travel there, predictions come back.

Every worker reads inputs from the store of its own machine and trains in a process of its own, as on one machine. When
a worker dies, Dask gives its folds to another one; the fold starts again from nothing, with the same seed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from matbench_lite.errors import RunError
from matbench_lite.run.supervision import Child
from matbench_lite.run.unit import Job, Outcome

_CONNECT = "10s"  # how long to wait for a scheduler
_own = threading.local()


def cluster_outcomes(jobs: Sequence[Job], *, workers: int, scheduler: str | None) -> Iterator[Outcome]:
    """Train folds on a cluster and give each one's outcome as soon as it is there.

    Args:
        jobs: The folds.
        workers: Number of worker processes of the cluster that is started here; of no use with `scheduler`.
        scheduler: Address of a Dask scheduler, e.g. "tcp://10.0.0.1:8786".

    Raises:
        RunError: If Dask is not installed, or the scheduler does not answer.
    """
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
