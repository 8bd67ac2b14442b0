"""Which entries a change adds, edits, removes or renames, what else it touches, and the files of its entries.

Files of a commit are written to a private folder by content, under safe names, within limits.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal

from matbench_lite import git
from matbench_lite.check import SUBMISSIONS, Finding
from matbench_lite.errors import DataError, MachineError, MatbenchLiteError
from matbench_lite.git import Repository, TreeItem
from matbench_lite.review import change_rules as rules
from matbench_lite.submission import DOCUMENT, MAX_FILES, PREDICTIONS, Submission

Kind = Literal["added", "edited", "removed", "renamed"]
Slug = bytes
"""A folder's name as git has it: nobody has looked at it yet."""
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.+=@,()\[\] -]{0,99}")
_MAX_DEPTH = 4
_MAX_READ = 64_000_000
"""Bytes of one entry that are read, above what any of its files may have."""
_RESERVED = {".", "..", ".git"}


@dataclass(frozen=True, kw_only=True)
class EntryChange:
    """One entry that a change touches: its files that differ, without the folder's name.

    It has an old slug if it is renamed, and a conflict if the base has changed it, too, since the branch began.
    """

    slug: Slug
    kind: Kind
    old_slug: Slug | None
    changed: tuple[bytes, ...]
    conflict: bool

    @property
    def name(self) -> str:
        """Its slug as text."""
        return _text(self.slug)

    @property
    def old_name(self) -> str:
        """The slug that it had as text; the same, unless it is renamed."""
        return _text(self.old_slug or self.slug)


@dataclass(frozen=True, kw_only=True)
class ChangeSet:
    """What a branch changes: entries in the order of their slugs, and the paths of all other files that it touches.

    `base_files` and `head_files` are the files of all entries in the two commits, by slug.
    """

    base: str
    head: str
    entries: tuple[EntryChange, ...]
    others: tuple[bytes, ...]
    base_files: Mapping[Slug, tuple[TreeItem, ...]]
    head_files: Mapping[Slug, tuple[TreeItem, ...]]


def find_changes(repository: Repository, base: str, head: str) -> ChangeSet:
    """Find out what a branch changes, counted from where it left its base; both are a branch, tag or commit.

    Raises:
        RepositoryError: If one of them is not there, or they have no common history.
    """
    base, head = repository.commit(base), repository.commit(head)
    start = repository.merge_base(base, head)
    touched: dict[Slug, list[bytes]] = defaultdict(list)
    others = []
    for path, mode in repository.changes(start, head):
        slug, name = _split(path, mode)
        others.append(path) if slug is None else touched[slug].append(name)
    start_files, base_files, head_files = (_by_slug(repository, commit) for commit in (start, base, head))
    moved = _moved(start_files, head_files)
    entries = [
        EntryChange(
            slug=slug,
            kind=_kind(slug, start_files, head_files, moved),
            old_slug=moved.get(slug),
            changed=tuple(dict.fromkeys(names)),
            conflict=any(
                not _same(start_files.get(name), base_files.get(name)) for name in {slug, moved.get(slug, slug)}
            ),
        )
        for slug, names in sorted(touched.items())
        # What the base has already, from another branch, is no change any more.
        if slug not in moved.values() and not _same(base_files.get(slug), head_files.get(slug))
    ]
    return ChangeSet(
        base=base,
        head=head,
        entries=tuple(entries),
        others=tuple(sorted(others)),
        base_files=base_files,
        head_files=head_files,
    )


def _split(path: bytes, mode: str) -> tuple[Slug | None, bytes]:
    """The slug and the path below it; no slug for a file that is not of an entry."""
    top, _, rest = path.partition(b"/")
    slug, slash, name = rest.partition(b"/")
    # A link in the place of a folder would be one, if it were followed.
    if top != SUBMISSIONS.encode() or not (slash or mode in (git.LINK, git.SUBMODULE)):
        return None, path
    return slug, name


def _by_slug(repository: Repository, commit: str) -> dict[Slug, tuple[TreeItem, ...]]:
    found: dict[Slug, list[TreeItem]] = defaultdict(list)
    for item in repository.files(commit, SUBMISSIONS):
        slug, _ = _split(item.path, item.mode)
        if slug is not None:
            found[slug].append(item)
    return {slug: tuple(items) for slug, items in found.items()}


def _moved(before: Mapping[Slug, Iterable[TreeItem]], after: Mapping[Slug, Iterable[TreeItem]]) -> dict[Slug, Slug]:
    """The old slug of every entry that is renamed: the same predictions, and nothing left in the old place.

    Contents are told by their names in git: nothing that a stranger put there is read.
    """
    had, has = (
        {
            slug: item.oid
            for slug, items in files.items()
            for item in items
            if _split(item.path, item.mode)[1] == PREDICTIONS.encode()
        }
        for files in (before, after)
    )
    gone = {oid: slug for slug, oid in had.items() if slug not in after}
    return {slug: gone.pop(oid) for slug, oid in has.items() if slug not in had and oid in gone}


