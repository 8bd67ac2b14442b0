"""An evaluation from start to end: resumable, in this process or in several."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from matbench_lite.cleaner import for_terminal
from matbench_lite.documents import is_there
from matbench_lite.errors import EvaluationError, EvaluationWarning
from matbench_lite.evaluate.evaluated_models import Candidate, load_candidate, uniquely_named
from matbench_lite.evaluate.evaluation_file import Evaluation
from matbench_lite.evaluate.evaluation_loader import working_in
from matbench_lite.evaluate.evaluation_protocol import Data, Hooks, failure, keep_data, load_early
from matbench_lite.evaluate.evaluation_reader import read_evaluation
from matbench_lite.evaluate.evaluation_results import ModelResult, Results, by_rank, model_result
from matbench_lite.evaluate.group_plan import Plan, make_plan
from matbench_lite.evaluate.scorers import Reference, encoder_notes, make_scorers, reference
from matbench_lite.text import duration, in_words
from matbench_lite.train import Here, Job, Journal, Outcome, Processes, Resources, Runner, Step, drive, runner

FOLDER = ".evaluate"
"""The journal, inside the output folder."""
_KEEP_EVERY = 1.0
"""Seconds between two writes: what a kill may lose, beside the piece at work."""


def evaluate(
    evaluation: Evaluation | str | Path,
    *,
    output: str | Path | None = None,
    resources: Resources = Resources(),
    cache: str | Path | None = None,
    restart: bool = False,
    announce: Callable[[str], None] = lambda _: None,
) -> Results:
    """Run an evaluation.

    The models are executed: they are the code that the evaluation file names. Finished pieces are kept in `output`, so
    that a run that was stopped goes on, unless it is to `restart`. In the output folder `cache` of an earlier run,
    models whose code, data and setting are the same are not run again. Without limits, one worker is this process.
    Models in the results are sorted from best to worst.

    Raises:
        EvaluationError: If the file, the data, a comparator or an encoder cannot be used. A model that fails does
            not raise: it is in the results with its failure.

    Warns:
        EvaluationWarning: For what is allowed but may mislead.

    Examples:
        >>> from matbench_lite.evaluate import parse_evaluation
        >>> data = {"task": "mini_gap", "group_by": "fold"}
        >>> document = {"type": "prediction", "data.test": data, "data.pre_train": data, "corresponding_data": True}
        >>> results = evaluate(parse_evaluation({**document, "models": ["dummy"]}, name="folds", folder=Path()))
        >>> round(results.models["dummy"].scores["response"].mean, 2)
        1.2
    """
    if not isinstance(evaluation, Evaluation):
        evaluation = read_evaluation(evaluation)
    # An earlier run may have left nothing to do.
    anew = restart or (cache is None and (output is None or not is_there(Path(output) / FOLDER)))
    with _runner(evaluation, resources, anew=anew) as doing:
        try:
            plan = make_plan(evaluation)
            scorers = make_scorers(plan)
            scoring = ((one.target.column, one.target.predict, one.target.adapt, one.digest) for one in scorers)
            protocol = Hooks(evaluation=evaluation, data_digest=plan.digest, scoring=tuple(scoring))
            data = Data(protocol, plan, scorers)
            keep_data(data)
            candidates, name_notes = uniquely_named(map(load_candidate, evaluation.models))
            notes = (*plan.notes, *encoder_notes(plan), *name_notes, *_untaught(plan, candidates))
            for note in notes:
                warnings.warn(note, EvaluationWarning, stacklevel=2)
            models: list[ModelResult] = []
            journal = None if output is None else Journal(Path(output).resolve() / FOLDER, keep_every=_KEEP_EVERY)
            with nullcontext() if journal is None else journal.locked():
                if journal is not None and restart:
                    journal.forget()
                found = {scorer.target.column: reference(plan, scorer) for scorer in scorers}
                references = {column: one for column, one in found.items() if one is not None}
                work = _Work(data=data, references=references, runner=doing, resources=resources, announce=announce)
                for model in candidates:
                    if model.problem is None:
                        models.append(work.result(model, journal, cache))
                    else:
                        models.append(ModelResult(name=model.name, scores={}, error=model.problem))
        finally:
            keep_data(None)
    return Results(plan=plan, scorers=scorers, references=references, models=by_rank(models, scorers[0]), notes=notes)


def _untaught(plan: Plan, candidates: Sequence[Candidate]) -> Iterator[str]:
    """Say which estimators have nothing to learn from; a subclass of `Model` may well know its answers."""
    names = [model.name for model in candidates if model.estimators is not None]
    if names and plan.evaluation.type == "prediction" and plan.train is None and plan.person is None:
        yield (
            f"there is no data.pre_train: {in_words(names)} cannot be trained, and will answer 0, false or the first "
            "class everywhere"
        )


def _runner(evaluation: Evaluation, resources: Resources, *, anew: bool) -> Runner:
    """Processes that load the first model while the data are read here, or this process.

    What they import takes seconds. They do not read the data yet: it may have to be fetched, or its space groups
    computed, which is done once.
    """
    if not _apart(resources):
        return Here()
    if resources.backend == "dask":
        return runner(resources)
    early = partial(load_early, evaluation.models[0]) if anew else None
    return Processes(resources.workers, devices=resources.devices, small=resources.seconds is None, prepare=early)


def _apart(resources: Resources) -> bool:
    """Whether models need processes of their own."""
    return resources.workers > 1 or resources.threads > 1 or resources.limited or resources.backend == "dask"


@dataclass(frozen=True, kw_only=True)
class _Work:
    """Takes models to their results, keeping what is done."""

    data: Data
    references: Mapping[str, Reference]
    runner: Runner
    resources: Resources
    announce: Callable[[str], None]

    def result(self, model: Candidate, journal: Journal | None, cache: str | Path | None) -> ModelResult:
        """The result of one model; its failure, if a piece of it fails."""
        data, seed = self.data, self.data.plan.evaluation.seed
        first = Job(model=model, protocol=data.protocol, piece=0, seed=seed, resources=self.resources)
        every = [replace(first, piece=piece) for piece in range(len(data.pieces))]
        done = self._known(every, journal, cache)
        missing = [job for job in every if job.piece not in done]
        long = data.plan.evaluation.type == "loo-coverage" and not self.resources.limited
        if missing and long and (failed := self._estimate(model, missing)):
            return _failed(model, failed)

        def received(step: Step) -> None:
            done[step.job.piece] = step.outcome
            if step.outcome.record.printed:
                sys.stderr.write(for_terminal(step.outcome.record.printed, None))

        apart = len(missing) > 1 or _apart(replace(self.resources, workers=1))
        drive(missing, self.runner if apart else Here(), journal, title=model.name, report=received, until_failure=True)
        for outcome in done.values():
            if outcome.record.error is not None:
                return _failed(model, outcome)
        return model_result(
            model.name, data.plan, data.scorers, self.references, [done[piece] for piece in sorted(done)]
        )

    def _known(self, every: list[Job], journal: Journal | None, cache: str | Path | None) -> dict[int, Outcome]:
        """What an earlier run has done."""
        found = {} if journal is None else {job.piece: outcome for job, outcome in journal.known(every)[0]}
        if cache is not None:
            folder = Path(cache).resolve()
            if not is_there(folder / FOLDER):
                folder = folder.parent  # of an earlier result file
            if not is_there(folder / FOLDER):
                fix = "give an output folder of mbl evaluate"
                raise EvaluationError(f"there are no earlier results in {folder}", fix=fix)
            for job, outcome in Journal(folder / FOLDER).known(every)[0]:
                if job.piece not in found:
                    found[job.piece] = outcome
                    if journal is not None:
                        journal.keep(job, outcome)
        if found:
            self.announce(f"{every[0].model.name}: {len(found)} of {len(every)} pieces were done by an earlier run")
        return found

    def _estimate(self, model: Candidate, missing: Sequence[Job]) -> Outcome | None:
        """Say how many trainings there will be and how long they may take, from one of them."""
        from threadpoolctl import threadpool_limits

        pieces = [self.data.pieces[job.piece] for job in missing]
        fits = sum(piece.stop - piece.start for piece in pieces)
        try:
            with threadpool_limits(limits=1), working_in(model.code.path):
                began = time.perf_counter()
                engine = self.data.engine(model)
                first = time.perf_counter() - began
                prepare, row = engine.trial()
        except EvaluationError as error:
            return failure(error)
        seconds = first + (prepare * len(missing) + row * fits) / min(self.resources.workers, len(missing))
        self.announce(f"{model.name}: loo-coverage needs {fits:,} fits, about {duration(max(1, seconds))}")
        return None


def _failed(model: Candidate, outcome: Outcome) -> ModelResult:
    error = outcome.record.error or ""
    message = error if error.startswith(model.name) else f"{model.name}: {error}"
    return ModelResult(name=model.name, scores={}, error=message, traceback=outcome.record.traceback or "")
