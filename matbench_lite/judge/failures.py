"""The gate before judging, and who failed where: algorithms and runs that did not count, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from matbench_lite.errors import JudgingError
from matbench_lite.judge.judge_rules import Rules, medians, passed_runs
from matbench_lite.judge.runs import DatasetRuns, Field, without


@dataclass(frozen=True, kw_only=True)
class Disqualified:
    """An algorithm that did not pass the gate, and on how many of the datasets it beat the baseline."""

    algorithm: str
    beaten: int
    datasets: int


def qualified(field: Field, rules: Rules) -> tuple[Field, tuple[Disqualified, ...]]:
    """The field of those that passed, without the baseline, and those that did not.

    An algorithm passes if its median R2 over the runs is above that of the baseline on more than half of the datasets;
    a missing dataset is not beaten. With `qualify = "none"` everybody passes.
    """
    if rules.qualify == "none":
        return field, ()
    if rules.qualify not in field.algorithms:
        raise JudgingError(
            f"the rules ask to beat {rules.qualify}, but there are no runs of it",
            fix="run it with `mbl judge run --rules FILE`, which adds it by itself",
        )
    middle = np.stack([medians(runs).r2 for runs in field.datasets])
    baseline = middle[:, [field.algorithms.index(rules.qualify)]]
    beaten = np.sum(middle > baseline, axis=0)
    total = len(field.datasets)
    gone = tuple(
        Disqualified(algorithm=name, beaten=int(count), datasets=total)
        for name, count in zip(field.algorithms, beaten, strict=True)
        if name != rules.qualify and 2 * count <= total
    )
    if len(gone) == len(field.algorithms) - 1:
        raise JudgingError(
            f"no algorithm beats {rules.qualify} on most datasets", fix='set qualify = "none" to judge them'
        )
    return without(field, [rules.qualify, *(item.algorithm for item in gone)]), gone


_MOST_RUNS = 12  # numbers of runs that are listed one by one


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


def failures(field: Field, rules: Rules) -> Iterator[Failure]:
    """Every run of the qualified algorithms that did not count, and why; in `final` also every median."""
    for runs in field.datasets:
        for row, number in enumerate(runs.numbers):
            for algorithm in field.algorithms:
                run = field.runs.get((algorithm, runs.dataset, number))
                reason = "the run is missing" if run is None else run.flaw
                if reason:
                    yield Failure(algorithm=algorithm, dataset=runs.dataset, run=number, reason=reason)
            if rules.name == "draft":
                yield from _inaccurate(field, runs.take(np.array([row])), rules, number)
        if rules.name == "final":
            middle = medians(runs)
            yield from _inaccurate(field, middle, rules, None)
            for column, algorithm in enumerate(field.algorithms):
                if not np.isfinite(middle.r2[column]):
                    reason = "half of its runs or more are missing: there is no median"
                    yield Failure(algorithm=algorithm, dataset=runs.dataset, run=None, reason=reason)


def _inaccurate(field: Field, runs: DatasetRuns, rules: Rules, number: int | None) -> Iterator[Failure]:
    """Complete runs, or medians, that are not accurate enough."""
    r2 = np.atleast_2d(runs.r2)[0]
    passed = np.atleast_2d(passed_runs(runs, rules))[0]
    complete = np.isfinite(r2)
    if not complete.any():
        return
    best = float(r2[complete].max())
    for column, algorithm in enumerate(field.algorithms):
        if complete[column] and not passed[column]:
            reason = f"R2 {r2[column]:.3f} is not more than half of the best, {best:.3f}"
            if best <= 0:
                reason = f"no R2 is above 0; the best is {best:.3f}"
            if rules.min_accuracy == "train-and-test":
                reason += ", and on training rows it is no better"
            yield Failure(algorithm=algorithm, dataset=runs.dataset, run=number, reason=reason, inaccurate=True)


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
