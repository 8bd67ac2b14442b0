"""The average of the models of a cross-validation: RAMP's numbers, and what must never happen."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from matbench_lite.errors import MetricError
from matbench_lite.metrics import mae, rmse, summarise
from matbench_lite.train.bagging import RowPredictions, bag, bag_prefixes

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "bagging.json").read_text(), parse_float=Decimal)

ROWS = np.arange(28)
TRAIN, TEST = ROWS[:20], ROWS[20:]
FEATURES = np.column_stack([ROWS % 5, ROWS**2 % 7, 3 * ROWS % 4]).astype(float)
A, B, C = FEATURES.T
Y = np.round(1.5 * A - 0.4 * B + 0.25 * C + 0.1 * ((3 * ROWS) % 11) - 0.125 * A * C, 4)
VALID = [ROWS[0:10], ROWS[8:14], ROWS[13:19]]
MODELS = {"mean (DummyRegressor)": DummyRegressor, "linear (LinearRegression)": LinearRegression}


def agrees(value: float, expected: Decimal) -> bool:
    """Whether a number is the expected one to half a unit of its last digit."""
    half = Decimal(5).scaleb(expected.as_tuple().exponent - 1)  # type: ignore[operator]
    return abs(Decimal(value) - expected) <= half


def values(rows: Any, prediction: Any, kind: Any = "value") -> RowPredictions:
    return RowPredictions(rows=np.asarray(rows), prediction=np.asarray(prediction, dtype=float), type=kind)


def errors(folds: list[RowPredictions], metric: Any = mae) -> list[float]:
    return [metric(Y[fold.rows], fold.prediction) for fold in folds]


@pytest.mark.parametrize("name", MODELS)
def test_ramp_s_numbers_on_overlapping_folds(name: str) -> None:
    expected = ORACLE[name]
    parts: dict[str, list[RowPredictions]] = {"train": [], "valid": [], "test": []}
    for valid in VALID:
        train = np.setdiff1d(TRAIN, valid)
        model = MODELS[name]().fit(FEATURES[train], Y[train])
        for part, rows in (("train", train), ("valid", valid), ("test", TEST)):
            parts[part].append(values(rows, model.predict(FEATURES[rows])))

    found: dict[str, list[float]] = {f"fold_{part}_mae": errors(folds) for part, folds in parts.items()}
    mean = summarise(found["fold_valid_mae"])
    found["mean_valid_mae"], found["std_valid_mae_ddof0"] = [mean.mean], [mean.std]
    for part in ("valid", "test"):
        found[f"bagged_{part}_mae_after_k_folds"] = errors(list(bag_prefixes(parts[part])))
    found["bagged_rmse_valid_test"] = errors([bag(parts["valid"]), bag(parts["test"])], rmse)

    for key, numbers in expected.items():
        wanted = numbers if isinstance(numbers, list) else [numbers]
        assert len(wanted) == len(found[key]), key
        for value, number in zip(found[key], wanted, strict=True):
            assert agrees(value, number), f"{key}: {value} is not {number}"


def test_ramp_s_rule_for_class_probabilities() -> None:
    assert "gives [2/3,1/6,1/6]" in ORACLE["class_probabilities"]
    combined = bag([values([0], [probabilities], "probability") for probabilities in ([1, 0, 0], [0, 0, 0])])
    np.testing.assert_allclose(combined.prediction, [[2 / 3, 1 / 6, 1 / 6]], rtol=0, atol=1e-14)


def test_a_row_that_is_never_held_out_is_left_out() -> None:
    assert 19 not in bag([values(rows, Y[rows]) for rows in VALID]).rows


def test_probabilities_are_averaged_as_two_classes() -> None:
    bagged = bag([values([0, 1], [1.0, 0.2], "probability"), values([0, 1], [0.0, 0.4], "probability")])
    np.testing.assert_allclose(bagged.prediction, [0.5, 0.3], rtol=1e-12)
    assert bagged.type == "probability"


def test_labels_vote_and_a_tie_is_no_majority() -> None:
    bagged = bag([values([0, 1, 2], votes, "label") for votes in ([1, 1, 0], [1, 0, 0], [1, 1, 1])])
    assert bagged.type == "label"
    assert bagged.scorable().prediction.tolist() == [1.0, 1.0, 0.0]
    assert bag([values([0], [1], "label"), values([0], [0], "label")]).scorable().prediction.tolist() == [0.0]


def test_labels_beside_probabilities_count_as_sure_probabilities() -> None:
    bagged = bag([values([0], [1], "label"), values([0], [0.2], "probability")])
    assert bagged.type == "probability"
    assert bagged.prediction[0] == pytest.approx(0.6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_is_an_error_and_names_the_model_and_the_row(bad: float) -> None:
    with pytest.raises(MetricError, match=r"model 1 predicts .* for row 7"):
        bag([values([6, 7], [1, 2]), values([6, 7], [1, bad])])


def test_nothing_to_average_is_an_error() -> None:
    with pytest.raises(MetricError, match="no prediction"):
        bag([])


@given(st.lists(st.dictionaries(st.integers(0, 12), st.floats(-1e6, 1e6), min_size=1), min_size=1, max_size=5))
def test_every_row_is_the_mean_over_the_models_that_predict_it(models: list[dict[int, float]]) -> None:
    bagged = bag([values(list(model), list(model.values())) for model in models])
    expected = {row: [model[row] for model in models if row in model] for row in {r for model in models for r in model}}
    assert bagged.rows.tolist() == sorted(expected)
    for row, prediction in zip(bagged.rows.tolist(), bagged.prediction.tolist(), strict=True):
        assert prediction == pytest.approx(np.mean(expected[row]), rel=1e-12, abs=1e-9)
