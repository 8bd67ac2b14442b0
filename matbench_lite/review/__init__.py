"""Checking entries: findings, one small module per check, and the pull-request report."""

from matbench_lite.review.checked import Checked
from matbench_lite.review.checking import check_entries, check_entry
from matbench_lite.review.clone import find_submissions
from matbench_lite.review.findings import Finding, Severity
from matbench_lite.review.paths import check_paths
from matbench_lite.review.rule import Rule
from matbench_lite.review.rules import RULES

__all__ = [
    "RULES",
    "Checked",
    "Finding",
    "Rule",
    "Severity",
    "check_entries",
    "check_entry",
    "check_paths",
    "find_submissions",
]
