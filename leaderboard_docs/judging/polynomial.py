"""A polynomial of second degree with few terms: one term after the other is added while it pays for itself."""

import numpy as np

MAX_FEATURES = 12  # the most promising ones; with more there are too many products
MAX_TERMS = 6


class Polynomial:
    """Forward selection among features, squares and products, by Schwarz's criterion (BIC)."""

    def fit(self, X, y):
        """Learn the formula from a table of features."""
        y = np.asarray(y, dtype=float)
        terms = candidate_terms(promising(X, y))
        columns = {term: values(X, factors) for term, factors in terms.items()}
        self.chosen_, score = [], bic(y, np.ones((len(y), 1)))
        while len(self.chosen_) < min(MAX_TERMS, len(columns)):
            scores = {
                term: bic(y, design(columns, [*self.chosen_, term])) for term in columns if term not in self.chosen_
            }
            best = min(scores, key=scores.get)
            if scores[best] >= score - 2:
                break
            score = scores[best]
            self.chosen_.append(best)
        self.factors_ = {term: terms[term] for term in self.chosen_}
        self.weights_ = np.linalg.lstsq(design(columns, self.chosen_, len(y)), y, rcond=None)[0]
        parts = [f"({weight:.8g})*{term}" for weight, term in zip(self.weights_[1:], self.chosen_, strict=True)]
        self.expression_ = " + ".join([*parts, f"({self.weights_[0]:.8g})"])
        return self

    def predict(self, X):
        """What the formula says for other rows."""
        columns = {term: values(X, factors) for term, factors in self.factors_.items()}
        return design(columns, self.chosen_, len(X)) @ self.weights_


def promising(X, y):
    """The features that go most clearly with the target."""
    table = X.to_numpy(dtype=float)
    varied = table.std(axis=0) > 0
    strength = np.zeros(table.shape[1])
    strength[varied] = [abs(np.corrcoef(column, y)[0, 1]) for column in table[:, varied].T]
    return [X.columns[place] for place in np.argsort(-strength)[:MAX_FEATURES]]


def candidate_terms(names):
    """Each feature, each square, each product of two."""
    terms = {name: (name,) for name in names}
    for place, first in enumerate(names):
        for second in names[place:]:
            terms[f"{first}*{second}" if first != second else f"{first}**2"] = (first, second)
    return terms


def values(X, factors):
    """The product of some features, row by row."""
    return np.prod([X[name].to_numpy(dtype=float) for name in factors], axis=0)


def design(columns, terms, rows=None):
    """A column of ones, and a column per term."""
    rows = rows or len(columns[terms[0]])
    return np.column_stack([np.ones(rows), *(columns[term] for term in terms)])


def bic(y, table):
    """Schwarz's criterion: a small error is good, every term costs."""
    scale = np.maximum(np.abs(table).max(axis=0), 1e-300)
    weights = np.linalg.lstsq(table / scale, y, rcond=None)[0]
    error = np.mean((y - table / scale @ weights) ** 2)
    return len(y) * np.log(max(error, 1e-12 * y.var())) + table.shape[1] * np.log(len(y))


def get_estimator():
    """A new, untrained model."""
    return Polynomial()
