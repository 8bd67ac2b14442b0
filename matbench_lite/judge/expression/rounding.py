"""How far the constants of a formula can be rounded before it is another formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.expression.evaluating import evaluate
from matbench_lite.judge.expression.tree import NAME, NUMBER, Node, apply, number

if TYPE_CHECKING:
    import pandas as pd

DECIMALS = 3
"""Constants are rounded to so many decimals before a formula is simplified and counted."""
_MORE = (DECIMALS, 6, 9, 12)


def harmless_decimals(tree: Node, rows: pd.DataFrame, *, tolerance: float) -> int | None:
    """The fewest decimals, three or more, to which constants can be rounded without changing the formula's values.

    Three decimals of a constant that multiplies large numbers can be all of it: 0.0004*x is not 0 where x is a million.

    Args:
        tree: The formula.
        rows: Values of the features.
        tolerance: How far values may move, root mean square, in the unit of the values.

    Returns:
        The number of decimals; None if even twelve are too few.

    Examples:
        >>> import pandas as pd
        >>> from matbench_lite.judge.expression import parse
        >>> large = pd.DataFrame({"x": [1e6, 2e6], "y": [1.0, 2.0]})
        >>> [harmless_decimals(parse(text), large, tolerance=0.01) for text in ("2.00001*y", "0.000031*x")]
        [3, 6]
    """
    exact = evaluate(tree, rows)
    for decimals in _MORE:
        try:
            values = evaluate(_rounded(tree, decimals), rows)
        except ExpressionError:
            continue  # a division by a constant that has become 0
        with np.errstate(all="ignore"):
            moved = float(np.sqrt(np.mean((values - exact) ** 2)))
        if moved <= tolerance:
            return decimals
    return None


def _rounded(node: Node, decimals: int) -> Node:
    if node.kind == NUMBER and node.value is not None:
        return number(round(node.value, decimals))
    if node.kind == NAME:
        return node
    return apply(node.kind, *(_rounded(part, decimals) for part in node.parts))
