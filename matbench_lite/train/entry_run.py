"""A model on every outer fold: what is recorded already stays, what fails is named, the rest is trained and saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

from matbench_lite.data import class_names
from matbench_lite.errors import DataError, EntryError, MatbenchLiteError, RunError, UnknownNameError
from matbench_lite.submission import (
    Submission,
    check_nothing_dropped,
    check_owner,
    collect_provenance,
    read_document,
    score_fold,
)
from matbench_lite.tasks import Benchmark, Task, load_benchmark
from matbench_lite.train.driver import Step, drive
from matbench_lite.train.jobs import Job, Outcome
from matbench_lite.train.journal import Journal, Log
from matbench_lite.train.model_file import Model, about_model, require_data
from matbench_lite.train.protocols import QUICK_ROWS
from matbench_lite.train.run_plan import Plan, RunResult, difference, folds_of, header_of, plan_of, tasks_of
from matbench_lite.train.runners import runner
from matbench_lite.train.trial_record import official_test_uses

JOURNAL = Path(".run") / "folds"
_OVERHEAD = 2000  # rows: what a fold of any size takes, for the estimate of the time left
Unit = tuple[Task, int]
"""One fold of one task."""
Report = Callable[[Step, Mapping[str, float]], None]
"""Called after every fold, with all metrics of the fold; none if it failed."""


def run_model(plan: Plan, *, unit: str | None = None, report: Report = lambda *_: None) -> RunResult:
    """Train a model on the outer folds of a benchmark and save the entry; call it again to go on after a stop.

    A `unit` is one fold alone, as `TASK:FOLD`, beside other programs that train into the same folder; `gather` saves
    it. `report` is called after every fold, with all metrics of the fold; none if it failed.

    Raises:
        UnknownNameError: If a task or fold does not exist.
        RunError: If the folder holds another run, or one is going on there; or if the plan of a unit names tasks or
            folds, or is to begin anew.
        EntryError: If the folder holds the entry of somebody else, or folds that would be lost.
        MachineError: If it cannot be written.

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
    if unit is not None:
        name, _, fold = unit.rpartition(":")
        if not name or not fold.isdecimal():
            raise UnknownNameError(f"{unit!r} is no unit", fix="give the task and the fold, e.g. mini_gap:0")
        if plan.fresh or plan.tasks or plan.folds:
            fix = "leave --tasks, --folds and --fresh out"
            raise RunError("a unit is one fold, beside others that are kept", fix=fix)
        plan = replace(plan, tasks=(name,), folds=(int(fold),))
    bench = load_benchmark(Path(plan.benchmark))
    wanted = [(task, fold) for task in tasks_of(plan, bench) for fold in folds_of(plan, task)]
    journal = Journal(plan.output / JOURNAL)
    with journal.locked() if unit is None else nullcontext():
        run = _Run(plan, bench, journal, wanted)
        todo = [(task, fold) for task, fold in wanted if not run.submission.is_recorded(task.name, fold)]
        run.log.note(
            f"{plan.model.name} on {plan.benchmark}, seed {plan.seed}: {len(todo)} folds to train, "
            f"{len(wanted) - len(todo)} are there; {plan.resources.workers} at a time, {plan.resources.backend}"
        )
        missing = _fetch_data(plan.model, {task.name: task for task, _ in todo}, run.log)
        units = [(task, fold) for task, fold in todo if task.name not in missing]
        failed = run.train(units, report)
        folder = run.save() if unit is None and run.submission.tasks else None
    return RunResult(
        submission=run.submission,
        folder=folder,
        trained=len(units) - len(failed),
        kept=len(wanted) - len(todo),
        failed=(*missing.values(), *failed),
        log=run.log.path,
    )


def gather(output: Path) -> tuple[Submission, dict[str, tuple[int, ...]]]:
    """Make the entry of a folder from the folds that are there, whoever trained them.

    The entry is saved in the folder, and given with the folds that are missing, by task of which there are some.

    Raises:
        RunError: If nothing was run there, or a run is going on, or the model has changed since.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.train import load_model
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     plan = Plan(model=load_model("dummy"), benchmark="mini", output=Path(folder))
        ...     results = [run_model(plan, unit=f"mini_gap:{fold}") for fold in range(5)]
        ...     gathered, missing = gather(Path(folder))
        >>> gathered.complete_tasks, missing
        (('mini_gap',), {})
    """
    journal = Journal(output / JOURNAL)
    header = journal.header()
    if header is None:
        raise RunError(f"nothing was run in {output}", fix="train folds with `mbl run MODEL --output FOLDER --unit …`")
    with journal.locked():
        plan = plan_of(header, output)
        run = _Run(plan, load_benchmark(Path(plan.benchmark)), journal, ())
        if not run.submission.tasks:
            raise RunError(f"no fold is recorded in {output}", fix="train some with `mbl run --unit TASK:FOLD`")
        run.begun_now()
        run.save()
    missing = {
        task.name: tuple(sorted(set(task.folds) - set(run.submission.recorded(task.name))))
        for task in run.submission.tasks
    }
    return run.submission, {name: folds for name, folds in missing.items() if folds}


