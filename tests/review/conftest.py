"""The modules beside the tests: entries, ways to damage them, and the worker that checks them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def sound(once: Callable[..., Path]) -> Path:
    """An entry without any finding, to be copied."""
    from entries import save_sound_entry

    return once("sound-entry", lambda folder: save_sound_entry(folder / "entry")) / "entry"
