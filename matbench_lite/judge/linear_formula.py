"""A linear model that says its formula, for the baselines that algorithms must beat to qualify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd


class LinearFormula:
    """Scales the features, trains a linear model, and gives `expression_` in the units of the features.

    The model is a scikit-learn regressor; one without `coef_` predicts a constant.

    Examples:
        >>> import pandas as pd
        >>> from sklearn.linear_model import LinearRegression
        >>> X = pd.DataFrame({"x": [0.0, 1.0, 2.0], "z": [0.0, 0.0, 0.0]})
        >>> LinearFormula(LinearRegression()).fit(X, X["x"] / 2 + 1).expression_
        '(0.5)*x + (1.0)'
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: pd.DataFrame, y: pd.Series) -> LinearFormula:
        """Learn the coefficients; features whose coefficient is 0 are not in the formula."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        self._pipeline = make_pipeline(StandardScaler(), self._model).fit(X.to_numpy(np.float64), y)
        nothing = np.zeros((1, X.shape[1]))
        weights = np.ravel(getattr(self._model, "coef_", nothing)) / self._pipeline[0].scale_
        constant = float(self._pipeline.predict(nothing)[0])
        terms = [f"({weight!r})*{name}" for weight, name in zip(weights.tolist(), X.columns, strict=True) if weight]
        self.expression_ = " + ".join([*terms, f"({constant!r})"])
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Predict from features in their units."""
        return np.asarray(self._pipeline.predict(X.to_numpy(np.float64)), dtype=np.float64)
