"""Words and numbers in plots."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.cleaner import clean
from matbench_lite.metrics import summarise
from matbench_lite.text import number, share, spread
from matbench_lite.view import words

anything = st.text(max_size=80)


@given(anything, st.floats(20, 300))
def test_a_shortened_text_fits_and_has_no_control_characters(text: str, room: float) -> None:
    short = words.shorten(text, room)
    assert words.text_width(short) <= room
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in short)
    assert clean(text).startswith(short.removesuffix("…"))


@given(st.floats(-1e300, 1e300).filter(lambda value: value == 0 or abs(value) > 1e-300))
def test_numbers_keep_their_first_digits(value: float) -> None:
    text = words.number(value, digits=3)
    base, _, power = text.replace("−", "-").replace(",", "").partition("×10")
    exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")) or 0)
    assert float(f"{base}e{exponent}") == pytest.approx(value, rel=0.006)
    assert len(text) <= 12


@given(st.floats(0, 1))
def test_only_all_is_100_percent_and_only_none_is_0(value: float) -> None:
    text = share(value)
    assert (text == "100 %") == (value == 1)
    assert (text == "0 %") == (value == 0)


def test_units() -> None:
    assert words.plain_unit("cm^-1") == "cm⁻¹"
    assert words.plain_unit("log10(GPa)") == "log10(GPa)"
    assert words.plain_unit("a^b") == "a^b"
    assert words.with_unit("3", "unitless") == "3"
    assert words.axis_label("MAE", "") == "MAE"


def test_rounding_follows_the_uncertainty() -> None:
    assert words.rounded(79.9123, 13.6) == "80"
    assert words.rounded(-0.01234, 0.0011) == "−0.0123"
    assert words.rounded(0.5, 0.0) == "0.5"
    assert words.rounded(1e60, 1e59) == "1×10⁶⁰"
    assert words.rounded(float("nan"), 0.1) == "–"


def test_a_rounding_error_is_no_uncertainty() -> None:
    same = summarise([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3])
    assert same.std > 0
    assert spread(same) == "0.3"
    assert number(same.mean, same.std) == "0.3"
