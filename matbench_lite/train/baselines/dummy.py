"""The mean of the training targets, or the share of each class: what every model must beat."""

from sklearn.dummy import DummyClassifier, DummyRegressor

input = ("composition", "table")


def get_estimator(task):
    """A new estimator for a task."""
    return DummyRegressor() if task.kind == "regression" else DummyClassifier(strategy="prior")
