"""An evaluation from start to end: resumable, and its state on disk."""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from matbench_lite._version import __version__
from matbench_lite.errors import EvaluationError, EvaluationWarning
from matbench_lite.evaluate.engine import Done, Piece, pieces
from matbench_lite.evaluate.evaluated_models import Candidate, load_candidate, unique_names
from matbench_lite.evaluate.evaluation_file import Evaluation
from matbench_lite.evaluate.evaluation_loader import CodeFailedError, working_in
from matbench_lite.evaluate.evaluation_reader import read_evaluation
from matbench_lite.evaluate.evaluation_results import ModelResult, Results, model_result, ranked
from matbench_lite.evaluate.evaluation_worker import Failure, Job, one_thread, outcomes, workers_started
from matbench_lite.evaluate.group_plan import Plan, make_plan
from matbench_lite.evaluate.scorers import Reference, Scored, Scorer, encoder_notes, make_scorers, reference
from matbench_lite.progress import progress
from matbench_lite.text import duration

_KEEP_EVERY = 1.0
"""Seconds between two writes: what an interrupt may lose, beside the piece at work."""


def evaluate(
    evaluation: Evaluation | str | Path,
    *,
    output: str | Path | None = None,
    jobs: int = 1,
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
    anew = restart or (cache is None and (output is None or not State.kept_in(Path(output))))
    with workers_started(evaluation, jobs) if jobs > 1 and anew else nullcontext():
        plan = make_plan(evaluation)
        scorers = make_scorers(plan)
        candidates = _candidates(evaluation)
    names, name_notes = unique_names([candidate for candidate, _ in candidates])
    notes = (*plan.notes, *encoder_notes(plan), *name_notes)
    for note in notes:
        warnings.warn(note, EvaluationWarning, stacklevel=2)
    runner = _Runner(
        output=None if output is None else Path(output).resolve(),
        jobs=jobs,
        cache=None if cache is None else Path(cache).resolve(),
        restart=restart,
        announce=announce,
    )
    models = []
    for number, (name, (candidate, failure)) in enumerate(zip(names, candidates, strict=True)):
        if failure is not None:
            models.append(ModelResult(name=name, scores={}, failure=failure))
            continue
        job = Job(number=number, name=name, plan=plan, scorers=scorers, candidate=candidate)
        models.append(runner.result(job))
    references = {scorer.target.column: found for scorer in scorers if (found := reference(plan, scorer)) is not None}
    models = [_flagged(model, plan, scorers, references) for model in models]
    return Results(plan=plan, scorers=scorers, references=references, models=ranked(models, scorers[0]), notes=notes)


@dataclass(frozen=True, kw_only=True)
class _Runner:
    """Takes jobs to their results, keeping what is done."""

    output: Path | None
    jobs: int
    cache: Path | None
    restart: bool
    announce: Callable[[str], None]

    def result(self, job: Job) -> ModelResult:
        mark = fingerprint(job.plan, job.scorers, job.name, job.candidate.digest)
        state = None if self.output is None else State(self.output, mark)
        every = pieces(job.plan)
        done = self._known(job, state, mark, every)
        missing = [piece for piece in every if piece not in done]
        if missing and job.plan.evaluation.type == "loo-coverage" and (failure := self._estimate(job, missing)):
            return ModelResult(name=job.name, scores={}, failure=failure)
        total = sum(piece.stop - piece.start for piece in missing)
        unsaved: list[Done] = []
        saved = time.monotonic()
        try:
            with progress(job.name, total) as advance:
                for outcome in outcomes(job, missing, self.jobs):
                    if isinstance(outcome, Failure):
                        return ModelResult(name=job.name, scores={}, failure=outcome)
                    done |= {one.piece: one for one in outcome}
                    unsaved += outcome
                    if state is not None and time.monotonic() - saved > _KEEP_EVERY:
                        state.add(unsaved)
                        unsaved, saved = [], time.monotonic()
                    advance(sum(one.piece.stop - one.piece.start for one in outcome))
        finally:
            if state is not None and unsaved:
                state.add(unsaved)
        return model_result(job.name, job.plan, job.scorers, done)

    def _known(self, job: Job, state: State | None, mark: str, every: Sequence[Piece]) -> dict[Piece, Done]:
        """What an earlier run has done."""
        done: dict[Piece, Done] = {}
        if self.cache is not None:
            folder = self.cache if self.cache.is_dir() else self.cache.parent  # of an earlier result file
            if not State.kept_in(folder):
                fix = "give an output folder of mbl evaluate"
                raise EvaluationError(f"there are no earlier results in {folder}", fix=fix)
            done = State(folder, mark).read(every)
            if state is not None and done and not state.path.is_file():
                state.add(done.values())
        if state is not None and self.restart:
            state.path.unlink(missing_ok=True)
        elif state is not None:
            done |= state.read(every)
        if done:
            self.announce(f"{job.name}: {len(done)} of {len(every)} pieces were done by an earlier run")
        return done

    def _estimate(self, job: Job, missing: Sequence[Piece]) -> Failure | None:
        """Say how many trainings there will be and how long they may take, from one of them."""
        fits = sum(piece.stop - piece.start for piece in missing)
        try:
            with one_thread():
                began = time.perf_counter()
                engine = job.engine()
                first = time.perf_counter() - began
                with working_in(job.candidate.folder):
                    prepare, row = engine.trial()
        except EvaluationError as error:
            return Failure.of(error)
        seconds = first + (prepare * len(missing) + row * fits) / min(self.jobs, len(missing))
        self.announce(f"{job.name}: loo-coverage needs {fits:,} fits, about {duration(max(1, seconds))}")
        return None


def _candidates(evaluation: Evaluation) -> list[tuple[Candidate, Failure | None]]:
    """The models, and why one of them has none: code that raises must not lose the others."""
    loaded: list[tuple[Candidate, Failure | None]] = []
    for code in evaluation.models:
        try:
            loaded.append((load_candidate(code), None))
        except CodeFailedError as error:
            name = code.name or Path(code.stated).stem
            nothing = Candidate(name=name, make=lambda: None, folder=None, digest="")
            loaded.append((nothing, Failure.of(error)))
    return loaded


def _flagged(
    model: ModelResult, plan: Plan, scorers: Sequence[Scorer], references: dict[str, Reference]
) -> ModelResult:
    """The result, marked if a model in coverage knows the answers by heart."""
    column = scorers[0].target.column
    if plan.evaluation.type != "coverage" or model.failure is not None or column not in references:
        return model
    return replace(model, memorising=references[column].near_perfect(model.scores[column].mean))


FOLDER = ".evaluate"
"""The hidden folder, inside the output folder."""
_FORM = 1


def fingerprint(plan: Plan, scorers: Sequence[Scorer], name: str, digest: str) -> str:
    """A digest over all that the results of a model follow from: setting, data, seed, scoring, its name and code."""
    about = [
        _FORM,
        __version__,
        plan.evaluation.type,
        plan.evaluation.corresponding_data,
        plan.evaluation.seed,
        plan.digest,
        [[scorer.target.column, scorer.target.predict, scorer.target.adapt, scorer.digest] for scorer in scorers],
        name,
        digest,
    ]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


class State:
    """The finished pieces of one model, in a file of the output folder named by the fingerprint of its results."""

    def __init__(self, output: Path, fingerprint: str) -> None:
        self.path = output / FOLDER / f"{fingerprint}.jsonl"

    @staticmethod
    def kept_in(output: Path) -> bool:
        """Whether an earlier run has kept something in a folder."""
        return (output / FOLDER).is_dir()

    def read(self, pieces: Iterable[Piece]) -> dict[Piece, Done]:
        """The pieces that are done. A line that was cut off is a piece that is not done."""
        wanted = set(pieces)
        found: dict[Piece, Done] = {}
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                done = _parsed(line)
                if done is not None and done.piece in wanted:
                    found[done.piece] = done
        return found

    def add(self, every: Iterable[Done]) -> None:
        """Keep pieces; they are on disk when this returns."""
        lines = "".join(json.dumps(vars(done), separators=(",", ":")) + "\n" for done in every)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as stream:
                # A line that was cut off must not swallow the next one.
                stream.write(lines.encode() if stream.tell() == 0 else b"\n" + lines.encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise EvaluationError(
                f"{self.path} cannot be written: {error.strerror}", fix="free some space, or choose another --output"
            ) from error


def _parsed(line: str) -> Done | None:
    try:
        about = json.loads(line)
        rows = [[Scored(*scored) for scored in row] for row in about["rows"]]
        return Done(piece=Piece(*about["piece"]), rows=rows, log=about["log"], seconds=about["seconds"])
    except (ValueError, KeyError, TypeError):
        return None
