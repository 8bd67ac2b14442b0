"""Running algorithms on datasets, several seeds each: resumable, and measured as the runs come in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from matbench_lite.errors import JudgingError, ModelError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.dataset_folder import load_datasets
from matbench_lite.judge.expression import Simplifier
from matbench_lite.judge.expression.simplifier import SECONDS
from matbench_lite.judge.judge_dataset import Dataset, task_dataset
from matbench_lite.judge.results_file import RESULTS, Key, read_lines, write_lines, write_table
from matbench_lite.judge.run_measurement import measure
from matbench_lite.judge.runs import Run
from matbench_lite.metrics import r2
from matbench_lite.tasks import load_benchmark
from matbench_lite.train import (
    Backend,
    Job,
    Journal,
    Log,
    Model,
    Outcome,
    Protocol,
    Split,
    Step,
    derived_seed,
    drive,
    load_model,
    model_inputs,
    runner,
)


@dataclass(frozen=True, kw_only=True)
class Repeats(Protocol):
    """SRBench's repeats: each run is shown a draw of the training rows, or those of a fold, and asked the test rows.

    Args:
        source: The benchmark of a task, or the folder of a synthetic set.
        dataset: Name of the dataset.
        features: Those of a task; "" for a synthetic set.
    """

    name: ClassVar[str] = "repeats"
    source: str
    dataset: str
    features: str = ""

    @property
    def task_name(self) -> str:
        """The dataset."""
        return self.dataset

    def label(self, piece: int) -> str:
        """Which run."""
        return f"run {piece}"

    def facts(self) -> Any:
        """The rows."""
        return [self.dataset, _dataset(self.source, self.dataset, self.features).digest]

    def split(self, job: Job) -> Split:
        """Features of the rows, or formulas or structures for a model that declares to work on them."""
        dataset = _dataset(self.source, self.dataset, self.features)
        parts = {"train": dataset.training(job.piece, seed=job.seed), "test": dataset.testing(job.piece)}
        if dataset.beyond is not None:
            parts["beyond"] = dataset.beyond
        model = cast("Model", job.model)
        if dataset.track == "real":
            fold = job.piece % dataset.task.n_folds
            rows = {"train": dataset.task.train_rows(fold), "test": dataset.task.test_rows(fold)}
        else:
            rows = {part: some.X.index.to_numpy(dtype=np.intp) for part, some in parts.items()}
        if model.input is None:
            asked = {part: some.X for part, some in parts.items()}
        elif dataset.track == "real":
            asked = {part: model_inputs(model, dataset.task, some) for part, some in rows.items()}
        else:
            raise ModelError(
                f"the model {model.name!r} takes a {model.input}, {dataset.name} has columns of numbers",
                fix="leave out `input = …` in the model, and take a data frame",
            )
        seed = derived_seed(job.seed, self.dataset, "run", job.piece)
        truth = {part: some.y.to_numpy(np.float64) for part, some in parts.items()}
        y = parts["train"].y
        return Split(task=dataset.task, X=asked["train"], y=y, asked=asked, rows=rows, seed=seed, truth=truth)

    def complexity(self, estimator: Any) -> float | None:
        """The number of parameters that a model declares; anything but a number is an error."""
        declared = getattr(estimator, "complexity_", None)
        try:
            return None if declared is None else float(declared)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"complexity_ is {declared!r}, not a number", fix="give the number of parameters"
            ) from error


@lru_cache(maxsize=32)
def _dataset(source: str, name: str, features: str) -> Dataset:
    """A dataset, read once per process."""
    if features:
        return task_dataset(load_benchmark(source)[name], features=features)
    return load_datasets(Path(source), [name])[0]


JOURNAL = Path(".run") / "runs"
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
    threads: int = 1,
    devices: Sequence[str] = (),
    timeout: float | None = None,
    memory_mb: float | None = None,
    backend: Backend = "local",
    scheduler: str | None = None,
    report: Callable[[Run, int, int], None] | None = None,
) -> Ran:
    """Run every model on every dataset, as often as the competition says, and measure what comes of it.

    What is in the folder from before is kept, as long as model, data and seed are the same; runs that failed are tried
    again. Where only the property has changed, a run is measured anew without training.

    Args:
        models: The algorithms. The baseline that the rules name for qualification is added by itself.
        competition: Datasets, number of runs, seed.
        output: Folder of the results.
        workers: How many runs at a time, each in a process of its own.
        threads: Threads of each of them.
        devices: Values of `CUDA_VISIBLE_DEVICES`, one for each process in turn.
        timeout: Seconds after which a run is given up.
        memory_mb: Memory in MB above which a run is given up.
        backend: Where they are trained, see `mbl run`.
        scheduler: Address of a Dask scheduler.
        report: Called after each run with the run, how many are done, and how many there are to do.

    Raises:
        JudgingError: If two models have the same name.
        RunError: If the folder is in use.
        MachineError: If it cannot be written.
    """
    algorithms = _algorithms(models, competition)
    datasets = {dataset.name: dataset for dataset in competition.datasets()}
    journal = Journal(output / JOURNAL)
    with journal.locked():
        measuring = _Measuring(competition, datasets, output / RESULTS)
        protocols = {name: measuring.protocol(dataset) for name, dataset in datasets.items()}
        limits: dict[str, Any] = {"seconds": timeout, "memory_mb": memory_mb, "threads": threads}
        jobs = [
            # By number first: a competition that was stopped early has something of every dataset.
            Job(model=model, protocol=protocols[name], piece=number, seed=competition.seed, **limits)
            for number, name, model in product(range(competition.runs), datasets, algorithms)
        ]
        known = journal.known(jobs)
        todo = [job for job in jobs if (job.mark, job.piece) not in known]
        log = Log(output)

        def received(step: Step) -> None:
            run = measuring.measured(step.job, step.outcome)
            log.note_outcome(step.outcome, f"{run.algorithm} {step.job.place}: {run.flaw or f'R2 {run.r2:.4g}'}")
            if report:
                report(run, step.done, step.total)

        try:
            for job in jobs:
                if (job.mark, job.piece) in known:
                    measuring.measured(job, known[job.mark, job.piece])
            with runner(backend, workers=workers, devices=devices, scheduler=scheduler) as using:
                drive(todo, using, journal, title="runs", report=received)
        finally:
            runs = measuring.write()
        write_table(runs, output / TABLE)
    failed = sum(run.flaw is not None for run in runs)
    return Ran(runs=runs, trained=len(todo), kept=len(known), failed=failed, file=output / RESULTS)


class _Measuring:
    """What all runs share: datasets, a simplifier, and the results file, which is made from the journal."""

    def __init__(self, competition: Competition, datasets: Mapping[str, Dataset], file: Path) -> None:
        self._competition, self._datasets, self._file = competition, datasets, file
        self._simplifier = Simplifier()
        self._before, self._made_with = read_lines(file) if file.is_file() else ({}, {})
        self._runs: dict[Key, Run] = {}

    def protocol(self, dataset: Dataset) -> Repeats:
        """How a dataset is run, with where its jobs find it."""
        if dataset.feature_set:
            source = next(task.benchmark for task in self._competition.tasks if task.name == dataset.name)
        else:
            assert self._competition.folder is not None, dataset.name
            source = str(self._competition.folder.resolve())
        return Repeats(source=source, dataset=dataset.name, features=dataset.feature_set)

    def measured(self, job: Job, outcome: Outcome) -> Run:
        """A run with all that can be computed; one that was measured before, on the same, is taken from the file."""
        dataset, record = self._datasets[job.protocol.task_name], outcome.record
        key = (job.model.name, dataset.name, job.piece)
        made_with = {"trained": job.mark, "measured": f"{dataset.judged_by} {SECONDS:g}"}
        if record.error is None and self._made_with.get(key) == made_with:
            self._runs[key] = self._before[key]
            return self._runs[key]
        parts = {part: tuple(some.prediction.tolist()) for part, some in outcome.predictions.items()}
        run = Run(
            algorithm=job.model.name,
            dataset=dataset.name,
            run=job.piece,
            seconds=record.seconds,
            problem=record.error,
            expression=record.formula,
            components=math.nan if record.complexity is None else record.complexity,
            predictions=parts.get("test"),
            beyond=parts.get("beyond"),
        )
        if "train" in parts:
            run = replace(run, r2_train=r2(dataset.training(job.piece, seed=job.seed).y, parts["train"]))
        self._runs[key] = measure(run, self._simplifier, dataset)
        # A run that failed is written without saying how it was trained: the next one is not taken for it.
        self._made_with[key] = made_with if record.error is None else {}
        return self._runs[key]

    def write(self) -> tuple[Run, ...]:
        """Write the results file, what others have left in it included; the runs of this competition, in order."""
        write_lines(self._before | self._runs, self._made_with, self._file)
        return tuple(self._runs[key] for key in sorted(self._runs))


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
