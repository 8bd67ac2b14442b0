"""Formulas that strangers submit: read by a small grammar, never executed; evaluated, simplified and compared."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.judge.expression.formula_grammar import parse as parse
    from matbench_lite.judge.expression.formula_tree import (
        DECIMALS as DECIMALS, FUNCTIONS as FUNCTIONS, Node as Node, evaluate as evaluate,
        harmless_decimals as harmless_decimals,
    )
    from matbench_lite.judge.expression.simplifier import Simplified as Simplified, Simplifier as Simplifier
else:
    __getattr__, __dir__ = lazy(__name__)
