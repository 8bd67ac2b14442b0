"""Targets and inputs: where they come from, and how they are looked up.

Everything is imported when it is first used: asking where the data lies must not cost an import of pandas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.data.access import (
        class_names,
        load_formulas,
        load_inputs,
        load_spacegroups,
        load_target_values,
        load_targets,
        require,
        targets_here,
    )
    from matbench_lite.data.chemistry import reduced_formulas_of_strings
    from matbench_lite.data.download import fetch
    from matbench_lite.data.elements import ATOMIC_NUMBERS, SYMBOLS
    from matbench_lite.data.inventory import export_targets, status, verify
    from matbench_lite.data.local_files import add
    from matbench_lite.data.parquet import numbers
    from matbench_lite.data.store import data_directory, derived_directory
    from matbench_lite.data.structure_array import StructureArray
    from matbench_lite.data.structures import StructureColumns, encode_structures
    from matbench_lite.data.tables import TableRows, table_rows

__all__ = [
    "ATOMIC_NUMBERS", "SYMBOLS", "StructureArray", "StructureColumns", "TableRows", "add", "class_names",
    "data_directory", "derived_directory", "encode_structures", "export_targets", "fetch", "load_formulas",
    "load_inputs", "load_spacegroups", "load_target_values", "load_targets", "numbers", "reduced_formulas_of_strings",
    "require", "status", "table_rows", "targets_here", "verify",
]  # fmt: skip

__getattr__ = lazy(__name__)
