"""Checking entries: all checks, always, on one entry or on a folder of them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from matbench_lite.errors import EntryError
from matbench_lite.progress import progress
from matbench_lite.review.checked import Checked
from matbench_lite.review.checks import CHECKS, ENTRY_RULES
from matbench_lite.review.findings import Finding, in_order
from matbench_lite.review.material import Material, read_material
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark

_MOST_OF_ONE_CODE = 20


def check_entry(
    folder: Path,
    *,
    others: Mapping[str, Submission] | None = None,
    benchmark: Benchmark | None = None,
    committed: bool = False,
) -> Checked:
    """Run all checks on one entry. Nothing of it is executed, unpickled or decoded into objects; nothing is fetched.

    Args:
        folder: The entry's folder.
        others: The other entries by slug; None where they are not known, e.g. outside a clone: the checks that need
            them are listed in `not_run`.
        benchmark: Its benchmark; needed only if it is not a built-in one.
        committed: Whether the folder is what a commit holds: then nothing hidden may be in it, not even work state.

    Raises:
        EntryError: If there is no such folder.
        DataError: If targets or folds on this machine are damaged or forged: that is no fault of the entry.

    Examples:
        >>> import tempfile
        >>> sub = Submission("mini", algorithm="Zero", authors=["A. Name"], description="Zero.", external_data=False)
        >>> for fold in range(5):
        ...     sub.record("mini_gap", fold, [0.0] * 100)
        >>> with tempfile.TemporaryDirectory() as home:
        ...     checked = check_entry(sub.save(Path(home) / "zero"))
        >>> checked.ok, [finding.code for finding in checked.findings]
        (False, ['MBL116', 'MBL601', 'MBL503'])
        >>> print(checked.category.reason)
        1 of 7 tasks, neither all regression nor all structure tasks
    """
    return _verdict(_read(Path(folder), benchmark, committed=committed).beside(others))


def check_entries(
    submissions: Path,
    *,
    only: Collection[str] | None = None,
    benchmark: Benchmark | None = None,
    committed: bool = False,
) -> dict[str, Checked]:
    """Run all checks on the entries of a folder; each entry's siblings are the others.

    Args:
        submissions: Has one folder per entry.
        only: Slugs of the entries to check; all by default. The others are read to compare with.
        benchmark: The benchmark of those entries whose benchmark is not a built-in one.
        committed: Whether the folder is what a commit holds.

    Raises:
        EntryError: If there is no such folder.
        DataError: If targets or folds on this machine are damaged or forged: that is no fault of an entry.
    """
    folders = entry_folders(submissions)
    with progress("checking entries", len(folders)) as advance:
        read: dict[str, Material] = {}
        for folder in folders:
            read[folder.name] = _read(folder, benchmark, committed=committed)
            advance(1)
    entries = {slug: entry for slug, material in read.items() if (entry := material.submission) is not None}
    return {
        slug: _verdict(material.beside({name: entry for name, entry in entries.items() if name != slug}))
        for slug, material in read.items()
        if only is None or slug in only
    }


def read_others(submissions: Path, benchmark: Benchmark | None = None) -> dict[str, Submission]:
    """The entries of a folder that can be read, by slug: what another entry is compared with.

    Raises:
        EntryError: If there is no such folder.
    """
    read = {folder.name: _read(folder, benchmark).submission for folder in entry_folders(submissions)}
    return {slug: entry for slug, entry in read.items() if entry is not None}


def entry_folders(submissions: Path) -> list[Path]:
    """The folders of entries under a folder, in the order of their names.

    Raises:
        EntryError: If there is no such folder.
    """
    folder = Path(submissions)
    if not folder.is_dir():
        raise EntryError(f"there is no folder {folder}", fix="give the folder that holds the entries")
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _read(folder: Path, benchmark: Benchmark | None, *, committed: bool = False) -> Material:
    if not folder.is_dir():
        raise EntryError(f"there is no folder {folder}", fix="give the folder of an entry")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise EntryError(f"the folder {folder} cannot be read", fix="see to its permissions")
    return read_material(folder, benchmark, committed=committed)


def _verdict(material: Material) -> Checked:
    findings = [finding for check in CHECKS for finding in check(material)]
    submission = material.submission
    stated = (material.examined.document or {}).get("digest")
    return Checked(
        slug=material.slug,
        folder=material.folder,
        findings=_shortened(in_order(findings)),
        not_run=_not_run(material),
        submission=submission,
        category=None if submission is None else submission.category,
        verified={task.name: task.name in material.targets for task in material.tasks},
        digest=stated if isinstance(stated, str) else None,
        size=material.examined.size,
    )


def _not_run(material: Material) -> dict[str, str]:
    """The checks that were not run, or not on all of the entry, and why."""
    missing = [task.name for task in material.tasks if task.name not in material.targets]
    reasons: dict[str, str] = {}
    for rule in ENTRY_RULES:
        if not material.document and rule.group in ("honesty", "declarations"):
            reasons[rule.code] = "submission.json cannot be read, or is out of form"
        elif not material.tasks and rule.needs is not None:
            reasons[rule.code] = "there are no predictions that can be read"
        elif rule.needs == "others" and material.others is None:
            reasons[rule.code] = "needs the other entries: not run here, CI will"
        elif rule.needs == "targets" and missing:
            reasons[rule.code] = f"needs the targets of {', '.join(missing)}: not run here, CI will"
    return dict(sorted(reasons.items()))


def _shortened(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """At most so many findings of one code: the rest is a number."""
    by_code: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding.severity, finding.code].append(finding)
    kept: list[Finding] = []
    for same in by_code.values():
        kept += same[:_MOST_OF_ONE_CODE]
        if len(same) > _MOST_OF_ONE_CODE:
            first = same[0]
            message = f"and {len(same) - _MOST_OF_ONE_CODE} more of these"
            kept.append(Finding(code=first.code, severity=first.severity, message=message, fix=first.fix))
    return tuple(kept)
