"""Which of an algorithm's runs an expert gets to see."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from matbench_lite.judge.rules import RuleName
from matbench_lite.judge.runs import Run


def representative(runs: Iterable[Run], rules: RuleName) -> Run | None:
    """The run with the best R2 (`draft`), or the one whose R2 is nearest to the median (`final`).

    Args:
        runs: The runs of one algorithm on one dataset; those that cannot count are left out.
        rules: Name of the rule set.

    Returns:
        The run; of equals the one with the lowest number. None if no run counts.

    Examples:
        >>> values = (0.5, 0.9, 0.8)
        >>> runs = [
        ...     Run(algorithm="a", dataset="d", run=n, r2=r2, components=1, property_value=1)
        ...     for n, r2 in enumerate(values)
        ... ]
        >>> representative(runs, "draft").run, representative(runs, "final").run
        (1, 2)
    """
    usable = sorted((run for run in runs if run.flaw is None), key=lambda run: run.run)
    if not usable:
        return None
    if rules == "draft":
        return max(usable, key=lambda run: run.r2)
    middle = float(np.median([run.r2 for run in usable]))
    return min(usable, key=lambda run: abs(run.r2 - middle))
