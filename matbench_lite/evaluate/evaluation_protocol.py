"""The protocols of evaluations: which hook is called when, in each setting. A piece is some rows of one group."""

from __future__ import annotations

import copy
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple, cast

from matbench_lite.documents import plain
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.evaluated_models import Candidate, EstimatorModel, load_candidate
from matbench_lite.evaluate.evaluation_file import Code, Evaluation
from matbench_lite.evaluate.evaluation_loader import RAISED, working_in
from matbench_lite.evaluate.evaluation_rows import Record
from matbench_lite.evaluate.group_plan import Plan, make_plan, shown
from matbench_lite.evaluate.scorers import Scored, Scorer, make_scorers
from matbench_lite.train import Job, Outcome, PieceRecord, Protocol, derived_seed, seed_everything

LOO_ROWS = 32
"""In loo-coverage a group of more rows is done in pieces: every row costs a training."""


class Piece(NamedTuple):
    """Some rows of one group, `stop` not among them: what is done at once, and kept when it is done."""

    group: Any
    start: int
    stop: int


def pieces(plan: Plan) -> list[Piece]:
    """All the work of one model. It does not depend on who does it."""
    every = []
    for group, rows in plan.test.items():
        size = LOO_ROWS if plan.evaluation.type == "loo-coverage" else len(rows)
        every += [Piece(group, start, min(start + size, len(rows))) for start in range(0, len(rows), size)]
    return every


class Engine:
    """Takes one new model through groups; it is set up and, without `corresponding_data`, trained at once."""

    def __init__(self, plan: Plan, scorers: Sequence[Scorer], model: Any, name: str) -> None:
        self.plan = plan
        self.scorers = scorers
        self.name = name
        self._setting = plan.evaluation.type
        self._model = model
        self._seed("pre_train")
        self._call(model, "setup_environment", None, None, self._setting)
        self._check_applicable()
        if plan.train is not None and not plan.evaluation.corresponding_data:
            self._call(model, "pre_train", None, None, plan.lessons())

    def run(self, piece: Piece) -> Outcome:
        """Take a copy of the model through some rows of a group; if it fails, say where, with its traceback.

        The answers are scores, per row and target; the log has what the model noted by group, in loo-coverage by row.
        """
        began = perf_counter()
        model = self._prepared(piece)
        if self._setting == "loo-coverage":
            scored, log = self._one_by_one(model, piece)
        else:
            scored, log = self._in_sequence(model, piece.group), {}
            if note := self._ended(model, piece.group):
                log[str(piece.group)] = note
        return Outcome(answers=scored, record=PieceRecord(log=log, seconds=perf_counter() - began))

    def trial(self) -> tuple[float, float]:
        """Seconds that it takes to prepare the first group, and to do its first row in loo-coverage."""
        began = perf_counter()
        first = Piece(next(iter(self.plan.test)), 0, 1)
        prepared = self._prepared(first)
        between = perf_counter()
        self._one_by_one(prepared, first)
        return between - began, perf_counter() - between

    def _prepared(self, piece: Piece) -> Any:
        """A copy of the model that has learned all it may before the first row."""
        plan, group = self.plan, piece.group
        self._seed(group, piece.start)
        model = self._copied(self._model, group)
        self._call(model, "start_participant", group, None, id=group)
        if plan.train is not None and plan.evaluation.corresponding_data:
            self._call(model, "pre_train", group, None, plan.lessons(group))
        if plan.background is not None:
            self._call(model, "pre_person_background", group, None, shown(plan.background.get(group, ())))
        if self._setting == "coverage":
            self._call(model, "pre_train_person", group, None, shown(plan.test[group]))
        elif plan.person is not None:
            self._call(model, "pre_train_person", group, None, shown(plan.person.get(group, ())))
        return model

    def _in_sequence(self, model: Any, group: Any) -> list[list[Scored]]:
        rows = self.plan.test[group]
        adapting = self._setting == "adaption"
        many = None if adapting or len(self.scorers) > 1 else getattr(model, "predict_many", None)
        if many is not None:
            try:
                answers = many([record.item for record in rows])
                return [[self.scorers[0].score(answer, record)] for answer, record in zip(answers, rows, strict=True)]
            except RAISED as error:
                raise self._failed(error, "predict_many", group, None) from error
        scored = []
        for record in rows:
            scored.append(self._predicted(model, group, record))
            if adapting:
                self._adapt(model, group, record)
        return scored

    def _one_by_one(self, prepared: Any, piece: Piece) -> tuple[list[list[Scored]], dict[str, Any]]:
        """Every row with a copy that has seen all other rows of the group."""
        scored, log = [], {}
        group, rows = piece.group, self.plan.test[piece.group]
        every = shown(rows)
        for number in range(piece.start, piece.stop):
            others = every.copy()
            del others[number]
            model = self._copied(prepared, group, rows[number])
            self._call(model, "pre_train_person", group, rows[number], others)
            scored.append(self._predicted(model, group, rows[number]))
            if note := self._ended(model, group):
                log[f"{group}_{number}"] = note
        return scored, log

    def _predicted(self, model: Any, group: Any, record: Record) -> list[Scored]:
        scored = []
        for scorer in self.scorers:
            name = scorer.target.predict
            try:
                predict = getattr(model, name, None)
                if predict is None:
                    raise NotImplementedError(f"the model has no method {name}(item, **columns)")
                scored.append(scorer.score(predict(record.item, **record.columns), record))
            except RAISED as error:
                raise self._failed(error, name, group, record) from error
        return scored

    def _adapt(self, model: Any, group: Any, record: Record) -> None:
        for scorer in self.scorers:
            name, column = scorer.target.adapt, scorer.target.column
            # As in CCOBRA, a model need not learn every column.
            if name is not None and getattr(model, name, None) is not None:
                self._call(model, name, group, record, record.item, record.targets[column], **record.beside(column))

    def _ended(self, model: Any, group: Any) -> Any:
        log: dict[str, Any] = {}
        try:
            model.end_participant(group, log)
            return plain(log) if log else log
        except RAISED as error:
            raise self._failed(error, "end_participant", group, None) from error

    def _check_applicable(self) -> None:
        for what in ("domain", "response_type"):
            supported = getattr(self._model, f"supported_{what}s", None)
            there = {getattr(record.item, what) for record in self.plan.rows}
            if supported is not None and (missing := sorted(there - set(supported))):
                raise EvaluationError(
                    f"{self.name} does not support the {what} {', '.join(missing)} of the test data",
                    fix=f"leave it out, or add to its supported_{what}s: {', '.join(map(str, supported))}",
                )

    def _seed(self, *place: object) -> None:
        seed_everything(derived_seed(self.plan.evaluation.seed, self.name, *place))

    def _call(self, model: Any, hook: str, group: Any, record: Record | None, /, *given: Any, **columns: Any) -> None:
        # No context manager, which takes longer than many a model: this is done for every row.
        try:
            getattr(model, hook)(*given, **columns)
        except RAISED as error:
            raise self._failed(error, hook, group, record) from error

    def _copied(self, model: Any, group: Any, record: Record | None = None) -> Any:
        try:
            return copy.deepcopy(model)
        except RAISED as error:
            raise self._failed(error, "copy", group, record) from error

    def _failed(self, error: BaseException, hook: str, group: Any, record: Record | None) -> EvaluationError:
        place = "" if group is None else f", group {group!r}"
        place += "" if record is None else f", sequence {record.item.sequence_number}, task {record.item.task_str!r}"
        text = str(error) if isinstance(error, EvaluationError) else f"{type(error).__name__}: {error}"
        failed = EvaluationError(f"{self.name} failed in {hook}{place}: {text}", fix="correct the model")
        # The user's own lines are what helps: the last frames, without ours above them.
        failed.add_note("".join(traceback.format_exception(error)[-8:]))
        return failed


