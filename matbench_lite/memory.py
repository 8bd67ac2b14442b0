"""Memory while much is read: what Python's collector should leave alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Make many objects without cycles, such as parsed JSON, without the collector walking over them again and again.

    Objects that nobody refers to any more are freed as ever; the search for cycles resumes when the block ends.

    Examples:
        >>> with collector_paused():
        ...     gc.isenabled()
        False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
