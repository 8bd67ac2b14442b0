"""What the checks say of one entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matbench_lite.review.findings import Finding, Severity
from matbench_lite.submission import Submission
from matbench_lite.tasks import Category


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What the checks say of one entry.

    Args:
        slug: Name of its folder.
        folder: The folder.
        findings: Everything that was found, errors first.
        not_run: The checks that could not be run here, or only on some tasks: the reason by code.
        submission: The entry; None when its predictions cannot be read. It may be there in spite of errors: ask `ok`.
        category: General-purpose or task-specific, and why; None without a submission.
        verified: By recorded task, whether its scores were recomputed from targets proven to be the published ones.
        digest: The `digest` that submission.json states; None if it cannot be read.
        size: Bytes of all files of the entry.
    """

    slug: str
    folder: Path
    findings: tuple[Finding, ...]
    not_run: Mapping[str, str]
    submission: Submission | None
    category: Category | None
    verified: Mapping[str, bool]
    digest: str | None
    size: int

    @property
    def ok(self) -> bool:
        """Whether there is no error: warnings and notes do not stop an entry."""
        return not self.count("error")

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON."""
        category = self.category
        return {
            "slug": self.slug,
            "ok": self.ok,
            "algorithm": None if self.submission is None else self.submission.algorithm,
            "category": None if category is None else {"name": str(category), "reason": category.reason},
            "verified": dict(self.verified),
            "digest": self.digest,
            "size": self.size,
            "findings": [finding.as_dict() for finding in self.findings],
            "not_run": dict(self.not_run),
        }
