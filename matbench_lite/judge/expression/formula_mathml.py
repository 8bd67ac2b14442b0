"""Formulas for people: MathML, which browsers draw by themselves."""

from __future__ import annotations

from markupsafe import Markup

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.expression.formula_grammar import parse
from matbench_lite.judge.expression.formula_tree import NAME, NUMBER, POWER, PRODUCT, SUM, Node

MAX_SHOWN = 80
"""Formulas of more nodes are shown as text: nobody reads them as a formula."""


def mathml(text: str) -> Markup | None:
    """A formula as MathML; None if it is too long for that, or not of the grammar.

    Every term of a sum is an element of its own: lines break between terms only.

    Examples:
        >>> print(mathml("2*x/y"))
        <math displaystyle="true"><mfrac><mrow><mn>2</mn><mo>·</mo><mi>x</mi></mrow><mi>y</mi></mfrac></math>
    """
    try:
        tree = parse(text)
    except ExpressionError:
        return None
    if tree.size > MAX_SHOWN:
        return None
    terms = tree.parts if tree.kind == SUM else (tree,)
    drawn = [_term(term, first=not place) for place, term in enumerate(terms)]
    return Markup(" ").join(Markup('<math displaystyle="true">{}</math>').format(term) for term in drawn)


def _shown(node: Node) -> Markup:
    if node.kind == NUMBER:
        return _tag("mn", _digits(float(node.value or 0)))
    if node.kind == NAME:
        return _tag("mi", str(node.feature))
    if node.kind == SUM:
        return _tag("mrow", *(_term(part, first=not place) for place, part in enumerate(node.parts)))
    if node.kind == PRODUCT:
        return _fraction(node.parts)
    if node.kind == POWER:
        return _power(node)
    if node.kind == "sqrt":
        return _tag("msqrt", _shown(node.parts[0]))
    if node.kind == "abs":
        return _tag("mrow", _tag("mo", "|"), _shown(node.parts[0]), _tag("mo", "|"))
    return _tag("mrow", _tag("mi", "ln" if node.kind == "log" else node.kind), _bracketed(node.parts[0]))


def _term(node: Node, *, first: bool) -> Markup:
    """A term of a sum with its sign; the first one has none if it is positive."""
    negative, rest = _without_sign(node)
    if first:
        return _tag("mrow", _tag("mo", "−"), _shown(rest)) if negative else _shown(rest)
    # Said to be between two terms: the one before may be an element of its own.
    sign = Markup('<mo form="infix">{}</mo>').format("−" if negative else "+")
    return _tag("mrow", sign, _shown(rest))


def _without_sign(node: Node) -> tuple[bool, Node]:
    """Whether a term is negative, and the term without its sign."""
    if node.kind == NUMBER and (node.value or 0) < 0:
        return True, Node(kind=NUMBER, value=-(node.value or 0))
    if node.kind == PRODUCT and node.parts[0].kind == NUMBER and (node.parts[0].value or 0) < 0:
        first = Node(kind=NUMBER, value=-(node.parts[0].value or 0))
        rest = node.parts[1:] if first.value == 1 else (first, *node.parts[1:])
        return True, rest[0] if len(rest) == 1 else Node(kind=PRODUCT, parts=rest)
    return False, node


def _fraction(factors: tuple[Node, ...]) -> Markup:
    above: list[Node] = []
    below: list[Node] = []
    for factor in factors:
        inverse = _inverse(factor)
        (above if inverse is None else below).append(inverse or factor)
    top = _product(above) if above else _tag("mn", "1")
    return _tag("mfrac", top, _product(below)) if below else top


def _inverse(node: Node) -> Node | None:
    """What a factor divides by; None for one that multiplies."""
    if node.kind != POWER or node.parts[1].kind != NUMBER or (node.parts[1].value or 0) >= 0:
        return None
    base, exponent = node.parts[0], Node(kind=NUMBER, value=-(node.parts[1].value or 0))
    return base if exponent.value == 1 else Node(kind=POWER, parts=(base, exponent))


def _product(factors: list[Node]) -> Markup:
    if len(factors) == 1:
        return _shown(factors[0])
    parts: list[Markup] = []
    for factor in factors:
        if parts:
            parts.append(_tag("mo", "·"))
        parts.append(_bracketed(factor) if factor.kind == SUM else _shown(factor))
    return _tag("mrow", *parts)


def _power(node: Node) -> Markup:
    base, exponent = node.parts
    if _inverse(node) is not None:
        return _fraction((node,))
    if exponent.kind == NUMBER and exponent.value == 0.5:
        return _tag("msqrt", _shown(base))
    plain = base.kind in (NAME, NUMBER)
    return _tag("msup", _shown(base) if plain else _bracketed(base), _shown(exponent))


def _bracketed(node: Node) -> Markup:
    return _tag("mrow", _tag("mo", "("), _shown(node), _tag("mo", ")"))


def _digits(value: float) -> str:
    text = f"{value:.4g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        raised = str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
        text = f"{mantissa}×10{raised}"
    return text.replace("-", "−")


def _tag(name: str, *content: Markup | str) -> Markup:
    return Markup(f"<{name}>{{}}</{name}>").format(Markup("").join(content))
