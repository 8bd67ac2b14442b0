"""How much one training of submitted code may take."""

from __future__ import annotations

from dataclasses import dataclass

from matbench_lite.errors import MatbenchLiteError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one training may take, with all the processes that it starts.

    Args:
        seconds: Wall time, in seconds, from when the data is handed over.
        memory_mb: Memory of all its processes together, in MB (2**20 bytes).
        disk_mb: Files in its scratch folder, in MB. The folder lies in memory: a training can take `memory_mb` and
            `disk_mb` of the machine's memory.
        processes: Processes and threads at the same time.
        output_mb: What it may print, in MB.

    Raises:
        MatbenchLiteError: If a limit is not positive.

    Examples:
        >>> Limits(seconds=60).memory_mb
        4096
        >>> Limits(seconds=0)
        Traceback (most recent call last):
        matbench_lite.errors.MatbenchLiteError: the limit seconds=0 allows nothing; give a number above 0
    """

    seconds: float = 600
    memory_mb: int = 4096
    disk_mb: int = 1024
    processes: int = 64
    output_mb: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < float("inf"):
                raise MatbenchLiteError(f"the limit {name}={value:g} allows nothing", fix="give a number above 0")
