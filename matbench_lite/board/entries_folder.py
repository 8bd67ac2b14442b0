"""All entries of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import DataError, EntryError, MachineError, MatbenchLiteError
from matbench_lite.memory import collector_paused
from matbench_lite.submission import DOCUMENT, EntryShelf, Submission, read_document
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


@collector_paused()
def read_entries(folder: Path, benchmark: Benchmark) -> Entries:
    """Read the entries of one benchmark; those of other benchmarks are passed over.

    Predictions are read when they are looked at: the folders must not change as long as the entries are used.

    Args:
        folder: Has one folder per entry, e.g. `submissions`.
        benchmark: Their benchmark.

    Raises:
        EntryError: If there is no such folder.
        DataError: If the folds on this machine are not the published ones.
    """
    if not folder.is_dir():
        raise EntryError(f"there is no folder {folder}", fix="give the folder that holds the entries")
    found = Entries(read={}, refused={})
    shelf = EntryShelf(benchmark)
    for path in sorted(folder.iterdir()):
        if not (path / DOCUMENT).is_file():
            continue
        try:
            found.read[path.name] = Submission.from_entry(shelf.open(path))
        except (DataError, MachineError):
            raise  # of our data or machine, not of the entry
        except MatbenchLiteError as error:
            if stated_benchmark(path) in (None, benchmark.name):
                found.refused[path.name] = error
    shelf.remember()
    return found


def stated_benchmark(folder: Path) -> object:
    """Which benchmark an entry says it is of; None if that cannot be read."""
    try:
        return read_document(folder).get("benchmark")
    except MatbenchLiteError:
        return None