def _kind(slug: Slug, before: Mapping[Slug, object], after: Mapping[Slug, object], moved: Mapping[Slug, Slug]) -> Kind:
    if slug in moved:
        return "renamed"
    if slug not in before:
        return "added"
    return "edited" if slug in after else "removed"


def _same(first: Iterable[TreeItem] | None, second: Iterable[TreeItem] | None) -> bool:
    return set(first or ()) == set(second or ())


@dataclass(frozen=True, kw_only=True)
class StagedFile:
    """A file of an entry: its path in the folder, where what is no text is replaced, and its size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Staged:
    """One entry, written to a folder; None if its name cannot be used.

    `files` are all that it has, also those that were not written.
    """

    folder: Path | None
    files: tuple[StagedFile, ...]
    findings: tuple[Finding, ...]


def stage_entry(repository: Repository, slug: Slug, items: Iterable[TreeItem], folder: Path) -> Staged:
    """Write one entry of a commit to a folder of its own below `folder`.

    Links and submodules are not made, names that are not plain are not used: each is a finding. No file is executable.
    Of a file that is too large only the size is kept: the checks of entries say what they say of every such file.
    """
    items = tuple(items)
    name = _text(slug)
    prefix = f"{SUBMISSIONS}/".encode() + slug + b"/"
    files = tuple(StagedFile(name=_text(item.path.removeprefix(prefix)), size=item.size) for item in items)
    if not _SLUG.fullmatch(name):
        found = rules.NAME.found(f"the folder name {name!r} cannot be used")
        return Staged(folder=None, files=files, findings=(found,))
    # Each in a place of its own: names may differ in case only.
    target = Path(mkdtemp(dir=folder)) / name
    target.mkdir()
    findings: list[Finding] = []
    wanted: list[tuple[TreeItem, str]] = []
    for item, file in zip(items, files, strict=True):
        problems = _problems(item, file)
        findings += problems
        if all(finding.code == rules.EXECUTABLE.code for finding in problems):
            wanted.append((item, file.name))
    if len(wanted) > MAX_FILES + 2:
        findings.append(rules.SIZE.found(f"{name} has {len(wanted)} files, an entry at most {MAX_FILES}"))
        wanted = []
    findings += _write_all(repository, wanted, target)
    return Staged(folder=target, files=files, findings=tuple(findings))


def stage_readable(
    repository: Repository, entries: Iterable[tuple[Slug, Iterable[TreeItem]]], folder: Path
) -> dict[str, Submission]:
    """Write entries and read them; those that cannot be read are left out, as on every board."""
    read = {}
    for slug, items in entries:
        staged = stage_entry(repository, slug, items, folder)
        if staged.folder is None or not (staged.folder / DOCUMENT).is_file():
            continue
        try:
            read[_text(slug)] = Submission.load(staged.folder)
        except (DataError, MachineError):
            raise  # of our data or machine, not of the entry
        except MatbenchLiteError:
            continue
    return read


def _problems(item: TreeItem, file: StagedFile) -> list[Finding]:
    if item.mode in (git.LINK, git.SUBMODULE):
        what = "a link" if item.mode == git.LINK else "a submodule"
        return [rules.LINK.found(f"it is {what}", file=file.name)]
    parts = file.name.split("/")
    usable = all(_NAME.fullmatch(part) and part.lower() not in _RESERVED for part in parts)
    if not usable or len(parts) > _MAX_DEPTH:
        return [rules.NAME.found("the name of the file cannot be used", file=file.name)]
    if item.mode == git.EXECUTABLE:
        return [rules.EXECUTABLE.found("the file is marked as executable", file=file.name)]
    return []


def _write_all(repository: Repository, wanted: list[tuple[TreeItem, str]], folder: Path) -> Iterator[Finding]:
    left = _MAX_READ
    contents = []
    for item, name in sorted(wanted, key=lambda pair: pair[0].size):
        contents.append((item, name, item.size <= left))
        left -= item.size
    read = repository.contents([item.oid for item, _, fits in contents if fits])
    for item, name, fits in contents:
        content = next(read) if fits else None
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Never over a file that is there already, never through a link.
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.truncate(item.size) if content is None else stream.write(content)
        except FileExistsError:
            # Two names that differ in case only, where the file system does not.
            yield rules.NAME.found("another file has this name, but for its case", file=name)


def _text(path: bytes) -> str:
    return path.decode(errors="replace")
