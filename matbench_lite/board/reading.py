"""All entries of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import EntryError, MatbenchLiteError
from matbench_lite.submission import Submission
from matbench_lite.submission.entry import read_document
from matbench_lite.submission.folder import DOCUMENT
from matbench_lite.tasks import Benchmark


@dataclass(frozen=True, kw_only=True)
class Entries:
    """What was found in a folder.

    Args:
        read: The entries by slug (folder name), in the order of their slugs.
        refused: Why the others cannot be read.
    """

    read: dict[str, Submission]
    refused: dict[str, MatbenchLiteError]


def read_entries(folder: Path, benchmark: Benchmark) -> Entries:
    """Read the entries of one benchmark; those of other benchmarks are passed over.

    Args:
        folder: Has one folder per entry, e.g. `submissions`.
        benchmark: Their benchmark.

    Raises:
        EntryError: If there is no such folder.
    """
    if not folder.is_dir():
        raise EntryError(f"there is no folder {folder}", fix="give the folder that holds the entries")
    found = Entries(read={}, refused={})
    for path in sorted(folder.iterdir()):
        if not (path / DOCUMENT).is_file():
            continue
        try:
            found.read[path.name] = Submission.load(path, benchmark)
        except MatbenchLiteError as error:
            if stated_benchmark(path) in (None, benchmark.name):
                found.refused[path.name] = error
    return found


def stated_benchmark(folder: Path) -> object:
    """Which benchmark an entry says it is of; None if that cannot be read."""
    try:
        return read_document(folder).get("benchmark")
    except MatbenchLiteError:
        return None
