"""A model on every outer fold: what is recorded already stays, what fails is named, the rest is trained and saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from matbench_lite.atomic import LOCK_SECONDS
from matbench_lite.errors import DataError, EntryError, MatbenchLiteError, RunError, UnknownNameError
from matbench_lite.submission import (
    Checkpoint,
    Submission,
    check_nothing_dropped,
    check_owner,
    collect_provenance,
    read_document,
    score_fold,
)
from matbench_lite.tasks import Benchmark, Task, load_benchmark
from matbench_lite.train.backends import outcomes
from matbench_lite.train.jobs import LOG_FILE, QUICK_ROWS, Job, Journal, Outcome, Plan, RunResult, Step
from matbench_lite.train.model_file import Model, about_model
from matbench_lite.train.trial_files import official_test_uses

CHECKPOINT = Path(".run") / "checkpoint"
_LOCK = Path(".run") / "lock"
_OVERHEAD = 2000  # rows: what a fold of any size takes, for the estimate of the time left


def run_model(plan: Plan, *, report: Callable[[Step], None] | None = None) -> RunResult:
    """Train a model on the outer folds of a benchmark and save the entry; call it again to go on after a stop.

    Args:
        plan: What is to be run.
        report: Called after every fold.

    Raises:
        UnknownNameError: If a task or fold does not exist.
        RunError: If the folder holds another run, or one is going on there.
        EntryError: If the folder holds the entry of somebody else, or folds that would be lost, or cannot be written.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.train import load_model
        >>> what = {"model": load_model("dummy"), "benchmark": "mini", "tasks": ("mini_gap",), "folds": (0,)}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     plan = Plan(output=Path(folder), **what)
        ...     first, again = run_model(plan), run_model(plan)
        >>> first.trained, first.failed, again.kept
        (1, (), 1)
    """
    bench = load_benchmark(Path(plan.benchmark))
    tasks = _tasks(plan, bench)
    wanted = [(task, fold) for task in tasks for fold in _folds(plan, task)]
    with _locked(plan.output):
        submission = _begin(plan, bench, wanted)
        journal = Journal(plan.output)
        todo = [(task, fold) for task, fold in wanted if not submission.is_recorded(task.name, fold)]
        journal.note(
            f"{plan.model.name} on {plan.benchmark}, seed {plan.seed}: {len(todo)} folds to train, "
            f"{len(wanted) - len(todo)} are there; {plan.workers} at a time, {plan.backend}"
        )
        failed = _fetch_data(plan.model, {task.name: task for task, _ in todo}, journal)
        runnable = [(task, fold) for task, fold in todo if task.name not in failed]
        messages = list(failed.values())
        for step in _train(plan, submission, runnable, journal):
            if step.outcome.error:
                messages.append(step.outcome.error)
            if report:
                report(step)
        folder = _save(plan, submission, journal) if submission.tasks else None
    return RunResult(
        submission=submission,
        folder=folder,
        trained=len(runnable) - (len(messages) - len(failed)),
        kept=len(wanted) - len(todo),
        failed=tuple(messages),
        log=plan.output / LOG_FILE,
    )


def _tasks(plan: Plan, bench: Benchmark) -> tuple[Task, ...]:
    chosen = bench.select(names=plan.tasks)
    refused = [task for task in chosen if not plan.model.takes(task)]
    if refused and (plan.tasks or len(refused) == len(chosen)):
        raise RunError(plan.model.refusal(*refused), fix="leave these tasks out" if plan.tasks else "use another model")
    return tuple(task for task in chosen if plan.model.takes(task))


def _folds(plan: Plan, task: Task) -> Sequence[int]:
    if plan.folds is None:
        return task.folds[:1] if plan.quick else task.folds
    for fold in plan.folds:
        if fold not in task.folds:
            raise UnknownNameError(f"{task.name} has no fold {fold}", fix=f"use one of 0 to {task.n_folds - 1}")
    return sorted(set(plan.folds))


def _locked(output: Path) -> AbstractContextManager[object]:
    """Keep a second run out of the folder; the lock of a process that was killed is free."""
    try:
        (output / _LOCK).parent.mkdir(parents=True, exist_ok=True)
        return FileLock(output / _LOCK, timeout=LOCK_SECONDS).acquire()
    except Timeout:
        raise RunError(f"a run is going on in {output}", fix="wait for it, or choose another --output") from None
    except OSError as error:
        raise RunError(f"{output} cannot be written: {error.strerror}", fix="choose another --output") from error


def _begin(plan: Plan, bench: Benchmark, wanted: Sequence[tuple[Task, int]]) -> Submission:
    """The submission of the folder: a new one, or that of the run before, if it was the same.

    Whatever would keep it from being saved is said here, before anything is trained.
    """
    card = about_model(plan.model)
    if plan.quick:
        card["algorithm"] = f"{card['algorithm']} (quick)"
        note = f"A quick run, trained on at most {QUICK_ROWS} rows of each fold: not for a leaderboard."
        card["description"] = f"{note} {card.get('description', '')}".strip()
    made_by: dict[str, Any] = {"model": plan.model.name, "source_sha256": plan.model.sha256, "seed": plan.seed}
    metadata = {"run": made_by, **({"quick": True} if plan.quick else {})}
    folder = plan.output / CHECKPOINT
    if plan.fresh and folder.is_dir():
        # The header last: a folder without it holds no run.
        for file in sorted(folder.iterdir(), key=lambda file: file.suffix == ".json"):
            file.unlink()
    if not Checkpoint(folder).exists():
        if not plan.fresh:
            _check_own(plan.output, bench, card)
            check_nothing_dropped(plan.output, _folds_of(None, wanted))
        return Submission(bench, metadata=metadata, checkpoint=folder, **card)
    if (other := Checkpoint(folder).header()["benchmark"]) != bench.name:
        raise _other_run(plan.output, f"its benchmark is {other}, not {bench.name}")
    submission = Submission.resume(folder, bench)
    if submission.metadata != metadata:
        raise _other_run(plan.output, _difference(submission.metadata, metadata))
    # Who and what may be corrected after training: the file beside the model is what counts.
    for name, value in card.items():
        setattr(submission, name, value)
    check_nothing_dropped(plan.output, _folds_of(submission, wanted))
    if not _take_over(submission, plan.output):
        _check_own(plan.output, bench, card)
    return submission


def _check_own(output: Path, bench: Benchmark, card: dict[str, Any]) -> None:
    check_owner(output, benchmark=bench.name, algorithm=card["algorithm"], authors=card.get("authors", ()))


def _folds_of(submission: Submission | None, wanted: Sequence[tuple[Task, int]] = ()) -> dict[str, set[int]]:
    """What is recorded and what is to be, by task name."""
    folds = {} if submission is None else {task.name: set(submission.recorded(task.name)) for task in submission.tasks}
    for task, fold in wanted:
        folds.setdefault(task.name, set()).add(fold)
    return folds


def _take_over(submission: Submission, output: Path) -> bool:
    """Whether this run made the entry in the folder; then when and where it was made stays: it is only saved again."""
    with suppress(EntryError, KeyError, TypeError):
        document = read_document(output)
        if document["metadata"]["run"] == submission.metadata["run"]:
            submission.created, submission.provenance = document["created"], document["provenance"]
            return True
    return False


def _other_run(output: Path, what: str) -> RunError:
    return RunError(
        f"{output} has folds of another run: {what}", fix="choose another --output, or forget them with --fresh"
    )


def _difference(before: dict[str, Any], now: dict[str, Any]) -> str:
    old, new = before.get("run", {}), now["run"]
    if old.get("source_sha256") != new["source_sha256"]:
        return "the model's code has changed since"
    if old.get("seed") != new["seed"]:
        return f"its seed is {old.get('seed')}, not {new['seed']}"
    return "a quick one" if before.get("quick") else "not a quick one"


def _fetch_data(model: Model, tasks: dict[str, Task], journal: Journal) -> dict[str, str]:
    """Have the data of every task here before training, fetched once; the tasks that have none, and why."""
    from matbench_lite.data import require

    failed = {}
    for name, task in tasks.items():
        try:
            require(task, "targets")
            if task.input == "composition" or model.input != "composition":
                require(task, "inputs")
        except DataError as error:
            failed[name] = f"{name}: {error}"
            journal.note(failed[name])
    return failed


def _train(plan: Plan, submission: Submission, todo: list[tuple[Task, int]], journal: Journal) -> Iterator[Step]:
    work = {task.name: float(task.rows + _OVERHEAD) for task, _ in todo}
    left = sum(work[task.name] for task, _ in todo)
    jobs = [
        Job(
            model=plan.model,
            benchmark=plan.benchmark,
            task=task.name,
            fold=fold,
            seed=plan.seed,
            quick=plan.quick,
            timeout=plan.timeout,
        )
        for task, fold in todo
    ]
    if not jobs:
        return
    submission.created = None  # now, not when an earlier run ended
    start, ended = time.perf_counter(), 0.0
    packages: dict[str, str] = {}
    for done, received in enumerate(
        outcomes(jobs, workers=plan.workers, backend=plan.backend, scheduler=plan.scheduler), start=1
    ):
        outcome, scores = _recorded(submission, received)
        packages.update(outcome.packages)
        ended, left = ended + work[outcome.job.task], left - work[outcome.job.task]
        seconds_left = (time.perf_counter() - start) / ended * left
        step = Step(outcome=outcome, scores=scores, done=done, total=len(jobs), seconds_left=seconds_left)
        journal.note_outcome(outcome, outcome.error or f"{outcome.job.place}: done in {outcome.seconds:.1f} s")
        yield step
    submission.provenance = collect_provenance(plan.model.files[0].parent)
    if plan.model.path is None:
        submission.provenance["git"] = None  # the code is that of the package
    if packages:
        submission.provenance["packages"] = dict(sorted(packages.items(), key=lambda item: item[0].lower()))


def _recorded(submission: Submission, outcome: Outcome) -> tuple[Outcome, dict[str, float]]:
    """Record a fold; what cannot be recorded has failed."""
    if outcome.values is None:
        return outcome, {}
    task, fold = outcome.job.task, outcome.job.fold
    try:
        submission.record(
            task,
            fold,
            outcome.values,
            std=outcome.std,
            params=outcome.params,
            seconds=outcome.seconds,
            peak_memory_mb=outcome.peak_memory_mb,
        )
    except EntryError:
        raise  # the disk is full: nothing that follows could be kept
    except MatbenchLiteError as error:
        return replace(outcome, values=None, error=error.message, fix=error.fix), {}
    known = submission.benchmark[task]
    return outcome, score_fold(known, fold, submission.recorded(task)[fold].predictions)


def _save(plan: Plan, submission: Submission, journal: Journal) -> Path:
    if uses := official_test_uses(plan.output):
        submission.provenance["official_test"] = [
            {"benchmark": use.benchmark, "task": use.task, "fold": use.fold, "times": use.times, "last": use.last}
            for use in uses
        ]
    if not plan.fresh:
        check_nothing_dropped(plan.output, _folds_of(submission))
    # Whose entry is there was looked at before training; the name of ours may have changed since it was saved.
    folder = submission.save(plan.output, code=plan.model.files, overwrite=True)
    journal.note(f"saved {len(submission.complete_tasks)} complete tasks to {folder}")
    return folder
