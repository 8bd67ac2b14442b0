"""The judgement: scores, places, who failed where, how certain the winner is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from matbench_lite.judge.explaining import explain
from matbench_lite.judge.failing import Failure, failures
from matbench_lite.judge.qualifying import Disqualified, qualified
from matbench_lite.judge.rules import Rules
from matbench_lite.judge.runs import CRITERIA, DatasetRuns, Field, Run, arrange
from matbench_lite.judge.scoring import medians, passed_runs, score
from matbench_lite.judge.sensitivity import DRAWS, Sensitivity, sensitivity, winners


@dataclass(frozen=True, kw_only=True)
class OnDataset:
    """One algorithm on one dataset.

    Args:
        points: Mean points by criterion, from 1 to N.
        score: Harmonic mean of the three.
        r2: Median R2 over the runs; NaN if more than half of the runs are missing.
        components: Median number of components.
        property_value: Median of the property.
        counted: Number of runs that counted.
    """

    points: Mapping[str, float]
    score: float
    r2: float
    components: float
    property_value: float
    counted: int


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One algorithm.

    Args:
        algorithm: Its name.
        place: 1 for the best; equals share a place.
        score: Mean over the datasets, from 1 to N.
        points: Mean over the datasets by criterion, from 1 to N.
        datasets: What it did on each dataset.
        won: Number of datasets with the best score.
        wins: Share of the draws of datasets and runs that it won.
    """

    algorithm: str
    place: int
    score: float
    points: Mapping[str, float]
    datasets: Mapping[str, OnDataset]
    won: int
    wins: float


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The outcome of a competition.

    Args:
        rules: The rules.
        algorithms: Everybody who was judged, best first.
        datasets: Names of the datasets.
        runs: Number of runs by dataset.
        winners: The algorithm with the best score; several if they are equal.
        why: Why the winner won, in plain words.
        failures: Runs that did not count.
        disqualified: Algorithms that did not pass the gate.
        notes: What a reader should know about single runs, by text, with the runs.
        sensitivity: How certain the winner is.
        field: The runs.
    """

    rules: Rules
    algorithms: tuple[Judged, ...]
    datasets: tuple[str, ...]
    runs: Mapping[str, int]
    winners: tuple[str, ...]
    why: tuple[str, ...]
    failures: tuple[Failure, ...]
    disqualified: tuple[Disqualified, ...]
    notes: Mapping[str, tuple[str, ...]]
    sensitivity: Sensitivity
    field: Field


def judge(
    runs: Iterable[Run],
    rules: Rules,
    *,
    algorithms: Sequence[str] = (),
    datasets: Sequence[str] = (),
    n_runs: int = 0,
    draws: int = DRAWS,
) -> Judgement:
    """Judge algorithms by their runs.

    Args:
        runs: The runs, in any order.
        rules: The rules.
        algorithms: Algorithms that should be there; one without runs is judged as missing everywhere.
        datasets: Datasets to judge on; all by default.
        n_runs: Runs that each dataset should have.
        draws: How many times datasets and runs are drawn again, for the sensitivity.

    Raises:
        JudgingError: If there is nothing to judge, or a run is there twice.

    Examples:
        >>> from matbench_lite.judge import Run, judge, rule_set
        >>> values = {"good": 0.9, "poor": 0.8}
        >>> rest = {"dataset": "d", "run": 0, "components": 1, "property_value": 1}
        >>> runs = [Run(algorithm=name, r2=value, **rest) for name, value in values.items()]
        >>> judgement = judge(runs, rule_set("draft"))
        >>> judgement.winners, [round(row.score, 3) for row in judgement.algorithms]
        (('good',), [2.0, 1.5])
    """
    everybody = arrange(runs, algorithms=algorithms, datasets=datasets, n_runs=n_runs)
    field, gone = qualified(everybody, rules)
    certain = sensitivity(field, rules, draws=draws)
    judged = _judged(field, rules, certain)
    best = winners({row.algorithm: row.score for row in judged})
    return Judgement(
        rules=rules,
        algorithms=judged,
        datasets=tuple(item.dataset for item in field.datasets),
        runs={item.dataset: len(item.numbers) for item in field.datasets},
        winners=best,
        why=explain(judged, best),
        failures=tuple(failures(field, rules)),
        disqualified=gone,
        notes=_notes(field),
        sensitivity=certain,
        field=field,
    )


def _judged(field: Field, rules: Rules, certain: Sensitivity) -> tuple[Judged, ...]:
    scores = score(field, rules)
    # Rounded: equal algorithms must not be told apart by the last bit.
    overall, by_dataset = np.round(scores.overall, 9), np.round(scores.by_dataset, 9)
    won = (by_dataset == by_dataset.max(axis=1, keepdims=True)).sum(axis=0)
    mean_points = scores.points.mean(axis=0)
    rows = [
        Judged(
            algorithm=name,
            place=1 + int(np.sum(overall > overall[column])),
            score=float(overall[column]),
            points=_by_criterion(mean_points[column]),
            datasets={
                item.dataset: _on_dataset(item, rules, column, scores.points[row, column], by_dataset[row, column])
                for row, item in enumerate(field.datasets)
            },
            won=int(won[column]),
            wins=certain.wins[name],
        )
        for column, name in enumerate(field.algorithms)
    ]
    return tuple(sorted(rows, key=lambda row: (row.place, row.algorithm)))


def _on_dataset(runs: DatasetRuns, rules: Rules, column: int, points: np.ndarray, score: float) -> OnDataset:
    middle = medians(runs)
    values = (float(array[column]) for array in (middle.r2, middle.components, middle.property_value))
    r2, components, prop = (value if np.isfinite(value) else float("nan") for value in values)
    counted = passed_runs(runs, rules) if rules.name == "draft" else np.isfinite(runs.r2)
    return OnDataset(
        points=_by_criterion(points),
        score=float(score),
        r2=r2,
        components=components,
        property_value=prop,
        counted=int(counted[:, column].sum()),
    )


def _by_criterion(values: np.ndarray) -> dict[str, float]:
    return {name: round(float(value), 9) for name, value in zip(CRITERIA, values, strict=True)}


def _notes(field: Field) -> dict[str, tuple[str, ...]]:
    notes: dict[str, list[str]] = {}
    for run in sorted(field.runs.values(), key=lambda run: (run.algorithm, run.dataset, run.run)):
        for note in run.notes:
            notes.setdefault(note, []).append(f"{run.algorithm} on {run.dataset}, run {run.run}")
    return {note: tuple(where) for note, where in notes.items()}
