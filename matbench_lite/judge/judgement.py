"""The judgement: scores, places, who failed where, why the winner won and how certain that is; also as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from matbench_lite.documents import plain
from matbench_lite.judge.expert_trust import COMBINING_RULE, Trust
from matbench_lite.judge.failures import Disqualified, Failure, failures, qualified
from matbench_lite.judge.judge_rules import Rules, medians, passed_runs, score
from matbench_lite.judge.runs import CRITERIA, DatasetRuns, Field, Run, arrange
from matbench_lite.judge.sensitivity import DRAWS, Sensitivity, sensitivity, winners
from matbench_lite.text import in_words, share


@dataclass(frozen=True, kw_only=True)
class OnDataset:
    """One algorithm on one dataset: mean points from 1 to N, their harmonic mean, how many runs counted.

    R2, components and property are medians over the runs; NaN if more than half of the runs are missing.
    """

    points: Mapping[str, float]
    score: float
    r2: float
    components: float
    property_value: float
    counted: int


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One algorithm: its place, 1 for the best, shared by equals; score and points by criterion, from 1 to N.

    Both are means over the datasets. `won` is the number of datasets with the best score, `wins` the share of the
    draws of datasets and runs that it won.
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
    values = {name: float(getattr(middle, name)[column]) for name in ("r2", "components", "property_value")}
    counted = passed_runs(runs, rules) if rules.name == "draft" else np.isfinite(runs.r2)
    return OnDataset(
        points=_by_criterion(points),
        score=float(score),
        counted=int(counted[:, column].sum()),
        **{name: value if np.isfinite(value) else float("nan") for name, value in values.items()},
    )


def _by_criterion(values: np.ndarray) -> dict[str, float]:
    return {name: round(float(value), 9) for name, value in zip(CRITERIA, values, strict=True)}


def _notes(field: Field) -> dict[str, tuple[str, ...]]:
    notes: dict[str, list[str]] = {}
    for run in sorted(field.runs.values(), key=lambda run: (run.algorithm, run.dataset, run.run)):
        for note in run.notes:
            notes.setdefault(note, []).append(f"{run.algorithm} on {run.dataset}, run {run.run}")
    return {note: tuple(where) for note, where in notes.items()}


_CLEAR = 0.95  # share of the draws that makes a winner clear
_ENOUGH = 5  # datasets; draws from fewer say little about others
_DECIDING = 0.01  # points; a smaller lead is no lead


def explain(judged: Sequence[Judged], winners: Sequence[str]) -> tuple[str, ...]:
    """A few sentences: the lead, where it comes from, where the winner is behind, how certain it is."""
    first = judged[0]
    if len(judged) == 1:
        return (f"{first.algorithm} is the only algorithm that was judged.",)
    if len(winners) > 1:
        return (f"{in_words(winners)} have the same score, {first.score:.3f}: there is no single winner.",)
    second = judged[1]
    top = len(judged)
    return (
        f"{first.algorithm} has {first.score:.3f} of {top} possible points, {second.algorithm} {second.score:.3f}.",
        _criteria(first, second),
        _datasets(first, second),
        _certainty(first, judged),
    )


def _criteria(first: Judged, second: Judged) -> str:
    leads = {name: first.points[name] - second.points[name] for name in CRITERIA}
    ahead = [f"{name} (+{lead:.2f} points)" for name, lead in _largest(leads) if lead > _DECIDING]
    behind = [f"{name} (−{-lead:.2f})" for name, lead in _largest(leads) if lead < -_DECIDING]
    if not ahead:
        return (
            f"It is not ahead of {second.algorithm} on any criterion on average; its points are more even, which the "
            "harmonic mean rewards."
        )
    text = f"Against {second.algorithm} it leads in {in_words(ahead)}"
    return f"{text} and is behind in {in_words(behind)}." if behind else f"{text}, and is behind in nothing."


def _datasets(first: Judged, second: Judged) -> str:
    leads = {name: first.datasets[name].score - second.datasets[name].score for name in first.datasets}
    ordered = _largest(leads)
    better = sum(lead > _DECIDING for lead in leads.values())
    worse = sum(lead < -_DECIDING for lead in leads.values())
    text = f"It scores higher on {better} and lower on {worse} of {len(leads)} datasets"
    most, lead = ordered[0]
    if lead > _DECIDING and len(leads) > 1:
        text += f"; most is gained on {most} (+{lead:.2f})"
    least, loss = ordered[-1]
    if loss < -_DECIDING:
        text += f", most is lost on {least} (−{-loss:.2f})"
    return f"{text}."


def _certainty(first: Judged, judged: Sequence[Judged]) -> str:
    often = f"It wins {share(first.wins)} of the draws of other datasets and runs"
    if first.wins < _CLEAR:
        rival = max(judged[1:], key=lambda row: row.wins)
        other = f"{rival.algorithm} {share(rival.wins)}"
        return f"{often}, {other}: another choice of datasets might have another winner."
    number = len(first.datasets)
    if number < _ENOUGH:
        return f"{often}; but {number} dataset{' is' if number == 1 else 's are'} too few to be sure."
    return f"{often}: the result is clear."


def _largest(leads: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(leads.items(), key=lambda item: (-item[1], item[0]))


def judgement_document(judgement: Judgement, trust: Trust | None = None) -> dict[str, Any]:
    """All of a judgement but the runs themselves; what is not a number becomes null.

    Args:
        judgement: The judgement.
        trust: The outcome of the expert track, if there was one.
    """
    document = asdict(replace(judgement, field=Field(algorithms=(), datasets=(), runs={})))
    del document["field"]
    if trust is not None:
        document["trust"] = trust_document(trust)
    return dict(plain(document))


def trust_document(trust: Trust) -> dict[str, Any]:
    """The outcome of the expert track as plain JSON."""
    return dict(plain({"rule": COMBINING_RULE, **asdict(trust)}))
