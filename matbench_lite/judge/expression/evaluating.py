"""The values of a formula on rows of features, with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.judge.expression.tree import NAME, POWER, PRODUCT, SUM, Node

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

_NUMPY = {
    "abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "cbrt": np.cbrt, "cos": np.cos,
    "cosh": np.cosh, "exp": np.exp, "log": np.log, "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan,
    "tanh": np.tanh,
}  # fmt: skip


def evaluate(tree: Node, columns: Mapping[str, ArrayLike] | pd.DataFrame) -> NDArray[np.float64]:
    """The values of a formula; NaN or infinity where it has none.

    Args:
        tree: The formula.
        columns: Values of each feature, all of one length.

    Examples:
        >>> from matbench_lite.judge.expression import parse
        >>> evaluate(parse("x/y + 1"), {"x": [1.0, 2.0], "y": [2.0, 2.0]}).tolist()
        [1.5, 2.0]
    """
    arrays = {feature: np.asarray(columns[feature], dtype=np.float64) for feature in tree.features}
    with np.errstate(all="ignore"):
        values = np.asarray(_values(tree, arrays), dtype=np.float64)
    if values.ndim:
        return values
    # A formula without features is as long as the table.
    return np.full(len(np.asarray(columns[next(iter(columns))])), float(values))


def _values(node: Node, arrays: Mapping[str, NDArray[np.float64]]) -> Any:
    if node.value is not None:
        return float(node.value)
    if node.kind == NAME:
        return arrays[str(node.feature)]
    parts = [_values(part, arrays) for part in node.parts]
    if node.kind in (SUM, PRODUCT):
        result = parts[0]
        for part in parts[1:]:
            result = result + part if node.kind == SUM else result * part
        return result
    if node.kind == POWER:
        return np.power(parts[0], parts[1])
    return _NUMPY[node.kind](parts[0])
