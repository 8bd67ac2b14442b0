"""Linear regression on all features."""

from __future__ import annotations

from typing import Any

from matbench_lite.judge.linear_formula import LinearFormula


def get_estimator() -> Any:
    """A new, untrained estimator."""
    from sklearn.linear_model import LinearRegression

    return LinearFormula(LinearRegression())
