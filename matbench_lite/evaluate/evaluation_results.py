"""What came out: figures per model and group, and their statistics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from statistics import multimode
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from matbench_lite.evaluate.group_plan import Plan
from matbench_lite.evaluate.scorers import Reference, Scored, Scorer
from matbench_lite.stats import DRAWS, ENDS, Interval, bootstrap_mean
from matbench_lite.train import Outcome

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Scores:
    """How well one model predicts one column.

    Args:
        mean: Mean score over rows.
        interval: Its 95 % interval, by a bootstrap over groups.
        mean_groups: Mean over groups of the group's mean score.
        interval_groups: Its 95 % interval, by a bootstrap over groups.
        groups: Mean score of each group.
        learning_curve: In adaption, the score after 0, 1, 2, … labels.
    """

    mean: float
    interval: Interval | None
    mean_groups: float
    interval_groups: Interval | None
    groups: Mapping[Any, float] = field(repr=False)
    learning_curve: tuple[CurvePoint, ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a model has no results: what went wrong and where, and the traceback."""

    message: str
    details: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelResult:
    """What came out of one model.

    Args:
        name: Its name.
        scores: By column; the first is the response. Empty if it failed.
        memorising: Whether its score in coverage is near perfect: it knows the answers by heart.
        seconds: Time that its groups took, s.
        log: What it noted, by group.
        failure: Why it has no scores.
        rows: Per row, per column, the predictions and scores.
    """

    name: str
    scores: Mapping[str, Scores]
    memorising: bool = False
    seconds: float = 0.0
    log: Mapping[str, Any] = field(default_factory=dict, repr=False)
    failure: Failure | None = None
    rows: Sequence[Sequence[Scored]] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The most frequent answer to a task, in the test data and by model; several are joined by `, `."""

    data: str
    models: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Results:
    """What came out of an evaluation.

    Args:
        plan: The evaluation, its data and who was shown what.
        scorers: How columns were scored.
        references: By column, what a constant and a perfect prediction score.
        models: By name, the best first; those that failed last.
        notes: What may mislead.
    """

    plan: Plan = field(repr=False)
    scorers: Sequence[Scorer] = field(repr=False)
    references: Mapping[str, Reference]
    models: Mapping[str, ModelResult]
    notes: tuple[str, ...]

    def scores(self, scorer: Scorer) -> dict[str, Scores]:
        """The scores of a column by model, the best first; models that failed have none."""
        column = scorer.target.column
        found = {name: model.scores[column] for name, model in self.models.items() if model.failure is None}
        return dict(sorted(found.items(), key=lambda item: _badness(item[1], scorer)))

    def ranks(self, scorer: Scorer) -> dict[str, int]:
        """The rank of every model in a column, from 1; equal scores share the better one, and the next is left out.

        Scores that differ by rounding alone are equal: sums in another order differ in their last bits.
        """
        ranks: dict[str, int] = {}
        before: tuple[int, float] | None = None
        for number, (name, one) in enumerate(self.scores(scorer).items(), start=1):
            if before is None or not math.isclose(one.mean, before[1], rel_tol=1e-9, abs_tol=1e-12):
                before = number, one.mean
            ranks[name] = before[0]
        return ranks

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per model, row and column: what was asked, the truth, the prediction, the score."""
        import pandas as pd

        records = self.plan.rows
        items = [record.item for record in records]
        asked = {
            "id": [item.identifier for item in items],
            "sequence": [item.sequence_number for item in items],
            "place": [place for rows in self.plan.test.values() for place in range(len(rows))],
            "row": [item.row for item in items],
            "domain": [item.domain for item in items],
            "response_type": [item.response_type for item in items],
            "task": [item.task_str for item in items],
            "choices": [item.choices_str for item in items],
        }
        frames = []
        for model in self.models.values():
            for number, scorer in enumerate(self.scorers if model.failure is None else ()):
                column = scorer.target.column
                scored = pd.DataFrame([row[number] for row in model.rows], columns=Scored._fields)
                truth = [record.texts[column] for record in records]
                about = pd.DataFrame({"model": model.name, **asked, "evaluation": column, "truth": truth})
                frames.append(pd.concat([about, scored], axis=1))
        table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
        if table.empty:
            return table
        # Truth and prediction are numbers where all of them are.
        numbers = {name: pd.to_numeric(table[name], errors="coerce") for name in ("truth", "prediction")}
        if not any(column.isna().any() for column in numbers.values()):
            table = table.assign(**numbers)
        return table.drop(columns=[name for name in ("row", *Scored._fields[2:]) if table[name].isna().all()])

    @cached_property
    def answers(self) -> dict[str, dict[str, Answers]]:
        """By column, and by short name of a task: the most frequent answers, where there are encoders."""
        every = {
            scorer.target.column: self._answers(number)
            for number, scorer in enumerate(self.scorers)
            if scorer.task_encoders and scorer.response_encoders
        }
        return {column: by_task for column, by_task in every.items() if by_task}

    def _answers(self, number: int) -> dict[str, Answers]:
        truths: dict[str, str] = {}
        by_task: dict[str, dict[str, str]] = {}
        for model in self.models.values():
            scored = [row[number] for row in model.rows]
            named = [one for one in scored if one.task_enc is not None and one.prediction_enc is not None]
            truths |= _most_frequent((one.task_enc, one.truth_enc) for one in named)
            for task, answer in _most_frequent((one.task_enc, one.prediction_enc) for one in named).items():
                by_task.setdefault(task, {})[model.name] = answer
        return {task: Answers(data=truths[task], models=by_task[task]) for task in sorted(by_task)}


