"""The gate before judging: an algorithm that does not beat a baseline on most datasets is not judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matbench_lite.errors import JudgingError
from matbench_lite.judge.rules import Rules
from matbench_lite.judge.runs import Field, without
from matbench_lite.judge.scoring import medians


@dataclass(frozen=True, kw_only=True)
class Disqualified:
    """An algorithm that did not pass the gate.

    Args:
        algorithm: Its name.
        beaten: On how many datasets it beat the baseline.
        datasets: How many datasets there are.
    """

    algorithm: str
    beaten: int
    datasets: int


def qualified(field: Field, rules: Rules) -> tuple[Field, tuple[Disqualified, ...]]:
    """The field of those that passed, without the baseline, and those that did not.

    An algorithm passes if its median R2 over the runs is above that of the baseline on more than half of the datasets;
    a missing dataset is not beaten.

    Args:
        field: All algorithms, the baseline among them.
        rules: The rules; with `qualify = "none"` everybody passes.

    Raises:
        JudgingError: If the baseline is not there, or nobody passes.

    Examples:
        >>> from dataclasses import replace
        >>> from matbench_lite.judge import Run, arrange, rule_set
        >>> values = {"linear": 0.5, "good": 0.9, "poor": 0.4}
        >>> rest = {"dataset": "d", "run": 0, "components": 1, "property_value": 1}
        >>> runs = [Run(algorithm=name, r2=value, **rest) for name, value in values.items()]
        >>> left, gone = qualified(arrange(runs), replace(rule_set("draft"), qualify="linear"))
        >>> left.algorithms, gone[0].algorithm
        (('good',), 'poor')
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
