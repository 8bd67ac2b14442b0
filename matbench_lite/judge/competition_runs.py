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

from matbench_lite.errors import ExpressionError, JudgingError, MetricError, ModelError, raising
from matbench_lite.judge.competition import Competition, load_datasets
from matbench_lite.judge.expression import DECIMALS, Node, Simplified, Simplifier, evaluate, harmless_decimals, parse
from matbench_lite.judge.expression.simplifier import SECONDS
from matbench_lite.judge.judge_dataset import Dataset, task_dataset
from matbench_lite.judge.judgement import Judgement, judge
from matbench_lite.judge.properties import Case, measure_property
from matbench_lite.judge.runs import RESULTS, Key, Run, read_lines, read_results, write_lines, write_table
from matbench_lite.metrics import r2
from matbench_lite.tasks import load_benchmark
from matbench_lite.train import (
    Job,
    Journal,
    Log,
    Model,
    Outcome,
    Protocol,
    Resources,
    Split,
    Step,
    derived_seed,
    drive,
    load_model,
    model_inputs,
    runner,
)

FORMULA_TOLERANCE = 0.01
"""How far a formula may be from what the model predicts: root mean square, as a share of the targets' std."""


def measure(run: Run, simplifier: Simplifier, dataset: Dataset | None = None) -> Run:
    """Fill in what can be computed: R2 from predictions, components from the formula, the property.

    A formula that is refused, or that does not give the model's own predictions, makes the run void, with the reason.

    Without a dataset, any name is taken for a feature, and the property must be there already.

    Examples:
        >>> run = measure(Run(algorithm="a", dataset="d", run=0, r2=0.9, expression="x1/x1 + x2"), Simplifier())
        >>> run.components, run.simplified
        (3.0, 'x2 + 1')
    """
    if run.problem:
        return run
    formula: Node | None = None
    simplified: Simplified | None = None
    try:
        if dataset is not None and math.isnan(run.r2) and run.predictions is not None:
            run = replace(run, r2=r2(dataset.testing(run.run).y, run.predictions))
        if run.expression is not None:
            formula = parse(run.expression, None if dataset is None else dataset.features)
            if (problem := _other_formula(run, formula, dataset)) is not None:
                return replace(run, problem=problem)
            simplified, notes = _simplified(run, formula, simplifier, dataset)
            run = replace(
                run,
                components=float(simplified.components),
                simplified=simplified.text or run.expression,
                notes=tuple(dict.fromkeys((*run.notes, *notes))),
            )
    except ExpressionError as error:
        return replace(run, problem=f"its formula is refused: {error.message}")
    except MetricError as error:
        return replace(run, problem=f"its predictions cannot be scored: {error.message}")
    if dataset is None or not math.isnan(run.property_value):
        return run  # a property that came with the table is the organiser's word
    case = Case(
        algorithm=run.algorithm,
        dataset=dataset,
        run=run.run,
        predictions=None if run.predictions is None else np.array(run.predictions),
        beyond=None if run.beyond is None else np.array(run.beyond),
        formula=formula,
        simplified=simplified,
        simplifier=simplifier,
    )
    return replace(run, property_value=measure_property(case, dataset.property_spec), asked=dataset.property_spec.text)


def _other_formula(run: Run, formula: Node, dataset: Dataset | None) -> str | None:
    """What is wrong where a formula does not give the predictions that accuracy is judged by."""
    if dataset is None or run.predictions is None:
        return None
    with np.errstate(all="ignore"):
        gaps = evaluate(formula, dataset.testing(run.run).X) - np.asarray(run.predictions)
        gap = float(np.sqrt(np.mean(gaps**2)))
    limit = _limit(run, dataset)
    if gap <= limit:
        return None
    return f"its formula is not its predictions: they differ by {gap:.3g} (root mean square), {limit:.3g} is allowed"


def _simplified(
    run: Run, formula: Node, simplifier: Simplifier, dataset: Dataset | None
) -> tuple[Simplified, tuple[str, ...]]:
    """The formula as it is counted, its constants rounded as far as that does not change what it says."""
    if dataset is None:
        found = simplifier.simplify(formula)
        small = (f"constants below {0.5 * 10**-DECIMALS:g} were rounded to 0",) if found.vanished else ()
        return found, (*found.notes, *small)
    decimals = harmless_decimals(formula, dataset.testing(run.run).X, tolerance=_limit(run, dataset))
    found = simplifier.simplify(formula, dataset.positive, decimals=decimals)
    if decimals == DECIMALS:
        return found, found.notes
    kept = "not rounded" if decimals is None else f"rounded to {decimals} decimals"
    return found, (*found.notes, f"constants {kept}: {DECIMALS} decimals would change what the formula predicts")


def _limit(run: Run, dataset: Dataset) -> float:
    return FORMULA_TOLERANCE * float(np.std(np.asarray(dataset.testing(run.run).y, dtype=np.float64)))


