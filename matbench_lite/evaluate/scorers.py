"""Scorers: how predictions of a target are encoded and scored, and what a constant and a perfect prediction score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import multimode
from typing import Any, NamedTuple

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.benchmark_rows import find_task
from matbench_lite.evaluate.comparators import COMPARATORS, AbsDiff, Comparator, Equality, SquaredDiff
from matbench_lite.evaluate.encoders import ResponseEncoder, TaskEncoder
from matbench_lite.evaluate.evaluation_file import Code, RegistrySource, Target
from matbench_lite.evaluate.evaluation_loader import (
    digest_with_imports,
    find_class,
    instantiate,
    python_files,
    users_code,
)
from matbench_lite.evaluate.evaluation_rows import Record
from matbench_lite.evaluate.group_plan import Plan
from matbench_lite.evaluate.items import plain_value, thawed, tuple_to_string, unnest


class Scored(NamedTuple):
    """One prediction: its text, its score, and the short names where there are encoders."""

    prediction: str
    score: float
    task_enc: str | None = None
    truth_enc: str | None = None
    prediction_enc: str | None = None


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """How one column is predicted, learned and scored; encoders are by domain, `digest` is of the code that scores."""

    target: Target
    comparator: Comparator
    task_encoders: Mapping[str, TaskEncoder]
    response_encoders: Mapping[str, ResponseEncoder]
    digest: str

    @property
    def lower_is_better(self) -> bool:
        """Whether a small score is a good one."""
        return bool(getattr(self.comparator, "lower_is_better", False))  # CCOBRA's comparators do not say

    @property
    def better(self) -> str:
        """Which scores are good, in words."""
        return "lower is better" if self.lower_is_better else "higher is better"

    def title(self, plan: Plan) -> str:
        """The name of the score, with its unit where the data are of one task of the registry."""
        name = str(self.comparator.get_name())
        units = {record.item.origin and record.item.origin.task.unit for record in plan.rows}
        unit = units.pop() if len(units) == 1 else None
        if not unit or unit == "unitless" or self.target.key or not isinstance(self.comparator, AbsDiff):
            return name
        return f"{name} ({unit}{' squared' if isinstance(self.comparator, SquaredDiff) else ''})"

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
            with _at_work(self.comparator):
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
        """The short names of the task, of the truth and of the prediction."""
        item, truth, text = record.item, record.targets[self.target.column], record.texts[self.target.column]
        tasks, responses = self.task_encoders.get(item.domain), self.response_encoders.get(item.domain)
        with _at_work(tasks):
            task = None if tasks is None else str(tasks.encode_task(item.task))
        if responses is None:
            return task, None, None

        def name(response: Any) -> str:
            return str(responses.encode_response(response, item.task))

        with _at_work(responses):
            if item.response_type == "multiple-choice":
                return task, "|".join(sorted(map(name, truth))), "|".join(sorted(map(name, prediction)))
            if item.response_type not in ("verify", "accept"):
                return task, name(truth), name(prediction)
            if len(record.choices) != 1:
                raise EvaluationError(
                    f"a row of type {item.response_type} has {len(record.choices)} choices", fix="give it one choice"
                )
            shown = name(record.choices[0])
            return task, f"{shown};{text}", f"{shown};{tuple_to_string(prediction)}"


def _at_work(scoring: object) -> AbstractContextManager[None]:
    """Say that it was not the model that failed."""
    return users_code(f"{type(scoring).__name__} raised", fix="correct it, or what is predicted")


def make_scorers(plan: Plan) -> tuple[Scorer, ...]:
    """Load comparators and encoders, and see that they fit the data."""
    types = {record.item.response_type for record in plan.rows}
    sources = plan.evaluation.test
    numbers = all(isinstance(one, RegistrySource) and find_task(one).kind == "regression" for one in sources)
    scorers = []
    for target in plan.evaluation.targets:
        stated = target.comparator or ("absdiff" if numbers else "equality")
        if isinstance(stated, str):
            name, comparator = stated, COMPARATORS[stated]()
        else:
            name, comparator = stated.filename, _made(stated, Comparator, "compare")
        allowed = getattr(comparator, "response_types", None)
        if allowed is not None and (refused := sorted(types - allowed)):
            raise EvaluationError(
                f"{target.key}comparator: {name} cannot score the response type {', '.join(refused)}",
                fix=f"give another comparator, or rows of type {', '.join(sorted(allowed))}",
            )
        tasks = {domain: _made(code, TaskEncoder, "encode_task") for domain, code in target.task_encoders.items()}
        encoded = target.response_encoders
        responses = {domain: _made(code, ResponseEncoder, "encode_response") for domain, code in encoded.items()}
        codes = (stated, *target.task_encoders.values(), *encoded.values())
        digest = "".join(code if isinstance(code, str) else _digest(code) for code in codes)
        scorers.append(
            Scorer(
                target=target, comparator=comparator, task_encoders=tasks, response_encoders=responses, digest=digest
            )
        )
    return tuple(scorers)


def encoder_notes(plan: Plan) -> list[str]:
    """Encoders that no row uses."""
    domains = {record.item.domain for record in plan.rows}
    return [
        f"{code.key}: no test row has this domain; there are {', '.join(sorted(domains))}"
        for target in plan.evaluation.targets
        for encoders in (target.task_encoders, target.response_encoders)
        for domain, code in encoders.items()
        if domain not in domains
    ]


def _made(code: Code, base: type[Any], method: str) -> Any:
    kind = find_class(code, base)
    if kind is None:
        raise EvaluationError(
            f"{code.key}: {code.filename} has no subclass of matbench_lite.evaluate.{base.__name__}",
            fix=f"define one, with {method}()",
        )
    return instantiate(code, kind)


def _digest(code: Code) -> str:
    return digest_with_imports(python_files(code.path)) + repr((code.classname, dict(code.args)))


NEAR = 0.01
"""A score is near perfect if this share, or less, is left of the way from perfect to a constant."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Mean scores over all test rows: of the truth, and of one answer for all, the better of most frequent and mean."""

    constant: float
    perfect: float

    def near_perfect(self, score: float) -> bool:
        """Whether a score is so good that hardly anything is left to learn."""
        scale = abs(self.constant - self.perfect)
        return scale > 0 and abs(score - self.perfect) <= NEAR * scale


def reference(plan: Plan, scorer: Scorer) -> Reference | None:
    """The scores of a constant and of a perfect prediction; None where the comparator refuses them."""
    records = plan.rows
    truths = [record.targets[scorer.target.column] for record in records]
    try:
        constants = [_mean(scorer, records, [answer] * len(records)) for answer in _constants(truths)]
        best = min if scorer.lower_is_better else max
        return Reference(constant=best(constants), perfect=_mean(scorer, records, truths))
    except Exception:
        return None  # a comparator of the user's own may want answers that no constant is


def _constants(truths: Sequence[Any]) -> list[Any]:
    texts = [tuple_to_string(truth) for truth in truths]
    answers = [dict(zip(texts, truths, strict=True))[min(multimode(texts))]]
    inner = [unnest(truth) for truth in truths]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in inner):
        answers.append(sum(inner) / len(inner))
    return answers


def _mean(scorer: Scorer, records: Sequence[Record], answers: Sequence[Any]) -> float:
    scores = []
    for record, answer in zip(records, answers, strict=True):
        truth, kind = record.targets[scorer.target.column], record.item.response_type
        scores.append(float(scorer.comparator.compare(thawed(answer), truth, kind, record.choices)))
    return sum(scores) / len(scores)
