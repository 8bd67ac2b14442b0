"""What came out: figures per model and group, and their statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from statistics import multimode
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from matbench_lite.evaluate.benchmark_rows import find_task
from matbench_lite.evaluate.evaluation_file import RegistrySource
from matbench_lite.evaluate.group_plan import Plan
from matbench_lite.evaluate.scorers import Reference, Scored, Scorer
from matbench_lite.stats import Design, Interval, Place, TaskPairs, moments, order, ranked, score_interval
from matbench_lite.train import Outcome

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Scores:
    """How well one model predicts one column.

    `mean` is over rows, `mean_groups` over the means of groups; their 95 % intervals are for these trained models on
    other clusters of rows: on other groups, or where groups are the folds of a task, on other clusters of its rows. The
    learning curve has the score after 0, 1, 2, … labels, in adaption.
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

    `scores` are by column, `rows` per row and column; a model is `memorising` if its score in coverage is near perfect.
    `seconds` is the time that its groups took, `log` what it noted, by group.
    """

    name: str
    scores: Mapping[str, Scores]
    memorising: bool = False
    seconds: float = 0.0
    log: Mapping[str, Any] = field(default_factory=dict, repr=False)
    error: str | None = None
    traceback: str = ""
    rows: Sequence[Sequence[Scored]] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Results:
    """What came out of an evaluation.

    `references` are, by column, what a constant and a perfect prediction score; `models` have the best first, and those
    that failed last; `notes` are what may mislead.
    """

    plan: Plan = field(repr=False)
    scorers: Sequence[Scorer] = field(repr=False)
    references: Mapping[str, Reference]
    models: Mapping[str, ModelResult]
    notes: tuple[str, ...]

    def scores(self, scorer: Scorer) -> dict[str, Scores]:
        """The scores of a column by model, the best first; models that failed have none."""
        return {place.slug: self.models[place.slug].scores[scorer.target.column] for place in self.places(scorer)}

    def ranks(self, scorer: Scorer) -> dict[str, int]:
        """The rank of every model in a column, from 1; equal scores share the better one, and the next is left out."""
        return {place.slug: place.rank for place in self.places(scorer)}

    @cached_property
    def design(self) -> Design:
        """How the rows are tested: all models are compared by it."""
        return rows_design(self.plan)

    def perfect(self, scorer: Scorer) -> float:
        """The score of the truth, from which errors are measured; 0 where the comparator refuses it."""
        found = self.references.get(scorer.target.column)
        return 0.0 if found is None else found.perfect

    def places(self, scorer: Scorer) -> list[Place]:
        """Who is ahead in a column, best first, and what is said of each beside the best; models that failed have none.

        Of one group nothing is said but the rank: there is no other to compare it with.
        """
        return self._places[scorer.target.column]

    @cached_property
    def _places(self) -> dict[str, list[Place]]:
        well = [model for model in self.models.values() if model.error is None]
        places = {}
        for number, scorer in enumerate(self.scorers):
            column, higher, pairs = scorer.target.column, not scorer.lower_is_better, None
            means = {model.name: model.scores[column].mean for model in well}
            if well and self.design.cluster_count > 1:
                scores = np.array([[row[number].score for row in model.rows] for model in well])
                losses = self.perfect(scorer) - scores if higher else scores
                pairs = TaskPairs(slugs=tuple(means), higher=higher, moments=moments(losses, self.design))
            places[column] = order(means, pairs, higher_is_better=higher)
        return places

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
            "cluster": self.design.clusters,
            "row": [item.row for item in items],
            "domain": [item.domain for item in items],
            "response_type": [item.response_type for item in items],
            "task": [item.task_str for item in items],
            "choices": [item.choices_str for item in items],
        }
        frames = []
        for model in self.models.values():
            for number, scorer in enumerate(self.scorers if model.error is None else ()):
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
    def answers(self) -> dict[str, dict[str, dict[str, Any]]]:
        """By column and short name of a task, the most frequent answer of the `data` and of each of the `models`.

        Several are joined by `, `; only columns with encoders of both kinds are there.
        """
        if not {"task_enc", "prediction_enc"} <= set(self.table):
            return {}
        encoded = self.table.dropna(subset=["task_enc", "prediction_enc"])
        every: dict[str, dict[str, dict[str, Any]]] = {}
        for column, rows in encoded.groupby("evaluation", sort=False):
            data = rows.groupby("task_enc")["truth_enc"].agg(_most_frequent)
            every[column] = {task: {"data": answer, "models": {}} for task, answer in data.items()}
            models = rows.groupby(["task_enc", "model"], sort=False)["prediction_enc"].agg(_most_frequent)
            for (task, model), answer in models.items():
                every[column][task]["models"][model] = answer
        return every


def model_result(
    name: str, plan: Plan, scorers: Sequence[Scorer], references: Mapping[str, Reference], done: Sequence[Outcome]
) -> ModelResult:
    """Put the pieces of a model together, in their order, and count."""
    design = rows_design(plan)
    rows = [[Scored(*scored) for scored in row] for one in done for row in one.answers]
    sizes = [len(group) for group in plan.test.values()]
    scores = {}
    for number, scorer in enumerate(scorers):
        values = (row[number].score for row in rows)
        scores[scorer.target.column] = _scores(plan, design, [list(islice(values, size)) for size in sizes])
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


def by_rank(models: Sequence[ModelResult], scorer: Scorer) -> dict[str, ModelResult]:
    """Models by name, the best first; those that failed last."""
    by_name = {model.name: model for model in models}
    means = {model.name: model.scores[scorer.target.column].mean for model in models if model.error is None}
    return {name: by_name[name] for name in ranked(means, higher_is_better=not scorer.lower_is_better)} | by_name


def rank_texts(ranks: Mapping[str, int]) -> dict[str, str]:
    """Ranks as people write them.

    Examples:
        >>> list(rank_texts({"a": 1, "b": 2, "c": 2, "d": 4}).values())
        ['1', '2=', '2=', '4']
    """
    counts = Counter(ranks.values())
    return {name: f"{rank}=" if counts[rank] > 1 else str(rank) for name, rank in ranks.items()}


def rows_design(plan: Plan) -> Design:
    """How the rows of an evaluation are tested.

    Groups are what is drawn: each is one cluster, however many rows it has, in one fold for all. Nothing is assumed of
    training again (a scatter of 1): in most settings every group is predicted by a model that was shown other data than
    the next one's, so what that does is among the differences between groups, and no fold could measure it apart. Where
    the file names the folds of a task as its groups, they are folds, with the clusters and the scatter of the task, and
    models are told apart as on its leaderboard.
    """
    group_of_row = np.repeat(np.arange(len(plan.test)), [len(rows) for rows in plan.test.values()])
    source, *others = plan.evaluation.test
    if isinstance(source, RegistrySource) and source.group_by == "fold" and not others and len(plan.test) > 1:
        task = find_task(source)
        positions = [record.item.origin.position for record in plan.rows if record.item.origin is not None]
        if task.tests_rows_once:
            return Design(folds=group_of_row, clusters=task.clusters[positions], scatter=task.fold_scatter)
    return Design(folds=np.zeros_like(group_of_row), clusters=group_of_row, scatter=1.0)


def _scores(plan: Plan, design: Design, groups: Sequence[Sequence[float]]) -> Scores:
    means, values = [float(np.mean(group)) for group in groups], np.concatenate(groups)
    of_folds = score_interval(values, design) if len(design.sizes) > 1 else mean_interval(means)
    return Scores(
        mean=float(np.mean(values)),
        interval=mean_interval(values, design.clusters),
        mean_groups=float(np.mean(means)),
        interval_groups=of_folds,
        groups=dict(zip(plan.test, means, strict=True)),
        learning_curve=learning_curve(groups) if plan.evaluation.type == "adaption" else (),
    )


def _most_frequent(answers: pd.Series) -> str:
    return ", ".join(sorted(multimode(answers)))


FEWEST_GROUPS = 5
"""A point of a learning curve has an interval from so many groups on."""


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The mean score after some labels over groups with so many rows, and its 95 % interval; None for few."""

    labels: int
    groups: int
    mean: float
    interval: Interval | None


