"""Sealing an entry anew after its README, its code or what it says about itself was edited: nothing is trained."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from matbench_lite.run.about import ABOUT_FILE, read_about
from matbench_lite.submission import Submission
from matbench_lite.submission.entry import as_entry
from matbench_lite.submission.examining import examine
from matbench_lite.submission.problem import Problem, refuse
from matbench_lite.tasks import Benchmark

_MENDED = ("digest", "not canonical", "missing listed", "not listed", "changed file")
"""What is mended by taking the folder as it is now. Changed predictions are not: they are another entry."""


def seal_entry(folder: Path, benchmark: Benchmark | None = None) -> list[str]:
    """Take the files of an entry's folder as they are now; the predictions must still be those that were recorded.

    The header comes from `about.toml` where there is one. Scores are computed again where the targets are here.

    Args:
        folder: The entry's folder.
        benchmark: Its benchmark; needed only if it is not a built-in one.

    Returns:
        What has changed, in words; nothing if the entry was sealed already.

    Raises:
        EntryError: If it is no entry, or its predictions are not those that were recorded; it is left as it was.
        ModelError: If `about.toml` has a mistake; it is left as it was.
    """
    mended: list[str] = []
    entry = as_entry(examine(folder, benchmark, partial(_mend, mended=mended, folder=folder)))
    submission = Submission.from_entry(entry)
    for name, value in _header(folder, submission).items():
        if getattr(submission, name) != value:
            setattr(submission, name, value)
            mended.append(f"{name} is now that of {ABOUT_FILE}")
    if mended:
        submission.save(folder, overwrite=True)
    return mended


def _mend(problem: Problem, *, mended: list[str], folder: Path) -> None:
    if problem.kind not in _MENDED:
        refuse(problem, folder)
    mended.append(problem.message)


def _header(folder: Path, submission: Submission) -> dict[str, object]:
    file = folder / ABOUT_FILE
    # A quick run is marked in its name and description: the file does not know of it.
    if not file.is_file() or submission.metadata.get("quick"):
        return {}
    return read_about(file, folder.resolve().name).arguments
