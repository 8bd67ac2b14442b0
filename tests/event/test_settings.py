from __future__ import annotations

from datetime import timedelta

import pytest

from matbench_lite.errors import EventError
from matbench_lite.event import Event, load_event
from matbench_lite.event.event_settings import SETTINGS_FILE


def change(event: Event, old: str, new: str) -> None:
    file = event.folder / SETTINGS_FILE
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_what_was_created_is_what_is_read(event: Event) -> None:
    assert (event.name, event.title, event.mode, event.metric) == ("gaps", "Band gaps", "predictions", "mae")
    assert (event.public, event.final, event.inner_folds, event.seed) == ("mean", "mean", 3, 0)
    assert event.opening < event.public_opening < event.closing


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "gaps"', 'name = "a b"', "name: 'a b' is not a name"),
        ('title = "Band gaps"\n', "", "title: is missing"),
        ('mode = "predictions"', 'mode = "magic"', "mode: 'magic' is not one of predictions, code"),
        ("closing = ", 'closing = "soon" # ', "closing: 'soon' is not a time such as"),
        ("closing = ", "closing = 2000-01-01T00:00:00Z # ", "closing: 2000-01-01 00:00 is not after the opening"),
        ("opening = ", "opening = 2026-01-01T00:00:00 # ", "does not say where; end it with Z"),
        ('metric = "mae"', 'metric = "luck"', "scoring.metric: 'luck' is not one of mae, rmse"),
        ('public = "mean"', 'public = "best"', "scoring.public: 'best' is not one of mean, bagged"),
        ("inner_folds = 3", "inner_folds = 1", "scoring.inner_folds: 1 is not between 2 and 100"),
        ("inner_folds = 3", 'inner_folds = "3"', "scoring.inner_folds: '3' is not a whole number"),
        ("seed = 0", "seed = -1", "scoring.seed: -1 is below 0"),
        ("per_day = 10", "per_day = 0", "participant.per_day: 0 is not above 0"),
        ("per_day = 10", "per_week = 10", "participant.per_week: is not a known key"),
        ('title = "Band gaps"', 'title = "Band gaps', "is not a TOML file"),
    ],
)
def test_every_mistake_is_named_with_its_place(event: Event, old: str, new: str, message: str) -> None:
    change(event, old, new)
    with pytest.raises(EventError) as caught:
        load_event(event.folder)
    assert message in str(caught.value)


def test_all_mistakes_are_named_at_once(event: Event) -> None:
    change(event, 'mode = "predictions"', 'mode = "magic"')
    change(event, 'metric = "mae"', 'metric = "luck"')
    with pytest.raises(EventError, match="2 mistake"):
        load_event(event.folder)


def test_what_participants_work_with_cannot_be_changed_under_them(event: Event) -> None:
    change(event, "inner_folds = 3", "inner_folds = 4")
    with pytest.raises(EventError, match="inner_folds is 4, but 3 in the kit"):
        load_event(event.folder)


def test_times_can_be_changed(event: Event) -> None:
    change(event, "closing = ", "closing = 2099-01-01T00:00:00+01:00 # ")
    assert load_event(event.folder).closing.isoformat() == "2098-12-31T23:00:00+00:00"


def test_a_folder_that_is_no_event(event: Event) -> None:
    with pytest.raises(EventError, match="mbl event create"):
        load_event(event.folder.parent)


def test_the_phases_follow_the_clock(event: Event) -> None:
    second = timedelta(seconds=1)
    assert event.phase(event.opening - second) == "announced"
    assert event.phase(event.opening) == "private"
    assert event.phase(event.public_opening) == "open"
    assert event.phase(event.closing - second) == "open"
    assert event.phase(event.closing) == "closed"
