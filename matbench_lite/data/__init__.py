"""Targets and inputs: where they come from, and how they are looked up.

Everything is imported when it is first used: asking where the data lies must not cost an import of pandas.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.data.access import (
        class_names as class_names, load_clusters as load_clusters, load_formulas as load_formulas,
        load_inputs as load_inputs, load_spacegroups as load_spacegroups, load_target_values as load_target_values,
        load_targets as load_targets, require as require, targets_here as targets_here,
    )
    from matbench_lite.data.chemistry import (
        ATOMIC_NUMBERS as ATOMIC_NUMBERS, SYMBOLS as SYMBOLS, chemical_clusters as chemical_clusters,
        element_amounts as element_amounts, reduced_formulas_of_strings as reduced_formulas_of_strings,
    )
    from matbench_lite.data.download import fetch as fetch
    from matbench_lite.data.local_files import add as add
    from matbench_lite.data.parquet import numbers as numbers
    from matbench_lite.data.store import data_directory as data_directory, derived_directory as derived_directory
    from matbench_lite.data.structure_array import StructureArray as StructureArray
    from matbench_lite.data.structures import (
        StructureColumns as StructureColumns, encode_structures as encode_structures,
    )
    from matbench_lite.data.table_files import read_table as read_table
    from matbench_lite.data.tables import TableRows as TableRows, table_rows as table_rows
    from matbench_lite.data.user_columns import label_text as label_text
    from matbench_lite.data.verification import export_targets as export_targets, status as status, verify as verify
else:
    __getattr__, __dir__ = lazy(__name__)
