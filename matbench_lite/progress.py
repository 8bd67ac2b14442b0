"""Progress bars on standard error: shown to people, silent for machines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Advance = Callable[[int], None]
"""Call it with the number of bytes or items done since the last call."""


@contextmanager
def progress(description: str, total: int | None, *, unit: Literal["bytes", "items"] = "items") -> Iterator[Advance]:
    """Show a bar for work of `total` bytes or items while the block runs.

    Nothing is shown when standard error is not a terminal or `MATBENCH_LITE_PROGRESS=0`.

    Examples:
        >>> with progress("counting", 3) as advance:
        ...     for _ in range(3):
        ...         advance(1)
    """
    if os.environ.get("MATBENCH_LITE_PROGRESS") == "0" or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich import progress as bars
    from rich.console import Console

    amount = bars.DownloadColumn() if unit == "bytes" else bars.MofNCompleteColumn()
    # The time so far goes on inside a long item: the program is seen to be at work.
    times = bars.TimeElapsedColumn(), bars.TimeRemainingColumn()
    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), amount, *times)
    # What is printed meanwhile goes above the bar, unless it goes to a file or another program.
    above = sys.stdout.isatty()
    with bars.Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=above) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.advance(task, done)
