"""Checking entries: rules, what they find, and the verdict on an entry."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.check.material import Material as Material, read_material as read_material
    from matbench_lite.check.rivals import Rivals as Rivals
    from matbench_lite.check.rules.copies import FORGERY_SIGNS as FORGERY_SIGNS
    from matbench_lite.check.rules.folder_layout import MAX_SLUG as MAX_SLUG, is_slug as is_slug
    from matbench_lite.check.verdicts import (
        ENTRY_RULES as ENTRY_RULES, SUBMISSIONS as SUBMISSIONS, Checked as Checked, check_entries as check_entries,
        check_entry as check_entry, check_paths as check_paths, codes_by_reason as codes_by_reason, verdict as verdict,
    )
    from matbench_lite.submission import (
        SEVERITIES as SEVERITIES, Finding as Finding, Rule as Rule, Severity as Severity, in_order as in_order,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
