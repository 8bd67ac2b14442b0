"""Blending: greedy selection of saved local tests whose average predicts better than any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import RunError
from matbench_lite.metrics import METRICS, ranking_metric
from matbench_lite.train.bagging import RowPredictions, bag
from matbench_lite.train.trial_record import (
    BAGGED_PARTS,
    Metrics,
    Predictions,
    read_settings,
    score_part,
    trial_journal,
)

if TYPE_CHECKING:
    from matbench_lite.tasks import Task

MAX_PICKS = 80
"""Where it stops at the latest; by then another pick changes the average by about a percent."""

_ROUNDING = 1e-12  # an average in another order differs by that much: no improvement


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One step of the selection: the run that was added, and the bagged valid score of the blend with it."""

    name: str
    valid: float


@dataclass(frozen=True, kw_only=True)
class Blend:
    """A blend of saved runs.

    Args:
        task: Name of the task.
        metric: The metric that was improved.
        picks: The selection, in order; a run may be there more than once.
        singles: Bagged scores of each run alone, by run and part ("valid", "test").
        scores: Bagged scores of the blend, by part.
    """

    task: str
    metric: str
    picks: tuple[Pick, ...]
    singles: Mapping[str, Mapping[str, Metrics]]
    scores: Mapping[str, Metrics]

    @property
    def contributions(self) -> dict[str, float]:
        """The share of each run in the blend, from 0 to 1, largest first."""
        names = [pick.name for pick in self.picks]
        shares = {name: names.count(name) / len(names) for name in self.singles}
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


def load_bagged(output: Path, task: Task, fold: int, *, official_test: bool = False) -> dict[str, RowPredictions]:
    """The bagged predictions of a saved run for valid and test.

    Raises:
        RunError: If nothing was tried there, not every inner fold was scored, or a file is damaged.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> load_bagged(Path("nowhere"), load_benchmark("mini")["mini_gap"], 0)
        Traceback (most recent call last):
        matbench_lite.errors.RunError: there is no ...: nothing was tried there; run `mbl try` first, ...
    """
    journal = trial_journal(output, task, fold, official_test=official_test)
    expected = read_settings(journal).inner_folds
    models = [kept.outcome.predictions for kept in journal.read() if kept.outcome.predictions]
    if len(models) < expected:
        raise RunError(
            f"{journal.folder} has predictions of {len(models)} of {expected} inner folds", fix="run `mbl try` again"
        )
    return {part: bag([model[part] for model in models]) for part in BAGGED_PARTS}


def blend_runs(task: Task, runs: Mapping[str, Predictions]) -> Blend:
    """Blend runs greedily, with replacement, for the best bagged valid score.

    It begins with the best run. Then the run that improves the average most is added, again and again, as long as the
    score gets strictly better. The test scores are looked at afterwards.

    Args:
        task: The task.
        runs: Bagged predictions of each run for "valid" and "test", by name; see `load_bagged`.

    Raises:
        RunError: If there is no run, or they do not predict the same rows.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> rows, truth = np.arange(50), task.target_values[:50]
        >>> def run(shift):
        ...     predicted = RowPredictions(rows=rows, prediction=truth + shift, type="value")
        ...     return {"valid": predicted, "test": predicted}
        >>> blended = blend_runs(task, {"high": run(1.0), "low": run(-1.0), "far": run(9.0)})
        >>> blended.contributions
        {'high': 0.5, 'low': 0.5, 'far': 0.0}
    """
    runs = _alike(runs)
    metric = ranking_metric(task.scored_as)
    sign = -1.0 if METRICS[metric].higher_is_better else 1.0
    picks: list[Pick] = []
    chosen: Counter[str] = Counter()
    while len(picks) < MAX_PICKS:
        scores = {name: score_part(task, _average(runs, chosen + Counter([name]), "valid"))[metric] for name in runs}
        best = min(scores, key=lambda name: sign * scores[name])
        if picks and not sign * scores[best] < sign * picks[-1].valid - _ROUNDING * abs(picks[-1].valid):
            break
        chosen[best] += 1
        picks.append(Pick(name=best, valid=scores[best]))
    return Blend(
        task=task.name,
        metric=metric,
        picks=tuple(picks),
        singles={name: {part: score_part(task, run[part]) for part in BAGGED_PARTS} for name, run in runs.items()},
        scores={part: score_part(task, _average(runs, chosen, part)) for part in BAGGED_PARTS},
    )


def _average(runs: Mapping[str, Predictions], counts: Counter[str], part: str) -> RowPredictions:
    """What `bag` gives for these runs, each as often as counted; a sum of counted terms takes less time."""
    some = runs[next(iter(counts))][part]
    total = np.zeros(some.prediction.shape)
    for name, count in counts.items():
        total += count * runs[name][part].prediction
    return replace(some, prediction=total / counts.total())


def _alike(runs: Mapping[str, Predictions]) -> dict[str, Predictions]:
    """The runs, all with one type of prediction; refused if they do not predict the same rows."""
    if not runs:
        raise RunError("there is no run to blend", fix="name at least two models that were tried")
    first, *others = runs
    for name in others:
        for part in BAGGED_PARTS:
            if not np.array_equal(runs[first][part].rows, runs[name][part].rows):
                raise RunError(
                    f"{first} and {name} predict different rows of {part}", fix="try them again on the same fold"
                )
    types = {run[part].type for run in runs.values() for part in BAGGED_PARTS}
    kind = types.pop() if len(types) == 1 else "probability"
    return {name: {part: bag([replace(run[part], type=kind)]) for part in BAGGED_PARTS} for name, run in runs.items()}
