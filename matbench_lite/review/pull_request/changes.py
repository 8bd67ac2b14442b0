"""Which entries a change adds, edits, removes or renames, and what else it touches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from matbench_lite.git import LINK, SUBMODULE, Change, Repository, TreeItem
from matbench_lite.submission import PREDICTIONS

SUBMISSIONS = "submissions"
"""The folder of the repository that has one folder per entry."""

Kind = Literal["added", "edited", "removed", "renamed"]
Slug = bytes
"""A folder's name as git has it: nobody has looked at it yet."""


@dataclass(frozen=True, kw_only=True)
class EntryChange:
    """One entry that a change touches.

    Args:
        slug: Its folder's name.
        kind: What happens to it.
        old_slug: The name it had, if it is renamed.
        changed: The files that differ, without the folder's name.
        conflict: Whether the base has changed it, too, since the branch began.
    """

    slug: Slug
    kind: Kind
    old_slug: Slug | None
    changed: tuple[bytes, ...]
    conflict: bool


@dataclass(frozen=True, kw_only=True)
class ChangeSet:
    """What a branch changes.

    Args:
        base: The commit that it is to be merged into.
        head: Its last commit.
        entries: The entries it touches, in the order of their slugs.
        others: Paths of all other files that it touches.
        base_files: The files of all entries in the base, by slug.
        head_files: The files of all entries in the head, by slug.
    """

    base: str
    head: str
    entries: tuple[EntryChange, ...]
    others: tuple[bytes, ...]
    base_files: Mapping[Slug, tuple[TreeItem, ...]]
    head_files: Mapping[Slug, tuple[TreeItem, ...]]


def find_changes(repository: Repository, base: str, head: str) -> ChangeSet:
    """Find out what a branch changes, counted from where it left its base.

    Args:
        repository: The repository; both commits are in it.
        base: What the branch is to be merged into: a branch, tag or commit.
        head: The branch, a tag or commit.

    Raises:
        RepositoryError: If one of them is not there, or they have no common history.
    """
    base, head = repository.commit(base), repository.commit(head)
    start = repository.merge_base(base, head)
    changes = repository.changes(start, head)
    touched: dict[Slug, list[bytes]] = defaultdict(list)
    others = []
    for change in changes:
        for path in _paths(change):
            slug, name = _split(path, change.mode)
            others.append(path) if slug is None else touched[slug].append(name)
    start_files, base_files, head_files = (_by_slug(repository, commit) for commit in (start, base, head))
    moved = _moved(changes, gone={slug for slug in touched if slug not in head_files})
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


def _paths(change: Change) -> tuple[bytes, ...]:
    return (change.path,) if change.old_path is None else (change.old_path, change.path)


def _split(path: bytes, mode: str) -> tuple[Slug | None, bytes]:
    """The slug and the path below it; no slug for a file that is not of an entry."""
    top, _, rest = path.partition(b"/")
    slug, slash, name = rest.partition(b"/")
    # A link in the place of a folder would be one, if it were followed.
    if top != SUBMISSIONS.encode() or not (slash or mode in (LINK, SUBMODULE)):
        return None, path
    return slug, name


def _by_slug(repository: Repository, commit: str) -> dict[Slug, tuple[TreeItem, ...]]:
    found: dict[Slug, list[TreeItem]] = defaultdict(list)
    for item in repository.files(commit, SUBMISSIONS):
        slug, _ = _split(item.path, item.mode)
        if slug is not None:
            found[slug].append(item)
    return {slug: tuple(items) for slug, items in found.items()}


def _moved(changes: Iterable[Change], *, gone: set[Slug]) -> dict[Slug, Slug]:
    """The old slug of every entry that is renamed: the same predictions, and nothing left in the old place."""
    moved: dict[Slug, Slug] = {}
    for change in changes:
        if change.old_path is None:
            continue
        old, old_name = _split(change.old_path, change.mode)
        new, name = _split(change.path, change.mode)
        if old in gone and old is not None and new is not None and name == old_name == PREDICTIONS.encode():
            moved[new] = old
    return moved


def _kind(slug: Slug, before: Mapping[Slug, object], after: Mapping[Slug, object], moved: Mapping[Slug, Slug]) -> Kind:
    if slug in moved:
        return "renamed"
    if slug not in before:
        return "added"
    return "edited" if slug in after else "removed"


def _same(first: Iterable[TreeItem] | None, second: Iterable[TreeItem] | None) -> bool:
    return set(first or ()) == set(second or ())
