"""A rule: what a code stands for, how bad it is, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from matbench_lite.review.findings import Finding, Severity
from matbench_lite.review.printable import printable

Group = Literal["form", "document", "predictions", "integrity", "honesty", "declarations", "change"]
_GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that an entry is checked for. Codes are never reused.

    Args:
        code: The stable code, e.g. "MBL101".
        severity: How bad a finding is.
        title: What is wrong, in a few words.
        why: Why it matters, one or two sentences.
        fix: What to do, unless the finding knows better.
        needs: What the check needs beside the entry's folder: the other entries, or the targets.
        imported: How bad it is in an entry imported from Matbench; None: the same.
    """

    code: str
    severity: Severity
    title: str
    why: str
    fix: str
    needs: Literal["others", "targets"] | None = None
    imported: Severity | None = None

    @property
    def group(self) -> Group:
        """The concern it belongs to: the first digit of its code."""
        return _GROUPS[int(self.code[3]) - 1]

    def found(self, message: str, *, fix: str | None = None, imported: bool = False, **place: Any) -> Finding:
        """A finding of this rule.

        Args:
            message: What was found, with the values.
            fix: What to do, if more is known than the rule says.
            imported: Whether the entry is imported from Matbench.
            **place: Where; see `Finding`.

        Examples:
            >>> rule = Rule(code="MBL101", severity="error", title="No slug", why="It is in links.", fix="rename it")
            >>> rule.found("the folder is called 'My Model'").fix
            'rename it'
        """
        severity = self.imported if imported and self.imported is not None else self.severity
        if place.get("file") is not None:
            place["file"] = printable(place["file"], 100)
        # Here, so that no finding can carry a stranger's control characters to a terminal.
        return Finding(
            code=self.code, severity=severity, message=printable(message), fix=printable(fix or self.fix), **place
        )
