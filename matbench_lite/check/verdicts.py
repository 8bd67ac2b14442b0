"""Checking entries: all checks, always, on one entry, on a folder of them, or on what a user points at."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from matbench_lite.check import rules
from matbench_lite.check.material import Material, read_material
from matbench_lite.check.rivals import Rivals
from matbench_lite.check.rules.copies import NEED_WITNESSES, SIGNS, WITNESSES
from matbench_lite.errors import EntryError
from matbench_lite.progress import progress
from matbench_lite.submission import DOCUMENT, READING, Finding, Severity, Submission, in_order
from matbench_lite.tasks import Benchmark, Category
from matbench_lite.text import in_words

SUBMISSIONS = "submissions"
_MOST_OF_ONE_CODE = 20
_MODULES = [import_module(f"{rules.__name__}.{module.name}") for module in iter_modules(rules.__path__)]
_CHECKS: list[Callable[[Material], Iterator[Finding]]] = [
    value for module in _MODULES for name, value in vars(module).items() if name.startswith("check_")
]
ENTRY_RULES = {**READING, **rules.RULES}
"""Every rule for entries by its code: those of reading one, and those of the checks."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What the checks say of one entry, whose folder is called `slug`: all that was found, errors first.

    `not_run` has the checks that could not be run here, or only on some tasks: the reason by code. The submission is
    None when its predictions cannot be read; it may be there in spite of errors: ask `ok`. `verified` tells by recorded
    task whether its scores were recomputed from targets proven to be the published ones. The digest is the one that
    submission.json states, None if it cannot be read; the size is that of all files, in bytes.
    """

    slug: str
    folder: Path
    findings: tuple[Finding, ...]
    not_run: Mapping[str, str]
    submission: Submission | None
    verified: Mapping[str, bool]
    digest: str | None
    size: int

    @property
    def category(self) -> Category | None:
        """General-purpose or task-specific, and why; None without a submission."""
        return None if self.submission is None else self.submission.category

    @property
    def ok(self) -> bool:
        """Whether there is no error: warnings and notes do not stop an entry."""
        return not self.count("error")

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON."""
        category = self.category
        return {
            "slug": self.slug,
            "ok": self.ok,
            "algorithm": None if self.submission is None else self.submission.algorithm,
            "category": None if category is None else {"name": str(category), "reason": category.reason},
            "verified": dict(self.verified),
            "digest": self.digest,
            "size": self.size,
            "findings": [finding.as_dict() for finding in self.findings],
            "not_run": dict(self.not_run),
        }


def check_entry(
    folder: Path,
    *,
    others: Mapping[str, Submission] | None = None,
    benchmark: Benchmark | None = None,
    committed: bool = False,
) -> Checked:
    """Run all checks on one entry. Nothing of it is executed, unpickled or decoded into objects; nothing is fetched.

    The `others` are the other entries by slug; None where they are not known, e.g. outside a clone: the checks that
    need them are listed in `not_run`. A benchmark is needed only if it is not a built-in one. In a folder that is what
    a commit holds (`committed`), nothing hidden may be, not even work state.

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
    material = read_material(Path(folder), benchmark, committed=committed)
    return verdict(material, None if others is None else material.among(others))


def check_entries(
    submissions: Path, *, benchmark: Benchmark | None = None, committed: bool = False
) -> dict[str, Checked]:
    """Run all checks on the entries of a folder, by slug; each entry's siblings are the others. See `check_entry`.

    Raises:
        EntryError: If there is no such folder.
        DataError: If targets or folds on this machine are damaged or forged: that is no fault of an entry.
    """
    read, entries = _read_all(Path(submissions), benchmark, committed=committed)
    rivals = Rivals(entries)
    return {slug: verdict(material, rivals) for slug, material in read.items()}


def _read_all(
    submissions: Path, benchmark: Benchmark | None, *, committed: bool = False
) -> tuple[dict[str, Material], dict[str, Submission]]:
    """The entries of a folder by slug; and those that can be read as a whole, which the others are compared with."""
    if not submissions.is_dir():
        raise EntryError(f"there is no folder {submissions}", fix="give the folder that holds the entries")
    folders = sorted(path for path in submissions.iterdir() if path.is_dir() and not path.name.startswith("."))
    read: dict[str, Material] = {}
    with progress("checking entries", len(folders)) as advance:
        for folder in folders:
            read[folder.name] = read_material(folder, benchmark, committed=committed)
            advance(1)
    return read, {slug: entry for slug, material in read.items() if (entry := material.submission) is not None}


def verdict(read: Material, rivals: Rivals | None) -> Checked:
    """Run all checks on an entry that was read, beside others if they are known; it is among them, by its slug."""
    material = replace(read, others=rivals)
    findings = [*material.findings, *(finding for check in _CHECKS for finding in check(material))]
    stated = (material.examined.document or {}).get("digest")
    return Checked(
        slug=material.slug,
        folder=material.folder,
        findings=_shortened(in_order(findings)),
        not_run=_not_run(material),
        submission=material.submission,
        verified={task.name: task.name in material.targets for task in material.tasks},
        digest=stated if isinstance(stated, str) else None,
        size=material.examined.size,
    )


def _not_run(material: Material) -> dict[str, str]:
    """The checks that were not run, or not on all of the entry, and why."""
    missing = [task.name for task in material.tasks if task.name not in material.targets]
    later = "" if material.committed else ": not run here, CI will"  # what a commit holds is checked by CI
    reasons: dict[str, str] = {}
    for rule in ENTRY_RULES.values():
        if not material.document and rule.group in ("honesty", "declarations"):
            reasons[rule.code] = "submission.json cannot be read, or is malformed"
        elif not material.tasks and rule.needs is not None:
            reasons[rule.code] = "no predictions can be read"
        elif rule.needs == "others" and material.others is None:
            reasons[rule.code] = f"needs the other entries{later}"
        elif (rule.needs == "targets" or rule.code in SIGNS) and missing:
            reasons[rule.code] = f"needs the targets of {', '.join(missing)}{later}"
        elif rule.code in NEED_WITNESSES and (few := _without_witnesses(material)):
            reasons[rule.code] = f"too few entries beside it on {in_words(few)}"
    return dict(sorted(reasons.items()))


def _without_witnesses(material: Material) -> list[str]:
    """The complete tasks on which too few independent entries are beside this one."""
    complete = () if material.submission is None else material.submission.complete_tasks
    compared = [task for task in material.tasks if task.name in complete and not material.is_guess(task)]
    signs = {task.name: material.beside(task) for task in compared}
    return [name for name, found in signs.items() if found is None or found.rivals < WITNESSES]


def codes_by_reason(not_run: Mapping[str, str]) -> dict[str, list[str]]:
    """The codes of checks that were not run, by the reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for code, reason in not_run.items():
        reasons[reason].append(code)
    return reasons


