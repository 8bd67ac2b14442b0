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
from collections.abc import Collection
from typing import NamedTuple

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.expression.formula_tree import FUNCTIONS, POWER, PRODUCT, SUM, Node, apply, name, number

MAX_LENGTH = 20_000
MAX_DEPTH = 50
_ALIASES = {
    "Abs": "abs", "ln": "log", "arccos": "acos", "arcsin": "asin", "arctan": "atan",
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "E": math.e}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/^()]))",
    re.ASCII,
)
_LONGEST_NUMBER = 60
_SHOWN = 40  # characters of a stranger's text in a message


def parse(text: str, features: Collection[str] | None = None) -> Node:
    """Read a formula.

    Args:
        text: The formula, e.g. "2.5*x1 + sqrt(x2)/3".
        features: Names that may occur; None for any name that is not a function.

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


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _Parser:
    def __init__(self, text: str, features: frozenset[str] | None) -> None:
        self._text = text
        self._features = features
        self._tokens = _tokens(text)
        self._next = 0
        self._depth = 0

    def parsed(self) -> Node:
        node = self._sum()
        if self._token.kind != "end":
            raise self._error()
        return node

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _take(self, *signs: str) -> str | None:
        token = self._token
        if token.kind == "sign" and token.text in signs:
            self._next += 1
            return token.text
        return None

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
        try:
            if sign := self._take("+", "-"):
                node = self._signed()
                return node if sign == "+" else _negative(node)
            return self._power()
        finally:
            self._depth -= 1

    def _power(self) -> Node:
        base = self._atom()
        return apply(POWER, base, self._signed()) if self._take("**", "^") else base

    def _atom(self) -> Node:
        token = self._token
        if token.kind in ("number", "name"):
            self._next += 1
            return _number(token.text) if token.kind == "number" else self._named(token)
        return self._in_brackets()

    def _named(self, token: _Token) -> Node:
        known = self._features
        if known is not None and token.text in known:
            return name(token.text)
        function = _ALIASES.get(token.text, token.text)
        if function in FUNCTIONS:
            return apply(function, self._in_brackets())
        if token.text in _CONSTANTS:
            return number(_CONSTANTS[token.text])
        if known is None:
            return name(token.text)
        raise ExpressionError(
            f"{token.text[:_SHOWN]!r} is neither a feature nor a function",
            fix=f"use {_some(known)} or {_some(FUNCTIONS)}",
        )

    def _in_brackets(self) -> Node:
        if not self._take("("):
            raise self._error()
        node = self._sum()
        if not self._take(")"):
            raise self._error()
        return node

    def _error(self) -> ExpressionError:
        return _not_a_formula(self._text, self._token.at)


def _tokens(text: str) -> list[_Token]:
    tokens = []
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise _not_a_formula(text, at)
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        at = match.end()
    return [*tokens, _Token("end", "", end)]


def _not_a_formula(text: str, at: int) -> ExpressionError:
    shown = text[at : at + _SHOWN]
    what = f"{shown!r}" if shown.strip() else "something is missing"
    return ExpressionError(
        f"not a formula at character {at + 1}: {what}",
        fix=f"use numbers, features, + - * / ** ( ) and the functions {_some(FUNCTIONS)}",
    )


def _number(text: str) -> Node:
    if len(text) > _LONGEST_NUMBER:
        raise ExpressionError(f"a number has {len(text)} digits", fix=f"write it with at most {_LONGEST_NUMBER}")
    return number(int(text) if text.isdigit() else float(text))


def _negative(node: Node) -> Node:
    if node.kind == "number" and node.value is not None:
        return number(-node.value)
    return apply(PRODUCT, number(-1), node)


def _some(names: Collection[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:30]) + (", …" if len(listed) > 30 else "")
