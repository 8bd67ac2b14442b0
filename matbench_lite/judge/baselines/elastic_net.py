"""The elastic net, its strength chosen by cross-validation."""

from __future__ import annotations

from sklearn.linear_model import ElasticNetCV

from matbench_lite.judge.linear_formula import LinearFormula


def get_estimator() -> LinearFormula:
    """A new, untrained estimator."""
    return LinearFormula(ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9], cv=5, max_iter=20_000))
