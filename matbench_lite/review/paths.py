"""Checking what a user points at: entries, folders of entries, inside a clone or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from matbench_lite.review.checked import Checked
from matbench_lite.review.checking import check_entries, check_entry, read_others
from matbench_lite.review.clone import find_submissions
from matbench_lite.submission import DOCUMENT
from matbench_lite.tasks import Benchmark


def check_paths(
    paths: Sequence[Path], *, submissions: Path | None = None, benchmark: Benchmark | None = None
) -> list[Checked]:
    """Run all checks on entries, each beside the other entries of its clone if it lies in one.

    Args:
        paths: Folders of entries, or folders that hold such folders.
        submissions: Where the other entries are; by default found from each path.
        benchmark: The benchmark of those entries whose benchmark is not a built-in one.

    Returns:
        The verdicts, in the order of the paths.

    Raises:
        EntryError: If a path is no folder.
    """
    entries = [entry for path in paths for entry in _entries(path)]
    homes: dict[Path | None, list[Path]] = defaultdict(list)
    for entry in entries:
        home = submissions or find_submissions(entry)
        homes[None if home is None else home.resolve()].append(entry)
    verdicts: dict[Path, Checked] = {}
    for home, members in homes.items():
        verdicts |= _check(home, members, benchmark)
    return [verdicts[entry] for entry in entries]


def _entries(path: Path) -> list[Path]:
    """The entry itself, or those in a folder of entries."""
    if path.is_dir() and not (path / DOCUMENT).exists():
        inside = sorted(folder for folder in path.iterdir() if (folder / DOCUMENT).is_file())
        return inside or [path]
    return [path]


def _check(home: Path | None, entries: list[Path], benchmark: Benchmark | None) -> dict[Path, Checked]:
    if home is None:
        return {entry: check_entry(entry, benchmark=benchmark) for entry in entries}
    inside = {entry.absolute().name: entry for entry in entries if entry.absolute().parent.resolve() == home}
    found = check_entries(home, only=set(inside), benchmark=benchmark) if inside else {}
    outside = [entry for entry in entries if entry not in inside.values()]
    others = read_others(home, benchmark) if outside else {}
    return {inside[slug]: checked for slug, checked in found.items()} | {
        entry: check_entry(entry, others=others, benchmark=benchmark) for entry in outside
    }
