"""Models of a few lines, written to files as a user would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

MODEL = """
import os, time
import numpy as np
from pathlib import Path

input = "composition"

class Model:
    def __init__(self, task):
        self.task = task

    def fit(self, X, y):
        {fit}
        self.mean = float(np.mean(y)) if self.task == "regression" else 0.5
        return self

    def predict(self, X):
        {predict}

def get_estimator(task):
    return Model(task.kind)
"""
"""A model with holes for what its fit and predict do; without scikit-learn, which takes two seconds to import."""


@pytest.fixture
def write_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model file and gives its path."""

    def write(*, fit: str = "pass", predict: str = "return np.full(len(X), self.mean)", name: str = "model_a") -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(MODEL.format(fit=fit, predict=predict))
        return path

    return write
