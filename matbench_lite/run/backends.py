"""Where folds are trained: in processes of this machine, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from matbench_lite.run.supervision import Children
from matbench_lite.run.unit import Job, Outcome

Backend = Literal["joblib", "dask"]


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
        from matbench_lite.run.cluster import cluster_outcomes

        return cluster_outcomes(jobs, workers=workers, scheduler=scheduler)
    return _local_outcomes(jobs, workers)


def _local_outcomes(jobs: Sequence[Job], workers: int) -> Iterator[Outcome]:
    from joblib import Parallel, delayed

    with Children(workers) as children:
        # Threads that each wait for a process: a worker of joblib's own cannot be stopped without losing the others.
        parallel = Parallel(
            n_jobs=workers, backend="threading", return_as="generator_unordered", pre_dispatch=workers, batch_size=1
        )
        yield from parallel(delayed(children.run)(job) for job in jobs)
