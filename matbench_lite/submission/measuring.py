"""Wall time and peak memory of a block of code."""

from __future__ import annotations

import threading
import time
from types import TracebackType

_INTERVAL = 0.02  # seconds between two looks at the memory


class Measurement:
    """Measures the block it surrounds: `seconds` and `peak_memory_mb` are there when it ends.

    Memory is the resident set of this process (children are not counted), looked at every 20 ms by a thread.

    Examples:
        >>> with Measurement() as block:
        ...     _ = sum(range(1000))
        >>> block.seconds >= 0, block.peak_memory_mb > 1
        (True, True)
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.peak_memory_mb = 0.0
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Measurement:
        import psutil

        self._process = psutil.Process()
        self._look()
        self._watcher.start()
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.seconds = time.perf_counter() - self._start
        self._done.set()
        self._watcher.join()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(_INTERVAL):
            self._look()

    def _look(self) -> None:
        self.peak_memory_mb = max(self.peak_memory_mb, self._process.memory_info().rss / 1e6)
