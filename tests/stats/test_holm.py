"""Holm's correction equals that of statsmodels, which scikit-posthocs uses."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import MetricError
from matbench_lite.stats import holm


@pytest.fixture
def multipletests() -> Iterator[Callable]:
    """The function of statsmodels, which collects garbage in every call: spared what is there already."""
    from statsmodels.stats.multitest import multipletests

    gc.freeze()
    yield multipletests
    gc.unfreeze()


@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_it_equals_statsmodels(multipletests, p_values) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_no_p_value_gets_smaller_and_their_order_stays(p_values) -> None:
    adjusted = holm(p_values)
    assert (adjusted >= p_values).all()
    assert (np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0).all()


def test_one_comparison_needs_no_correction_and_none_gives_none() -> None:
    assert holm([0.04]).tolist() == [0.04]
    assert holm([]).tolist() == []


@pytest.mark.parametrize("p_values", [[1.1], [-0.1], [float("nan")], [[0.1]]])
def test_what_is_no_p_value_is_an_error(p_values) -> None:
    with pytest.raises(MetricError, match="not p-values"):
        holm(p_values)
