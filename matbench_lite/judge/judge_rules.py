"""The rules of judging: who is judged, from runs to points and scores, and how certain the winner is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matbench_lite.errors import JudgingError, unknown_name
from matbench_lite.judge.runs import DatasetRuns, Field, without
from matbench_lite.stats import ranked

Ties = Literal["competition", "average", "dense"]
"""The place that equals share: the best of theirs, the mean of theirs, or one that leaves no gap after it."""


def points(values: ArrayLike, passed: ArrayLike, *, ties: Ties = "competition") -> NDArray[np.float64]:
    """Give the best N points, the worst 1; those that failed share 1 point and are nobody's better.

    An algorithm in place k of N gets N - k + 1 points. N counts all algorithms, also those that failed: a point is
    worth the same in every run.

    `values` (larger is better; those of failed algorithms are not looked at), `passed` and the points have the shape
    (..., N).

    Returns:
        Shape (..., N), from 1 to N.

    Examples:
        >>> points([0.9, 0.8, 0.9, 0.1], [True, True, True, True]).tolist()
        [4.0, 2.0, 4.0, 1.0]
        >>> points([0.9, 0.8, 0.9, 0.1], [True, True, True, True], ties="average").tolist()
        [3.5, 2.0, 3.5, 1.0]
        >>> points([0.9, 0.8, 0.9, 0.1], [True, True, True, True], ties="dense").tolist()
        [4.0, 3.0, 4.0, 2.0]
        >>> points([0.9, 0.8, 0.9, 5.0], [True, True, True, False]).tolist()
        [4.0, 2.0, 4.0, 1.0]
    """
    import pandas as pd

    value, fine = np.asarray(values, dtype=np.float64), np.asarray(passed, dtype=bool)
    rows = pd.DataFrame(np.where(fine, value, np.nan).reshape(-1, value.shape[-1]))
    # NaN has no place, and nobody is placed behind it.
    place = rows.rank(axis=1, method="min" if ties == "competition" else ties, ascending=False).to_numpy()
    return np.where(fine, value.shape[-1] - place.reshape(value.shape) + 1.0, 1.0)


def harmonic_mean(parts: ArrayLike, *, axis: int = -1) -> NDArray[np.float64]:
    """The harmonic mean of points, all of them 1 or more: a good compromise beats one strong side.

    Examples:
        >>> round(float(harmonic_mean([3, 1, 2])), 6)
        1.636364
    """
    values = np.asarray(parts, dtype=np.float64)
    return np.asarray(values.shape[axis] / np.sum(1.0 / values, axis=axis))


def simplicity(components: ArrayLike) -> NDArray[np.float64]:
    """Simplicity on a logarithmic scale, rounded, so that 85 and 90 components are the same: -round(log5(n), 1).

    Examples:
        >>> simplicity([1, 5, 85, 90]).tolist()
        [0.0, -1.0, -2.8, -2.8]
    """
    count = np.asarray(components, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # `0 -`: the simplest is 0, not -0.
        return np.asarray(0.0 - np.round(np.log(count) / np.log(5.0), 1))


RuleName = Literal["draft", "final"]
MinAccuracy = Literal["test", "train-and-test", "off"]
Qualify = Literal["elastic-net", "linear", "dummy", "none"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How runs become scores.

    The names: `draft` has places within each run, averaged over the runs, `final` places of the medians over the runs.
    A change of meaning is a new version. With the minimal accuracy `test`, a run (in `final`: a median) counts only if
    its R2 is more than half of the best one; with `train-and-test` it fails only if that is so on test and on training
    rows; `off`: every run counts. `qualify` is the baseline that an algorithm must beat on most datasets to be judged
    at all.

    Examples:
        >>> rule_set("draft").text
        'draft, version 1; ties: competition; minimal accuracy: test'
    """

    name: RuleName
    version: int = 1
    ties: Ties = "competition"
    min_accuracy: MinAccuracy = "off"
    qualify: Qualify = "none"

    @property
    def text(self) -> str:
        """The rules in one line."""
        gate = "" if self.qualify == "none" else f"; must beat {self.qualify} to qualify"
        return f"{self.name}, version {self.version}; ties: {self.ties}; minimal accuracy: {self.min_accuracy}{gate}"

    @property
    def representative(self) -> str:
        """Which of its runs an expert gets to see: "the run …"."""
        return "with the best R2" if self.name == "draft" else "whose R2 is nearest to the median"


