"""Reviewing a change: what it does to the entries, whether they pass the checks, and what it does to the boards.

The change is data. Its files are read from git, written under safe names to a private folder and checked there, by the
rules of the package that is installed; nothing of it is imported, executed or unpickled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from matbench_lite._version import __version__
from matbench_lite.board import hardware, training_seconds
from matbench_lite.check import SUBMISSIONS, Checked, Finding, Material, Rivals, in_order, read_material
from matbench_lite.check import verdict as verdict_on
from matbench_lite.data import targets_here
from matbench_lite.git import Repository
from matbench_lite.review import change_rules as rules
from matbench_lite.review.changes import ChangeSet, EntryChange, Staged, find_changes, stage_entry, stage_readable
from matbench_lite.review.report import EntryReport, Report, decide
from matbench_lite.review.standings import Boards
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark
from matbench_lite.text import count

MAX_ENTRIES = 100
"""Entries that one change may touch."""
_MAX_NAMED = 20


@dataclass(frozen=True, kw_only=True)
class _Looked:
    """One entry of the change, after the checks.

    The version before is None if the base has none that can be read; the files, if it is removed; what the checks say,
    if its name cannot be used, too.
    """

    change: EntryChange
    previous: Submission | None
    staged: Staged | None = None
    read: Material | None = None
    checked: Checked | None = None

    @property
    def submission(self) -> Submission | None:
        return None if self.read is None else self.read.submission


def review(folder: Path, base: str, head: str | None = None) -> Report:
    """Review what a branch would change if it were merged into the base; both are a branch, tag or commit.

    The folder is one inside the repository. The head is reviewed whatever the files there; None is what is checked out,
    with those changes to entries that are not committed yet.

    Raises:
        RepositoryError: If it is no repository, or one of the commits is not there.
    """
    repository = Repository(folder)
    if head is not None:
        return _review(repository, base, head)
    with repository.uncommitted(SUBMISSIONS) as commit:
        report = _review(repository, base, commit)
    return replace(report, uncommitted=commit != repository.commit("HEAD"))


def _review(repository: Repository, base: str, head: str) -> Report:
    changes = find_changes(repository, base, head)
    reviewed = changes.entries if len(changes.entries) <= MAX_ENTRIES else ()
    with TemporaryDirectory(prefix="mbl-review-") as private:
        present = stage_readable(repository, changes.base_files.items(), Path(private))
        looked = [_look(repository, changes, change, present, Path(private)) for change in reviewed]
        # Beside what stays and what comes, the others of this change among them.
        merged = _merged(present, looked)
        rivals = Rivals(merged, {item.change.name for item in looked})
        looked = [
            item if item.read is None else replace(item, checked=verdict_on(item.read, rivals)) for item in looked
        ]
    findings = tuple(_change_findings(changes))
    boards = dict(_boards(present, merged, looked))
    touched = {name for item in looked for name in (item.change.name, item.change.old_name)}
    entries = tuple(_entry_report(item, boards) for item in looked)
    said, reasons = decide(findings, entries)
    return Report(
        base=changes.base,
        head=changes.head,
        verdict=said,
        reasons=reasons,
        findings=findings,
        entries=entries,
        moves=tuple(move for of_benchmark in boards.values() for move in of_benchmark.moves(touched)),
        rules=__version__,
        targets=_targets([of_benchmark.benchmark for of_benchmark in boards.values()]),
    )


def _change_findings(changes: ChangeSet) -> Iterator[Finding]:
    if changes.entries and changes.others:
        named = [path.decode(errors="replace") for path in changes.others[:_MAX_NAMED]]
        more = len(changes.others) - len(named)
        others = ", ".join(named) + (f" and {more} more" if more else "")
        yield rules.MIXED.found(f"besides {count(len(changes.entries), 'entry')}, the change touches {others}")
    if len(changes.entries) > MAX_ENTRIES:
        yield rules.SIZE.found(
            f"the change touches {count(len(changes.entries), 'entry')}, at most {MAX_ENTRIES} are reviewed at once",
            fix="make several pull requests",
        )


def _look(
    repository: Repository, changes: ChangeSet, change: EntryChange, present: Mapping[str, Submission], private: Path
) -> _Looked:
    looked = _Looked(change=change, previous=present.get(change.old_name))
    if change.kind == "removed":
        return looked
    staged = stage_entry(repository, change.slug, changes.head_files[change.slug], private)
    if staged.folder is None:
        return replace(looked, staged=staged)
    return replace(looked, staged=staged, read=read_material(staged.folder, None, committed=True))


def _merged(present: Mapping[str, Submission], looked: list[_Looked]) -> dict[str, Submission]:
    """All entries that there are when the change is merged, as far as they can be read."""
    gone = {item.change.old_name for item in looked}
    stay = {slug: entry for slug, entry in present.items() if slug not in gone}
    return stay | {item.change.name: item.submission for item in looked if item.submission is not None}


def _boards(
    present: Mapping[str, Submission], merged: Mapping[str, Submission], looked: list[_Looked]
) -> Iterator[tuple[str, Boards]]:
    """The boards of every benchmark that the change concerns, by its name."""
    concerned: dict[str, Benchmark] = {}
    for item in looked:
        for entry in (item.previous, item.submission):
            if entry is not None:
                concerned[entry.benchmark.name] = entry.benchmark
    for name, benchmark in concerned.items():
        before, after = (
            {slug: entry for slug, entry in sorted(entries.items()) if entry.benchmark.name == name}
            for entries in (present, merged)
        )
        yield name, Boards(benchmark, before, after)


def _targets(benchmarks: Iterable[Benchmark]) -> str | None:
    """Which targets the boards were made with: the same wherever all are the published ones."""
    tasks = [task for benchmark in benchmarks for task in benchmark]
    digest = hashlib.sha256()
    for task in tasks:
        here = targets_here(task)
        known = "missing" if here is None else task.targets_sha256 if here.verified else f"unverified {here.digest}"
        digest.update(f"{task.benchmark} {task.name} {known}\n".encode())
    return digest.hexdigest() if tasks else None


def _entry_report(item: _Looked, boards: Mapping[str, Boards]) -> EntryReport:
    report = EntryReport(
        slug=item.change.name,
        kind=item.change.kind,
        old_slug=None if item.change.old_slug is None else item.change.old_name,
        changed=tuple(path.decode(errors="replace") for path in item.change.changed),
        files=() if item.staged is None else item.staged.files,
        findings=in_order(_findings(item)),
        not_run={} if item.checked is None else item.checked.not_run,
        previous_category=None if item.previous is None else str(item.previous.category),
        made={},
    )
    shown = item.submission or item.previous
    if shown is None:
        return report
    of_benchmark = boards[shown.benchmark.name]
    before, after = of_benchmark.general(item.change.name, item.change.old_name)
    report = replace(
        report,
        benchmark=shown.benchmark.name,
        algorithm=shown.algorithm,
        authors=tuple(shown.authors),
        description=shown.description,
        general_before=before,
        general_after=after,
        standings=of_benchmark.standings(item.change.name, item.change.old_name),
    )
    if item.submission is None:
        return report
    return replace(
        report,
        category=str(shown.category),
        reason=shown.category.reason,
        single_configuration=shown.single_configuration,
        external_data=shown.external_data,
        same_predictions=None if item.previous is None else _predictions(shown) == _predictions(item.previous),
        made=dict(_made(shown)),
        seconds=training_seconds(shown, *shown.tasks),
    )


def _findings(item: _Looked) -> Iterator[Finding]:
    if item.change.conflict:
        yield rules.CONFLICT.found(f"{item.change.old_name} has changed in the base since the branch began")
    if item.change.kind == "edited":
        yield rules.EDITED.found(f"the change edits {item.change.name}, which is on the board")
    if item.change.kind == "removed":
        yield rules.REMOVED.found(f"the change takes {item.change.name} off the board")
    if item.change.kind == "renamed":
        yield rules.RENAMED.found(f"the change renames {item.change.old_name} to {item.change.name}")
    if item.staged is not None:
        yield from item.staged.findings
    if item.checked is not None:
        yield from item.checked.findings


def _predictions(entry: Submission) -> dict[tuple[str, int], str]:
    return {
        (task.name, fold): held.predictions.sha256
        for task in entry.tasks
        for fold, held in entry.recorded(task.name).items()
    }


def _made(entry: Submission) -> Iterator[tuple[str, str]]:
    """What an entry says about how it was made, in words; nobody has checked it, nor its form."""
    provenance = entry.provenance
    for label, key in (("matbench_lite", "matbench_lite"), ("Python", "python"), ("platform", "platform")):
        if isinstance(provenance.get(key), str):
            yield label, provenance[key]
    if machine := hardware(provenance):
        yield "hardware", machine
    if isinstance(packages := provenance.get("packages"), Mapping):
        yield "packages", f"{len(packages)} with their versions"
    if isinstance(commit := provenance.get("git"), Mapping) and commit.get("commit"):
        yield "commit", f"{commit['commit']}{' with changes on top' if commit.get('changed') else ''}"
    if entry.imported is not None:
        yield "imported from", str(entry.imported.get("from", "elsewhere"))
