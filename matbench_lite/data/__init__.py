"""Targets and inputs: where they come from, and how they are looked up.

Everything is imported when it is first used: asking where the data lies must not cost an import of pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matbench_lite.data.access import (
        load_formulas,
        load_inputs,
        load_spacegroups,
        load_target_values,
        load_targets,
        targets_here,
    )
    from matbench_lite.data.adding import Added, add
    from matbench_lite.data.export import export_targets
    from matbench_lite.data.fetching import fetch
    from matbench_lite.data.inventory import PartStatus, status, verify
    from matbench_lite.data.store import data_directory, derived_directory
    from matbench_lite.data.tables import table_ids, table_is_test

_HOMES = {
    "Added": "adding",
    "PartStatus": "inventory",
    "add": "adding",
    "data_directory": "store",
    "derived_directory": "store",
    "export_targets": "export",
    "fetch": "fetching",
    "load_formulas": "access",
    "load_inputs": "access",
    "load_spacegroups": "access",
    "load_target_values": "access",
    "load_targets": "access",
    "status": "inventory",
    "table_ids": "tables",
    "targets_here": "access",
    "table_is_test": "tables",
    "verify": "inventory",
}

__all__ = [
    "Added",
    "PartStatus",
    "add",
    "data_directory",
    "derived_directory",
    "export_targets",
    "fetch",
    "load_formulas",
    "load_inputs",
    "load_spacegroups",
    "load_target_values",
    "load_targets",
    "status",
    "table_ids",
    "table_is_test",
    "targets_here",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
