"""Algebra on formulas with sympy. It may take for ever: only the process of `worker.py` calls it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from matbench_lite.judge.expression.rounding import DECIMALS

_TOLERANCE = 1e-3  # what rounding twice may leave of a coefficient
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, kw_only=True)
class Symbolic:
    """A formula as sympy has it.

    Args:
        expression: The sympy expression.
        rounded: Whether its constants are rounded.
        vanished: How many constants were rounded to 0.
    """

    expression: Any
    rounded: bool
    vanished: int


def symbolic(nested: Any, positive: Collection[str] = (), *, decimals: int | None = DECIMALS) -> Symbolic:
    """A formula as a sympy expression, its constants rounded; not rounded where that would leave nothing finite."""
    from sympy import nan, oo, zoo

    expression = build(nested, positive, decimals=decimals)
    if decimals is None or expression.has(nan, oo, -oo, zoo):
        return Symbolic(expression=build(nested, positive, decimals=None), rounded=False, vanished=0)
    return Symbolic(expression=expression, rounded=True, vanished=_vanished(nested, decimals))


def build(nested: Any, positive: Collection[str] = (), *, decimals: int | None) -> Any:
    """The sympy expression of a formula in its plain form.

    Args:
        nested: The formula, see `Node.nested`.
        positive: Features that are always above 0; the others are any real number.
        decimals: Constants are rounded to so many decimals; None: they stay.
    """
    import sympy

    if isinstance(nested, str):
        return sympy.Symbol(nested, positive=True) if nested in positive else sympy.Symbol(nested, real=True)
    if not isinstance(nested, list):
        return _number(nested, decimals)
    kind, *inner = nested
    parts = [build(part, positive, decimals=decimals) for part in inner]
    if kind == "+":
        return sympy.Add(*parts)
    if kind == "*":
        return sympy.Mul(*parts)
    if kind == "^":
        base, exponent = parts
        return sympy.Pow(base, _fraction(exponent) if exponent.is_Float else exponent)
    return sympy.Abs(parts[0]) if kind == "abs" else getattr(sympy, kind)(parts[0])


def simplified(expression: Any) -> Any:
    """The shorter one of an expression and what sympy makes of it."""
    import sympy

    shorter = sympy.simplify(expression)
    if shorter.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
        return expression
    return min((shorter, expression), key=components)


def components(expression: Any) -> int:
    """Number of nodes of a sympy expression."""
    from sympy import preorder_traversal

    return sum(1 for _ in preorder_traversal(expression))


def plain(expression: Any) -> Any:
    """A sympy expression as nested lists of texts and numbers, arguments in sympy's order."""
    if expression.is_Symbol:
        return expression.name
    if expression.is_number and not expression.args:
        value = float(expression)
        return int(value) if value.is_integer() else value
    kinds = {"Add": "+", "Mul": "*", "Pow": "^", "Abs": "abs"}
    kind = type(expression).__name__
    return [kinds.get(kind, kind), *(plain(part) for part in expression.args)]


def text(expression: Any) -> str:
    """A sympy expression as people write it."""
    return str(expression)[:_LONGEST_TEXT]


def equivalent(nested: Any, truth: Any, positive: Collection[str] = ()) -> bool:
    """Whether two formulas differ by a constant, or by a constant factor.

    Constants are rounded first. They become fractions, with which sympy cancels terms exactly; what rounding leaves of
    a coefficient does not count.
    """
    import sympy

    model, known = (
        sympy.nsimplify(build(tree, positive, decimals=DECIMALS), rational=True) for tree in (nested, truth)
    )
    if not model.free_symbols:
        return False
    difference = sympy.expand(sympy.simplify(model - known))
    left = [term for term in sympy.Add.make_args(difference) if abs(term.as_coeff_Mul()[0]) > _TOLERANCE]
    if not any(term.free_symbols for term in left):
        return True
    return not sympy.simplify(model / known).free_symbols


def _number(value: int | float, decimals: int | None) -> Any:
    import sympy

    rounded = value if decimals is None else round(value, decimals)
    if float(rounded).is_integer() and abs(rounded) < 1e15:
        return sympy.Integer(int(rounded))
    return sympy.Float(rounded)


def _fraction(exponent: Any) -> Any:
    """An exponent as the simple fraction that it is up to rounding: x**0.5*sqrt(x) is x, x**0.333 the cube root."""
    from sympy import Rational

    for divisor in (2, 3, 4):
        times = float(exponent) * divisor
        if abs(times - round(times)) <= divisor * _TOLERANCE / 2:
            return Rational(round(times), divisor)
    return exponent


def _vanished(nested: Any, decimals: int) -> int:
    if isinstance(nested, list):
        return sum(_vanished(part, decimals) for part in nested[1:])
    return int(not isinstance(nested, str) and nested != 0 and round(nested, decimals) == 0)
