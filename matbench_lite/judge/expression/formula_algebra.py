"""Algebra on formulas with sympy, inside the airlock: it may take for ever, and all memory."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from matbench_lite.judge.expression.formula_tree import DECIMALS

_TOLERANCE = 1e-3  # what rounding twice may leave of a coefficient
_LONGEST_TEXT = 20_000


def described(nested: Any, positive: Collection[str], decimals: int | None, simplify: bool) -> dict[str, Any]:
    """A formula as sympy has it, simplified or as it is.

    `rounded` is whether its constants are: not where that would leave nothing finite. `vanished` is how many of them
    were rounded to 0.
    """
    expression = build(nested, positive, decimals=decimals)
    rounded = decimals is not None and _is_finite(expression)
    if not rounded:
        expression = build(nested, positive, decimals=None)
    if simplify:
        expression = simplified(expression)
    return {
        "rounded": rounded,
        "vanished": _vanished(nested, decimals) if rounded and decimals is not None else 0,
        "components": components(expression),
        "tree": plain(expression),
        "text": str(expression)[:_LONGEST_TEXT],
        "features": sorted(symbol.name for symbol in expression.free_symbols),
    }


def build(nested: Any, positive: Collection[str] = (), *, decimals: int | None) -> Any:
    """The sympy expression of a formula in its plain form (`Node.nested`), rounded to so many decimals; None: not.

    `positive` features are always above 0; the others are any real number.
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
    return min((shorter, expression), key=components) if _is_finite(shorter) else expression


def _is_finite(expression: Any) -> bool:
    from sympy import nan, oo, zoo

    return not expression.has(nan, oo, -oo, zoo)


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


_QUESTIONS: dict[str, Callable[..., Any]] = {"described": described, "equivalent": equivalent}


class _OutOfTimeError(BaseException):
    """Not an `Exception`: sympy catches those in many places and goes on."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Stop the block after so much time of the processor: what others do on the machine must not change a count."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise _OutOfTimeError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def answer(request: str, _: Sequence[memoryview]) -> tuple[str, dict[str, Any]]:
    """A decoder: what `described` or `equivalent` say; null where it takes too long, or is more than sympy can do.

    Question and answer are JSON texts: formulas are nested more deeply than messages of the airlock may be.
    """
    import sympy  # noqa: F401 - the first formula must not pay for it

    asked = json.loads(request)
    found = None
    # Whatever sympy makes of a strange formula: RecursionError, TypeError, …
    with suppress(_OutOfTimeError, Exception), _limited(asked["seconds"]):
        found = _QUESTIONS[asked["question"]](*asked["about"])
    return json.dumps(found), {}
