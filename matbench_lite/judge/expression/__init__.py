"""Formulas that strangers submit: read by a small grammar, never executed; evaluated, simplified and compared."""

from matbench_lite.judge.expression.formula_grammar import parse
from matbench_lite.judge.expression.formula_mathml import mathml
from matbench_lite.judge.expression.formula_tree import DECIMALS, FUNCTIONS, Node, evaluate, harmless_decimals
from matbench_lite.judge.expression.simplifier import Simplified, Simplifier

__all__ = [
    "DECIMALS", "FUNCTIONS", "Node", "Simplified", "Simplifier", "evaluate", "harmless_decimals", "mathml", "parse",
]  # fmt: skip
