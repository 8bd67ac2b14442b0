"""What boards show of a score, and how much a board tells of targets that nobody may know.

A submission may be made to be read off the board: predictions so large that the score has a target in its last digits,
or code that writes what it was shown into its score. So a score is rounded, one that is far off is not shown at all,
and everything else on the board follows from what is shown: ranks, ties, who stands with which submission.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matbench_lite.event.event_scoring import NO_MODEL, UNRANKED, UNUSABLE
from matbench_lite.event.event_settings import Combining, Event
from matbench_lite.event.received import PartScores
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.stats import Interval
from matbench_lite.submission import PredictionType
from matbench_lite.tasks import Task
from matbench_lite.text import decimals
from matbench_lite.train import STAGES, RowPredictions, score_part

MEAN_DIGITS, STD_DIGITS = 4, 2
"""Digits that are shown of a score and of its standard deviation, from the first that is not 0."""
GUESSES = 10
"""A score that is so many times as far from perfect as a constant guess is off the scale."""
MOST_BITS = 24
"""What a board tells of a submission stays below it."""
OFF_THE_SCALE = "off the scale"
_BELOW_GUESS = {False: 6, True: 4}
"""Decimals behind the first digit of a constant guess's error: no model needs more; fewer where higher is better."""
_SMALLEST_GUESS = 1e-100
"""Targets that are all the same have no scale."""
_OTHER_STATES = 2 + len({*STAGES, NO_MODEL, UNUSABLE, UNRANKED})
"""What a board says of a submission without a score: that it waits, is complete, or why it failed."""


