"""Formulas that strangers submit: read by a small grammar, never executed; evaluated, simplified and compared."""

from matbench_lite.judge.expression.evaluating import evaluate
from matbench_lite.judge.expression.parsing import parse
from matbench_lite.judge.expression.rounding import DECIMALS, harmless_decimals
from matbench_lite.judge.expression.showing import mathml
from matbench_lite.judge.expression.simplifying import Simplified, Simplifier
from matbench_lite.judge.expression.tree import FUNCTIONS, Node

__all__ = [
    "DECIMALS",
    "FUNCTIONS",
    "Node",
    "Simplified",
    "Simplifier",
    "evaluate",
    "harmless_decimals",
    "mathml",
    "parse",
]
