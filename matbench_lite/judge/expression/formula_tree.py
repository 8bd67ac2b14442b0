"""The tree of a formula: checked when it is made, its values on rows, its rounding, and how far two trees differ.

No tree can hold what would blow up later. Values are computed with NumPy alone.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
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

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs, "acos": math.acos, "asin": math.asin, "atan": math.atan, "cbrt": math.cbrt, "cos": math.cos,
    "cosh": math.cosh, "exp": math.exp, "log": math.log, "sin": math.sin, "sinh": math.sinh, "sqrt": math.sqrt,
    "tan": math.tan, "tanh": math.tanh,
}  # fmt: skip
"""Functions of one argument that a formula may use; angles in radians, `log` is the natural logarithm."""

SUM, PRODUCT, POWER, NUMBER, NAME = "+", "*", "^", "number", "name"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A number, a feature, or an operation on other nodes. Made by `number`, `name` and `apply`.

    Args:
        kind: `number`, `name`, `+`, `*`, `^`, or the name of a function.
        parts: What the operation is on; two or more for `+` and `*`.
        value: The number; or the value of the node where no feature is in it.
        feature: The name of the feature.
    """

    kind: str
    parts: tuple[Node, ...] = ()
    value: int | float | None = None
    feature: str | None = None

    def __iter__(self) -> Iterator[Node]:
        """Every node of the tree, this one first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.parts))

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

    @property
    def features(self) -> frozenset[str]:
        """Names of all features in it."""
        return frozenset(node.feature for node in self if node.feature is not None)

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
        >>> apply("^", number(10), number(99)).value
        1e+99
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
    try:
        result = _value(kind, numbers)
    except (ArithmeticError, ValueError, TypeError):  # the last for what is complex
        result = math.nan
    if not abs(result) <= MAX_NUMBER:
        raise ExpressionError(
            f"{_words(kind, numbers)} has no real value up to {MAX_NUMBER:g}",
            fix="leave the term out, or use another unit",
        )
    return float(result)


def _words(kind: str, numbers: list[float]) -> str:
    shown = [f"{value:g}" for value in numbers[:5]]
    if kind == POWER:
        return f"{shown[0]} to the power of {shown[1]}"
    what = {SUM: "the sum of ", PRODUCT: "the product of "}.get(kind)
    return f"{what}{', '.join(shown)}" if what else f"{kind}({shown[0]})"


def _value(kind: str, numbers: list[float]) -> float:
    if kind == SUM:
        return math.fsum(numbers)
    if kind == PRODUCT:
        return math.prod(numbers)
    if kind == POWER:
        return float(numbers[0] ** numbers[1])
    return FUNCTIONS[kind](numbers[0])


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
        return reduce(operator.add if node.kind == SUM else operator.mul, parts)
    if node.kind == POWER:
        return np.power(parts[0], parts[1])
    return _NUMPY[node.kind](parts[0])


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


Nested = Any
"""A number, a text for a feature, or a list: an operation and its parts."""


def tree_size(tree: Nested) -> int:
    """Number of nodes."""
    return 1 + sum(map(tree_size, tree[1:])) if isinstance(tree, list) else 1


def tree_distance(one: Nested, other: Nested) -> int:
    """The edit distance of two ordered trees; all numbers are the same label."""
    first, second = _Flat(one), _Flat(other)
    distances = [[0] * len(second.labels) for _ in first.labels]
    for i in first.keyroots:
        for j in second.keyroots:
            _fill(first, second, i, j, distances)
    return distances[-1][-1]


class _Flat:
    """A tree in postorder: label of each node, its leftmost leaf, and the roots of left-to-right paths."""

    def __init__(self, tree: Nested) -> None:
        self.labels: list[str] = []
        self.leftmost: list[int] = []
        self._add(tree)
        # Of all nodes with the same leftmost leaf, the highest.
        self.keyroots = sorted({leaf: place for place, leaf in enumerate(self.leftmost)}.values())

    def _add(self, tree: Nested) -> int:
        parts = tree[1:] if isinstance(tree, list) else ()
        leaves = [self._add(part) for part in parts]
        self.labels.append(_label(tree))
        self.leftmost.append(leaves[0] if leaves else len(self.labels) - 1)
        return self.leftmost[-1]


def _label(tree: Nested) -> str:
    if isinstance(tree, list):
        return str(tree[0])
    return f"feature {tree}" if isinstance(tree, str) else "number"


def _fill(first: _Flat, second: _Flat, i: int, j: int, distances: list[list[int]]) -> None:
    """Distances of all pairs of subtrees on the paths to two keyroots."""
    left, right = first.leftmost[i], second.leftmost[j]
    rows, columns = i - left + 2, j - right + 2
    forest = [[0] * columns for _ in range(rows)]
    for row in range(1, rows):
        forest[row][0] = row
    forest[0] = list(range(columns))
    for row in range(1, rows):
        for column in range(1, columns):
            a, b = left + row - 1, right + column - 1
            change = min(forest[row - 1][column], forest[row][column - 1]) + 1
            if first.leftmost[a] == left and second.leftmost[b] == right:
                rename = int(first.labels[a] != second.labels[b])
                distances[a][b] = forest[row][column] = min(change, forest[row - 1][column - 1] + rename)
            else:
                before = forest[first.leftmost[a] - left][second.leftmost[b] - right]
                forest[row][column] = min(change, before + distances[a][b])
