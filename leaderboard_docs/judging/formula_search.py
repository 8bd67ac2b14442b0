"""A small brute-force search for formulas, in the spirit of SISSO.

Features are transformed (square, root, inverse, logarithm) and multiplied in pairs; they are not added, as their units
differ. Of the thousands of candidates those that go most clearly with the target are kept, then those that go with what
the best of them leaves unexplained. Every sum of one or two of them is tried. A power law of all features is one more
candidate.
"""

from itertools import combinations

import numpy as np

MAX_FEATURES = 12
KEPT = 25
UNARY = {
    "{}": lambda x: x,
    "{}**2": np.square,
    "1/{}": lambda x: 1 / x,
    "sqrt({})": np.sqrt,
    "1/sqrt({})": lambda x: 1 / np.sqrt(x),
    "log({})": np.log,
}
SIXTHS = 6  # exponents of a power law are rounded to sixths: laws of nature have simple ones


class FormulaSearch:
    """Tries all formulas of one or two terms; a second term must pay for itself (BIC)."""

    def fit(self, X, y):
        """Learn the formula from a table of features."""
        y = np.asarray(y, dtype=float)
        found = candidates(X, y)
        names = screened(found, y, KEPT)
        first = min(names, key=lambda name: bic(y, found[name][:, None]))
        names += [name for name in screened(found, residual(y, found[first]), KEPT) if name not in names]
        table = np.column_stack([found[name] for name in names])
        sets = [*combinations(range(len(names)), 1), *combinations(range(len(names)), 2)]
        scores = [bic(y, table[:, chosen]) for chosen in sets]
        self.terms_ = [names[place] for place in sets[int(np.argmin(scores))]]
        self.weights_ = np.linalg.lstsq(self._design(X), y, rcond=None)[0]
        parts = [f"({weight:.8g})*({term})" for weight, term in zip(self.weights_[1:], self.terms_, strict=True)]
        self.expression_ = " + ".join([*parts, f"({self.weights_[0]:.8g})"])
        return self

    def predict(self, X):
        """What the formula says for other rows."""
        return self._design(X) @ self.weights_

    def _design(self, X):
        from matbench_lite.judge.expression import evaluate, parse

        columns = [evaluate(parse(term, X.columns), X) for term in self.terms_]
        return np.column_stack([np.ones(len(X)), *columns])


def candidates(X, y):
    """Formulas and their values on the training rows."""
    found = {}
    with np.errstate(all="ignore"):
        single = {
            form.format(name): function(X[name].to_numpy(dtype=float))
            for name in promising(X, y)
            for form, function in UNARY.items()
        }
        found.update(single)
        for (first, a), (second, b) in combinations(single.items(), 2):
            found[f"({first})*({second})"] = a * b
        found.update(power_law(X, y))
    return found


def power_law(X, y):
    """The product of powers that fits best on a logarithmic scale, if everything is above zero."""
    table = X.to_numpy(dtype=float)
    if table.shape[1] > MAX_FEATURES or table.min() <= 0 or y.min() <= 0:
        return {}
    logs = np.column_stack([np.ones(len(y)), np.log(table)])
    exponents = np.round(np.linalg.lstsq(logs, np.log(y), rcond=None)[0][1:] * SIXTHS) / SIXTHS
    used = [(name, power) for name, power in zip(X.columns, exponents, strict=True) if power]
    if not used:
        return {}
    text = "*".join(f"{name}**({power:.8g})" for name, power in used)
    return {text: np.prod([X[name].to_numpy(dtype=float) ** power for name, power in used], axis=0)}


def promising(X, y):
    """The features that, in one form or another, go most clearly with the target."""
    strength = {}
    with np.errstate(all="ignore"):
        for name in X.columns:
            column = X[name].to_numpy(dtype=float)
            strength[name] = max(correlation(function(column)[:, None], y)[0] for function in UNARY.values())
    return sorted(strength, key=lambda name: -strength[name])[:MAX_FEATURES]


def screened(found, y, number):
    """The candidates that go most clearly with the target; of those that say the same, the shortest."""
    names = sorted(found, key=len)
    table = np.column_stack([found[name] for name in names])
    strength = np.round(correlation(table, y), 10)
    order = np.argsort(-strength, kind="stable")
    kept = []
    for place in order:
        if strength[place] > 0 and not any(strength[place] == strength[other] for other in kept[-5:]):
            kept.append(place)
        if len(kept) == number:
            break
    return [names[place] for place in kept]


def residual(y, column):
    """What a line through one candidate leaves unexplained."""
    return y - np.polyval(np.polyfit(column, y, 1), column)


def correlation(table, y):
    """The size of the correlation of each column with the target; 0 where a column has no value for some row."""
    fine = np.isfinite(table).all(axis=0) & (np.abs(table).max(axis=0) < 1e100)
    result = np.zeros(table.shape[1])
    columns = table[:, fine] - table[:, fine].mean(axis=0)
    norm = np.linalg.norm(columns, axis=0)
    varied = norm > 1e-9 * np.sqrt(len(y)) * np.abs(table[:, fine]).max(axis=0)
    centred = y - y.mean()
    part = np.zeros(len(norm))
    part[varied] = np.abs(columns[:, varied].T @ centred) / (norm[varied] * np.linalg.norm(centred))
    result[fine] = part
    return result


def bic(y, table):
    """Schwarz's criterion: a small error is good, every term costs."""
    columns = np.column_stack([np.ones(len(y)), table / np.abs(table).max(axis=0)])
    weights = np.linalg.lstsq(columns, y, rcond=None)[0]
    error = np.mean((y - columns @ weights) ** 2)
    return len(y) * np.log(max(error, 1e-12 * y.var())) + columns.shape[1] * np.log(len(y))


def get_estimator():
    """A new, untrained model."""
    return FormulaSearch()