class _Run:
    """A run in its folder: what is recorded there, as a submission. Whatever would keep it from being saved is said."""

    def __init__(self, plan: Plan, bench: Benchmark, journal: Journal, wanted: Sequence[Unit]) -> None:
        self._plan, self._bench, self._journal = plan, bench, journal
        card = about_model(plan.model)
        if plan.quick:
            card["algorithm"] = f"{card['algorithm']} (quick)"
            note = f"A quick run, trained on at most {QUICK_ROWS} rows of each fold: not for a leaderboard."
            card["description"] = f"{note} {card.get('description', '')}".strip()
        if plan.fresh:
            journal.forget()
        header, before = header_of(plan, bench), journal.header()
        if before is not None and (other := difference(before, header)):
            raise RunError(
                f"{plan.output} has folds of another run: {other}",
                fix="choose another --output, or forget them with --fresh",
            )
        made_by = {"model": plan.model.name, "source_sha256": plan.model.sha256, "seed": plan.seed}
        metadata = {"run": made_by, **({"quick": True} if plan.quick else {})}
        self.submission = Submission(bench, metadata=metadata, **card)
        self._packages: dict[str, str] = {}
        jobs = [plan.job(task, fold) for task in bench if plan.model.takes(task) for fold in task.folds]
        for job, outcome in journal.known(jobs)[0] if before is not None else ():
            self._record(job, outcome)
        own = before is not None and self._take_over()
        if not plan.fresh:
            check_nothing_dropped(plan.output, self._recorded(wanted))
        if not (own or plan.fresh):
            check_owner(plan.output, {"benchmark": bench.name, **card})
        if before is None:
            journal.begin(header)
        self.log = Log(plan.output)

    def train(self, units: Sequence[Unit], report: Report) -> list[str]:
        """Train folds; what went wrong, for those that failed."""
        plan, failed = self._plan, []
        if not units:
            return []

        def finish(job: Job, outcome: Outcome) -> Outcome:
            try:
                if outcome.record.error is None:
                    self._record(job, outcome)
            except MatbenchLiteError as error:  # what cannot be recorded has failed
                return outcome.failed(error.message, error.fix)
            return outcome

        def seen(step: Step) -> None:
            record, scores = step.outcome.record, {}
            if record.error is not None:
                failed.append(record.error)
            else:
                task, fold = step.job.protocol.task_name, step.job.piece
                held = self.submission.recorded(task)[fold]
                scores = score_fold(self._bench[task], fold, held.predictions)
            self.log.note_outcome(step.outcome, record.error or f"{step.job.place}: done in {record.seconds:.1f} s")
            report(step, scores)

        jobs = [plan.job(task, fold) for task, fold in units]
        with runner(plan.resources) as using:
            drive(
                jobs,
                using,
                self._journal,
                title=plan.model.name,
                work=lambda job: float(self._bench[job.protocol.task_name].rows + _OVERHEAD),
                finish=finish,
                report=seen,
            )
        self.begun_now()
        return failed

    def begun_now(self) -> None:
        """What is saved was made here, with the packages that its folds were trained with."""
        self.submission.created = None  # now, not when an earlier run ended
        self.submission.provenance = collect_provenance(self._plan.model.files[0].parent)
        if self._plan.model.path is None:
            self.submission.provenance["git"] = None  # the code is that of the package
        if self._packages:
            by_name = sorted(self._packages.items(), key=lambda package: package[0].lower())
            self.submission.provenance["packages"] = dict(by_name)

    def save(self) -> Path:
        """Save the entry."""
        plan = self._plan
        if uses := official_test_uses(plan.output):
            self.submission.provenance["official_test"] = uses
        if not plan.fresh:
            check_nothing_dropped(plan.output, self._recorded())
        # Whose entry is there was looked at before training; the name of ours may have changed since it was saved.
        folder = self.submission.save(plan.output, code=plan.model.files, overwrite=True)
        self.log.note(f"saved {len(self.submission.complete_tasks)} complete tasks to {folder}")
        return folder

    def _record(self, job: Job, outcome: Outcome) -> None:
        (predicted,) = outcome.predictions.values()
        values, task = predicted.prediction, self.submission.benchmark[job.protocol.task_name]
        if predicted.type == "label":
            many = values.ndim == 2
            values = class_names(task, values.argmax(axis=1)) if many else values.astype(bool)
        self.submission.record(
            job.protocol.task_name,
            job.piece,
            values,
            std=predicted.std,
            params=outcome.record.params,
            seconds=outcome.record.seconds,
            peak_memory_mb=outcome.record.peak_memory_mb,
        )
        self._packages.update(outcome.record.packages)

    def _recorded(self, wanted: Sequence[Unit] = ()) -> dict[str, set[int]]:
        """What is recorded and what is to be, by task name."""
        folds = {task.name: set(self.submission.recorded(task.name)) for task in self.submission.tasks}
        for task, fold in wanted:
            folds.setdefault(task.name, set()).add(fold)
        return folds

    def _take_over(self) -> bool:
        """Whether this run made the entry in the folder; then when and where it was made stays: it is saved again."""
        with suppress(EntryError, KeyError, TypeError):
            document = read_document(self._plan.output)
            if document["metadata"]["run"] == self.submission.metadata["run"]:
                self.submission.created, self.submission.provenance = document["created"], document["provenance"]
                return True
        return False


def _fetch_data(model: Model, tasks: Mapping[str, Task], log: Log) -> dict[str, str]:
    """Have the data of every task here before training, fetched once; the tasks that have none, and why."""
    failed = {}
    for name, task in tasks.items():
        try:
            require_data(model, task)
        except DataError as error:
            failed[name] = f"{name}: {error}"
            log.note(failed[name])
    return failed