def collect(paths: Sequence[Path], competition: Competition | None = None) -> list[Run]:
    """Read results, and fill in what can be computed: R2 from predictions, components from formulas, the property.

    They are in result files, or folders of `mbl judge run`. Without a competition, a table must have a property for
    every run.

    Raises:
        JudgingError: If a file cannot be read, or runs were measured with another property than the competition asks.
    """
    competition = competition or Competition()
    names = competition.dataset_names
    runs = [run for run in read_results(paths) if not names or run.dataset in names]
    for run in runs:
        wanted = competition.properties.get(run.dataset)
        if wanted is not None and run.asked is not None and run.asked != wanted.text:
            raise JudgingError(
                f"{run.dataset} was measured with the property {run.asked!r}, the competition asks for {wanted.text!r}",
                fix="run `mbl judge run` again with the competition file: it measures anew without training",
            )
    if not any(map(_unfinished, runs)):
        return runs
    datasets = {dataset.name: dataset for dataset in competition.datasets()} if names else {}
    simplifier = Simplifier()
    return [measure(run, simplifier, datasets.get(run.dataset)) if _unfinished(run) else run for run in runs]


def judge_results(paths: Sequence[Path], competition: Competition, *, draws: int) -> Judgement:
    """Judge the results in some files by the rules of a competition."""
    names = competition.dataset_names
    return judge(
        collect(paths, competition),
        competition.rules,
        algorithms=competition.algorithms,
        datasets=names,
        # A file that only chooses rules does not say how many runs there should be.
        n_runs=competition.runs if names else 0,
        draws=draws,
    )


def _unfinished(run: Run) -> bool:
    if run.problem:
        return False
    lacks_r2 = math.isnan(run.r2) and run.predictions is not None
    lacks_size = math.isnan(run.components) and run.expression is not None
    return lacks_r2 or lacks_size or math.isnan(run.property_value)


@dataclass(frozen=True, kw_only=True)
class Repeats(Protocol):
    """SRBench's repeats: each run is shown a draw of the training rows, or those of a fold, and asked the test rows.

    `source` is the benchmark of a task, or the folder of a synthetic set, which has no `features`.
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
        wrong, fix = f"complexity_ is {declared!r}, not a number", "give the number of parameters"
        with raising(ModelError, wrong, fix=fix, on=(TypeError, ValueError)):
            return None if declared is None else float(declared)


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
    resources: Resources = Resources(),
    report: Callable[[Run, int, int], None] | None = None,
) -> Ran:
    """Run every model on every dataset, as often as the competition says, and measure what comes of it.

    What is in the folder from before is kept, as long as model, data and seed are the same; runs that failed are tried
    again. Where only the property has changed, a run is measured anew without training.

    The baseline that the rules name for qualification is added by itself. With `resources`, a piece is a
    run. `report` gets each run, how many are done, and how many are to be done.

    Raises:
        JudgingError: If two models have the same name.
        RunError: If the folder is in use.
        MachineError: If it cannot be written.
    """
    algorithms = _algorithms(models, competition)
    datasets = {dataset.name: dataset for dataset in competition.datasets()}
    journal = Journal(output / JOURNAL)
    with journal.locked():
        measuring = _Measuring(datasets, output / RESULTS)
        sources, home = {task.name: task.benchmark for task in competition.tasks}, competition.folder or Path()
        protocols = {
            name: Repeats(source=sources.get(name, str(home.resolve())), dataset=name, features=dataset.feature_set)
            for name, dataset in datasets.items()
        }
        jobs = [
            # By number first: a competition that was stopped early has something of every dataset.
            Job(model=model, protocol=protocols[name], piece=number, seed=competition.seed, resources=resources)
            for number, name, model in product(range(competition.runs), datasets, algorithms)
        ]
        known, todo = journal.known(jobs)
        log = Log(output)

        def received(step: Step) -> None:
            run = measuring.measured(step.job, step.outcome)
            log.note_outcome(step.outcome, f"{run.algorithm} {step.job.place}: {run.flaw or f'R2 {run.r2:.4g}'}")
            if report:
                report(run, step.done, step.total)

        try:
            for job, outcome in known:
                measuring.measured(job, outcome)
            with runner(resources) as using:
                drive(todo, using, journal, title="runs", report=received)
        finally:
            runs = measuring.write()
        write_table(runs, output / TABLE)
    failed = sum(run.flaw is not None for run in runs)
    return Ran(runs=runs, trained=len(todo), kept=len(known), failed=failed, file=output / RESULTS)


class _Measuring:
    """What all runs share: datasets, a simplifier, and the results file, which is made from the journal."""

    def __init__(self, datasets: Mapping[str, Dataset], file: Path) -> None:
        self._datasets, self._file = datasets, file
        self._simplifier = Simplifier()
        self._before, self._made_with = read_lines(file) if file.is_file() else ({}, {})
        self._runs: dict[Key, Run] = {}

    def measured(self, job: Job, outcome: Outcome) -> Run:
        """A run with all that can be computed; one that was measured before, on the same, is taken from the file."""
        dataset, record = self._datasets[job.protocol.task_name], outcome.record
        key = (job.model.name, dataset.name, job.piece)
        made_with = {"trained": job.mark, "measured": f"{dataset.judged_by} {SECONDS:g}"}
        if record.error is None and self._made_with.get(key) == made_with:
            self._runs[key] = self._before[key]
            return self._runs[key]
        parts = {part: tuple(some.prediction.tolist()) for part, some in outcome.predictions.items()}
        seen = outcome.predictions.get("train")
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
            r2_train=math.nan if seen is None or seen.truth is None else r2(seen.truth, seen.prediction),
        )
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
