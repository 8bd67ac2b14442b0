"""Events on small data: made once per kind, copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite.event import Event, load_event

from .making import Send, make_event, sender

Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def event(once: Once, tmp_path: Path) -> Event:
    """An event to which predictions are sent."""
    prepared = once("event", lambda folder: make_event(folder / "gaps"))
    shutil.copytree(prepared / "gaps", tmp_path / "gaps")
    return load_event(tmp_path / "gaps")


@pytest.fixture
def code_event(once: Once, tmp_path: Path) -> Event:
    """An event to which code is sent."""
    prepared = once("code-event", lambda folder: make_event(folder / "gaps", mode="code", inner_folds=2))
    shutil.copytree(prepared / "gaps", tmp_path / "code-gaps")
    return load_event(tmp_path / "code-gaps")


@pytest.fixture
def send(once: Once) -> Send:
    """Sends a model to an event; what was packed is kept for all processes of this run."""
    return sender(once("packed", lambda _: None))
