"""The report on a change, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from matbench_lite.check import Finding, Severity
from matbench_lite.review.changes import Kind, StagedFile
from matbench_lite.review.standings import Move, Position, Standing
from matbench_lite.text import count

Verdict = Literal["accept", "needs work", "needs a person", "no entries"]


@dataclass(frozen=True, kw_only=True)
class EntryReport:
    """What the review says of one entry.

    Args:
        slug: Its folder's name.
        kind: What the change does to it.
        old_slug: The name it had, if it is renamed.
        benchmark: Name of its benchmark; None, as what follows, if it cannot be read.
        algorithm: Its name for people.
        authors: Who made it.
        description: What it does.
        category: E.g. "general-purpose, requires-structure".
        reason: Why it has this category.
        previous_category: The category of the version before.
        single_configuration: Whether it declares one configuration for all tasks; None: not declared.
        external_data: What else it was trained on; False: nothing; None: not declared.
        same_predictions: Whether the predictions are those of the version before; None if there is none.
        changed: The files that the change touches.
        files: All its files.
        made: How it was made: version of Python, hardware and so on, where recorded.
        seconds: Training time of all tasks, in seconds; None if it is not recorded for each fold.
        general_before: Its place among general-purpose entries before the change.
        general_after: Its place among them after the change.
        standings: Its place on every task.
        findings: What the checks found.
        not_run: The checks that could not be run, with the reason.
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
    def unverified(self) -> tuple[str, ...]:
        """The tasks whose scores could not be verified."""
        return tuple(item.task for item in self.standings if item.score is not None and not item.verified)

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the review says of a change.

    Args:
        base: The commit that the change is to be merged into.
        head: The last commit of the change.
        verdict: "accept" if nothing speaks against it, "needs work" if there are errors, "needs a person" if somebody
            has to look, "no entries" if it touches none.
        reasons: Why, in words.
        findings: What is wrong with the change as a whole.
        entries: The entries that it touches.
        moves: Other entries that move on the boards.
        rules: Version of matbench_lite whose rules were used.
        uncommitted: Whether changes are in it that are not committed yet.
    """

    base: str
    head: str
    verdict: Verdict
    reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    entries: tuple[EntryReport, ...]
    moves: tuple[Move, ...]
    rules: str
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
    """The verdict on a change, and why, in words."""
    reports = list(entries)
    every = [*findings, *(finding for entry in reports for finding in entry.findings)]
    if not reports and not every:
        return "no entries", ("the change touches no entry",)
    counts = {severity: sum(finding.severity == severity for finding in every) for severity in ("error", "warning")}
    reasons = [f"{count(number, severity)}: see below" for severity, number in counts.items() if number]
    if any(entry.unverified for entry in reports):
        reasons.append("not all scores could be verified: the published targets are not on the machine of the review")
    if counts["error"]:
        return "needs work", tuple(reasons)
    if reasons:
        return "needs a person", tuple(reasons)
    return "accept", ("no check found anything against it",)


def report_json(report: Report) -> bytes:
    """The report as the bytes of a JSON file: sorted keys, NaN as null, the same each time."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(report.as_dict(), option=options)
