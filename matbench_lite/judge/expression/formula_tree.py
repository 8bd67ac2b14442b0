"""The tree of a formula, which can hold nothing that would blow up later: its values, its rounding, its likeness."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matbench_lite.errors import ExpressionError

if TYPE_CHECKING:
    import pandas as pd


MAX_NODES = 5_000
MAX_EXPONENT = 100.0
MAX_DEGREE = 1_000.0
MAX_NUMBER = 1e100

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "cbrt": np.cbrt, "cos": np.cos,
    "cosh": np.cosh, "exp": np.exp, "log": np.log, "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan,
    "tanh": np.tanh,
}  # fmt: skip
"""Functions of one argument that a formula may use; angles in radians, `log` is the natural logarithm."""

SUM, PRODUCT, POWER, NUMBER, NAME = "+", "*", "^", "number", "name"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A number, a feature, or an operation on other nodes. Made by `number`, `name` and `apply`.

    `kind` is `number`, `name`, `+`, `*`, `^`, or the name of a function; `value` is known where no feature is in it.
    """

    kind: str
    parts: tuple[Node, ...] = ()
    value: int | float | None = None
    feature: str | None = None

    @cached_property
    def size(self) -> int:
        """Number of nodes."""
        return 1 + sum(part.size for part in self.parts)

    @cached_property
    def degree(self) -> float:
        """A bound on the power to which features are raised, all powers multiplied out."""
        if self.kind == NAME:
            return 1.0
        if self.kind == PRODUCT:
            return sum(part.degree for part in self.parts)
        if self.kind == POWER:
            base, exponent = self.parts
            return base.degree * max(1.0, abs(float(exponent.value or 0.0)))
        return max((part.degree for part in self.parts), default=0.0)

    @cached_property
    def features(self) -> frozenset[str]:
        """Names of all features in it."""
        return frozenset([self.feature] if self.feature else ()).union(*(part.features for part in self.parts))

    @property
    def nested(self) -> Any:
        """The tree as plain JSON: a number, a text for a feature, a list for an operation."""
        if self.kind == NUMBER:
            return self.value
        return self.feature if self.kind == NAME else [self.kind, *(part.nested for part in self.parts)]


def number(value: int | float) -> Node:
    """A number, unless it is too large."""
    if not abs(value) <= MAX_NUMBER:
        raise ExpressionError(f"a number is larger than {MAX_NUMBER:g}", fix="scale the features, or use another unit")
    return Node(kind=NUMBER, value=value)


def name(feature: str) -> Node:
    """A feature."""
    return Node(kind=NAME, feature=feature)


def apply(kind: str, *parts: Node) -> Node:
    """An operation, unless it has no real value, or the tree or its powers would be too large.

    Examples:
        >>> apply("+", name("x"), number(1)).nested
        ['+', 'x', 1]
        >>> apply("*", number(10), number(9)).value
        90.0
    """
    if kind in (SUM, PRODUCT):
        # Sums of sums are one sum: a long formula is wide, not deep.
        parts = tuple(inner for part in parts for inner in (part.parts if part.kind == kind else (part,)))
    if kind == POWER and parts[1].value is not None and abs(parts[1].value) > MAX_EXPONENT:
        raise ExpressionError(f"an exponent is larger than {MAX_EXPONENT:g}", fix="use smaller powers")
    node = Node(kind=kind, parts=parts, value=_constant(kind, parts))
    if node.size > MAX_NODES:
        raise ExpressionError(f"the formula has more than {MAX_NODES} parts", fix="declare complexity_ instead")
    if node.degree > MAX_DEGREE:
        raise ExpressionError(
            f"features are raised to a power of more than {MAX_DEGREE:g} in all", fix="use smaller powers"
        )
    return node


def _constant(kind: str, parts: tuple[Node, ...]) -> float | None:
    """The value of an operation on numbers alone; None if there is a feature in it."""
    numbers = [float(part.value) for part in parts if part.value is not None]
    if len(numbers) < len(parts):
        return None
    with np.errstate(all="ignore"):
        result = float(_operate(kind, numbers))
    if not abs(result) <= MAX_NUMBER:
        raise ExpressionError(
            f"{_words(kind, numbers)} has no real value up to {MAX_NUMBER:g}",
            fix="leave the term out, or use another unit",
        )
    return result


def _operate(kind: str, parts: Sequence[Any]) -> Any:
    """An operation on numbers or, row by row, on arrays."""
    if kind in (SUM, PRODUCT):
        return reduce(operator.add if kind == SUM else operator.mul, parts)
    return np.power(*parts) if kind == POWER else FUNCTIONS[kind](*parts)


