"""Entries of a commit as files in a private folder: by content, under safe names, within limits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from matbench_lite import git
from matbench_lite.errors import DataError, MatbenchLiteError
from matbench_lite.git import Repository, TreeItem
from matbench_lite.review.findings import Finding
from matbench_lite.review.pull_request import rules
from matbench_lite.review.pull_request.changes import SUBMISSIONS, Slug
from matbench_lite.submission import DOCUMENT, MAX_FILES, Submission

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.+=@,()\[\] -]{0,99}")
_MAX_DEPTH = 4
_MAX_READ = 64_000_000
"""Bytes of one entry that are read, above what any of its files may have."""
_RESERVED = {".", "..", ".git"}


@dataclass(frozen=True, kw_only=True)
class StagedFile:
    """A file of an entry.

    Args:
        name: Its path in the entry's folder; what is no text in it is replaced.
        size: In bytes.
    """

    name: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Staged:
    """One entry, written to a folder.

    Args:
        slug: Its folder's name; what is no text in it is replaced.
        folder: Where it was written; None if its name cannot be used.
        files: All its files, also those that were not written.
        findings: What is wrong with names, kinds and sizes.
    """

    slug: str
    folder: Path | None
    files: tuple[StagedFile, ...]
    findings: tuple[Finding, ...]


def stage_entry(repository: Repository, slug: Slug, items: Iterable[TreeItem], folder: Path) -> Staged:
    """Write one entry of a commit to a folder of its own below `folder`.

    Links and submodules are not made, names that are not plain are not used: each is a finding. No file is executable.
    Of a file that is too large only the size is kept: the checks of entries say what they say of every such file.

    Args:
        repository: The repository.
        slug: The entry's name.
        items: Its files.
        folder: A private folder.
    """
    items = tuple(items)
    name = _text(slug)
    prefix = f"{SUBMISSIONS}/".encode() + slug + b"/"
    files = tuple(StagedFile(name=_text(item.path.removeprefix(prefix)), size=item.size) for item in items)
    if not _SLUG.fullmatch(name):
        found = rules.NAME.found(f"the folder name {name!r} cannot be used")
        return Staged(slug=name, folder=None, files=files, findings=(found,))
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
    return Staged(slug=name, folder=target, files=files, findings=tuple(findings))


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
            read[staged.slug] = Submission.load(staged.folder)
        except DataError:
            raise  # of our data, not of the entry
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
        try:
            _write(folder / name, content, item.size)
        except FileExistsError:
            # Two names that differ in case only, where the file system does not.
            yield rules.NAME.found("another file has this name, but for its case", file=name)


def _write(path: Path, content: bytes | None, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Never over a file that is there already, never through a link.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.truncate(size) if content is None else stream.write(content)


def _text(path: bytes) -> str:
    return path.decode(errors="replace")
