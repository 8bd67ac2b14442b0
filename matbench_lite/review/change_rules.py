"""What a change as a whole is checked for; the rules for an entry are in `matbench_lite.check.rules`."""

from __future__ import annotations

from pathlib import Path

from matbench_lite.check import ENTRY_RULES
from matbench_lite.submission import read_rules

_CHANGE = read_rules(Path(__file__).with_suffix(".toml"))
MIXED = _CHANGE["MBL701"]
NAME = _CHANGE["MBL702"]
LINK = _CHANGE["MBL703"]
EXECUTABLE = _CHANGE["MBL704"]
SIZE = _CHANGE["MBL705"]
CONFLICT = _CHANGE["MBL706"]
EDITED = _CHANGE["MBL707"]
REMOVED = _CHANGE["MBL708"]
RENAMED = _CHANGE["MBL709"]

RULES = dict(sorted((ENTRY_RULES | _CHANGE).items()))
"""Every rule, for entries and for changes, by its code, in the order of the codes."""
