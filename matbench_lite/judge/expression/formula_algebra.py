"""Algebra on formulas with sympy, in a process that can be killed: run it with `python -m`.

Algebra may take for ever: only this process does it. Requests come as lines of JSON on standard input, answers leave as
lines of JSON on standard output. Nothing but numbers, names of features and of a few functions is in them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any

from matbench_lite.judge.expression.formula_tree import DECIMALS

_TOLERANCE = 1e-3  # what rounding twice may leave of a coefficient
_LONGEST_TEXT = 20_000


def symbolic(nested: Any, positive: Collection[str], decimals: int | None) -> tuple[Any, dict[str, Any]]:
    """A formula as sympy has it, its constants rounded, but not where that would leave nothing finite; and what is so.

    That is `rounded`, whether its constants are, and `vanished`, how many were rounded to 0.
    """
    from sympy import nan, oo, zoo

    expression = build(nested, positive, decimals=decimals)
    if decimals is None or expression.has(nan, oo, -oo, zoo):
        return build(nested, positive, decimals=None), {"rounded": False, "vanished": 0}
    return expression, {"rounded": True, "vanished": _vanished(nested, decimals)}


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


MEMORY = 2 * 1024**3
"""Bytes that the process may have."""


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit("RLIMIT_AS", MEMORY)
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests,), daemon=True).start()
    while True:
        request = requests.get()
        try:
            with _limited(request["seconds"]):
                _answer(request)
        except _OutOfTimeError:
            _send({"failed": "time"})
        except Exception as error:  # whatever sympy makes of a strange formula: RecursionError, TypeError, …
            _send({"failed": type(error).__name__})


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

    # What does not listen, a long sum in C for example, is ended by the system a little later.
    _limit("RLIMIT_CPU", int(time.process_time() + 2 * seconds) + 2)
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _answer(request: dict[str, Any]) -> None:
    tree, positive = request["tree"], request["positive"]
    if "truth" in request:
        _send({"equivalent": equivalent(tree, request["truth"], positive)})
        return
    given, facts = symbolic(tree, positive, request["decimals"])
    # First what is certain: it counts where simplifying takes too long.
    _send({**facts, **_described(given)})
    _send({**facts, **_described(simplified(given))})


def _described(expression: Any) -> dict[str, Any]:
    return {
        "components": components(expression),
        "tree": plain(expression),
        "text": str(expression)[:_LONGEST_TEXT],
        "features": sorted(symbol.name for symbol in expression.free_symbols),
    }


def _send(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _receive(requests: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    # Nobody is there to take an answer.
    os._exit(0)


def _limit(what: str, value: int) -> None:
    """Ask the system to end the process beyond a limit, where it can do that."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, what)
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


if __name__ == "__main__":
    main()
