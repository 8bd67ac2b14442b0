"""Recording: what is taken, what is refused, and what the message says."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError, RecordError, UnknownNameError

BENCH = load_benchmark("mini")
GAP, DUCTILE = BENCH["mini_gap"], BENCH["mini_is_ductile"]
SIZE = len(GAP.test_ids(0))


@pytest.fixture
def sub() -> Submission:
    return Submission(BENCH, algorithm="Test")


def recorded(sub: Submission, task: str = "mini_gap", fold: int = 0):
    return sub.recorded(task)[fold].predictions


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.array, lambda v: np.array(v)[:, None]])
def test_lists_arrays_and_columns_are_taken_in_fold_order(sub, make) -> None:
    values = [0.5 * i for i in range(SIZE)]
    sub.record("mini_gap", 0, make(values))
    assert recorded(sub).prediction.tolist() == values
    assert recorded(sub).type == "value"


def test_a_series_is_aligned_by_row_id(sub) -> None:
    ids = GAP.test_ids(0)
    shuffled = pd.Series(range(SIZE), index=ids).sample(frac=1, random_state=0)
    sub.record("mini_gap", 0, shuffled)
    assert recorded(sub).prediction.tolist() == list(range(SIZE))


def test_a_series_of_other_rows_is_refused_with_the_rows(sub) -> None:
    wrong = pd.Series(0.0, index=GAP.test_ids(1))
    with pytest.raises(RecordError, match=r"mini_gap fold 0.*100 missing \(mini-gap-"):
        sub.record("mini_gap", 0, wrong)
    with pytest.raises(RecordError, match=r"\.to_numpy\(\)"):
        sub.record("mini_gap", 0, pd.Series([0.0] * SIZE))
    with pytest.raises(RecordError, match="more than once"):
        sub.record("mini_gap", 0, pd.Series(0.0, index=[GAP.test_ids(0)[0]] * SIZE))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.0] * (SIZE - 1), rf"shape \({SIZE - 1},\), the fold has {SIZE}"),
        ([[0.0, 1.0]] * SIZE, rf"shape \({SIZE}, 2\)"),
        (["a"] * SIZE, "give numbers"),
        ([None] * SIZE, "give numbers"),
        ([True] * SIZE, "booleans, the target is a number"),
        ([0.0] * (SIZE - 1) + [math.nan], r"1 predictions are NaN or infinite \(mini-gap-\d+: nan\)"),
        ([math.inf] * SIZE, r"100 predictions are NaN or infinite .* and 97 more"),
        ([1e200] * SIZE, "too large to score"),
        (3.0, "not a list or array"),
        ([[1.0], [2.0, 3.0]], "cannot be made an array"),
    ],
)
def test_what_is_not_one_number_per_row_is_refused(sub, values, message) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        sub.record("mini_gap", 0, values)
    assert str(caught.value).startswith("mini_gap fold 0: ")
    assert not sub.tasks


def test_labels_are_booleans_or_integers_and_probabilities_are_floats(sub) -> None:
    size = len(DUCTILE.test_ids(0))
    sub.record("mini_is_ductile", 0, np.ones(size, dtype=bool))
    assert recorded(sub, "mini_is_ductile").type == "label"
    sub.record("mini_is_ductile", 0, np.ones(size, dtype=int), overwrite=True)
    assert recorded(sub, "mini_is_ductile").type == "label"
    sub.record("mini_is_ductile", 0, np.full(size, 0.25), overwrite=True)
    assert recorded(sub, "mini_is_ductile").type == "probability"


def test_labels_and_probabilities_do_not_mix_in_one_task(sub) -> None:
    sub.record("mini_is_ductile", 0, np.ones(100, dtype=bool))
    with pytest.raises(RecordError, match="probability predictions, the folds before have label"):
        sub.record("mini_is_ductile", 1, np.full(100, 0.25))


@pytest.mark.parametrize("values", [[1.2] * 100, [-0.1] * 100, [2] * 100])
def test_a_probability_outside_0_to_1_is_refused(sub, values) -> None:
    with pytest.raises(RecordError, match=r"outside \[0, 1\]"):
        sub.record("mini_is_ductile", 0, values)


def test_uncertainty_is_for_regression(sub) -> None:
    with pytest.raises(RecordError, match="for regression"):
        sub.record("mini_is_ductile", 0, np.full(100, 0.5), std=np.ones(100))


@pytest.mark.parametrize(
    ("std", "message"),
    [
        (np.zeros(SIZE), "not above 0"),
        (np.full(SIZE, -1.0), "not above 0"),
        (np.full(SIZE, math.nan), "NaN or infinite"),
        (np.full(SIZE, 1e-60), "too small or too large to store"),
        (np.full(SIZE, 1e60), "too small or too large to store"),
        (np.ones(SIZE + 1), "std have shape"),
    ],
)
def test_a_std_that_is_none_is_refused(sub, std, message) -> None:
    with pytest.raises(RecordError, match=message):
        sub.record("mini_gap", 0, np.zeros(SIZE), std=std)


@pytest.mark.parametrize(
    ("interval", "message"),
    [
        ((np.ones(SIZE), np.full(SIZE, 2.0)), "lower ends are above the prediction"),
        ((np.full(SIZE, -2.0), np.full(SIZE, -1.0)), "upper ends are below the prediction"),
        ((np.full(SIZE, -math.inf), np.ones(SIZE)), "lower ends are NaN or infinite"),
        ((np.zeros(SIZE), np.full(SIZE, 1e300)), "upper ends are too large"),
        (np.zeros(SIZE), "interval has shape"),
    ],
)
def test_an_interval_that_does_not_hold_the_prediction_is_refused(sub, interval, message) -> None:
    with pytest.raises(RecordError, match=message):
        sub.record("mini_gap", 0, np.zeros(SIZE), interval=interval)


@given(st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=5), st.floats(0, 1e30))
def test_a_stored_interval_still_holds_its_prediction(values, width) -> None:
    sub = Submission(BENCH, algorithm="Test")
    p = np.resize(values, SIZE)
    sub.record("mini_gap", 0, p, interval=np.stack([p - width, p + width], axis=1))
    fold = recorded(sub)
    assert (fold.lower <= fold.prediction).all()
    assert (fold.prediction <= fold.upper).all()


def test_a_fold_is_recorded_once_unless_overwriting_is_meant(sub) -> None:
    sub.record("mini_gap", 0, np.zeros(SIZE))
    with pytest.raises(RecordError, match="already recorded; pass overwrite=True"):
        sub.record("mini_gap", 0, np.ones(SIZE))
    assert recorded(sub).prediction.sum() == 0
    sub.record("mini_gap", 0, np.ones(SIZE), overwrite=True)
    assert recorded(sub).prediction.sum() == SIZE


def test_unknown_names_are_refused_and_listed(sub) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mini_gap'"):
        sub.record("mini_gaps", 0, [])
    with pytest.raises(UnknownNameError, match="no fold 5"):
        sub.record("mini_gap", 5, [])


def test_what_is_recorded_is_a_copy_that_nobody_can_change(sub) -> None:
    mine = np.zeros(SIZE)
    sub.record("mini_gap", 0, mine)
    mine[0] = 7
    assert recorded(sub).prediction[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        recorded(sub).prediction[0] = 7


def test_parameters_are_kept_as_plain_json(sub) -> None:
    params = {"depth": np.int64(3), "rate": np.float32(0.5), "layers": (1, 2), "loss": float("nan"), 4: None}
    sub.record("mini_gap", 0, np.zeros(SIZE), params=params)
    kept = sub.recorded("mini_gap")[0].params
    assert kept == {"depth": 3, "rate": 0.5, "layers": [1, 2], "loss": None, "4": None}


def test_a_measured_block_keeps_time_and_memory(sub) -> None:
    with sub.measure("mini_gap", 0):
        ballast = np.ones(30_000_000)
        ballast += 1
        sub.record("mini_gap", 0, np.zeros(SIZE))
    held = sub.recorded("mini_gap")[0]
    assert held.seconds > 0
    assert held.peak_memory_mb > 240
    with pytest.raises(RecordError, match="measured but not recorded"), sub.measure("mini_gap", 1):
        pass


def test_errors_survive_a_process_border() -> None:
    error = RecordError("what", fix="how")
    assert str(pickle.loads(pickle.dumps(error))) == "what; how"


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"algorithm": ""}, "algorithm"),
        ({"algorithm": "two\nlines"}, "algorithm"),
        ({"algorithm": "A", "authors": [""]}, "authors/0"),
        ({"algorithm": "A", "external_data": True}, "card/external_data: true is not allowed; give false, or a text"),
        ({"algorithm": "A", "external_data": ""}, 'card/external_data: "" is not allowed; give false, or a text'),
        ({"algorithm": "A", "single_configuration": "yes"}, 'configuration: "yes" is not allowed; give true or false'),
        ({"algorithm": "A", "authors": None}, "card/authors/0: null is not allowed; give a list of names"),
        ({"algorithm": "A", "authors": "A" * 501}, "card/authors/0: .* is longer than 500 characters"),
        ({"algorithm": "A", "requirements": 3}, "card/requirements/0: 3 is not allowed; give a list of packages"),
        ({"algorithm": 3}, "card/algorithm: 3 is not allowed; give one line of text"),
        ({"algorithm": "A", "metadata": 3}, "metadata: 3 is not of type"),
    ],
)
def test_a_wrong_value_is_named_at_once_not_after_the_training(arguments, place) -> None:
    with pytest.raises(EntryError, match=place):
        Submission(BENCH, **arguments)
