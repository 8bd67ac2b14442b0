"""What a check reports: a stable code, how bad it is, where, what, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From bad to harmless: the order in which findings are shown."""

MAX_ROWS = 5
"""Row ids that a finding names; how many there are in all is in `row_count`."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One problem of an entry.

    Args:
        code: The code of its rule, e.g. "MBL101"; it has a page in the docs.
        severity: An error stops an entry; a warning is for the reviewer to weigh; a note is worth knowing.
        message: What was found, with the values.
        fix: What to do about it.
        file: Name of the file in the entry's folder.
        task: Name of the task.
        fold: Number of the fold.
        rows: Ids of the first rows concerned.
        row_count: How many rows are concerned.
        evidence: The figures behind a warning, by what they are.

    Examples:
        >>> found = Finding(code="MBL307", severity="error", message="2 predictions are NaN", fix="record them again",
        ...                 task="mini_gap", fold=3, rows=("mini-gap-004", "mini-gap-017"), row_count=2)
        >>> found.place
        'mini_gap fold 3, mini-gap-004, mini-gap-017'
    """

    code: str
    severity: Severity
    message: str
    fix: str
    file: str | None = None
    task: str | None = None
    fold: int | None = None
    rows: tuple[str, ...] = ()
    row_count: int = 0
    evidence: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it is, in words; "" if it concerns the entry as a whole."""
        task = self.task if self.fold is None or self.task is None else f"{self.task} fold {self.fold}"
        more = [f"and {self.row_count - len(self.rows)} more"] if self.row_count > len(self.rows) > 0 else []
        return ", ".join(part for part in (self.file, task, *self.rows, *more) if part)

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain JSON; what is not known is left out."""
        content = {
            **{name: getattr(self, name) for name in ("code", "severity", "message", "fix", "file", "task", "fold")},
            "rows": list(self.rows) or None,
            "row_count": self.row_count or None,
            "evidence": dict(self.evidence) or None,
        }
        return {name: value for name, value in content.items() if value is not None}


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors first, then by code and place: the same in every run."""

    def key(finding: Finding) -> tuple[Any, ...]:
        fold = -1 if finding.fold is None else finding.fold
        return (
            SEVERITIES.index(finding.severity),
            finding.code,
            finding.file or "",
            finding.task or "",
            fold,
            finding.message,
        )

    return tuple(sorted(findings, key=key))
