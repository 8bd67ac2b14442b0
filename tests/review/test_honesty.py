"""The arithmetic behind the warnings: right where it matters, and silent on honest predictions."""

from __future__ import annotations

import gzip
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.check.rules.card import deceiving_characters
from matbench_lite.check.rules.folder_layout import file_kind
from matbench_lite.check.rules.score_checks import CHANCE, chance_of_spread
from matbench_lite.cleaner import for_terminal


@pytest.mark.parametrize("folds", [3, 5, 10])
@pytest.mark.parametrize("spread", [0.001, 0.003, 0.01])
def test_the_chance_of_a_small_spread_is_that_of_the_chi_squared_distribution(folds, spread) -> None:
    from scipy.stats import chi2

    scores = 1.0 + spread * np.linspace(-1, 1, folds)
    expected = chi2.cdf(np.var(scores) * folds / 0.1**2, folds - 1)
    assert chance_of_spread(scores, [0.1] * folds) == pytest.approx(expected, rel=0.1)
    assert chance_of_spread(scores, [0.1] * folds) >= expected, "an upper bound"


def test_honest_folds_raise_no_alarm() -> None:
    rng = np.random.default_rng(0)
    losses = np.abs(rng.standard_t(3, size=(1000, 5, 200)))  # heavy tails, as real errors have
    errors = losses.std(axis=2) / np.sqrt(losses.shape[2])
    chances = np.array([chance_of_spread(s, e) for s, e in zip(losses.mean(axis=2), errors, strict=True)])
    assert (chances < CHANCE).sum() <= 2
    assert (chances < 0.01).mean() < 0.02


@given(scores=st.lists(st.floats(0, 1e100), min_size=3, max_size=8), error=st.floats(0, 1e100))
def test_no_numbers_make_it_fail(scores, error) -> None:
    assert 0 <= chance_of_spread(scores, [error] * len(scores)) <= 1


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("model.py", b"print(1)\n", "text"),
        ("empty.txt", b"", "text"),
        ("README.md", b"Ends with a dot.", "text"),
        ("README.md", b"I am (not) a pickle.", "text"),
        ("README.md", b".", "text"),
        ("notes", "Grüße".encode(), "text"),
        ("notes", "Grüße".encode("utf-8-sig"), "text"),
        ("notes", "Grüße".encode("latin-1"), "other encoding"),
        ("notes", "Grüße".encode("utf-16"), "other encoding"),
        ("MZ.md", b"MZ is how it begins", "text"),
        ("BZ.md", b"BZh, x^, PK", "text"),
        ("plot.png", b"\x89PNG\r\n\x1a\n\x00", "image"),
        ("plot.jpeg", b"\xff\xd8\xff\xe0\x00", "image"),
        ("plot.jpg", b"\x89PNG\r\n\x1a\n\x00", "binary"),
        ("x.bin", bytes(range(256)), "binary"),
        ("page.html", b"<p>", "web page"),
        ("page.HTML", b"<p>", "web page"),
        ("data.tar", b"text", "archive"),
        ("z", b"\x78\x9c" + bytes(range(100)), "archive"),
        ("g", gzip.compress(b"x", mtime=0), "archive"),
        ("p", pickle.dumps(print, 0), "pickle"),
        ("p", pickle.dumps(np.arange(3), 2), "pickle"),
        ("p", pickle.dumps(list(range(300)), 1) + b"\n", "pickle"),
        ("lib.so", b"text", "executable"),
    ],
)
def test_kinds_of_files(name, content, kind) -> None:
    assert file_kind(name, content) == kind


@given(content=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_every_content_has_a_kind(content) -> None:
    assert file_kind("any", content)


@given(st.text(st.characters(), max_size=100))
def test_what_is_printed_is_printable(text) -> None:
    shown = for_terminal(text)
    assert shown.replace("\n", "").isprintable()
    shown.encode()
    if text.isprintable():
        assert shown == text


def test_joiners_that_a_language_needs_are_fine() -> None:
    assert deceiving_characters("می\u200cخواهم") == []
    assert deceiving_characters("\ufeffx") == []
    assert deceiving_characters("x\ufeff") != []