def model_result(
    name: str, plan: Plan, scorers: Sequence[Scorer], references: Mapping[str, Reference], done: Sequence[Outcome]
) -> ModelResult:
    """Put the pieces of a model together, in their order, and count."""
    rows = [[Scored(*scored) for scored in row] for one in done for row in one.answers]
    sizes = [len(group) for group in plan.test.values()]
    scores = {}
    for number, scorer in enumerate(scorers):
        values = (row[number].score for row in rows)
        scores[scorer.target.column] = _scores(plan, [list(islice(values, size)) for size in sizes])
    main = scorers[0].target.column
    known = references.get(main) if plan.evaluation.type == "coverage" else None
    return ModelResult(
        name=name,
        scores=scores,
        memorising=known is not None and known.near_perfect(scores[main].mean),
        seconds=sum(one.record.seconds for one in done),
        log={key: value for one in done for key, value in one.record.log.items()},
        rows=rows,
    )


def ranked(models: Sequence[ModelResult], scorer: Scorer) -> dict[str, ModelResult]:
    """Models by name, the best first; those that failed last."""
    well = [model for model in models if model.failure is None]
    well.sort(key=lambda model: _badness(model.scores[scorer.target.column], scorer))
    return {model.name: model for model in (*well, *(model for model in models if model.failure is not None))}


def rank_texts(ranks: Mapping[str, int]) -> dict[str, str]:
    """Ranks as people write them.

    Examples:
        >>> list(rank_texts({"a": 1, "b": 2, "c": 2, "d": 4}).values())
        ['1', '2=', '2=', '4']
    """
    counts = Counter(ranks.values())
    return {name: f"{rank}=" if counts[rank] > 1 else str(rank) for name, rank in ranks.items()}


def _badness(scores: Scores, scorer: Scorer) -> float:
    return scores.mean if scorer.lower_is_better else -scores.mean


def _scores(plan: Plan, groups: Sequence[Sequence[float]]) -> Scores:
    means = [float(np.mean(group)) for group in groups]
    return Scores(
        mean=float(np.mean(np.concatenate(groups))),
        interval=mean_interval(groups),
        mean_groups=float(np.mean(means)),
        interval_groups=group_interval(means),
        groups=dict(zip(plan.test, means, strict=True)),
        learning_curve=learning_curve(groups) if plan.evaluation.type == "adaption" else (),
    )


def _most_frequent(pairs: Iterable[tuple[str | None, str | None]]) -> dict[str, str]:
    """By task, the answer that is given most often; all of them where several are."""
    answers: dict[str, list[str]] = {}
    for task, answer in pairs:
        answers.setdefault(str(task), []).append(str(answer))
    return {task: ", ".join(sorted(multimode(some))) for task, some in answers.items()}


FEWEST_GROUPS = 5
"""A point of a learning curve has an interval from so many groups on."""
_CHUNK = 200


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The mean score after some labels over groups with so many rows, and its 95 % bootstrap interval; None for few."""

    labels: int
    groups: int
    mean: float
    interval: Interval | None


def mean_interval(groups: Sequence[npt.ArrayLike], *, seed: int = 0) -> Interval | None:
    """95 % percentile interval of the mean over rows, by a bootstrap over groups; None for one group.

    Rows of one group are alike, so whole groups are drawn: drawing rows would promise too much.
    """
    if len(groups) < 2:
        return None
    sums = np.array([np.sum(group) for group in groups])
    sizes = np.array([np.size(group) for group in groups], dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = []
    for start in range(0, DRAWS, _CHUNK):
        counts = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=min(_CHUNK, DRAWS - start))
        means.append((counts @ sums) / (counts @ sizes))
    low, high = np.quantile(np.concatenate(means), ENDS)
    return Interval(low=float(low), high=float(high))


def group_interval(means: npt.ArrayLike) -> Interval | None:
    """95 % interval of the mean over groups, by the studentised bootstrap; None for one group.

    Examples:
        >>> group_interval([0.1, 0.4, 0.4, 0.3])
        Interval(low=0.1..., high=0.4...)
    """
    array = np.asarray(means, dtype=np.float64)
    return None if len(array) < 2 else bootstrap_mean([array])


def learning_curve(groups: Sequence[Sequence[float]]) -> tuple[CurvePoint, ...]:
    """The mean score after 0, 1, 2, … labels, over the groups that have so many rows; scores of a group in sequence."""
    points = []
    for labels in range(max(map(len, groups))):
        scores = [group[labels] for group in groups if len(group) > labels]
        interval = group_interval(scores) if len(scores) >= FEWEST_GROUPS else None
        points.append(CurvePoint(labels=labels, groups=len(scores), mean=float(np.mean(scores)), interval=interval))
    return tuple(points)
