"""The pull-request report: what a change does to entries and boards, as data and as Markdown."""

from matbench_lite.review.pull_request.markdown import MAX_CHARACTERS, render_markdown
from matbench_lite.review.pull_request.report import EntryReport, Report, Verdict, report_json
from matbench_lite.review.pull_request.reviewing import review

__all__ = ["MAX_CHARACTERS", "EntryReport", "Report", "Verdict", "render_markdown", "report_json", "review"]