def _words(kind: str, numbers: list[float]) -> str:
    shown = [f"{value:g}" for value in numbers[:5]]
    if kind == POWER:
        return f"{shown[0]} to the power of {shown[1]}"
    what = {SUM: "the sum of ", PRODUCT: "the product of "}.get(kind)
    return f"{what}{', '.join(shown)}" if what else f"{kind}({shown[0]})"


def evaluate(tree: Node, columns: Mapping[str, ArrayLike] | pd.DataFrame) -> NDArray[np.float64]:
    """The values of a formula on columns of one length; NaN or infinity where it has none.

    Examples:
        >>> from matbench_lite.judge.expression import parse
        >>> evaluate(parse("x/y + 1"), {"x": [1.0, 2.0], "y": [2.0, 2.0]}).tolist()
        [1.5, 2.0]
    """
    arrays = {feature: np.asarray(columns[feature], dtype=np.float64) for feature in tree.features}
    with np.errstate(all="ignore"):
        values = _values(tree, arrays)
    # A formula without features is as long as the table.
    return np.asarray(values) if arrays else np.full(len(np.asarray(columns[next(iter(columns))])), float(values))


def _values(node: Node, arrays: Mapping[str, NDArray[np.float64]]) -> Any:
    if node.value is not None:
        return float(node.value)
    if node.kind == NAME:
        return arrays[str(node.feature)]
    return _operate(node.kind, [_values(part, arrays) for part in node.parts])


DECIMALS = 3
"""Constants are rounded to so many decimals before a formula is simplified and counted."""


def harmless_decimals(tree: Node, rows: pd.DataFrame, *, tolerance: float) -> int | None:
    """The fewest decimals, three or more, to which constants can be rounded without changing the formula's values.

    Three decimals of a constant that multiplies large numbers can be all of it: 0.0004*x is not 0 where x is a million.
    Values may move by `tolerance`, root mean square, in their unit. None if even twelve decimals are too few.

    Examples:
        >>> import pandas as pd
        >>> from matbench_lite.judge.expression import parse
        >>> large = pd.DataFrame({"x": [1e6, 2e6], "y": [1.0, 2.0]})
        >>> [harmless_decimals(parse(text), large, tolerance=0.01) for text in ("2.00001*y", "0.000031*x")]
        [3, 6]
    """
    exact = evaluate(tree, rows)
    for decimals in (DECIMALS, 6, 9, 12):
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
    return apply(node.kind, *(_rounded(part, decimals) for part in node.parts)) if node.parts else node


Nested = Any
"""A number, a text for a feature, or a list: an operation and its parts."""


def tree_size(tree: Nested) -> int:
    """Number of nodes."""
    return 1 + sum(map(tree_size, tree[1:])) if isinstance(tree, list) else 1


def tree_distance(one: Nested, other: Nested) -> int:
    """The edit distance of two ordered trees (Zhang and Shasha, 1989); all numbers are the same label."""
    (labels, leaves), (others, ends) = _postorder(one), _postorder(other)
    subtrees = [[0] * len(others) for _ in labels]
    for i, j in product(_keyroots(leaves), _keyroots(ends)):
        left, right = leaves[i], ends[j]
        # Distances of the forests that the first nodes make: to none of the other's, all are taken away.
        forest = [[row + column for column in range(j - right + 2)] for row in range(i - left + 2)]
        for a in range(left, i + 1):
            above, row, below = leaves[a] - left, forest[a - left], forest[a - left + 1]
            for b in range(right, j + 1):
                column, beside = b - right, ends[b] - right
                whole = above == beside == 0  # both forests are trees
                kept = row[column] + (labels[a] != others[b]) if whole else forest[above][beside] + subtrees[a][b]
                below[column + 1] = min(row[column + 1] + 1, below[column] + 1, kept)
                if whole:
                    subtrees[a][b] = below[column + 1]
    return subtrees[-1][-1]


def _postorder(tree: Nested) -> tuple[list[str], list[int]]:
    """The labels of all nodes, a node after its parts, and for each the place of its leftmost leaf."""
    labels: list[str] = []
    leaves: list[int] = []

    def add(node: Nested) -> int:
        first, *_ = [add(part) for part in node[1:]] if isinstance(node, list) else [len(labels)]
        labels.append(node[0] if isinstance(node, list) else f"feature {node}" if isinstance(node, str) else "number")
        leaves.append(first)
        return first

    add(tree)
    return labels, leaves


def _keyroots(leaves: list[int]) -> list[int]:
    """Of all nodes with the same leftmost leaf, the highest."""
    return sorted({leaf: place for place, leaf in enumerate(leaves)}.values())
