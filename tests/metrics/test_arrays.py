"""The input check, through every public function that takes arrays."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from matbench_lite import metrics
from matbench_lite.errors import MetricError

ROWS = 6
VALID: dict[str, Any] = {
    "y_true": np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]),
    "y_pred": np.array([0.25, 0.75, 0.5, 0.0, 1.0, 1.0]),
    "prediction": np.array([0.25, 0.75, 0.5, 0.0, 1.0, 1.0]),
    "std": np.array([0.5, 0.25, 0.5, 0.125, 1.0, 0.0]),
    "lower": np.array([0.0, 0.5, 0.25, -1.0, 0.5, 0.0]),
    "upper": np.array([0.5, 1.0, 0.75, 1.0, 1.5, 2.0]),
    "folds": np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0]),
}


def _arguments(function: Callable[..., Any]) -> dict[str, Any]:
    names = inspect.signature(function).parameters
    more = {}
    if isinstance(function, metrics.Metric):
        if function.needs not in ("std", "interval", "calibration"):
            names = names.keys() - {"std"}
        if function.needs == "calibration":
            more["calibration"] = metrics.Sample(np.arange(20.0), np.zeros(20), std=np.ones(20))
    return {name: VALID[name] for name in VALID if name in names} | more


TAKE_ARRAYS = [
    function
    for name in metrics.__all__
    if isinstance(function := getattr(metrics, name), metrics.Metric)
    or (inspect.isfunction(function) and VALID.keys() & inspect.signature(function).parameters)
]


def _name(function: Callable[..., Any]) -> str:
    return function.name if isinstance(function, metrics.Metric) else function.__name__


TAKE_ONE_ARRAY = (metrics.mape_rows, metrics.sharpness)
CASES = [
    pytest.param(function, name, id=f"{_name(function)}-{name}")
    for function in TAKE_ARRAYS
    for name in _arguments(function)
    if name in VALID
]


def _same(first: Any, second: Any) -> None:
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        first, second = list(first.values()), list(second.values())
    assert (first is None) == (second is None)
    if first is not None:
        np.testing.assert_array_equal(first, second)


def test_every_metric_is_covered_here() -> None:
    catalogue = (*metrics.REGRESSION_METRICS, *metrics.CLASSIFICATION_METRICS, *metrics.UNCERTAINTY_METRICS)
    assert {metric.name for metric in catalogue} <= set(map(_name, TAKE_ARRAYS))


@pytest.mark.parametrize(("function", "name"), CASES)
def test_a_value_that_is_not_finite_is_an_error_that_shows_it(function: Callable[..., Any], name: str) -> None:
    arguments = _arguments(function)
    arguments[name] = arguments[name].copy()
    for bad in (math.nan, math.inf, -math.inf, 1e200):
        arguments[name][3] = bad
        with pytest.raises(MetricError, match=rf"{name}\[3\]={bad}".replace("+", r"\+")):
            function(**arguments)


@pytest.mark.parametrize(("function", "name"), [case for case in CASES if case.values[0] not in TAKE_ONE_ARRAY])
def test_arrays_of_different_lengths_are_an_error_that_shows_both(function: Callable[..., Any], name: str) -> None:
    arguments = _arguments(function)
    arguments[name] = arguments[name][:4]
    with pytest.raises(MetricError, match=r"len\(\w+\)=(6 != len\(\w+\)=4|4 != len\(\w+\)=6)"):
        function(**arguments)


@pytest.mark.parametrize(("function", "name"), CASES)
def test_what_is_not_a_flat_array_of_numbers_is_an_error(function: Callable[..., Any], name: str) -> None:
    values = VALID[name]
    for wrong, message in (
        (values[:0], "is empty"),
        (values[:, None], r"shape=\(6, 1\)"),
        (values[0], r"shape=\(\)"),
        (values.astype(str), "dtype=<U"),
        ([None, *values[1:]], "dtype=object"),
        ([[1.0], *values[1:]], "not a flat list"),
        (values.astype(complex), "dtype=complex128"),
    ):
        with pytest.raises(MetricError, match=message):
            function(**(_arguments(function) | {name: wrong}))


@pytest.mark.parametrize("function", TAKE_ARRAYS)
def test_lists_series_and_single_precision_give_the_same(function: Callable[..., Any]) -> None:
    arguments = _arguments(function)
    for kind in (list, tuple, lambda v: pd.Series(v, index=range(ROWS, 0, -1)), lambda v: v.astype(np.float32)):
        others = {name: kind(value) if name in VALID else value for name, value in arguments.items()}
        _same(function(**arguments), function(**others))


@pytest.mark.parametrize("function", TAKE_ARRAYS)
def test_inputs_are_left_as_they_were(function: Callable[..., Any]) -> None:
    arguments = {n: v.copy() if n in VALID else v for n, v in _arguments(function).items()}
    for name in arguments.keys() & VALID.keys():
        arguments[name].setflags(write=False)
    function(**arguments)


@pytest.mark.parametrize("function", TAKE_ARRAYS)
def test_numbers_come_back_as_plain_python_ones(function: Callable[..., Any]) -> None:
    result = function(**_arguments(function))
    if function in (metrics.interval_from_std, metrics.std_from_interval):
        return
    values = result.values() if isinstance(result, dict) else [result]
    assert {type(value) for value in values} <= {float, int}
