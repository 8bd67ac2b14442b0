"""What came out of an evaluation: figures per model, and the tidy table behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from matbench_lite.evaluate.data.plan import Plan
from matbench_lite.evaluate.results.statistics import CurvePoint, group_interval, learning_curve, mean_interval
from matbench_lite.evaluate.running.engine import Done, Piece
from matbench_lite.evaluate.running.work import Failure
from matbench_lite.evaluate.scoring.reference import Reference
from matbench_lite.evaluate.scoring.scorers import Scored, Scorer
from matbench_lite.stats import Interval

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
    """The most frequent answer to a task; several are joined by `, `.

    Args:
        data: In the test data.
        models: By name, of every model.
    """

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

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per model, row and column: what was asked, the truth, the prediction, the score."""
        import pandas as pd

        records = self.plan.rows
        places = [place for rows in self.plan.test.values() for place in range(len(rows))]
        frames = []
        for model in self.models.values():
            if model.failure is not None:
                continue
            for number, scorer in enumerate(self.scorers):
                column = scorer.target.column
                scored = [row[number] for row in model.rows]
                frames.append(
                    pd.DataFrame(
                        {
                            "model": model.name,
                            "id": [record.item.identifier for record in records],
                            "sequence": [record.item.sequence_number for record in records],
                            "place": places,
                            "row": [record.item.row for record in records],
                            "domain": [record.item.domain for record in records],
                            "response_type": [record.item.response_type for record in records],
                            "task": [record.item.task_str for record in records],
                            "choices": [record.item.choices_str for record in records],
                            "evaluation": column,
                            "truth": [record.texts[column] for record in records],
                            **{name: [one[at] for one in scored] for at, name in enumerate(Scored._fields)},
                        }
                    )
                )
        table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
        optional = [name for name in ("row", *Scored._fields[2:]) if name in table and table[name].isna().all()]
        return _numbers_as_numbers(table.drop(columns=optional))

    @cached_property
    def answers(self) -> dict[str, dict[str, Answers]]:
        """By column, and by short name of a task: the most frequent answers, where there are encoders."""
        every = {}
        for number, scorer in enumerate(self.scorers):
            if scorer.task_encoders and scorer.response_encoders:
                every[scorer.target.column] = self._answers(number)
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


def model_result(name: str, plan: Plan, scorers: Sequence[Scorer], done: Mapping[Piece, Done]) -> ModelResult:
    """Put the pieces of a model together and count."""
    ordered = [done[piece] for piece in sorted(done)]
    rows = [row for one in ordered for row in one.rows]
    sizes = [len(group) for group in plan.test.values()]
    scores = {}
    for number, scorer in enumerate(scorers):
        values = [row[number].score for row in rows]
        groups, start = [], 0
        for size in sizes:
            groups.append(values[start : start + size])
            start += size
        scores[scorer.target.column] = _scores(plan, groups)
    return ModelResult(
        name=name,
        scores=scores,
        seconds=sum(one.seconds for one in ordered),
        log={key: value for one in ordered for key, value in one.log.items()},
        rows=rows,
    )


def ranked(models: Sequence[ModelResult], scorer: Scorer) -> dict[str, ModelResult]:
    """Models by name, the best first; those that failed last."""
    sign = 1 if scorer.lower_is_better else -1
    well = [model for model in models if model.failure is None]
    well.sort(key=lambda model: sign * model.scores[scorer.target.column].mean)
    return {model.name: model for model in (*well, *(model for model in models if model.failure is not None))}


def _scores(plan: Plan, groups: Sequence[Sequence[float]]) -> Scores:
    import numpy as np

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
    counts: dict[str, Counter[str]] = {}
    for task, answer in pairs:
        counts.setdefault(str(task), Counter())[str(answer)] += 1
    return {
        task: ", ".join(sorted(answer for answer, count in some.items() if count == max(some.values())))
        for task, some in counts.items()
    }


def _numbers_as_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Truth and prediction as numbers, where all of them are."""
    import pandas as pd

    if table.empty:
        return table
    columns = {name: pd.to_numeric(table[name], errors="coerce") for name in ("truth", "prediction")}
    return table if any(column.isna().any() for column in columns.values()) else table.assign(**columns)
