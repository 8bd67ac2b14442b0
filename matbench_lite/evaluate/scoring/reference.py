"""What a constant and a perfect prediction score: the scale on which a score is good, bad or too good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matbench_lite.evaluate.data.dataset import Record
from matbench_lite.evaluate.data.plan import Plan
from matbench_lite.evaluate.data.tuples import thawed, tuple_to_string, unnest
from matbench_lite.evaluate.scoring.scorers import Scorer

NEAR = 0.01
"""A score is near perfect if this share, or less, is left of the way from perfect to a constant."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Mean scores over all test rows.

    Args:
        constant: Of one answer for all rows: the most frequent one, or the mean where that is better.
        perfect: Of the true answers.
    """

    constant: float
    perfect: float

    def near_perfect(self, score: float) -> bool:
        """Whether a score is so good that hardly anything is left to learn.

        Examples:
            >>> Reference(constant=0.8, perfect=0.0).near_perfect(0.004)
            True
        """
        scale = abs(self.constant - self.perfect)
        return scale > 0 and abs(score - self.perfect) <= NEAR * scale


def reference(plan: Plan, scorer: Scorer) -> Reference | None:
    """The scores of a constant and of a perfect prediction; None where the comparator refuses them."""
    records = plan.rows
    truths = [record.targets[scorer.target.column] for record in records]
    try:
        constants = [_mean(scorer, records, [answer] * len(records)) for answer in _constants(truths)]
        best = min if scorer.lower_is_better else max
        return Reference(constant=best(constants), perfect=_mean(scorer, records, truths))
    except Exception:
        return None  # a comparator of the user's own may want answers that no constant is


def _constants(truths: Sequence[Any]) -> list[Any]:
    by_text = {tuple_to_string(truth): truth for truth in truths}
    counts = Counter(map(tuple_to_string, truths))
    answers = [by_text[min(counts, key=lambda text: (-counts[text], text))]]
    inner = [unnest(truth) for truth in truths]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in inner):
        answers.append(sum(inner) / len(inner))
    return answers


def _mean(scorer: Scorer, records: Sequence[Record], answers: Sequence[Any]) -> float:
    scores = [
        float(
            scorer.comparator.compare(
                thawed(answer), record.targets[scorer.target.column], record.item.response_type, record.choices
            )
        )
        for record, answer in zip(records, answers, strict=True)
    ]
    return sum(scores) / len(scores)
