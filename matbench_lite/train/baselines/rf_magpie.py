"""A random forest on Magpie features of the composition."""

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline

from matbench_lite.train.features import magpie_features

input = "composition"


def get_estimator(task):
    """A new estimator for a task."""
    if task.kind == "regression":
        forest = RandomForestRegressor(n_estimators=50, max_features=1 / 3, min_samples_leaf=2)
    else:
        forest = RandomForestClassifier(n_estimators=50, max_features=1 / 3)
    return make_pipeline(magpie_features(), forest)
