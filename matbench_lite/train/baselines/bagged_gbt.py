"""Several gradient-boosted trees on Magpie features, each on resampled rows: their mean, and how far they differ."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils import check_random_state

from matbench_lite.train.features import magpie_features

input = "composition"

BOOSTING = {"learning_rate": 0.1, "max_iter": 200, "max_features": 0.3, "min_samples_leaf": 10, "early_stopping": False}


class BaggedRegressor(RegressorMixin, BaseEstimator):
    """Mean and standard deviation of several models.

    Models that saw other rows differ by how unsure they are of a row; they share their bias and the noise of the
    target. Rows that were held out say how far the differences must be scaled, and what is left when models agree.
    """

    def __init__(self, estimator, n_estimators=8, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y):
        """Train on resampled rows; calibrate on rows that no model of a first round has seen."""
        random = check_random_state(self.random_state)
        y = np.asarray(y, dtype=float)
        seen, held_out = train_test_split(np.arange(len(y)), test_size=0.2, random_state=random)
        first_round = self._train(X[seen], y[seen], random)
        mean, spread = self._mean_and_spread(first_round, X[held_out])
        self.scale_, self.floor_ = _calibrate(np.abs(y[held_out] - mean), spread)
        self.models_ = self._train(X, y, random)
        return self

    def predict(self, X, return_std=False):
        """The mean of the models, and if asked for the standard deviation of each prediction."""
        mean, spread = self._mean_and_spread(self.models_, X)
        return (mean, np.hypot(self.scale_ * spread, self.floor_)) if return_std else mean

    def _train(self, X, y, random):
        models = []
        for _ in range(self.n_estimators):
            rows = random.randint(len(y), size=len(y))
            model = clone(self.estimator).set_params(random_state=random.randint(2**31))
            models.append(model.fit(X[rows], y[rows]))
        return models

    @staticmethod
    def _mean_and_spread(models, X):
        predictions = np.array([model.predict(X) for model in models])
        return predictions.mean(axis=0), predictions.std(axis=0)


def _calibrate(errors, spread):
    """Scale and floor of the deviations that make the errors of held-out rows most likely under a normal law."""
    unit = np.sqrt(np.mean(errors**2)) or 1.0
    scales, floors = np.meshgrid(np.linspace(0, 4, 21), unit * np.geomspace(0.05, 1.5, 21))
    variance = (scales[..., None] * spread) ** 2 + floors[..., None] ** 2
    loss = np.mean(np.log(variance) + errors**2 / variance, axis=-1)
    best = np.unravel_index(np.argmin(loss), loss.shape)
    return scales[best], floors[best]


def get_estimator(task):
    """A new estimator for a task."""
    if task.kind == "regression":
        bagged = BaggedRegressor(HistGradientBoostingRegressor(**BOOSTING))
    else:
        bagged = BaggingClassifier(HistGradientBoostingClassifier(**BOOSTING), n_estimators=8)
    return make_pipeline(magpie_features(), bagged)
