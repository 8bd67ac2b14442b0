"""Linear regression on all features."""

from __future__ import annotations

from sklearn.linear_model import LinearRegression

from matbench_lite.judge.linear_formula import LinearFormula


def get_estimator() -> LinearFormula:
    """A new, untrained estimator."""
    return LinearFormula(LinearRegression())
