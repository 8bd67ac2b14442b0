"""The registry: every code and what it stands for."""

from __future__ import annotations

from matbench_lite.review.checks import ENTRY_RULES
from matbench_lite.review.pull_request.rules import CHANGE_RULES
from matbench_lite.review.rule import Rule

RULES: dict[str, Rule] = {
    rule.code: rule for rule in sorted((*ENTRY_RULES, *CHANGE_RULES.values()), key=lambda rule: rule.code)
}
"""Every rule by its code, in the order of the codes."""
