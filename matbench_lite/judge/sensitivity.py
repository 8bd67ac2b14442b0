"""How certain is the winner? Datasets and runs drawn again, and the same results under the other rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matbench_lite.judge.judge_rules import RULE_SETS, TIES, Rules, dataset_points, harmonic_mean, score
from matbench_lite.judge.runs import DatasetRuns, Field

DRAWS = 1000
_PAIRS = 4_000_000  # comparisons of two algorithms held in memory at a time
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

    Args:
        field: The qualified algorithms.
        rules: The rules that the competition is judged by.
        draws: How many draws.
        seed: The same seed gives the same shares.

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
        others.append(OtherRules(rules=other, scores=scores, winners=winners(scores)))
    shares = dict(zip(field.algorithms, wins.tolist(), strict=True))
    return Sensitivity(draws=draws, wins=shares, others=tuple(others))


def _drawn_scores(runs: DatasetRuns, rules: Rules, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores of one dataset, shape (draws, algorithms), its runs drawn again each time."""
    number, algorithms = runs.r2.shape
    rows = rng.integers(number, size=(draws, number))
    chunk = max(1, _PAIRS // (number * algorithms**2))
    parts = [dataset_points(runs.take(rows[first : first + chunk]), rules) for first in range(0, draws, chunk)]
    return harmonic_mean(np.concatenate(parts))


def _other_rules(rules: Rules) -> list[Rules]:
    """Every rule set with every way to count equals, but for the one that is judged by."""
    every = [replace(base, ties=ties, qualify=rules.qualify) for base in RULE_SETS.values() for ties in TIES]
    # The competition's own minimal accuracy goes with its own rule set.
    every = [replace(other, min_accuracy=rules.min_accuracy) if other.name == rules.name else other for other in every]
    return [other for other in every if other != rules]


def winners(scores: Mapping[str, float]) -> tuple[str, ...]:
    """The algorithms with the best score; several if they are equal.

    Examples:
        >>> winners({"a": 2.0, "b": 2.0, "c": 1.0})
        ('a', 'b')
    """
    best = max(scores.values())
    return tuple(name for name, value in scores.items() if value >= best - _EQUAL)
