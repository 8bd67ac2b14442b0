"""Checking entries: rules, what they find, and the verdict on an entry."""

from matbench_lite.check.rules.folder_layout import MAX_SLUG, is_slug
from matbench_lite.check.verdicts import ENTRY_RULES, SUBMISSIONS, Checked, check_entries, check_entry, check_paths
from matbench_lite.submission import SEVERITIES, Finding, Rule, Severity, in_order

__all__ = [
    "ENTRY_RULES", "MAX_SLUG", "SEVERITIES", "SUBMISSIONS", "Checked", "Finding", "Rule", "Severity", "check_entries",
    "check_entry", "check_paths", "in_order", "is_slug",
]  # fmt: skip
