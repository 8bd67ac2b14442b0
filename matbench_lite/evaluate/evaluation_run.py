"""An evaluation from start to end: resumable, in this process or in several."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from matbench_lite.cleaner import for_terminal
from matbench_lite.errors import EvaluationError, EvaluationWarning
from matbench_lite.evaluate.evaluated_models import Candidate, load_candidate, unique_names
from matbench_lite.evaluate.evaluation_file import Code, Evaluation
from matbench_lite.evaluate.evaluation_loader import CodeFailedError, working_in
from matbench_lite.evaluate.evaluation_protocol import Data, EvaluatedModel, Hooks, failure, keep_data, load_early
from matbench_lite.evaluate.evaluation_reader import read_evaluation
from matbench_lite.evaluate.evaluation_results import Failure, ModelResult, Results, model_result, ranked
from matbench_lite.evaluate.group_plan import make_plan
from matbench_lite.evaluate.scorers import Reference, encoder_notes, make_scorers, reference
from matbench_lite.text import duration
from matbench_lite.train import Here, Job, Journal, Outcome, Processes, Runner, Step, drive, one_thread

FOLDER = ".evaluate"
"""The journal, inside the output folder."""
_KEEP_EVERY = 1.0
"""Seconds between two writes: what a kill may lose, beside the piece at work."""


def evaluate(
    evaluation: Evaluation | str | Path,
    *,
    output: str | Path | None = None,
    jobs: int = 1,
    devices: Sequence[str] = (),
    cache: str | Path | None = None,
    restart: bool = False,
    announce: Callable[[str], None] = lambda _: None,
) -> Results:
    """Run an evaluation.

    The models are executed: they are the code that the evaluation file names.

    Args:
        evaluation: An evaluation, or the path of its file.
        output: Folder in which finished pieces are kept, so that a run that was stopped goes on; None keeps nothing.
        jobs: Processes. The results do not depend on it.
        devices: Values of `CUDA_VISIBLE_DEVICES`, one for each process in turn, where there are several.
        cache: Output folder of an earlier run: models whose code, data and setting are the same are not run again.
        restart: Forget what `output` has.
        announce: Called with a line of text before long work.

    Returns:
        The results, models sorted from best to worst.

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
    if jobs < 1:
        raise EvaluationError(f"jobs is {jobs}", fix="give 1 or more")
    # An earlier run may have left nothing to do.
    anew = restart or (cache is None and (output is None or not (Path(output) / FOLDER).is_dir()))
    with _runner(evaluation, jobs, devices, anew=anew) as runner:
        try:
            plan = make_plan(evaluation)
            scorers = make_scorers(plan)
            scoring = ((one.target.column, one.target.predict, one.target.adapt, one.digest) for one in scorers)
            protocol = Hooks(evaluation=evaluation, data_digest=plan.digest, scoring=tuple(scoring))
            data = Data(protocol, plan, scorers)
            keep_data(data)
            candidates = [_candidate(code) for code in evaluation.models]
            names, name_notes = unique_names(candidates)
            notes = (*plan.notes, *encoder_notes(plan), *name_notes)
            for note in notes:
                warnings.warn(note, EvaluationWarning, stacklevel=2)
            models: list[ModelResult] = []
            with _journal(output, restart=restart) as journal:
                found = {scorer.target.column: reference(plan, scorer) for scorer in scorers}
                references = {column: one for column, one in found.items() if one is not None}
                work = _Work(data=data, references=references, runner=runner, jobs=jobs, announce=announce)
                for number, (name, candidate) in enumerate(zip(names, candidates, strict=True)):
                    if candidate.problem is not None:
                        models.append(ModelResult(name=name, scores={}, failure=Failure(message=candidate.problem)))
                        continue
                    data.candidates[number] = candidate
                    model = EvaluatedModel(name=name, sha256=candidate.digest, number=number)
                    models.append(work.result(model, journal, cache))
        finally:
            keep_data(None)
    return Results(plan=plan, scorers=scorers, references=references, models=ranked(models, scorers[0]), notes=notes)


def _runner(evaluation: Evaluation, jobs: int, devices: Sequence[str], *, anew: bool) -> Runner:
    """Processes that load the first model while the data are read here, or this process.

    What they import takes seconds. They do not read the data yet: it may have to be fetched, or its space groups
    computed, which is done once.
    """
    if jobs == 1:
        return Here()
    early = partial(load_early, evaluation.models[0]) if anew else None
    return Processes(jobs, devices=devices, small=True, prepare=early)


