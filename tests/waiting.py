"""Waiting for another process: for as long as it takes, within reason."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float = 300, *, pause: float = 0.01) -> None:
    """Return as soon as a condition holds. The limit measures nothing: it only ends what would hang for ever."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {seconds:g} s")
        time.sleep(pause)
