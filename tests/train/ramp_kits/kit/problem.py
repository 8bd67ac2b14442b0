"""A RAMP kit on a table beside it: what is held out, and how it is scored, is in `about.json`."""

import json
from pathlib import Path

import pandas as pd
import rampwf as rw
from rampwf.score_types.base import BaseScoreType
from sklearn import model_selection

HERE = Path(__file__).parent
ABOUT = json.loads((HERE / "about.json").read_text())
problem_title = ABOUT["title"]
precision = ABOUT["precision"]


class MeanAbsoluteError(BaseScoreType):
    is_lower_the_better = True
    minimum = 0.0
    maximum = float("inf")

    def __init__(self, name, precision):
        self.name, self.precision = name, precision

    def __call__(self, y_true, y_pred):
        return abs(y_true - y_pred).mean()


if ABOUT["classes"]:
    Predictions = rw.prediction_types.make_multiclass(label_names=ABOUT["classes"])
    workflow = rw.workflows.Classifier()
    score_types = [
        rw.score_types.BalancedAccuracy(name="balanced_accuracy", precision=precision, adjusted=False),
        rw.score_types.Accuracy(name="accuracy", precision=precision),
        rw.score_types.NegativeLogLikelihood(name="log_loss", precision=precision),
    ]
else:
    Predictions = rw.prediction_types.make_regression()
    workflow = rw.workflows.Regressor()
    score_types = [
        MeanAbsoluteError(name="mae", precision=precision),
        rw.score_types.RMSE(name="rmse", precision=precision),
    ]


def get_cv(X, y):
    """RAMP's way to say which rows are held out."""
    name, options = ABOUT["cv"]
    return list(getattr(model_selection, name)(**options).split(X, y))


def read(part):
    """Inputs and targets of the rows to train on, or to test on."""
    frame = pd.read_csv(HERE / "data" / "table.csv")
    frame = frame[frame["part"] == part]
    return frame[ABOUT["columns"]].to_numpy(), frame[ABOUT["target"]].to_numpy()


def get_train_data(path="."):
    """What RAMP asks a kit for."""
    return read("train")


def get_test_data(path="."):
    """What RAMP asks a kit for."""
    return read("test")
