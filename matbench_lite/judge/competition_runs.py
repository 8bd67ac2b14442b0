"""Running algorithms on datasets, several seeds each: resumable, and measured as the runs come in."""

from __future__ import annotations

import math
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import IO, Any

import numpy as np
from filelock import FileLock, Timeout

from matbench_lite.atomic import LOCK_SECONDS
from matbench_lite.errors import JudgingError, MatbenchLiteError, ModelError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.dataset_folder import load_datasets
from matbench_lite.judge.expression import Simplifier
from matbench_lite.judge.expression.simplifier import SECONDS
from matbench_lite.judge.judge_dataset import Dataset, task_dataset
from matbench_lite.judge.results_file import RESULTS, Key, line_of, read_lines, write_table
from matbench_lite.judge.run_measurement import measure
from matbench_lite.judge.runs import Run
from matbench_lite.metrics import r2
from matbench_lite.tasks import load_benchmark
from matbench_lite.train import (
    Backend,
    Job,
    Journal,
    Model,
    Outcome,
    derived_seed,
    fit_predict,
    load_model,
    model_inputs,
    outcomes,
)


@dataclass(frozen=True, kw_only=True)
class JudgedJob(Job):
    """One run of one algorithm; `task` is the name of the dataset, `fold` the number of the run.

    `features` are those of a task of the registry; "" for a synthetic set, whose folder is `benchmark`.
    """

    features: str = ""

    @property
    def place(self) -> str:
        """Which dataset and run, for messages."""
        return f"{self.task} run {self.fold}"

    def work(self) -> Outcome:
        """Train and predict, in this process; errors become part of the outcome."""
        from matbench_lite.submission import Measurement

        try:
            with Measurement() as block:
                found = self._trained()
        except MatbenchLiteError as error:
            return Outcome(job=self, error=error.message, fix=error.fix, details=traceback.format_exc())
        except Exception as error:
            message = f"{self.place}: {type(error).__name__}: {error}"
            return Outcome(job=self, error=message, fix="see the log", details=traceback.format_exc())
        return Outcome(job=self, params=found, seconds=round(block.seconds, 3))

    def _trained(self) -> dict[str, Any]:
        dataset = _dataset(self.benchmark, self.task, self.features)
        train, test = dataset.training(self.fold, seed=self.seed), dataset.testing(self.fold)
        if self.model.input is not None:
            parts = self._own_inputs(dataset)
        else:
            parts = [rows.X for rows in (train, test, dataset.beyond) if rows is not None]
        estimator = self.model.estimator(dataset.task)
        predicted = fit_predict(
            estimator,
            dataset.task,
            parts[0],
            train.y,
            parts,
            seed=derived_seed(self.seed, self.task, "run", self.fold),
            where=f"run {self.fold}",
        )
        learnt, *others = (np.asarray(part.values, dtype=np.float64) for part in predicted)
        expression = getattr(estimator, "expression_", None)
        return {
            "r2_train": r2(train.y, learnt),
            "predictions": tuple(others[0].tolist()),
            "beyond": tuple(others[1].tolist()) if len(others) > 1 else None,
            "expression": None if expression is None else str(expression),
            "components": _complexity(estimator),
        }

    def _own_inputs(self, dataset: Dataset) -> list[Any]:
        """Formulas or structures, for a model that declares to work on them."""
        if dataset.track != "real":
            raise ModelError(
                f"the model {self.model.name!r} takes a {self.model.input}, {dataset.name} has columns of numbers",
                fix="leave out `input = …` in the model, and take a data frame",
            )
        fold = self.fold % dataset.task.n_folds
        rows = (dataset.task.train_rows(fold), dataset.task.test_rows(fold))
        return [model_inputs(self.model, dataset.task, part) for part in rows]


@lru_cache(maxsize=32)
def _dataset(benchmark: str, name: str, features: str) -> Dataset:
    """A dataset, read once per process."""
    if features:
        return task_dataset(load_benchmark(benchmark)[name], features=features)
    return load_datasets(Path(benchmark), [name])[0]


