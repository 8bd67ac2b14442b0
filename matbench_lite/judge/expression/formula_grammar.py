"""Reading formulas with a grammar of a few lines: nothing that is submitted is ever executed.

```
sum      = product { ("+" | "-") product }
product  = signed { ("*" | "/") signed }
signed   = ("+" | "-") signed | power
power    = atom [ ("**" | "^") signed ]
atom     = number | feature | "pi" | function "(" sum ")" | "(" sum ")"
```
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Collection

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.expression.formula_tree import FUNCTIONS, POWER, PRODUCT, SUM, Node, apply, name, number

MAX_LENGTH = 20_000
MAX_DEPTH = 50
_ALIASES = {"Abs": "abs", "ln": "log", "arccos": "acos", "arcsin": "asin", "arctan": "atan"}
_CONSTANTS = {"pi": math.pi, "E": math.e}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|[-+*/^()])|(?P<end>\Z)|(?P<other>.))",
    re.ASCII | re.DOTALL,
)
_LONGEST_NUMBER = 60
_SHOWN = 40  # characters of a stranger's text in a message


def parse(text: str, features: Collection[str] | None = None) -> Node:
    """Read a formula.

    Names may be those of `features`, or, if that is None, any that is not a function's.

    Raises:
        ExpressionError: If it is not a formula of the grammar, has other names, or is too large.

    Examples:
        >>> parse("2*x1 - x2**2").nested
        ['+', ['*', 2, 'x1'], ['*', -1, ['^', 'x2', 2]]]
        >>> parse("__import__('os')")
        Traceback (most recent call last):
        matbench_lite.errors.ExpressionError: not a formula at character 1: "__import__('os')"; ...
    """
    if not isinstance(text, str):
        raise ExpressionError(f"a formula is a text, not {type(text).__name__}", fix="give it as a string")
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"the formula has {len(text):,} characters, at most {MAX_LENGTH:,} are read",
            fix="shorten it, or declare complexity_ instead",
        )
    return _Parser(text, None if features is None else frozenset(features)).parsed()


class _Parser:
    """A method for each line of the grammar."""

    def __init__(self, text: str, features: frozenset[str] | None) -> None:
        self._text, self._features, self._depth = text, features, 0
        self._tokens = deque(_TOKEN.finditer(text.rstrip()))
        for token in self._tokens:
            if token.lastgroup == "other":
                raise self._error(token.start())

    def parsed(self) -> Node:
        tree = self._sum()
        if self._tokens[0].lastgroup != "end":
            raise self._error()
        return tree

    def _take(self, *signs: str) -> str | None:
        """The next token, if it is one of these signs."""
        return self._tokens.popleft()["sign"] if self._tokens[0]["sign"] in signs else None

    def _sum(self) -> Node:
        terms = [self._product()]
        while sign := self._take("+", "-"):
            term = self._product()
            terms.append(term if sign == "+" else _negative(term))
        return terms[0] if len(terms) == 1 else apply(SUM, *terms)

    def _product(self) -> Node:
        factors = [self._signed()]
        while sign := self._take("*", "/"):
            factor = self._signed()
            factors.append(factor if sign == "*" else apply(POWER, factor, number(-1)))
        return factors[0] if len(factors) == 1 else apply(PRODUCT, *factors)

    def _signed(self) -> Node:
        # Every way down passes here: the one place to count how deep it goes.
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"the formula is nested more than {MAX_DEPTH} deep", fix="write it flatter")
        sign = self._take("+", "-")
        tree = self._signed() if sign else self._power()
        self._depth -= 1
        return _negative(tree) if sign == "-" else tree

    def _power(self) -> Node:
        base = self._atom()
        return apply(POWER, base, self._signed()) if self._take("**", "^") else base

    def _atom(self) -> Node:
        token = self._tokens[0]
        if token.lastgroup not in ("number", "name"):
            return self._in_brackets()
        self._tokens.popleft()
        return self._named(token["name"]) if token["name"] else _number(token["number"])

    def _named(self, text: str) -> Node:
        known, function = self._features, _ALIASES.get(text, text)
        if known is not None and text in known:
            return name(text)
        if function in FUNCTIONS:
            return apply(function, self._in_brackets())
        if text in _CONSTANTS:
            return number(_CONSTANTS[text])
        if known is None:
            return name(text)
        raise ExpressionError(
            f"{text[:_SHOWN]!r} is neither a feature nor a function", fix=f"use {_some(known)} or {_some(FUNCTIONS)}"
        )

    def _in_brackets(self) -> Node:
        if not self._take("("):
            raise self._error()
        tree = self._sum()
        if not self._take(")"):
            raise self._error()
        return tree

    def _error(self, at: int | None = None) -> ExpressionError:
        """What to say of the text from somewhere on, by default from the next token."""
        start = self._tokens[0].start(str(self._tokens[0].lastgroup)) if at is None else at
        shown = self._text[start : start + _SHOWN]
        return ExpressionError(
            f"not a formula at character {start + 1}: {repr(shown) if shown.strip() else 'something is missing'}",
            fix=f"use numbers, features, + - * / ** ( ) and the functions {_some(FUNCTIONS)}",
        )


def _number(text: str) -> Node:
    if len(text) > _LONGEST_NUMBER:
        raise ExpressionError(f"a number has {len(text)} digits", fix=f"write it with at most {_LONGEST_NUMBER}")
    return number(int(text) if text.isdigit() else float(text))


def _negative(tree: Node) -> Node:
    if tree.kind == "number" and tree.value is not None:
        return number(-tree.value)
    return apply(PRODUCT, number(-1), tree)


def _some(names: Collection[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:30]) + (", …" if len(listed) > 30 else "")
