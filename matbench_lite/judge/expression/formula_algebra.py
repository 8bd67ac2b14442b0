"""Algebra on formulas with sympy: it may take for ever, and all memory, so that only the airlock imports this."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sympy

from matbench_lite.judge.expression.formula_tree import DECIMALS

_TOLERANCE = 1e-3  # what rounding twice may leave of a coefficient
_LONGEST_TEXT = 20_000
_OPERATIONS = {"+": sympy.Add, "*": sympy.Mul, "^": sympy.Pow, "abs": sympy.Abs}
_KINDS = {operation.__name__: kind for kind, operation in _OPERATIONS.items()}


def described(nested: Any, positive: Collection[str], decimals: int | None, simplify: bool) -> dict[str, Any]:
    """What `Simplified` says of a formula in its plain form (`Node.nested`), simplified or as it is."""
    expression, notes = build(nested, positive, decimals=decimals), []
    if decimals is not None and not _is_finite(expression):
        expression, decimals = build(nested, positive, decimals=None), None
        notes.append("constants not rounded: rounding would leave no formula")
    if simplify:
        shorter = sympy.simplify(expression)
        expression = min((shorter, expression), key=components) if _is_finite(shorter) else expression
    return {
        "components": components(expression),
        "text": str(expression)[:_LONGEST_TEXT],
        "tree": plain(expression),
        "features": sorted(symbol.name for symbol in expression.free_symbols),
        "vanished": 0 if decimals is None else _vanished(nested, decimals),
        "notes": notes,
    }


def equivalent(nested: Any, truth: Any, positive: Collection[str] = ()) -> bool:
    """Whether two formulas differ by a constant, or by a constant factor.

    Constants are rounded first. They become fractions, with which sympy cancels terms exactly; what rounding leaves of
    a coefficient does not count.
    """
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


def build(nested: Any, positive: Collection[str] = (), *, decimals: int | None) -> Any:
    """The sympy expression of a formula in its plain form, rounded to so many decimals; None: not.

    `positive` features are always above 0; the others are any real number.
    """
    if isinstance(nested, str):
        return sympy.Symbol(nested, positive=True) if nested in positive else sympy.Symbol(nested, real=True)
    if not isinstance(nested, list):
        value = nested if decimals is None else round(nested, decimals)
        is_whole = float(value).is_integer() and abs(value) < 1e15
        return sympy.Integer(int(value)) if is_whole else sympy.Float(value)
    kind, *inner = nested
    parts = [build(part, positive, decimals=decimals) for part in inner]
    if kind == "^" and parts[1].is_Float:
        parts[1] = _fraction(parts[1])
    return (_OPERATIONS.get(kind) or getattr(sympy, kind))(*parts)


def components(expression: Any) -> int:
    """Number of nodes of a sympy expression."""
    return sum(1 for _ in sympy.preorder_traversal(expression))


def plain(expression: Any) -> Any:
    """A sympy expression as nested lists of texts and numbers, arguments in sympy's order."""
    if expression.is_Symbol:
        return expression.name
    if expression.is_number and not expression.args:
        value = float(expression)
        return int(value) if value.is_integer() else value
    kind = type(expression).__name__
    return [_KINDS.get(kind, kind), *map(plain, expression.args)]


def _is_finite(expression: Any) -> bool:
    return not expression.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo)


def _fraction(exponent: Any) -> Any:
    """An exponent as the simple fraction that it is up to rounding: x**0.5*sqrt(x) is x, x**0.333 the cube root."""
    for divisor in (2, 3, 4):
        times = float(exponent) * divisor
        if abs(times - round(times)) <= divisor * _TOLERANCE / 2:
            return sympy.Rational(round(times), divisor)
    return exponent


def _vanished(nested: Any, decimals: int) -> int:
    """How many constants are rounded to 0."""
    if isinstance(nested, list):
        return sum(_vanished(part, decimals) for part in nested[1:])
    return int(not isinstance(nested, str) and nested != 0 and round(nested, decimals) == 0)
