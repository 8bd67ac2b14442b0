"""The review of a pull request: what a change does to entries and boards, as data and as Markdown."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.review.change_review import review as review
    from matbench_lite.review.change_rules import RULES as RULES
    from matbench_lite.review.changes import find_changes as find_changes
    from matbench_lite.review.markdown import MAX_CHARACTERS as MAX_CHARACTERS, render_markdown as render_markdown
    from matbench_lite.review.report import (
        EntryReport as EntryReport, Report as Report, Verdict as Verdict, report_json as report_json,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
