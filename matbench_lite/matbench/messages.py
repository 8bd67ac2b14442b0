"""What Matbench tells while it works: a logger, shown where nobody has set up logging."""

from __future__ import annotations

import logging
import sys

logger = logging.getLogger("matbench_lite.matbench")


class _Shown(logging.Handler):
    """Writes to whatever standard output is at the time: a notebook or a test may have replaced it."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stdout.write(f"{self.format(record)}\n")


def show_messages() -> None:
    """Show the messages on standard output, as Matbench does, unless the program has handlers of its own."""
    if not logger.hasHandlers():
        handler = _Shown()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-8s %(message)s", "%Y-%m-%d %H:%M:%S"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
