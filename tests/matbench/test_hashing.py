"""The hash is Matbench's, to the last sign."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.matbench.matbench_files import matbench_hash

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=20,
)


def sorted_outside_lists(value):
    if not isinstance(value, dict):
        return value
    return {key: sorted_outside_lists(item) for key, item in sorted(value.items())}


@given(st.dictionaries(st.text(max_size=3).filter(lambda key: key != "hash"), plain, max_size=5))
def test_levels_of_objects_are_sorted_and_lists_are_left_alone(document) -> None:
    text = json.dumps(sorted_outside_lists(document))
    assert matbench_hash(document) == hashlib.sha256(text.encode()).hexdigest()


def test_numbers_are_written_as_python_writes_them() -> None:
    # Made with hash_dictionary of matbench 0.6.
    document = {"b": [1e-05, 1e16, -0.0], "a": {"d": None, "c": [{"z": 1, "y": "ü"}]}, "e": {}}
    assert matbench_hash(document) == "4b835aa4f5fdb9e11a9cb5b5dcd5b0c781cb50b416ccc54ad2e62bd10d1b24f3"


def test_the_stored_hash_is_not_part_of_it() -> None:
    assert matbench_hash({"a": 1, "hash": "x"}) == matbench_hash({"a": 1})
