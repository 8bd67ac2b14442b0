"""How much may arrive."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from matbench_lite.errors import ArrivalError

MAX_SEEN = 10_000
"""Files and folders that are looked at, with those that are left out; what hides behind so many is not sought."""
MAX_LISTED = 8_000_000
"""Bytes of the list of them, where it has to be read in one piece."""


@dataclass(frozen=True, kw_only=True)
class ArrivalLimits:
    """How much one submission may bring.

    Args:
        files: Number of files.
        file_mb: Size of one file, in MB (10^6 bytes).
        total_mb: Size of all files, in MB.
        path_length: Length of a file's path inside the submission, in bytes of UTF-8.
        depth: Parts of such a path: 1 for a file that lies in no folder.
        fetch_mb: What is fetched from an address, in MB: the whole branch, compressed, also beside the submission.
        seconds: How long git may work, in seconds.

    Raises:
        ArrivalError: If one of them is no number above 0.

    Examples:
        >>> ArrivalLimits(files=10).total_bytes
        100000000
    """

    files: int = 100
    file_mb: float = 50
    total_mb: float = 100
    path_length: int = 200
    depth: int = 5
    fetch_mb: float = 500
    seconds: float = 120

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ArrivalError(f"the limit {field.name} is {value!r}", fix="give a number above 0")

    @property
    def file_bytes(self) -> int:
        """Size of one file, in bytes."""
        return int(self.file_mb * 1e6)

    @property
    def total_bytes(self) -> int:
        """Size of all files, in bytes."""
        return int(self.total_mb * 1e6)

    @property
    def fetch_bytes(self) -> int:
        """What is fetched from an address, in bytes."""
        return int(self.fetch_mb * 1e6)
