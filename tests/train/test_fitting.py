"""Training one fold: threads, seeds, what counts as a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import BaggingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from matbench_lite import load_benchmark
from matbench_lite.errors import ModelError
from matbench_lite.tasks import Task
from matbench_lite.train import Predicted, derived_seed, fit_predict

BENCH = load_benchmark("mini")
GAP, STABLE = BENCH["mini_gap"], BENCH["mini_is_stable"]


def length(formulas: pd.Series) -> np.ndarray:
    return np.array([[len(str(formula)), sum(map(ord, str(formula)))] for formula in formulas], dtype=float)


def trained(estimator: Any, task: Task = GAP, *, seed: int = 0) -> Predicted:
    formulas, targets = task.targets["formula"], task.targets["target"]
    train, test = task.train_rows(2), task.test_rows(2)
    (predicted,) = fit_predict(
        estimator, task, formulas.iloc[train], targets.iloc[train], [formulas.iloc[test]], seed=seed, where="fold 2"
    )
    return predicted


class Answer(BaseEstimator):
    """Predicts whatever a function makes of the rows."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Any) -> Answer:
        return self

    def predict(self, X: Any) -> Any:
        return self.answer(X)


def test_several_sets_of_rows_come_back_in_order() -> None:
    X, y = GAP.train_data(0)
    sets = [X.iloc[:5], X.iloc[5:12], X.iloc[:0]]
    predicted = fit_predict(DummyRegressor(), GAP, X, y, sets)
    assert [len(part.values) for part in predicted] == [5, 7, 0]


def test_the_probability_is_that_of_true() -> None:
    model = make_pipeline(FunctionTransformer(length), LogisticRegression())
    predicted = trained(model, STABLE)
    column = list(model[-1].classes_).index(True)
    expected = model.predict_proba(STABLE.targets["formula"].iloc[STABLE.test_rows(2)])[:, column]
    assert predicted.values.dtype == np.float64
    assert np.array_equal(predicted.values, expected)


@pytest.mark.parametrize("only", [True, False])
def test_a_training_part_of_one_class_gives_certainty(only: bool) -> None:
    X = STABLE.targets["formula"]
    model = make_pipeline(FunctionTransformer(length), RandomForestClassifier(5))
    (predicted,) = fit_predict(model, STABLE, X, pd.Series(only, index=X.index), [X.iloc[:4]])
    assert predicted.values.tolist() == [float(only)] * 4


def test_labels_are_labels() -> None:
    assert trained(Answer(lambda X: np.ones(len(X), dtype=int)), STABLE).values.dtype == bool
    assert trained(Answer(lambda X: [True] * len(X)), STABLE).values.all()


def test_uncertainty_is_asked_for_where_predict_gives_it() -> None:
    predicted = trained(make_pipeline(FunctionTransformer(length), BayesianRidge()))
    assert predicted.std is not None
    assert (predicted.std > 0).all()
    assert trained(DummyRegressor()).std is None, "zero for every row says nothing"


def test_one_thread_and_one_job_wherever_there_could_be_more() -> None:
    from threadpoolctl import threadpool_info

    seen = []
    forest = RandomForestRegressor(3, n_jobs=-1)
    bagging = BaggingRegressor(forest, n_estimators=2, n_jobs=2)
    spy = FunctionTransformer(lambda X: (seen.extend(pool["num_threads"] for pool in threadpool_info()), length(X))[1])
    trained(make_pipeline(spy, bagging))
    assert (bagging.n_jobs, forest.n_jobs) == (1, 1)
    assert seen
    assert set(seen) == {1}


def test_the_same_seed_gives_the_same_predictions_and_another_seed_others() -> None:
    def forest(**options: Any) -> Any:
        return make_pipeline(FunctionTransformer(length), RandomForestRegressor(5, **options))

    first, again, other = (trained(forest(), seed=seed).values for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    fixed = [trained(forest(random_state=7), seed=seed).values for seed in (1, 2)]
    assert np.array_equal(*fixed), "a seed that the model has set stays"


def test_global_generators_are_seeded() -> None:
    import random

    def noise(X: Any) -> Any:
        return np.random.rand(len(X)) + random.random()  # noqa: NPY002 - what models in the wild do

    assert np.array_equal(trained(Answer(noise), seed=3).values, trained(Answer(noise), seed=3).values)


def test_seeds_of_different_places_differ() -> None:
    places = [(seed, task.name, fold) for seed in range(3) for task in BENCH for fold in task.folds]
    assert len({derived_seed(*place) for place in places}) == len(places)
    assert derived_seed(0, "mini_gap", 0) == 3631309326, "a change would change everybody's predictions"


def test_a_series_is_aligned_by_row_id() -> None:
    predicted = trained(Answer(lambda X: pd.Series(np.arange(len(X)), index=X.index)[::-1]))
    assert predicted.values.tolist() == list(range(len(predicted.values)))


def test_a_column_is_taken_for_a_list() -> None:
    assert trained(Answer(lambda X: np.zeros((len(X), 1)))).values.shape == (100,)


def raising(X: Any) -> Any:
    raise RuntimeError("out of ideas")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raising, "the model raised RuntimeError: out of ideas"),
        (lambda X: [np.nan] + [1.0] * (len(X) - 1), r"1 of 100 rows are NaN or infinite \(mini-gap-"),
        (lambda X: [np.inf] * len(X), "100 of 100 rows are NaN or infinite"),
        (lambda X: np.zeros(len(X) - 1), r"shape \(99,\), there are 100 rows"),
        (lambda X: np.zeros((len(X), 2)), r"shape \(100, 2\)"),
        (lambda X: ["metal"] * len(X), "predictions are <U5, for example 'metal'"),
        (lambda X: [None] * len(X), "predictions are object"),
        (lambda X: [[1.0], [1.0, 2.0]], "cannot be made an array"),
        (lambda X: 3.0, r"shape \(\)"),
        (lambda X: [True] * len(X), "predictions are booleans, the target is a number"),
    ],
)
def test_what_is_no_prediction_is_an_error_that_names_task_and_fold(answer: Any, message: str) -> None:
    with pytest.raises(ModelError, match=f"^mini_gap fold 2: .*{message}"):
        trained(Answer(answer))


def test_probabilities_outside_the_range_are_refused_but_not_for_rounding() -> None:
    with pytest.raises(ModelError, match=r"mini_is_stable fold 2: .*outside \[0, 1\]"):
        trained(Answer(lambda X: np.full(len(X), 1.01)), STABLE)
    assert trained(Answer(lambda X: np.full(len(X), 1 + 1e-12)), STABLE).values.max() == 1.0


def test_an_estimator_need_not_be_scikit_learns() -> None:
    class Plain:
        def fit(self, X: Any, y: Any) -> None:
            self.mean = y.mean()

        def predict(self, X: Any) -> Any:
            return [self.mean] * len(X)

    assert trained(Plain()).values.std() < 1e-12
