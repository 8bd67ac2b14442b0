"""A random forest on the columns of a table: numbers as they are, gaps included, other values by their rank."""

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

input = "table"


def get_estimator(task):
    """A new estimator for a task."""
    if task.kind == "regression":
        forest = RandomForestRegressor(n_estimators=50, max_features=1 / 3, min_samples_leaf=2)
    else:
        forest = RandomForestClassifier(n_estimators=50, max_features=1 / 3)
    ranks = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    others = make_column_selector(dtype_exclude="number")
    return make_pipeline(make_column_transformer((ranks, others), remainder="passthrough"), forest)
