"""The report as Markdown for a comment on GitHub: sections from templates, within the length of a comment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from matbench_lite.check import SEVERITIES, codes_by_reason
from matbench_lite.metrics import metric_name
from matbench_lite.review.report import EntryReport, Report
from matbench_lite.review.standings import Delta, moves_by_board
from matbench_lite.templating import render
from matbench_lite.text import decimals, ends, spread

MAX_CHARACTERS = 60_000
"""GitHub takes comments of 65 536 characters."""
_MAX_SHOWN = 40
"""Findings, files and the like that are listed in one section."""


@dataclass(frozen=True, kw_only=True)
class _Section:
    """A part of the report that is there in full or not at all; its title is named where it is left out.

    With `spare` 0 it is always there; of the others, the highest goes first where there is no room.
    """

    title: str
    spare: int
    text: str


def render_markdown(report: Report) -> str:
    """The report as Markdown, at most 60 000 characters; what there is no room for is named."""
    sections, foot = list(_sections(report)), _render("foot", report=report)
    left_out: list[_Section] = []
    while True:
        note = _render("left_out", left_out=left_out) if left_out else ""
        text = "\n".join([*(section.text for section in sections if section not in left_out), note, foot])
        spare = [section for section in sections if section.spare and section not in left_out]
        if len(text) <= MAX_CHARACTERS or not spare:
            return text
        # Of equals the last: the first entries are shown in full.
        left_out.append(max(reversed(spare), key=lambda section: section.spare))


def _sections(report: Report) -> Iterator[_Section]:
    yield _Section(title="the verdict", spare=0, text=_render("verdict", report=report))
    for entry in report.entries:
        yield _section("summary", 1, entry)
        for severity in SEVERITIES:
            found = [finding for finding in entry.findings if finding.severity == severity]
            if found:
                yield _section(f"{severity}s", 2 + SEVERITIES.index(severity), entry, "findings", findings=found)
        if entry.standings:
            words = {"difference": _difference, "ends": ends, "metric_name": metric_name, "spread": spread}
            yield _section("scores and ranks", 2, entry, "scores", **words)
        if entry.not_run:
            yield _section("checks not run", 5, entry, "not_run", reasons=codes_by_reason(entry.not_run))
        if entry.files:
            yield _section("size and provenance", 6, entry, "provenance")
    boards = moves_by_board(report.moves)
    if boards:
        yield _Section(title="what moves on the boards", spare=4, text=_render("moves", boards=boards))


def _section(title: str, spare: int, entry: EntryReport, template: str | None = None, **values: Any) -> _Section:
    text = _render(template or title, entry=entry, **values)
    return _Section(title=f"{entry.slug}: {title}", spare=spare, text=text)


def _difference(delta: Delta) -> str:
    """A difference with as many digits as its interval allows."""
    half = (delta.interval.high - delta.interval.low) / 2 if delta.interval else 0.0
    digits = f".{decimals(half)}f" if half > 0 else ".3g"
    return f"{delta.difference:+{digits}}"


def _render(template: str, **values: Any) -> str:
    return render(f"review/comment/{template}.md.j2", most=_MAX_SHOWN, **values)
