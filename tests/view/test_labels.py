"""Labels beside points: none on another, none outside."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.view import Box, Label, place_labels
from matbench_lite.view.words import FONT_SIZE, text_width

FRAME = Box(0, 0, 400, 300)
points = st.lists(st.tuples(st.floats(0, 400), st.floats(0, 300)), max_size=12)


def box_of(label: Label) -> Box:
    left = label.x if label.anchor == "start" else label.x - text_width(label.text)
    return Box(left, label.y - 0.8 * FONT_SIZE, left + text_width(label.text), label.y + 0.25 * FONT_SIZE)


@given(points)
def test_no_label_lies_on_another_or_outside(places: list[tuple[float, float]]) -> None:
    labels = place_labels(places, [f"Fe{place}O3" for place in range(len(places))], inside=FRAME)
    boxes = [box_of(label) for label in labels]
    assert all(box.within(FRAME) for box in boxes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_a_lone_point_is_labelled_and_what_is_taken_is_left_free() -> None:
    assert [label.text for label in place_labels([(200, 150)], ["NaCl"], inside=FRAME)] == ["NaCl"]
    assert place_labels([(200, 150)], ["NaCl"], inside=FRAME, taken=[FRAME]) == []
