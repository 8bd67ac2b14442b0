"""The review of a pull request: what a change does to entries and boards, as data and as Markdown."""

from matbench_lite.review.change_review import review
from matbench_lite.review.change_rules import RULES
from matbench_lite.review.changes import find_changes
from matbench_lite.review.markdown import MAX_CHARACTERS, render_markdown
from matbench_lite.review.report import EntryReport, Report, Verdict, report_json

__all__ = [
    "MAX_CHARACTERS", "RULES", "EntryReport", "Report", "Verdict", "find_changes", "render_markdown", "report_json",
    "review",
]  # fmt: skip
