"""Formulas: read as Python reads them, evaluated, simplified, rounded without harm, and shown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.expression import FUNCTIONS, Simplifier, evaluate, harmless_decimals, parse
from matbench_lite.judge.expression.formula_tree import Node, apply, name, number
from matbench_lite.judge.judge_pages import mathml

COLUMNS = {"x": np.array([0.5, 1.5, 2.5]), "y": np.array([2.0, 0.25, 1.0])}
NAMES = {
    name: getattr(np, {"acos": "arccos", "asin": "arcsin", "atan": "arctan"}.get(name, name)) for name in FUNCTIONS
}

leaves = st.one_of(
    st.sampled_from(["x", "y", "pi"]), st.integers(0, 9).map(str), st.floats(0.01, 99).map(lambda value: f"{value:.4g}")
)
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", "-", "*", " / "]), inner).map("".join),
        st.tuples(inner, st.sampled_from(["2", "0.5", "-1", "(1/3)"])).map(lambda pair: f"({pair[0]})**{pair[1]}"),
        inner.map("-({})".format),
        inner.map("({})".format),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), inner).map(lambda pair: f"{pair[0]}({pair[1]})"),
    ),
    max_leaves=8,
)


@given(formulas)
def test_a_formula_means_what_it_means_in_python(text) -> None:
    try:
        tree = parse(text, COLUMNS)
    except ExpressionError as error:
        refused = error.message
    else:
        refused = ""
    if refused:
        # Constants without a real value, such as log(0) or 1/(2-2).
        assert "no real value" in refused or "exponent" in refused
        return
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(eval(text, {**NAMES, "pi": math.pi}, dict(COLUMNS)), 3)
    np.testing.assert_allclose(evaluate(tree, COLUMNS), expected, rtol=1e-9, atol=1e-12)


def from_nested(nested: Any) -> Node:
    if isinstance(nested, list):
        return apply(nested[0], *map(from_nested, nested[1:]))
    return name(nested) if isinstance(nested, str) else number(nested)


@given(formulas)
def test_a_tree_survives_its_plain_form(text) -> None:
    try:
        tree = parse(text, COLUMNS)
    except ExpressionError:
        return
    assert from_nested(tree.nested) == tree


@pytest.mark.parametrize(
    ("text", "nested"),
    [
        ("-x**2", ["*", -1, ["^", "x", 2]]),
        ("2**-1", ["^", 2, -1]),
        ("x^y", ["^", "x", "y"]),
        ("x - y - 1", ["+", "x", ["*", -1, "y"], -1]),
        ("ln(x) + Abs(y)", ["+", ["log", "x"], ["abs", "y"]]),
        ("1.5e-3*x", ["*", 0.0015, "x"]),
    ],
)
def test_precedence_and_spellings(text, nested) -> None:
    assert parse(text, ["x", "y"]).nested == nested


def test_a_feature_may_have_the_name_of_a_function_or_constant() -> None:
    assert parse("exp + E*pi", ["exp", "E", "pi"]).features == {"exp", "E", "pi"}
    assert parse("E").value == pytest.approx(math.e)


@pytest.mark.parametrize(
    ("text", "simple", "components"),
    [
        ("x/x + y", "y + 1", 3),
        ("sin(x)**2 + cos(x)**2", "1", 1),
        ("x**0.5*sqrt(x)", "x", 1),
        ("1.0000001*x", "x", 1),
        ("x**0.333*x**0.667", "x", 1),
        ("log(exp(x))", "x", 1),
        ("x + 0.0001*y", "x", 1),
    ],
)
def test_simplification(text, simple, components, simplifier: Simplifier) -> None:
    found = simplifier.simplify(parse(text))
    assert (found.text, found.components) == (simple, components)


def test_positive_features_simplify_further(simplifier: Simplifier) -> None:
    tree = parse("sqrt(x**2)")
    assert simplifier.simplify(tree).text == "Abs(x)"
    assert simplifier.simplify(tree, ["x"]).text == "x"


def test_what_takes_too_long_is_counted_as_it_is_and_that_is_said() -> None:
    hard = parse(" + ".join(f"(x + {n})**{n}*(y - {n})**{n}*sin(x*y + {n})" for n in range(2, 30)))
    hasty = Simplifier(seconds=0.5)
    found = hasty.simplify(hard)
    assert found.components > 100
    assert found.notes == ("not simplified within 0.5 s; counted unsimplified",)
    # The next one is fine again.
    assert hasty.simplify(parse("x + x")).text == "2*x"


def test_a_process_that_dies_is_replaced(simplifier: Simplifier, airlock_process) -> None:
    simplifier.simplify(parse("x + 17"))
    process = airlock_process()
    process.kill()
    process.wait()
    assert simplifier.simplify(parse("x + x + 19")).text == "2*x + 19"


def test_a_formula_nested_as_deeply_as_the_grammar_allows_is_counted() -> None:
    text = "x"
    for _ in range(24):
        text = f"-y/sin(x + 2*{text})"
    assert Simplifier(seconds=0.5).simplify(parse(text)).components > 100


@pytest.mark.parametrize(
    ("text", "truth", "same"),
    [
        ("2.35*(0.4*x*y - 1.5*x)", "0.4*x*y - 1.5*x", True),  # a factor
        ("x**2 + 7", "x*x", True),  # a constant
        ("0.33333*x*y", "x*y/3", True),  # rounding
        ("x*y + 0.01*x", "x*y", False),
        ("(x + y)**2", "x**2 + 2*x*y + y**2", True),
        ("x*y/(x + y)", "1/(1/x + 1/y)", True),
        ("3.5", "x", False),
    ],
)
def test_equivalence_is_up_to_a_constant_or_a_factor(text, truth, same, simplifier: Simplifier) -> None:
    assert simplifier.equivalent(parse(text), parse(truth)) is same


def test_rounding_must_not_take_a_term_away() -> None:
    rows = pd.DataFrame({"x": [1e6, 3e6], "y": [1.0, 2.0]})
    assert harmless_decimals(parse("y + 0.0001*y"), rows, tolerance=0.01) == 3
    assert harmless_decimals(parse("y + 0.00041*x"), rows, tolerance=0.01) == 6
    assert harmless_decimals(parse("y/0.0004"), rows, tolerance=0.01) == 6
    assert harmless_decimals(parse("1e-14*x**3"), rows, tolerance=0.01) is None


def test_formulas_are_drawn_for_people_and_long_ones_are_not() -> None:
    assert mathml("x**2 - 3*sqrt(y)/(x + 1)") is not None
    assert "<script>" not in str(mathml("x") or "")
    assert mathml("+".join(["x"] * 100)) is None
    assert mathml("sign(x) + <b>") is None
    assert "×10" in str(mathml("1.5e-7*x"))
