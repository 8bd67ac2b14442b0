"""The elastic net, its strength chosen by cross-validation."""

from __future__ import annotations

from typing import Any

from matbench_lite.judge.linear_formula import LinearFormula


def get_estimator() -> Any:
    """A new, untrained estimator."""
    from sklearn.linear_model import ElasticNetCV

    return LinearFormula(ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9], cv=5, max_iter=20_000))
