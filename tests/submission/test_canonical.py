"""Canonical JSON: one form, and a reader that nothing can hang or crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.documents import plain
from matbench_lite.errors import EntryError
from matbench_lite.submission.entry_document import canonical_bytes, parse

INTEGERS = st.integers(-(2**63), 2**64 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), VALUES, max_size=4)


@given(DOCUMENTS)
def test_the_form_is_that_of_the_standard_library_and_is_read_as_what_was_written(document) -> None:
    content = canonical_bytes(document)
    assert content.decode() == json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    assert parse(content, "it") == document


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_has_no_word_for_is_not_written(value) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_bytes({"a": value})


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"18446744073709551616", b"-9223372036854775809"])
def test_numbers_that_cannot_be_kept_are_refused(number) -> None:
    with pytest.raises(EntryError, match="not valid JSON"):
        parse(b'{"a": ' + number + b"}", "it")


def test_integers_beyond_64_bits_are_kept_as_text() -> None:
    assert plain({"a": [2**64 - 1, 2**64, -(2**63) - 1]}) == {"a": [2**64 - 1, str(2**64), str(-(2**63) - 1)]}


@pytest.mark.parametrize("levels", [65, 500, 900, 100_000])
def test_deep_nesting_is_refused(levels) -> None:
    with pytest.raises(EntryError, match="not valid JSON"):
        parse(b'{"a":' + b"[" * levels + b"]" * levels + b"}", "it")


def test_many_keys_of_which_one_is_repeated_are_refused_at_once() -> None:
    keys = ", ".join(f'"{number}": 0' for number in [*range(100_000), 0])
    with pytest.raises(EntryError, match="'0' occurs twice"):
        parse(f"{{{keys}}}".encode(), "it")