def _complexity(estimator: Any) -> float:
    declared = getattr(estimator, "complexity_", None)
    try:
        return math.nan if declared is None else float(declared)
    except (TypeError, ValueError) as error:
        raise ModelError(f"complexity_ is {declared!r}, not a number", fix="give the number of parameters") from error


_BASELINES = Path(__file__).parent / "baselines"
TABLE = "results.csv"


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What `run_algorithms` has done: every run of the competition in the folder, and its results file.

    Of these runs some were trained now, some kept from before; those that failed cannot count.
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
        work = _Work(competition, {item.name: item for item in datasets}, simplifier, stream, f"{simplify_seconds:g}")
        todo: list[JudgedJob] = []
        runs: dict[Key, Run] = {}
        # By number first: a competition that was stopped early has something of every dataset.
        for number, dataset, model in product(range(competition.runs), datasets, algorithms):
            key = (model.name, dataset.name, number)
            before = made_with.get(key, {})
            if before.get("trained") != work.training(model, dataset):
                about: dict[str, Any] = {"task": dataset.name, "fold": number, "features": dataset.feature_set}
                about |= {"benchmark": work.source(dataset), "seed": competition.seed, "timeout": timeout}
                todo.append(JudgedJob(model=model, **about))
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


@dataclass(frozen=True)
class _Work:
    """What all runs share: datasets, the results file, and how a run is made and measured."""

    _competition: Competition
    _datasets: Mapping[str, Dataset]
    _simplifier: Simplifier
    _stream: IO[bytes]
    _limit: str

    def training(self, model: Model, dataset: Dataset) -> str:
        return f"{model.sha256} {dataset.digest} {self._competition.seed}"

    def measuring(self, dataset: Dataset) -> str:
        return f"{dataset.judged_by} {self._limit}"

    def source(self, dataset: Dataset) -> str:
        """Where a job finds its dataset: the benchmark of a task, or the folder of synthetic sets."""
        if dataset.feature_set:
            return next(task.benchmark for task in self._competition.tasks if task.name == dataset.name)
        assert self._competition.folder is not None, dataset.name
        return str(self._competition.folder.resolve())

    def done(self, outcome: Outcome) -> Run:
        """What became of a job, measured and on disk."""
        job = outcome.job
        which: dict[str, Any] = {"algorithm": job.model.name, "dataset": job.task, "run": job.fold}
        run = Run(**which, seconds=outcome.seconds, problem=outcome.error, **outcome.params)
        return self.keep(run, job.model, self._datasets[job.task], failed=outcome.error is not None)

    def keep(self, run: Run, model: Model, dataset: Dataset, *, failed: bool = False) -> Run:
        if run.predictions is not None:
            # What an earlier measurement found wrong is looked at again.
            run = replace(run, problem=None, notes=(), r2=float("nan"))
        measured = measure(run, self._simplifier, dataset)
        # A run that failed is written without saying how it was trained: it is tried again the next time.
        trained = {} if failed else {"trained": self.training(model, dataset)}
        self._stream.write(line_of(measured, {**trained, "measured": self.measuring(dataset)}))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return measured


def _algorithms(models: Sequence[Model], competition: Competition) -> list[Model]:
    algorithms = list(models)
    gate = competition.rules.qualify
    if gate != "none":
        algorithms.append(load_model(_BASELINES / f"{gate.replace('-', '_')}.py"))
    names = [model.name for model in algorithms]
    for name in names:
        if names.count(name) > 1:
            fix = "rename a file; the names of qualification baselines are taken"
            raise JudgingError(f"there are two algorithms {name!r}", fix=fix)
    return algorithms


@contextmanager
def _writing(output: Path) -> Iterator[IO[bytes]]:
    """The results file, for this program alone."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        with FileLock(output / ".lock", timeout=LOCK_SECONDS), (output / RESULTS).open("ab") as stream:
            # A line that was cut off when the program was stopped is taken away: its run is done again.
            stream.truncate((output / RESULTS).read_bytes().rfind(b"\n") + 1)
            yield stream
    except Timeout:
        raise JudgingError(f"runs are going on in {output}", fix="wait for them, or choose another --output") from None
    except OSError as error:
        raise JudgingError(f"{output} cannot be written: {error.strerror}", fix="choose another --output") from error