def _shortened(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """At most so many findings of one code, of which they are in order: the rest is a number."""
    kept: list[Finding] = []
    for _, group in groupby(findings, key=lambda finding: (finding.severity, finding.code)):
        same = list(group)
        kept += same[:_MOST_OF_ONE_CODE]
        if len(same) > _MOST_OF_ONE_CODE:
            first = same[0]
            message = f"and {len(same) - _MOST_OF_ONE_CODE} more of these"
            kept.append(Finding(code=first.code, severity=first.severity, message=message, fix=first.fix))
    return tuple(kept)


def find_submissions(entry: Path) -> Path | None:
    """The folder that holds the other entries of a clone; None outside one.

    That is the entry's own parent, if it is called `submissions` and holds other entries or is part of a git work
    tree; else `submissions` at the root of the git work tree that the entry lies in.
    """
    # Not resolve(): a link is not to be followed.
    path = Path(os.path.abspath(entry))  # noqa: PTH100
    parent = path.parent
    root = next((folder for folder in path.parents if (folder / ".git").exists()), None)
    if parent.name == SUBMISSIONS and (
        root is not None or any(other != path and (other / DOCUMENT).is_file() for other in parent.glob("*"))
    ):
        return parent
    if root is not None and (root / SUBMISSIONS).is_dir():
        return root / SUBMISSIONS
    return None


def check_paths(
    paths: Sequence[Path], *, submissions: Path | None = None, benchmark: Benchmark | None = None
) -> list[Checked]:
    """Run all checks on entries, or on those in folders of them, in the order of the paths.

    Each is checked beside the other entries, which are in `submissions`: by default in the clone that it lies in, if it
    lies in one. A benchmark that is not a built-in one has to be given.

    Raises:
        EntryError: If a path is no folder.
    """
    entries: list[Path] = []
    for path in paths:  # an entry itself, or those in a folder of entries
        among = path.is_dir() and not (path / DOCUMENT).exists()
        inside = sorted(folder for folder in path.iterdir() if (folder / DOCUMENT).is_file()) if among else []
        entries += inside or [path]
    homes = [submissions or find_submissions(entry) for entry in entries]
    asked: dict[Path, set[str]] = defaultdict(set)
    for entry, home in zip(entries, homes, strict=True):
        if home is not None and entry.absolute().parent.resolve() == home.resolve():
            asked[home.resolve()].add(entry.absolute().name)

    @cache
    def read_home(home: Path) -> tuple[dict[str, Material], Rivals]:
        read, others = _read_all(home, benchmark)
        return read, Rivals(others, asked[home])

    verdicts: list[Checked] = []
    for entry, home in zip(entries, homes, strict=True):
        read, rivals = ({}, None) if home is None else read_home(home.resolve())
        is_known = home is not None and entry.absolute().parent.resolve() == home.resolve()
        material = read.get(entry.absolute().name) if is_known else None
        if material is None:
            material = read_material(entry, benchmark)
            rivals = None if rivals is None else material.among(rivals)
        verdicts.append(verdict(material, rivals))
    return verdicts