def mean_interval(values: npt.ArrayLike, clusters: npt.NDArray[np.integer] | None = None) -> Interval | None:
    """95 % interval of a mean, by the studentised bootstrap over clusters of values; None for one cluster.

    Values of one cluster are alike, so whole clusters are drawn: drawing single values would promise too much. Without
    `clusters` each value is one.

    Examples:
        >>> mean_interval([0.1, 0.4, 0.4, 0.3])
        Interval(low=0.1..., high=0.4...)
    """
    array = np.asarray(values, dtype=np.float64)
    codes = np.arange(len(array)) if clusters is None else clusters
    design = Design(folds=np.zeros(len(array), dtype=np.intp), clusters=codes)
    return None if design.cluster_count < 2 else score_interval(array, design)


def learning_curve(groups: Sequence[Sequence[float]]) -> tuple[CurvePoint, ...]:
    """The mean score after 0, 1, 2, … labels, over the groups that have so many rows; scores of a group in sequence."""
    points = []
    for labels in range(max(map(len, groups))):
        scores = [group[labels] for group in groups if len(group) > labels]
        interval = mean_interval(scores) if len(scores) >= FEWEST_GROUPS else None
        points.append(CurvePoint(labels=labels, groups=len(scores), mean=float(np.mean(scores)), interval=interval))
    return tuple(points)
