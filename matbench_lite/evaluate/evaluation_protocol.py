"""The protocols of evaluations: prediction, adaption, coverage, loo-coverage. A piece is some rows of one group."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.engine import Engine, Piece, pieces
from matbench_lite.evaluate.evaluated_models import Candidate, load_candidate
from matbench_lite.evaluate.evaluation_file import Code, Evaluation
from matbench_lite.evaluate.evaluation_loader import working_in
from matbench_lite.evaluate.group_plan import Plan, make_plan
from matbench_lite.evaluate.scorers import Scorer, make_scorers
from matbench_lite.train import Job, Outcome, PieceRecord, Protocol


@dataclass(frozen=True, kw_only=True)
class EvaluatedModel:
    """A model of an evaluation: its name in the results, its digest, and its place in the evaluation file."""

    name: str
    sha256: str
    number: int


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
        model = job.model
        assert isinstance(model, EvaluatedModel)
        try:
            data = kept_data(self)
            engine = data.engine(model)
            with working_in(engine.folder):
                return engine.run(data.pieces[job.piece])
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
        self.candidates: dict[int, Candidate] = {}
        self.pieces: list[Piece] = pieces(plan)
        self._last: tuple[EvaluatedModel, Engine] | None = None

    def engine(self, model: EvaluatedModel) -> Engine:
        """The model, trained as far as it can be before the first group."""
        if self._last is None or (self._last[0] is not model and self._last[0] != model):
            candidate = self.candidates.get(model.number)
            if candidate is None:
                candidate = load_candidate(self.plan.evaluation.models[model.number])
            with working_in(candidate.folder):
                made = Engine(self.plan, self.scorers, candidate.make(), model.name, candidate.folder)
            self._last = model, made
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
