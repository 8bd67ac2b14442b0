"""A quick model for the scripts: ridge regression, or logistic regression, on a few numbers per material."""

import numpy as np
from pymatgen.core import Composition
from sklearn.linear_model import LogisticRegression, Ridge


def features(materials):
    """Mean and spread of the atomic numbers, how many elements, the largest share; for a structure its size too."""
    rows = []
    for material in materials:
        if isinstance(material, str):
            amounts = Composition(material).items()
            numbers, weights = np.array([(element.Z, amount) for element, amount in amounts], dtype=float).T
            size = [0.0, 0.0]
        else:
            numbers, weights = np.unique(material.atomic_numbers, return_counts=True)
            size = [float(material.volume) / len(material), float(len(material))]
        weights = weights / weights.sum()
        mean = float(weights @ numbers)
        rows.append([mean, float(weights @ (numbers - mean) ** 2), float(len(numbers)), float(weights.max()), *size])
    return np.array(rows) / 100


class MyModel:
    """What the documentation calls `my_model`. Learns from a few hundred rows."""

    def __init__(self, probabilities=False):
        self.probabilities = probabilities

    def train_and_validate(self, inputs, outputs):
        kind = LogisticRegression(max_iter=1000) if outputs.dtype == bool else Ridge(alpha=0.1)
        some = slice(None, None, 1 + len(inputs) // 500)
        self.model = kind.fit(features(inputs[some]), outputs[some].to_numpy())

    def predict(self, inputs):
        if self.probabilities:
            return self.model.predict_proba(features(inputs))[:, 1]
        return self.model.predict(features(inputs))

    def get_parameters_as_dictionary(self):
        return {"coefficients": self.model.coef_.ravel(), "intercept": float(np.ravel(self.model.intercept_)[0])}