@dataclass(frozen=True, kw_only=True)
class Hooks(Protocol):
    """One of the four settings: a model's hooks are called, group by group; `scoring` is digests of what scores."""

    evaluation: Evaluation = field(repr=False)
    data_digest: str
    scoring: tuple[Any, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The setting."""
        return self.evaluation.type

    @property
    def task_name(self) -> str:
        """The evaluation."""
        return self.evaluation.name

    def label(self, piece: int) -> str:
        """Which rows of which group."""
        one = kept_data(self).pieces[piece]
        return f"group {one.group!r}, rows {one.start} to {one.stop - 1}"

    def facts(self) -> Any:
        """The data, and how it is shown and scored."""
        return [self.evaluation.corresponding_data, self.data_digest, self.scoring]

    def work(self, job: Job) -> Outcome:
        """Take a model through the piece where its code lies; it is trained once, and kept for the next piece."""
        try:
            data, model = kept_data(self), cast("Candidate", job.model)
            with working_in(model.code.path):
                return data.engine(model, job.resources.threads).run(data.pieces[job.piece])
        except EvaluationError as error:
            return failure(error)


def failure(error: EvaluationError) -> Outcome:
    """What an error of a model means, with the traceback that its note has."""
    record = PieceRecord(error=str(error), traceback="\n".join(getattr(error, "__notes__", ())))
    return Outcome(record=record)


class Data:
    """What a process keeps between pieces: the rows, and the last model."""

    def __init__(self, protocol: Hooks, plan: Plan, scorers: Sequence[Scorer]) -> None:
        self.protocol, self.plan, self.scorers = protocol, plan, scorers
        self.pieces: list[Piece] = pieces(plan)
        self._last: tuple[Candidate, Engine] | None = None

    def engine(self, model: Candidate, threads: int = 1) -> Engine:
        """The model, trained as far as it can be before the first group; an estimator with so many threads.

        To be called where its code lies.
        """
        if self._last is None or (self._last[0] is not model and self._last[0] != model):
            made = model.make()
            if isinstance(made, EstimatorModel):
                made.threads = threads
            self._last = model, Engine(self.plan, self.scorers, made, model.name)
        return self._last[1]


_kept: list[Data] = []
"""The data of this process, if it has some."""


def keep_data(data: Data | None) -> None:
    """Have the pieces that are done in this process find these data; None to forget them."""
    _kept[:] = [] if data is None else [data]


def kept_data(protocol: Hooks) -> Data:
    """The data of a protocol; in a worker they are read when the first piece comes."""
    if not (_kept and (_kept[0].protocol is protocol or _kept[0].protocol.digest == protocol.digest)):
        warnings.simplefilter("ignore")  # said once already, by the process that started this one
        plan = make_plan(protocol.evaluation)
        if plan.digest != protocol.data_digest:
            raise EvaluationError("the data were changed while the evaluation ran", fix="start it again")
        keep_data(Data(protocol, plan, make_scorers(plan)))
    return _kept[0]


def load_early(code: Code) -> None:
    """Load a model while the data are read by another process: what it imports takes seconds."""
    with warnings.catch_warnings(), suppress(EvaluationError):
        warnings.simplefilter("ignore")  # the process that started this one tells of both
        load_candidate(code)
