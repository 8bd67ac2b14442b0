"""The tree of a formula. Every node is checked when it is made, so that no tree can hold what would blow up later."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from matbench_lite.errors import ExpressionError

MAX_NODES = 5_000
MAX_EXPONENT = 100.0
MAX_DEGREE = 1_000.0
MAX_NUMBER = 1e100

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "acos": math.acos,
    "asin": math.asin,
    "atan": math.atan,
    "cbrt": math.cbrt,
    "cos": math.cos,
    "cosh": math.cosh,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "sinh": math.sinh,
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
}
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
    """A number.

    Raises:
        ExpressionError: If it is too large.
    """
    if not abs(value) <= MAX_NUMBER:
        raise ExpressionError(f"a number is larger than {MAX_NUMBER:g}", fix="scale the features, or use another unit")
    return Node(kind=NUMBER, value=value)


def name(feature: str) -> Node:
    """A feature."""
    return Node(kind=NAME, feature=feature)


def apply(kind: str, *parts: Node) -> Node:
    """An operation.

    Raises:
        ExpressionError: If it has no real value, or the tree or its powers would be too large.

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


def from_nested(nested: Any) -> Node:
    """The tree of its plain JSON form.

    Examples:
        >>> from_nested(["*", 2, ["sin", "x"]]).features
        frozenset({'x'})
    """
    if isinstance(nested, list):
        return apply(nested[0], *map(from_nested, nested[1:]))
    return name(nested) if isinstance(nested, str) else number(nested)


def _constant(kind: str, parts: tuple[Node, ...]) -> float | None:
    """The value of an operation on numbers alone; None if there is a feature in it."""
    values = [part.value for part in parts]
    if any(value is None for value in values):
        return None
    numbers = [float(value) for value in values if value is not None]
    try:
        result = _value(kind, numbers)
    except (ArithmeticError, ValueError):
        result = math.nan
    if isinstance(result, complex) or not abs(result) <= MAX_NUMBER:
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
        result: float = numbers[0] ** numbers[1]
        return result
    return FUNCTIONS[kind](numbers[0])
