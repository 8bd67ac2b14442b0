"""The judgement: scores, places, who failed where, why the winner won and how certain that is; also as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from matbench_lite.documents import plain
from matbench_lite.judge.dossiers import COMBINING_RULE, Trust
from matbench_lite.judge.judge_rules import (
    DRAWS,
    Disqualified,
    Rules,
    Sensitivity,
    medians,
    passed_runs,
    qualified,
    score,
    sensitivity,
)
from matbench_lite.judge.runs import CRITERIA, DatasetRuns, Field, Run, arrange
from matbench_lite.stats import ranked
from matbench_lite.text import in_words, share


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A run that did not count, and why; its number is None for the median over the runs.

    `inaccurate`: it is complete, but not accurate enough.
    """

    algorithm: str
    dataset: str
    run: int | None
    reason: str
    inaccurate: bool = False


@dataclass(frozen=True, kw_only=True)
class FailureRow:
    """Runs that did not count for the same reason."""

    algorithm: str
    dataset: str
    runs: str
    reason: str


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

    `runs` counts them by dataset; several `winners` are equal. `failures` are runs that did not count, `disqualified`
    algorithms did not pass the gate; `notes` on single runs are by text, with the runs.
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

    Algorithms without runs are judged as missing everywhere; datasets are all by default, with `n_runs` each. `draws`
    is how many times datasets and runs are drawn again, for the sensitivity.

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
    best = tuple(row.algorithm for row in judged if row.place == 1)
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
    places = ranked(dict(zip(field.algorithms, overall.tolist(), strict=True)), higher_is_better=True)
    mean_points = scores.points.mean(axis=0)
    rows = [
        Judged(
            algorithm=name,
            place=places[name],
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


def failures(field: Field, rules: Rules) -> Iterator[Failure]:
    """Every run of the qualified algorithms that did not count, and why; in `final` also every median."""
    for runs in field.datasets:
        passed = passed_runs(runs, rules)
        for row, number in enumerate(runs.numbers):
            for algorithm in field.algorithms:
                run = field.runs.get((algorithm, runs.dataset, number))
                reason = "the run is missing" if run is None else run.flaw
                if reason:
                    yield Failure(algorithm=algorithm, dataset=runs.dataset, run=number, reason=reason)
            if rules.name == "draft":
                yield from _inaccurate(field, runs.dataset, runs.r2[row], passed[row], rules, number)
        if rules.name == "final":
            middle = medians(runs)
            yield from _inaccurate(field, runs.dataset, middle.r2, passed_runs(middle, rules), rules, None)
            for column, algorithm in enumerate(field.algorithms):
                if not np.isfinite(middle.r2[column]):
                    reason = "half of its runs or more are missing: there is no median"
                    yield Failure(algorithm=algorithm, dataset=runs.dataset, run=None, reason=reason)


def _inaccurate(
    field: Field, dataset: str, r2: np.ndarray, passed: np.ndarray, rules: Rules, number: int | None
) -> Iterator[Failure]:
    """Complete runs, or medians, that are not accurate enough."""
    complete = np.isfinite(r2)
    best = float(r2.max(initial=-np.inf, where=complete))
    for column, algorithm in enumerate(field.algorithms):
        if complete[column] and not passed[column]:
            reason = f"R2 {r2[column]:.3f} is not more than half of the best, {best:.3f}"
            if best <= 0:
                reason = f"no R2 is above 0; the best is {best:.3f}"
            if rules.min_accuracy == "train-and-test":
                reason += ", and on training rows it is no better"
            yield Failure(algorithm=algorithm, dataset=dataset, run=number, reason=reason, inaccurate=True)


_MOST_RUNS = 12  # numbers of runs that are listed one by one


def grouped_failures(failures: Sequence[Failure]) -> Iterator[FailureRow]:
    """Failures with the runs of one algorithm, dataset and kind of reason in one row."""
    groups: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures:
        # Of runs that are not accurate enough, the numbers in the reason differ.
        kind = "" if failure.inaccurate else failure.reason
        groups.setdefault((failure.algorithm, failure.dataset, kind), []).append(failure)
    for (algorithm, dataset, _), found in sorted(groups.items()):
        numbers = [str(failure.run) for failure in found if failure.run is not None]
        more = f" and {len(numbers) - _MOST_RUNS} more" if len(numbers) > _MOST_RUNS else ""
        runs = ", ".join(numbers[:_MOST_RUNS]) + more if numbers else "median"
        differ = len({failure.reason for failure in found}) > 1
        reason = f"{found[0].reason} (run {found[0].run})" if differ else found[0].reason
        yield FailureRow(algorithm=algorithm, dataset=dataset, runs=runs, reason=reason)


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
    return (
        f"{first.algorithm} has {first.score:.3f} of {len(judged)} possible points, "
        f"{second.algorithm} {second.score:.3f}.",
        _criteria(second.algorithm, _leads({name: first.points[name] - second.points[name] for name in CRITERIA})),
        _datasets(_leads({name: on.score - second.datasets[name].score for name, on in first.datasets.items()})),
        _certainty(first, max(judged[1:], key=lambda row: row.wins)),
    )


def _leads(leads: Mapping[str, float]) -> list[tuple[str, float]]:
    """The largest first."""
    return sorted(leads.items(), key=lambda item: (-item[1], item[0]))


def _criteria(second: str, leads: Sequence[tuple[str, float]]) -> str:
    ahead = in_words([f"{name} (+{lead:.2f} points)" for name, lead in leads if lead > _DECIDING])
    behind = in_words([f"{name} (−{-lead:.2f})" for name, lead in leads if lead < -_DECIDING])
    if not ahead:
        even = "its points are more even, which the harmonic mean rewards"
        return f"It is not ahead of {second} on any criterion on average; {even}."
    rest = f" and is behind in {behind}" if behind else ", and is behind in nothing"
    return f"Against {second} it leads in {ahead}{rest}."


def _datasets(leads: Sequence[tuple[str, float]]) -> str:
    better, worse = sum(lead > _DECIDING for _, lead in leads), sum(lead < -_DECIDING for _, lead in leads)
    (most, gain), (least, loss) = leads[0], leads[-1]
    gained = f"; most is gained on {most} (+{gain:.2f})" if better and len(leads) > 1 else ""
    lost = f", most is lost on {least} (−{-loss:.2f})" if worse else ""
    return f"It scores higher on {better} and lower on {worse} of {len(leads)} datasets{gained}{lost}."


def _certainty(first: Judged, rival: Judged) -> str:
    often = f"It wins {share(first.wins)} of the draws of other datasets and runs"
    number = len(first.datasets)
    if first.wins < _CLEAR:
        other = f"{rival.algorithm} {share(rival.wins)}"
        return f"{often}, {other}: another choice of datasets might have another winner."
    if number < _ENOUGH:
        return f"{often}; but {number} dataset{' is' if number == 1 else 's are'} too few to be sure."
    return f"{often}: hardly any other choice of datasets would have another winner."


def judgement_document(judgement: Judgement, trust: Trust | None = None) -> dict[str, Any]:
    """All of a judgement but the runs themselves; what is not a number becomes null."""
    document = asdict(replace(judgement, field=Field(algorithms=(), datasets=(), runs={})))
    del document["field"]
    if trust is not None:
        document["trust"] = trust_document(trust)
    return dict(plain(document))


def trust_document(trust: Trust) -> dict[str, Any]:
    """The outcome of the expert track as plain JSON."""
    return dict(plain({"rule": COMBINING_RULE, **asdict(trust)}))
