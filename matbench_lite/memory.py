"""Memory while much is read: what Python's collector and pyarrow's allocator should leave alone."""

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


def give_memory_back() -> None:
    """Where files are read one after the other: the allocator of pyarrow would keep what the largest of them needed."""
    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
