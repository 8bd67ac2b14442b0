"""The mean of the training targets: what an algorithm must beat to have learnt anything."""

from __future__ import annotations

from sklearn.dummy import DummyRegressor

from matbench_lite.judge.linear_formula import LinearFormula


def get_estimator() -> LinearFormula:
    """A new, untrained estimator."""
    return LinearFormula(DummyRegressor())