@dataclass(frozen=True, kw_only=True)
class ShownScore:
    """A score as everybody may see it, in the unit of the metric; `std` is over inner folds, 0 of a bagged score.

    Of one that is off the scale nothing is shown: `mean` is infinitely bad and `std` NaN; JSON has null for both.
    """

    mean: float
    std: float
    off_the_scale: bool = False

    @property
    def text(self) -> str:
        """The score for people: no other digits than these numbers have."""
        if self.off_the_scale:
            return OFF_THE_SCALE
        if self.mean == 0 or not math.isfinite(self.mean):
            return f"{self.mean:g}"
        places = max(0, _places(self.mean, MEAN_DIGITS))
        of_std = min(places, decimals(self.std)) if self.std else 0
        return f"{self.mean:.{places}f}" + (f" ± {self.std:.{of_std}f}" if self.std else "")


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How scores of one metric are shown.

    `guess` is how far from perfect the score of a constant guess is, above 0, in the unit of the metric; it is known to
    everybody. `best` is the perfect score where higher is better, else None; `lowest` the lowest that is possible.
    `folds` is how many scores a mean is over.
    """

    guess: float
    folds: int
    best: float | None = None
    lowest: float = -math.inf

    @classmethod
    def of(cls, event: Event, combining: Combining) -> Scale:
        """The scale of an event, from the rows to train on in its kit: it tells nothing of other rows."""
        task, metric = event.public_task, METRICS[event.metric]
        score = guess_score(task, task.train_rows(0), event.metric)
        guess = 1 - score if metric.higher_is_better else score
        return cls(
            guess=guess if _SMALLEST_GUESS < guess < math.inf else 1.0,
            folds=event.inner_folds if combining == "mean" else 1,
            best=1.0 if metric.higher_is_better else None,
            lowest=-math.inf if task.kind == "regression" and metric.higher_is_better else 0.0,
        )

    @property
    def worst(self) -> float:
        """The last score that is shown."""
        return GUESSES * self.guess if self.best is None else max(self.best - GUESSES * self.guess, self.lowest)

    def shown(self, score: Summary) -> ShownScore:
        """A score as it is shown.

        Examples:
            >>> scale = Scale(guess=1.2, folds=8)
            >>> scale.shown(Summary(mean=0.0123456, std=0.00345678, min=0, max=1))
            ShownScore(mean=0.01235, std=0.0035, off_the_scale=False)
            >>> scale.shown(Summary(mean=12.1, std=0.1, min=12.0, max=12.2)).text
            'off the scale'
        """
        if score.mean > self.worst if self.best is None else score.mean < self.worst:
            return ShownScore(mean=math.inf if self.best is None else -math.inf, std=math.nan, off_the_scale=True)
        places = _places(score.mean, MEAN_DIGITS, self.decimals)
        return ShownScore(mean=self.rounded(score.mean), std=round(score.std, _places(score.std, STD_DIGITS, places)))

    def rounded(self, value: float) -> float:
        """A score, or a difference of two, with as many digits as are shown."""
        return round(value, _places(value, MEAN_DIGITS, self.decimals)) + 0.0  # there is no -0

    def ends(self, interval: Interval) -> Interval:
        """The same for both ends of an interval."""
        return Interval(low=self.rounded(interval.low), high=self.rounded(interval.high))

    @cached_property
    def decimals(self) -> int:
        """The most decimals that a score is shown with: four digits of all that models reach, in so many bits."""
        first = -math.floor(math.log10(self.guess))
        most = first + _BELOW_GUESS[self.best is not None]
        return next(number for number in range(most, first, -1) if math.log2(self._states(number)) < MOST_BITS)

    @property
    def states(self) -> int:
        """At most so many different things a board can show of one submission, with those that have no score."""
        return self._states(self.decimals)

    @property
    def bits(self) -> float:
        """At most so many bits a board tells of what nobody may know, by one submission."""
        return math.log2(self.states)

    def _states(self, decimals: int) -> int:
        """With so many decimals: every score that can be shown, with every standard deviation, and all that is not one.

        Scores are on one side of perfect, so their standard deviation is at most √(n - 1) of their mean's distance.
        """
        if self.best is None:
            means = _steps(self.worst, MEAN_DIGITS, decimals)
        else:
            means = _steps(self.best, MEAN_DIGITS, decimals) + _steps(-min(self.worst, 0), MEAN_DIGITS, decimals)
        best = self.best or 0.0
        most = 0
        for places in range(_places(max(abs(self.worst), best), MEAN_DIGITS, decimals), decimals + 1):
            # A score with so many decimals is below a power of ten, and at most so far from perfect.
            distance = min(10.0 ** (MEAN_DIGITS - places) + best, abs(best - self.worst) + 10.0**-places)
            most = max(most, _steps(math.sqrt(self.folds - 1) * distance, STD_DIGITS, places))
        return means * most + 1 + _OTHER_STATES


def guess_score(task: Task, rows: NDArray[np.intp], metric: str) -> float:
    """The score of a constant guess on some rows, their mean or the shares of their classes; NaN if there is none."""
    truth = task.target_values[rows].astype(np.float64)
    prediction = np.full(len(rows), truth.mean())
    if task.scored_as == "multiclass":
        shares = np.bincount(truth.astype(np.intp), minlength=len(task.classes)) / len(rows)
        prediction = np.tile(shares, (len(rows), 1))
    kind: PredictionType = "value" if task.kind == "regression" else "probability"
    return score_part(task, RowPredictions(rows=rows, prediction=prediction, type=kind))[metric]


def part_score(event: Event, combining: Combining, scores: PartScores) -> Summary:
    """The score of one part that an event ranks by, with all digits."""
    if combining == "mean":
        return scores.mean[event.metric]
    value = scores.bagged[event.metric]
    return Summary(mean=value, std=0.0, min=value, max=value)


def shown_score(scale: Scale, event: Event, combining: Combining, scores: PartScores) -> ShownScore:
    """The same as it is shown."""
    return scale.shown(part_score(event, combining, scores))


def told(event: Event) -> Mapping[str, float]:
    """At most how many bits of private targets the public board tells one participant: by a submission, a day, in all.

    0 where it ranks by targets that are in the kit.
    """
    bits, limits = 0.0 if event.ranks_known_targets else Scale.of(event, event.public).bits, event.participant
    return {
        "bits_per_submission": math.ceil(10 * bits) / 10,
        "bits_per_day": math.ceil(bits * min(limits.per_day, limits.submissions)),
        "bits_in_all": math.ceil(bits * limits.submissions),
    }


def _places(value: float, digits: int, most: int = 1000) -> int:
    """How many decimals show so many digits of a number, at most so many; below 0, tens and hundreds."""
    if value == 0 or not math.isfinite(value):
        return most
    return min(digits - 1 - math.floor(math.log10(abs(value))), most)


def _steps(limit: float, digits: int, decimals: int) -> int:
    """How many numbers of so many digits and at most so many decimals there are from 0 to a limit, itself rounded up.

    Examples:
        >>> _steps(2.0, 2, 1), _steps(12.0, 2, 1)
        (21, 103)
    """
    if limit <= 0:
        return 1
    places = _places(limit, digits, decimals)
    return math.ceil(limit * 10.0**places) + 1 + int((decimals - places) * 9 * 10 ** (digits - 1))
