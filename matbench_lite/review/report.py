"""The report on a change, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import orjson

from matbench_lite.check import Finding
from matbench_lite.review.changes import Kind, StagedFile
from matbench_lite.review.standings import Move, Position, Standing
from matbench_lite.text import count, in_words

Verdict = Literal["accept", "needs work", "needs a person", "no entries"]


@dataclass(frozen=True, kw_only=True)
class EntryReport:
    """What the review says of one entry: what the change does to it (`kind`), what it is, and where it stands.

    It has an old slug if it is renamed. The benchmark and what the entry says of itself are None if it cannot be read;
    `single_configuration` and `external_data` also if they are not declared. The category, e.g. "general-purpose,
    requires-structure", comes with its reason; it and the predictions are compared with those of the version before,
    None if there is none. `changed` are the files that the change touches, `files` all. `made` says how it was made, as
    far as that is recorded; `seconds` is the training time of all tasks, None if it is not recorded for each fold.

    `standings` is its place on every task, `general_before` and `general_after` its place among general-purpose
    entries. `not_run` has the checks that could not be run: the reason by code.
    """

    slug: str
    kind: Kind
    old_slug: str | None
    benchmark: str | None = None
    algorithm: str | None = None
    authors: tuple[str, ...] = ()
    description: str = ""
    category: str | None = None
    reason: str | None = None
    previous_category: str | None = None
    single_configuration: bool | None = None
    external_data: bool | str | None = None
    same_predictions: bool | None = None
    changed: tuple[str, ...] = ()
    files: tuple[StagedFile, ...] = ()
    made: Mapping[str, str]
    seconds: float | None = None
    general_before: Position | None = None
    general_after: Position | None = None
    standings: tuple[Standing, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_run: Mapping[str, str]

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)

    @property
    def new_first_places(self) -> tuple[str, ...]:
        """The tasks on which it would be first, and was not with these predictions."""
        return tuple(
            item.task
            for item in self.standings
            if item.after is not None
            and item.after.rank == 1
            and (item.before is None or item.before.rank > 1 or not self.same_predictions)
        )

    @property
    def unverified(self) -> tuple[str, ...]:
        """The tasks whose scores could not be verified."""
        return tuple(item.task for item in self.standings if item.score is not None and not item.verified)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the review says of a change, whose last commit is `head`, to be merged into the commit `base`.

    The verdict is "accept" if nothing speaks against it, "needs work" if there are errors, "needs a person" if somebody
    has to look, "no entries" if it touches none; the reasons are in words. The findings are those on the change as a
    whole, `moves` other entries that move on the boards; `rules` is the version of matbench_lite whose rules were used,
    `targets` a sha256 over the targets of the benchmarks that are concerned, None if none is.
    """

    base: str
    head: str
    verdict: Verdict
    reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    entries: tuple[EntryReport, ...]
    moves: tuple[Move, ...]
    rules: str
    targets: str | None
    uncommitted: bool = False

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.verdict != "needs work"

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON."""
        content = asdict(self)
        content["findings"] = [finding.as_dict() for finding in self.findings]
        for entry, plain in zip(self.entries, content["entries"], strict=True):
            plain["findings"] = [finding.as_dict() for finding in entry.findings]
            plain["size"] = entry.size
        return content


def decide(findings: Iterable[Finding], entries: Iterable[EntryReport]) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict on a change, and why, in words: what a person has to look at, in the order in which to look.

    "accept" says that every check was run on verified scores, that none found anything but notes, and that no entry is
    first on a task where it was not before.
    """
    reports = list(entries)
    every = [*findings, *(finding for entry in reports for finding in entry.findings)]
    if not reports and not every:
        return "no entries", ("the change touches no entry",)
    counts = {severity: sum(finding.severity == severity for finding in every) for severity in ("error", "warning")}
    reasons = [f"{count(number, severity)}: see below" for severity, number in counts.items() if number]
    reasons += [
        f"{entry.slug} would be first on {in_words(entry.new_first_places)}: read its code, and what it was trained on"
        for entry in reports
        if entry.new_first_places
    ]
    if any(entry.unverified for entry in reports):
        reasons.append("not all scores could be verified: the published targets are not on the machine of the review")
    not_run = sorted({code for entry in reports if not entry.unverified for code in entry.not_run})
    if not_run:
        reasons.append(f"not every check could be run ({', '.join(not_run)}): the reasons stand with each entry")
    if counts["error"]:
        return "needs work", tuple(reasons)
    if reasons:
        return "needs a person", tuple(reasons)
    return "accept", ("every check was run, and none found anything against it",)


def report_json(report: Report) -> bytes:
    """The report as the bytes of a JSON file: sorted keys, NaN as null, the same each time."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(report.as_dict(), option=options)