_STATED = tomllib.loads(Path(__file__).with_name("rule_sets.toml").read_text(encoding="utf-8"))
DESCRIPTIONS: dict[str, str] = {name: about.pop("description") for name, about in _STATED.items()}
"""What each rule set does, in plain words."""
RULE_SETS: dict[str, Rules] = {name: Rules(**about) for name, about in _STATED.items()}
"""The rule sets by name, as they are without further choices."""

TIES: tuple[Ties, ...] = get_args(Ties)
MIN_ACCURACY: tuple[MinAccuracy, ...] = get_args(MinAccuracy)
QUALIFY: tuple[Qualify, ...] = get_args(Qualify)


def rule_set(name: str) -> Rules:
    """A rule set by its name.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    if name not in RULE_SETS:
        raise unknown_name("rule set", name, RULE_SETS)
    return RULE_SETS[name]


_DECIMALS = 3  # of R2: closer than that is equal


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Scores from 1 to N by algorithm, and by dataset and algorithm, in the order of the field.

    `points` are mean points by dataset, algorithm and criterion, from 1 to N.
    """

    points: NDArray[np.float64]
    by_dataset: NDArray[np.float64]
    overall: NDArray[np.float64]


def score(field: Field, rules: Rules) -> Scores:
    """Score all algorithms on all datasets.

    Examples:
        >>> from matbench_lite.judge import Run, arrange, rule_set
        >>> good = Run(algorithm="a", dataset="d", run=0, r2=0.9, components=3, property_value=1.0)
        >>> poor = Run(algorithm="b", dataset="d", run=0, r2=0.8, components=5, property_value=0.0)
        >>> score(arrange([good, poor]), rule_set("draft")).overall.tolist()
        [2.0, 1.0]
    """
    mean_points = np.stack([dataset_points(runs, rules) for runs in field.datasets])
    by_dataset = harmonic_mean(mean_points)
    return Scores(points=mean_points, by_dataset=by_dataset, overall=by_dataset.mean(axis=0))


def dataset_points(runs: DatasetRuns, rules: Rules) -> NDArray[np.float64]:
    """Points on one dataset: from runs of shape (..., runs, algorithms) to an array of shape (..., algorithms, 3)."""
    if rules.name == "draft":
        return np.asarray(_placed(runs, -runs.components, rules).mean(axis=-3))
    middle = medians(runs)
    return _placed(middle, simplicity(middle.components), rules)


def medians(runs: DatasetRuns) -> DatasetRuns:
    """The medians over the runs, shape (..., algorithms); a missing run counts as the worst there could be."""
    worst = {"r2": -np.inf, "r2_train": -np.inf, "components": np.inf, "property_value": -np.inf}
    with np.errstate(invalid="ignore"):
        arrays = {
            name: np.median(np.where(np.isnan(getattr(runs, name)), bad, getattr(runs, name)), axis=-2)
            for name, bad in worst.items()
        }
    return DatasetRuns(dataset=runs.dataset, numbers=(), **arrays)


def passed_runs(runs: DatasetRuns, rules: Rules) -> NDArray[np.bool_]:
    """Which runs (or medians) count: complete, and accurate enough for the rules."""
    passed: NDArray[np.bool_] = np.isfinite(runs.r2) & np.isfinite(runs.components) & np.isfinite(runs.property_value)
    if rules.min_accuracy == "off":
        return passed
    accurate = _accurate(runs.r2, passed)
    if rules.min_accuracy == "train-and-test":
        accurate |= _accurate(runs.r2_train, passed)
    return passed & accurate


