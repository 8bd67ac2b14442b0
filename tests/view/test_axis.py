"""Axes: ticks at round numbers, where they say they are, readable."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.view import Axis, linear_axis, log_axis, score_axis
from matbench_lite.view.words import text_width

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
LEFT, RIGHT = 164.0, 404.0
numbers = st.floats(-1e12, 1e12, allow_nan=False)
scores = st.floats(1e-6, 1e9)


def value_of(label: str) -> float:
    base, _, power = label.replace("−", "-").replace(",", "").partition("×10")
    return float(base) * 10.0 ** float(power.translate(SUPERSCRIPTS) or 0)


def assert_readable(axis: Axis) -> None:
    assert axis.ticks
    span = axis.end - axis.start
    for tick in axis.ticks:
        assert min(axis.start, axis.end) - 1e-6 <= tick.at <= max(axis.start, axis.end) + 1e-6
        value = value_of(tick.label)
        assert axis.at(value) == pytest.approx(tick.at, abs=0.02 * abs(span)), (axis.low, axis.high, tick)
    for before, after in pairwise(axis.ticks):
        assert before.label != after.label
        assert after.at - before.at > (text_width(before.label) + text_width(after.label)) / 2


@given(numbers, numbers, st.booleans())
def test_linear_ticks_are_where_they_say(low: float, high: float, widen: bool) -> None:
    low, high = sorted((low, high))
    axis = linear_axis(low, high, LEFT, RIGHT, widen=widen)
    room = 1e-6 * (axis.high - axis.low)
    assert axis.low <= low + room
    assert axis.high >= high - room
    assert_readable(axis)


@given(scores, st.floats(1.5, 1e12))
def test_logarithmic_ticks_are_where_they_say(low: float, ratio: float) -> None:
    assert_readable(log_axis(low, low * ratio, LEFT, RIGHT))


@given(st.lists(st.floats(0, 1e90), min_size=1, max_size=20))
def test_any_scores_have_an_axis(values: list[float]) -> None:
    axis = score_axis(values, LEFT, RIGHT)
    assert axis.low < axis.high
    assert all(LEFT <= axis.at(value) <= RIGHT for value in values)
    assert_readable(axis)


@given(st.integers(1, 10**9), st.floats(1e-5, 1e-2))
def test_ticks_differ_however_small_the_range(low: int, part: float) -> None:
    assert_readable(linear_axis(low, low * (1 + part), LEFT, RIGHT))


def test_equal_numbers_have_a_range_around_them() -> None:
    axis = linear_axis(3.0, 3.0, 0, 400)
    assert axis.low < 3 < axis.high
    assert axis.at(3.0) == 200


def test_an_outlier_turns_the_axis_logarithmic_and_a_wild_one_is_left_at_the_edge() -> None:
    assert not score_axis([1.0, 2.0, 4.0], 0, 240).log
    far = score_axis([0.017, 0.03, 1.0], 0, 240)
    assert far.log
    assert far.holds(1.0)
    wild = score_axis([0.017, 0.03, 1e60], 0, 240)
    assert not wild.holds(1e60)
    assert wild.at(1e60) == 240
    assert wild.at(0.03) - wild.at(0.017) > 10


def test_arrays_and_numbers_are_placed_alike() -> None:
    axis = log_axis(0.01, 10, 0, 300)
    values = np.array([0.001, 0.01, 0.1, 99.0])
    assert axis.at(values).tolist() == pytest.approx([axis.at(float(value)) for value in values])
    assert axis.at(0.1) == pytest.approx(100)
    assert math.isclose(axis.at(99.0), 300)
