"""The result format takes any bytes and believes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from matbench_lite.cleaner import for_terminal
from matbench_lite.train import Predicted
from matbench_lite.train.sandbox import STAGES
from matbench_lite.train.sandbox.protocol import (
    LONGEST_TEXT,
    Failure,
    FrameError,
    decode,
    encode_failure,
    encode_predictions,
    longest_frame,
)

values = st.integers(0, 20).flatmap(
    lambda rows: st.builds(
        lambda numbers, std: Predicted(values=numbers, std=std),
        arrays(np.float64, rows) | arrays(bool, rows),
        st.none() | arrays(np.float64, rows),
    )
)


@given(st.lists(values, max_size=4))
def test_what_is_sent_arrives(predicted: list[Predicted]) -> None:
    rows = [len(one.values) for one in predicted]
    frame = encode_predictions(predicted)
    assert len(frame) <= longest_frame(rows)
    found = decode(frame, rows)
    assert isinstance(found, list)
    for one, (numbers, std) in zip(predicted, found, strict=True):
        assert numbers.dtype == one.values.dtype
        assert numbers.tobytes() == one.values.tobytes()
        assert (std is None) == (one.std is None)
        assert std is None or one.std is None or std.tobytes() == one.std.tobytes()


@given(st.binary(max_size=200).map(lambda text: b"MBLP1" + text) | st.binary(), st.lists(st.integers(0, 9), max_size=3))
def test_any_bytes_are_a_frame_or_an_error(content: bytes, rows: list[int]) -> None:
    try:
        found = decode(content, rows)
    except FrameError:
        return
    if isinstance(found, Failure):
        assert found.stage in STAGES
    else:
        assert [len(numbers) for numbers, _ in found] == rows


@given(st.lists(values, min_size=1, max_size=3), st.data())
def test_a_frame_that_is_cut_or_longer_is_refused(predicted: list[Predicted], data: st.DataObject) -> None:
    rows = [len(one.values) for one in predicted]
    frame = encode_predictions(predicted)
    with pytest.raises(FrameError):
        decode(frame[: data.draw(st.integers(0, len(frame) - 1))], rows)
    with pytest.raises(FrameError):
        decode(frame + b"\0", rows)


def test_text_about_a_failure_is_cut() -> None:
    frame = encode_failure("crashed", "x" * 10**7 + "end")
    assert len(frame) <= longest_frame([])
    found = decode(frame, [])
    assert isinstance(found, Failure)
    assert found.text.endswith("end")
    assert len(found.text) <= LONGEST_TEXT


@given(st.binary())
def test_text_of_strangers_commands_no_terminal(content: bytes) -> None:
    assert all(letter == "\n" or letter.isprintable() for letter in for_terminal(content))