def _accurate(r2: NDArray[np.float64], complete: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether an R2 is more than half of the best one; none is where the best is not above 0."""
    usable = np.where(complete & np.isfinite(r2), r2, -np.inf)
    best = usable.max(axis=-1, keepdims=True)
    # Doubled, not divided: exact, so that exactly half fails.
    return np.asarray((best > 0) & (2 * usable > best))


def _placed(runs: DatasetRuns, simple: NDArray[np.float64], rules: Rules) -> NDArray[np.float64]:
    passed = passed_runs(runs, rules)
    values = (np.round(runs.r2, _DECIMALS), simple, runs.property_value)
    return np.stack([points(value, passed, ties=rules.ties) for value in values], axis=-1)


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


DRAWS = 1000
_DRAWN = 4_000_000  # runs of algorithms held in memory at a time
_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class OtherRules:
    """Who would have won under other rules, and the scores by algorithm."""

    rules: Rules
    scores: Mapping[str, float]
    winners: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """How much the winner depends on which datasets and runs there were, and on the rules.

    `wins` is the share of the draws that each algorithm won, equal winners sharing; `others` has the same results under
    the other rule sets, and with equals counted otherwise.
    """

    draws: int
    wins: Mapping[str, float]
    others: tuple[OtherRules, ...]


def sensitivity(field: Field, rules: Rules, *, draws: int = DRAWS, seed: int = 0) -> Sensitivity:
    """Draw datasets, and in each its runs, with replacement, and see who wins; then change the rules.

    The algorithms are the qualified ones; the same seed gives the same shares.

    Examples:
        >>> from matbench_lite.judge import Run, arrange, rule_set
        >>> values = {"good": 0.9, "poor": 0.4}
        >>> rest = {"dataset": "d", "run": 0, "components": 1, "property_value": 1}
        >>> runs = [Run(algorithm=name, r2=value, **rest) for name, value in values.items()]
        >>> dict(sensitivity(arrange(runs), rule_set("draft"), draws=10).wins)
        {'good': 1.0, 'poor': 0.0}
    """
    rng = np.random.default_rng(seed)
    drawn = np.stack([_drawn_scores(runs, rules, draws, rng) for runs in field.datasets])
    total = np.zeros((draws, len(field.algorithms)))
    for _ in field.datasets:
        # A dataset that is drawn twice has other runs each time.
        chosen, runs_of = rng.integers(len(field.datasets), size=draws), rng.permutation(draws)
        total += drawn[chosen, runs_of]
    best = total >= total.max(axis=1, keepdims=True) - _EQUAL
    wins = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)  # equals share a win
    others = []
    for other in _other_rules(rules):
        scores = dict(zip(field.algorithms, score(field, other).overall.tolist(), strict=True))
        places = ranked(scores, higher_is_better=True)
        first = tuple(name for name in scores if places[name] == 1)
        others.append(OtherRules(rules=other, scores=scores, winners=first))
    shares = dict(zip(field.algorithms, wins.tolist(), strict=True))
    return Sensitivity(draws=draws, wins=shares, others=tuple(others))


def _drawn_scores(runs: DatasetRuns, rules: Rules, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores of one dataset, shape (draws, algorithms), its runs drawn again each time."""
    rows = rng.integers(len(runs.numbers), size=(draws, len(runs.numbers)))
    chunk = max(1, _DRAWN // runs.r2.size)
    parts = [dataset_points(runs.take(rows[first : first + chunk]), rules) for first in range(0, draws, chunk)]
    return harmonic_mean(np.concatenate(parts))


def _other_rules(rules: Rules) -> list[Rules]:
    """Every rule set with every way to count equals, but for the one that is judged by."""
    every = [replace(base, ties=ties, qualify=rules.qualify) for base in RULE_SETS.values() for ties in TIES]
    # The competition's own minimal accuracy goes with its own rule set.
    every = [replace(other, min_accuracy=rules.min_accuracy) if other.name == rules.name else other for other in every]
    return [other for other in every if other != rules]
