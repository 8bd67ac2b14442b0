"""The rules for entries, in `check_rules.toml`; and one module per concern with the checks that yield findings.

All always run, and nothing lists them: every function `check_*` at the top of a module here is a check.
"""

from pathlib import Path

from matbench_lite.submission import read_rules

RULES = read_rules(Path(__file__).with_name("check_rules.toml"))
"""The rules of the checks by their codes."""
