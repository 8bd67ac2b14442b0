"""Gradient-boosted trees on Magpie features of the composition."""

from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline

from matbench_lite.train.features import magpie_features

input = "composition"


def get_estimator(task):
    """A new estimator for a task."""
    boosting = HistGradientBoostingRegressor if task.kind == "regression" else HistGradientBoostingClassifier
    trees = boosting(
        max_iter=1000,
        max_leaf_nodes=63,
        min_samples_leaf=10,
        max_features=0.3,
        l2_regularization=1.0,
        # A tenth of the training rows says when to stop: some targets follow from the composition, others barely.
        early_stopping=True,
        n_iter_no_change=20,
    )
    return make_pipeline(magpie_features(), trees)
