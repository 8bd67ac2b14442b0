"""From a prediction to a score and to short names: comparators and encoders of an evaluation, ready to use."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.data.dataset import Record
from matbench_lite.evaluate.data.plan import Plan
from matbench_lite.evaluate.data.registry import find_task
from matbench_lite.evaluate.data.tuples import plain_value, tuple_to_string
from matbench_lite.evaluate.encoders import ResponseEncoder, TaskEncoder
from matbench_lite.evaluate.file.loading import RAISED, find_class, instantiate, python_files, source_digest
from matbench_lite.evaluate.file.specification import Code, Evaluation, RegistrySource, Target
from matbench_lite.evaluate.scoring.comparators import COMPARATORS, AbsDiff, Comparator, Equality, SquaredDiff


class Scored(NamedTuple):
    """One prediction: its text, its score, and the short names where there are encoders."""

    prediction: str
    score: float
    task_enc: str | None = None
    truth_enc: str | None = None
    prediction_enc: str | None = None


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """How one column is predicted, learned and scored.

    Args:
        target: What the evaluation file says.
        comparator: Gives the score.
        task_encoders: By domain.
        response_encoders: By domain.
        digest: Digest of the code that scores.
    """

    target: Target
    comparator: Comparator
    task_encoders: Mapping[str, TaskEncoder]
    response_encoders: Mapping[str, ResponseEncoder]
    digest: str

    @property
    def lower_is_better(self) -> bool:
        """Whether a small score is a good one."""
        return bool(getattr(self.comparator, "lower_is_better", False))  # CCOBRA's comparators do not say

    def title(self, plan: Plan) -> str:
        """The name of the score, with its unit where the data are of one task of the registry."""
        name = str(self.comparator.get_name())
        units = {record.item.origin and record.item.origin.task.unit for record in plan.rows}
        unit = units.pop() if len(units) == 1 else None
        if not unit or unit == "unitless" or self.target.key or not isinstance(self.comparator, AbsDiff | SquaredDiff):
            return name
        return f"{name} ({unit})" if isinstance(self.comparator, AbsDiff) else f"{name} ({unit} squared)"

    def score(self, prediction: Any, record: Record) -> Scored:
        """Score what a model returned.

        Raises:
            EvaluationError: If the comparator gives no finite number, or it or an encoder fails.
        """
        column, item = self.target.column, record.item
        prediction = plain_value(prediction)
        text = tuple_to_string(prediction)
        if type(self.comparator) is Equality and item.response_type != "multiple-choice":
            score = float(text == record.texts[column])  # what it compares: both texts are here already
        else:
            truth = record.targets[column]
            with _named(self.comparator):
                score = float(self.comparator.compare(prediction, truth, item.response_type, record.choices))
            if not math.isfinite(score):
                name = self.comparator.get_name()
                raise EvaluationError(
                    f"{name} of {prediction!r} and {truth!r} is {score}", fix="predict a usable value"
                )
        if not self.task_encoders and not self.response_encoders:
            return Scored(text, score)
        return Scored(text, score, *self._short(prediction, record))

    def _short(self, prediction: Any, record: Record) -> tuple[str | None, str | None, str | None]:
        item = record.item
        tasks, responses = self.task_encoders.get(item.domain), self.response_encoders.get(item.domain)
        with _named(tasks):
            task = None if tasks is None else str(tasks.encode_task(item.task))
        if responses is None:
            return task, None, None
        with _named(responses):
            return task, *self._short_responses(responses, prediction, record)

    def _short_responses(self, responses: ResponseEncoder, prediction: Any, record: Record) -> tuple[str, str]:
        """The short names of the truth and of the prediction."""
        item, truth, text = record.item, record.targets[self.target.column], record.texts[self.target.column]
        if item.response_type == "multiple-choice":
            every = [
                sorted(str(responses.encode_response(one, item.task)) for one in some) for some in (truth, prediction)
            ]
            return "|".join(every[0]), "|".join(every[1])
        if item.response_type in ("verify", "accept"):
            if len(record.choices) != 1:
                raise EvaluationError(
                    f"a row of type {item.response_type} has {len(record.choices)} choices", fix="give it one choice"
                )
            shown = responses.encode_response(record.choices[0], item.task)
            return f"{shown};{text}", f"{shown};{tuple_to_string(prediction)}"
        return str(responses.encode_response(truth, item.task)), str(responses.encode_response(prediction, item.task))


@contextmanager
def _named(scoring: object) -> Iterator[None]:
    """Say that it was not the model that failed."""
    try:
        yield
    except EvaluationError:
        raise
    except RAISED as error:
        raise EvaluationError(
            f"{type(scoring).__name__} raised {type(error).__name__}: {error}", fix="correct it, or what is predicted"
        ) from error


def make_scorers(plan: Plan) -> tuple[Scorer, ...]:
    """Load comparators and encoders, and see that they fit the data.

    Raises:
        EvaluationError: If one cannot be loaded, or cannot score the data.
    """
    types = {record.item.response_type for record in plan.rows}
    scorers = []
    for target in plan.evaluation.targets:
        comparator, digest = _comparator(target, plan.evaluation)
        allowed = getattr(comparator, "response_types", None)
        if allowed is not None and (refused := sorted(types - allowed)):
            raise EvaluationError(
                f"{target.key}comparator: {_name(target)} cannot score the response type {', '.join(refused)}",
                fix=f"give another comparator, or rows of type {', '.join(sorted(allowed))}",
            )
        scorers.append(
            Scorer(
                target=target,
                comparator=comparator,
                task_encoders=dict(_encoders(target.task_encoders, TaskEncoder)),
                response_encoders=dict(_encoders(target.response_encoders, ResponseEncoder)),
                digest=digest + "".join(_digest(code) for code in _codes(target)),
            )
        )
    return tuple(scorers)


def encoder_notes(plan: Plan) -> list[str]:
    """Encoders that no row uses."""
    domains = {record.item.domain for record in plan.rows}
    codes = [code for target in plan.evaluation.targets for code in _codes(target)]
    unused = [code.key for code in codes if code.key.rpartition("encoders/")[2] not in domains]
    return [f"{key}: no test row has this domain; there are {', '.join(sorted(domains))}" for key in unused]


def _comparator(target: Target, evaluation: Evaluation) -> tuple[Comparator, str]:
    stated = target.comparator
    if stated is None:
        stated = "absdiff" if _all_numbers(evaluation) else "equality"
    if isinstance(stated, str):
        return COMPARATORS[stated](), stated
    return _made(stated, Comparator, "compare"), _digest(stated)


def _all_numbers(evaluation: Evaluation) -> bool:
    """Whether all test rows are from tasks of the registry whose targets are numbers."""
    return all(
        isinstance(source, RegistrySource) and find_task(source).kind == "regression" for source in evaluation.test
    )


def _encoders(codes: Mapping[str, Code], base: type[Any]) -> Iterable[tuple[str, Any]]:
    method = "encode_task" if base is TaskEncoder else "encode_response"
    for domain, code in codes.items():
        yield domain, _made(code, base, method)


def _made(code: Code, base: type[Any], method: str) -> Any:
    kind = find_class(code, base)
    if kind is None:
        raise EvaluationError(
            f"{code.key}: {code.stated} has no subclass of matbench_lite.evaluate.{base.__name__}",
            fix=f"define one, with {method}()",
        )
    return instantiate(code, kind)


def _codes(target: Target) -> list[Code]:
    return [*target.task_encoders.values(), *target.response_encoders.values()]


def _digest(code: Code) -> str:
    assert code.path is not None
    return source_digest(python_files(code.path)) + repr((code.classname, dict(code.args)))


def _name(target: Target) -> str:
    return target.comparator.stated if isinstance(target.comparator, Code) else str(target.comparator)