@contextmanager
def _journal(output: str | Path | None, *, restart: bool) -> Iterator[Journal | None]:
    if output is None:
        yield None
        return
    journal = Journal(Path(output).resolve() / FOLDER, keep_every=_KEEP_EVERY)
    with journal.locked():
        if restart:
            journal.forget()
        yield journal


@dataclass(frozen=True, kw_only=True)
class _Work:
    """Takes models to their results, keeping what is done."""

    data: Data
    references: Mapping[str, Reference]
    runner: Runner
    jobs: int
    announce: Callable[[str], None]

    def result(self, model: EvaluatedModel, journal: Journal | None, cache: str | Path | None) -> ModelResult:
        """The result of one model; its failure, if a piece of it fails."""
        data, seed = self.data, self.data.plan.evaluation.seed
        every = [Job(model=model, protocol=data.protocol, piece=piece, seed=seed) for piece in range(len(data.pieces))]
        done = self._known(every, journal, cache)
        missing = [job for job in every if job.piece not in done]
        if missing and data.plan.evaluation.type == "loo-coverage" and (failed := self._estimate(model, missing)):
            return _failed(model, failed)

        def received(step: Step) -> None:
            done[step.job.piece] = step.outcome
            if step.outcome.record.printed:
                sys.stderr.write(for_terminal(step.outcome.record.printed, None))

        runner = self.runner if len(missing) > 1 else Here()
        drive(missing, runner, journal, title=model.name, report=received, until_failure=True)
        for outcome in done.values():
            if outcome.record.error is not None:
                return _failed(model, outcome)
        return model_result(
            model.name, data.plan, data.scorers, self.references, [done[piece] for piece in sorted(done)]
        )

    def _known(self, every: list[Job], journal: Journal | None, cache: str | Path | None) -> dict[int, Outcome]:
        """What an earlier run has done."""
        found = {} if journal is None else journal.known(every)
        if cache is not None:
            folder = Path(cache).resolve()
            folder = folder if folder.is_dir() else folder.parent  # of an earlier result file
            if not (folder / FOLDER).is_dir():
                fix = "give an output folder of mbl evaluate"
                raise EvaluationError(f"there are no earlier results in {folder}", fix=fix)
            earlier = Journal(folder / FOLDER).known(every)
            for job in every:
                if (key := (job.mark, job.piece)) in earlier and key not in found:
                    found[key] = earlier[key]
                    if journal is not None:
                        journal.keep(job, earlier[key])
        if found:
            self.announce(f"{every[0].model.name}: {len(found)} of {len(every)} pieces were done by an earlier run")
        return {piece: outcome for (_, piece), outcome in found.items()}

    def _estimate(self, model: EvaluatedModel, missing: Sequence[Job]) -> Outcome | None:
        """Say how many trainings there will be and how long they may take, from one of them."""
        pieces = [self.data.pieces[job.piece] for job in missing]
        fits = sum(piece.stop - piece.start for piece in pieces)
        try:
            with one_thread():
                began = time.perf_counter()
                engine = self.data.engine(model)
                first = time.perf_counter() - began
                with working_in(engine.folder):
                    prepare, row = engine.trial()
        except EvaluationError as error:
            return failure(error)
        seconds = first + (prepare * len(missing) + row * fits) / min(self.jobs, len(missing))
        self.announce(f"{model.name}: loo-coverage needs {fits:,} fits, about {duration(max(1, seconds))}")
        return None


def _failed(model: EvaluatedModel, outcome: Outcome) -> ModelResult:
    error = outcome.record.error or ""
    message = error if error.startswith(model.name) else f"{model.name}: {error}"
    return ModelResult(
        name=model.name, scores={}, failure=Failure(message=message, details=outcome.record.traceback or "")
    )


def _candidate(code: Code) -> Candidate:
    """A model; one whose code raises must not lose the others."""
    try:
        return load_candidate(code)
    except CodeFailedError as error:
        name = code.name or Path(code.stated).stem
        return Candidate(name=name, make=lambda: None, folder=None, digest="", problem=str(error))
