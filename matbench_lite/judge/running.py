"""Running algorithms on datasets, several seeds each: resumable, and measured as the runs come in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from matbench_lite.errors import JudgingError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.datasets import Dataset
from matbench_lite.judge.expression import Simplifier
from matbench_lite.judge.expression.simplifying import SECONDS
from matbench_lite.judge.job import JudgedJob, job_for, source_of
from matbench_lite.judge.measuring import measure
from matbench_lite.judge.results_file import RESULTS, Key, line_of, read_lines, write_table
from matbench_lite.judge.runs import Run
from matbench_lite.run.backends import Backend, outcomes
from matbench_lite.run.journal import Journal
from matbench_lite.run.model import Model, load_model
from matbench_lite.run.unit import Outcome

_BASELINES = Path(__file__).parent / "baselines"
TABLE = "results.csv"


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What `run_algorithms` has done.

    Args:
        runs: Every run of the competition in the output folder.
        trained: How many were trained now.
        kept: How many were there already.
        failed: How many of the runs cannot count.
        file: The results file.
    """

    runs: tuple[Run, ...]
    trained: int
    kept: int
    failed: int
    file: Path


def run_algorithms(
    models: Sequence[Model],
    competition: Competition,
    output: Path,
    *,
    workers: int = 1,
    timeout: float | None = None,
    backend: Backend = "joblib",
    scheduler: str | None = None,
    simplify_seconds: float = SECONDS,
    report: Callable[[Run, int, int], None] | None = None,
) -> Ran:
    """Run every model on every dataset, as often as the competition says, and measure what comes of it.

    What is in the folder from before is kept, as long as model, data and seed are the same; runs that failed are tried
    again. Where only the property has changed, a run is measured anew without training.

    Args:
        models: The algorithms. The baseline that the rules name for qualification is added by itself.
        competition: Datasets, number of runs, seed.
        output: Folder of the results.
        workers: How many runs at a time, each in a process of its own with one thread.
        timeout: Seconds after which a run is given up.
        backend: Where they are trained, see `mbl run`.
        scheduler: Address of a Dask scheduler.
        simplify_seconds: How much of the processor's time the simplification of a formula may take, s.
        report: Called after each run with the run, how many are done, and how many there are to do.

    Raises:
        JudgingError: If two models have the same name, or the folder cannot be written or is in use.
    """
    algorithms = _algorithms(models, competition)
    datasets = competition.datasets()
    with _writing(output) as stream, Simplifier(simplify_seconds) as simplifier:
        known, made_with = read_lines(output / RESULTS)
        work = _Work(competition, datasets, simplifier, stream, f"{simplify_seconds:g}")
        todo: list[JudgedJob] = []
        runs: dict[Key, Run] = {}
        for model, dataset, number in work.wanted(algorithms):
            key = (model.name, dataset.name, number)
            before = made_with.get(key, {})
            if before.get("trained") != work.training(model, dataset):
                todo.append(
                    job_for(model, dataset, number, work.source(dataset), seed=competition.seed, timeout=timeout)
                )
            elif before.get("measured") != work.measuring(dataset):
                runs[key] = work.keep(known[key], model, dataset)
            else:
                runs[key] = known[key]
        kept, journal = len(runs), Journal(output)
        for done, outcome in enumerate(outcomes(todo, workers=workers, backend=backend, scheduler=scheduler), start=1):
            run = work.done(outcome)
            runs[run.algorithm, run.dataset, run.run] = run
            journal.note_outcome(outcome, f"{run.algorithm} {outcome.job.place}: {run.flaw or f'R2 {run.r2:.4g}'}")
            if report:
                report(run, done, len(todo))
        ordered = tuple(runs[key] for key in sorted(runs))
        write_table(ordered, output / TABLE)
    failed = sum(run.flaw is not None for run in ordered)
    return Ran(runs=ordered, trained=len(todo), kept=kept, failed=failed, file=output / RESULTS)


class _Work:
    """What all runs share: datasets, the results file, and how a run is made and measured."""

    def __init__(
        self,
        competition: Competition,
        datasets: Sequence[Dataset],
        simplifier: Simplifier,
        stream: IO[bytes],
        limit: str,
    ) -> None:
        self._competition = competition
        self._datasets = {dataset.name: dataset for dataset in datasets}
        self._simplifier = simplifier
        self._stream = stream
        self._limit = limit

    def wanted(self, algorithms: Sequence[Model]) -> Iterator[tuple[Model, Dataset, int]]:
        # By number first: a competition that was stopped early has something of every dataset.
        for number in range(self._competition.runs):
            for dataset in self._datasets.values():
                for model in algorithms:
                    yield model, dataset, number

    def training(self, model: Model, dataset: Dataset) -> str:
        return f"{model.sha256} {dataset.digest} {self._competition.seed}"

    def measuring(self, dataset: Dataset) -> str:
        return f"{dataset.judged_by} {self._limit}"

    def source(self, dataset: Dataset) -> dict[str, Any]:
        return source_of(dataset, self._competition.folder, self._competition.tasks)

    def done(self, outcome: Outcome) -> Run:
        """What became of a job, measured and on disk."""
        job, found = outcome.job, outcome.params
        run = Run(
            algorithm=job.model.name,
            dataset=job.task,
            run=job.fold,
            seconds=outcome.seconds,
            problem=outcome.error,
            components=found.get("complexity", float("nan")),
            **{name: found[name] for name in ("r2_train", "predictions", "beyond", "expression") if name in found},
        )
        return self.keep(run, job.model, self._datasets[job.task], failed=outcome.error is not None)

    def keep(self, run: Run, model: Model, dataset: Dataset, *, failed: bool = False) -> Run:
        measured = measure(_unmeasured(run), self._simplifier, dataset)
        # A run that failed is written without saying how it was trained: it is tried again the next time.
        trained = {} if failed else {"trained": self.training(model, dataset)}
        self._stream.write(line_of(measured, {**trained, "measured": self.measuring(dataset)}))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return measured


def _unmeasured(run: Run) -> Run:
    """A run as it was trained: what an earlier measurement found wrong is looked at again."""
    return run if run.predictions is None else replace(run, problem=None, notes=(), r2=float("nan"))


def _algorithms(models: Sequence[Model], competition: Competition) -> list[Model]:
    algorithms = list(models)
    gate = competition.rules.qualify
    if gate != "none":
        algorithms.append(load_model(_BASELINES / f"{gate.replace('-', '_')}.py"))
    names = [model.name for model in algorithms]
    for name in names:
        if names.count(name) > 1:
            raise JudgingError(
                f"there are two algorithms {name!r}",
                fix="rename a file; the names of qualification baselines are taken",
            )
    return algorithms


@contextmanager
def _writing(output: Path) -> Iterator[IO[bytes]]:
    """The results file, for this program alone."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        with FileLock(output / ".lock", timeout=0), (output / RESULTS).open("ab") as stream:
            # A line that was cut off when the program was stopped is taken away: its run is done again.
            stream.truncate((output / RESULTS).read_bytes().rfind(b"\n") + 1)
            yield stream
    except Timeout:
        raise JudgingError(f"runs are going on in {output}", fix="wait for them, or choose another --output") from None
    except OSError as error:
        raise JudgingError(f"{output} cannot be written: {error.strerror}", fix="choose another --output") from error
