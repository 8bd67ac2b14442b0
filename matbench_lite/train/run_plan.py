"""What is to be run, and how: tasks, folds, seed, where; and what a folder says of the run that is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.errors import RunError, UnknownNameError
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark, Task
from matbench_lite.train.jobs import Job, Resources
from matbench_lite.train.model_file import Model, source_digest
from matbench_lite.train.protocols import Folds


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run, and how.

    All tasks that the model takes, unless some are named; all folds, in a quick run the first. A quick run trains on
    few rows, and its entry is marked; `fresh` forgets what an earlier run in that folder has recorded.
    """

    model: Model
    benchmark: str
    output: Path
    tasks: tuple[str, ...] | None = None
    folds: tuple[int, ...] | None = None
    seed: int = 0
    resources: Resources = Resources()
    quick: bool = False
    fresh: bool = False

    def job(self, task: Task, fold: int) -> Job:
        """The job of one fold."""
        protocol = Folds(task=replace(task), quick=self.quick)  # without what the task has read: it is sent
        return Job(model=self.model, protocol=protocol, piece=fold, seed=self.seed, resources=self.resources)


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What a run has done.

    The submission has everything that is recorded in the folder, by earlier runs too; `kept` folds were there already,
    `failed` says of folds, or whole tasks, what went wrong. The folder is None if there was nothing to save.
    """

    submission: Submission
    folder: Path | None
    trained: int
    kept: int
    failed: tuple[str, ...]
    log: Path


def header_of(plan: Plan, bench: Benchmark) -> dict[str, Any]:
    """What a folder of this run says of it, and `gather` needs."""
    model = vars(plan.model) | {"path": plan.model.path and str(plan.model.path)}
    return {
        "matbench_lite": __version__,
        "benchmark": bench.name,
        "benchmark_file": plan.benchmark,
        "model": model | {"files": [str(file) for file in plan.model.files]},
        "seed": plan.seed,
        "quick": plan.quick,
    }


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """What tells the run of a folder from this one."""
    if before.get("benchmark") != now["benchmark"]:
        return f"its benchmark is {before.get('benchmark')}, not {now['benchmark']}"
    if before.get("model", {}).get("sha256") != now["model"]["sha256"]:
        return "the model's code has changed since"
    if before.get("seed") != now["seed"]:
        return f"its seed is {before.get('seed')}, not {now['seed']}"
    if before.get("quick") != now["quick"]:
        return "a quick one" if before.get("quick") else "not a quick one"
    if before.get("matbench_lite") != now["matbench_lite"]:
        return f"it was made with version {before.get('matbench_lite')} of this package"
    return None


def plan_of(header: Mapping[str, Any], output: Path) -> Plan:
    """The run that a folder says is in it; its model is not executed."""
    model = dict(header["model"])
    files = tuple(Path(file) for file in model["files"])
    known = Model(**model | {"files": files, "path": model["path"] and Path(model["path"])})
    if source_digest(files) != known.sha256:
        raise RunError(f"the model {known.name!r} has changed since it was run", fix="bring the old files back")
    return Plan(
        model=known, benchmark=header["benchmark_file"], output=output, seed=header["seed"], quick=header["quick"]
    )


def tasks_of(plan: Plan, bench: Benchmark) -> tuple[Task, ...]:
    """The tasks of a run: those that were named, or all that the model takes."""
    chosen = bench.select(names=plan.tasks)
    refused = [task for task in chosen if not plan.model.takes(task)]
    if refused and (plan.tasks or len(refused) == len(chosen)):
        raise RunError(plan.model.refusal(*refused), fix="leave these tasks out" if plan.tasks else "use another model")
    return tuple(task for task in chosen if plan.model.takes(task))


def folds_of(plan: Plan, task: Task) -> Sequence[int]:
    """The folds of a task that are to be run."""
    if plan.folds is None:
        return task.folds[:1] if plan.quick else task.folds
    for fold in plan.folds:
        if fold not in task.folds:
            raise UnknownNameError(f"{task.name} has no fold {fold}", fix=f"use one of 0 to {task.n_folds - 1}")
    return sorted(set(plan.folds))


def default_output(model: str, *, quick: bool = False) -> Path:
    """The output folder of a model: its own folder if it is one, else `submissions/<name>`; no code is executed.

    That of a `quick` run lies beside it.

    Examples:
        >>> str(default_output("rf-magpie")), str(default_output("models/my_forest.py"))
        ('submissions/rf-magpie', 'submissions/my-forest')
    """
    path = Path(model)
    home = path if path.is_dir() else Path("submissions") / path.stem.replace("_", "-")
    if not quick:
        return home
    if home.name in ("", ".."):  # the folder that the user is in
        home = home.resolve()
    return home.with_name(f"{home.name}-quick")
