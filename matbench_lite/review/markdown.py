"""The report as Markdown for a comment on GitHub: sections from templates, within the length of a comment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matbench_lite.check import SEVERITIES
from matbench_lite.cleaner import Safe, code, for_markdown
from matbench_lite.metrics import metric_name
from matbench_lite.review.report import EntryReport, Report
from matbench_lite.review.standings import Delta, Position, Standing, moves_by_board
from matbench_lite.templating import render
from matbench_lite.text import MISSING, decimals, ends, spread
from matbench_lite.view import Cell, Column
from matbench_lite.view import markdown as table_markdown

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
        note = _render("left_out", left_out=left_out, most=_MAX_SHOWN) if left_out else ""
        text = "\n".join([*(section.text for section in sections if section not in left_out), note, foot])
        spare = [section for section in sections if section.spare and section not in left_out]
        if len(text) <= MAX_CHARACTERS or not spare:
            return text
        # Of equals the last: the first entries are shown in full.
        left_out.append(max(reversed(spare), key=lambda section: section.spare))


def _sections(report: Report) -> Iterator[_Section]:
    yield _Section(title="the verdict", spare=0, text=_render("verdict", report=report, findings=_few(report.findings)))
    for entry in report.entries:
        yield _section("summary", 1, entry, verified=_verified(entry))
        for severity in SEVERITIES:
            found = [finding for finding in entry.findings if finding.severity == severity]
            if found:
                yield _section(f"{severity}s", 2 + SEVERITIES.index(severity), entry, "findings", findings=_few(found))
        if entry.standings:
            table = _score_table(entry.standings)
            places = (entry.general_before, entry.general_after)
            rank = _rank(*places) if any(places) else None
            yield _section("scores and ranks", 2, entry, "scores", table=table, rank=rank)
        if entry.not_run:
            yield _section("checks not run", 5, entry, "not_run", reasons=_by_reason(entry.not_run))
        if entry.files:
            yield _section("size and provenance", 6, entry, "provenance", files=_few(entry.files))
    boards = moves_by_board(report.moves)
    if boards:
        yield _Section(title="what moves on the boards", spare=4, text=_render("moves", boards=boards))


def _section(title: str, spare: int, entry: EntryReport, template: str | None = None, **values: Any) -> _Section:
    text = _render(template or title, entry=entry, **values)
    return _Section(title=f"{entry.slug}: {title}", spare=spare, text=text)


def _by_reason(not_run: Mapping[str, str]) -> dict[str, list[str]]:
    """The codes of checks that were not run, by the reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for check, reason in not_run.items():
        reasons[reason].append(check)
    return reasons


def _few(items: Sequence[Any]) -> dict[str, Any]:
    """The first items, and how many more there are."""
    return {"shown": items[:_MAX_SHOWN], "more": max(0, len(items) - _MAX_SHOWN)}


def _verified(entry: EntryReport) -> bool | None:
    """Whether all scores are verified; None if there are none."""
    return not entry.unverified if any(standing.score for standing in entry.standings) else None


def _score_table(standings: Sequence[Standing]) -> Safe:
    """One line per task; against the version before, where there was one."""
    columns = {
        "task": [code(standing.task) for standing in standings],
        "score ± std over folds": [_score(standing) for standing in standings],
        "rank": [_rank(standing.before, standing.after) for standing in standings],
        "tie group": [_tie_group(standing.before, standing.after) for standing in standings],
        "against the best other": [_delta(standing.to_best, named=True) for standing in standings],
        "against the version before": [_delta(standing.to_previous) for standing in standings],
    }
    if not any(standing.to_previous for standing in standings):
        del columns["against the version before"]
    shown = (Column(name, name, [Cell(text=text) for text in texts]) for name, texts in columns.items())
    return Safe(table_markdown(shown))


def _score(standing: Standing) -> Safe:
    if standing.score is None:
        return Safe(MISSING)
    metric = for_markdown(metric_name(standing.metric, standing.unit))
    return Safe(f"{spread(standing.score)} {metric}{'' if standing.verified else ', unverified'}")


def _tie_group(before: Position | None, after: Position | None) -> Safe:
    was, now = (place and place.tie_group for place in (before, after))
    return Safe(f"{now or MISSING}{f' (was {was})' if was not in (None, now) else ''}")


def _rank(before: Position | None, after: Position | None) -> Safe:
    now = f"{after.rank}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{after.of}" if after else MISSING
    if before is None or (after is not None and (before.rank, before.of) == (after.rank, after.of)):
        return Safe(now)
    return Safe(f"{now} (was {before.rank} of {before.of})")


def _delta(delta: Delta | None, *, named: bool = False) -> Safe:
    if delta is None:
        return Safe(MISSING)
    if delta.difference == 0:
        return Safe(f"the same as {code(delta.to)}" if named else "the same")
    half = (delta.interval.high - delta.interval.low) / 2 if delta.interval else 0.0
    digits = f".{decimals(half)}f" if half > 0 else ".3g"
    interval = f" ({ends(delta.interval, sign=True)})" if delta.interval else ""
    verdict = ("better than" if delta.better else "worse than") if delta.clear else "level with"
    return Safe(f"{delta.difference:+{digits}}{interval}, {verdict} {code(delta.to) if named else 'it'}")


def _render(template: str, **values: Any) -> str:
    return render(f"review/comment/{template}.md.j2", **values)
