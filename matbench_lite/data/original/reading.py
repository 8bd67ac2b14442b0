"""Original files: one input and one target per row, checked while they are read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from matbench_lite.data.collector import collector_paused
from matbench_lite.data.formulas import reduced_formulas, reduced_formulas_of_strings
from matbench_lite.data.original.split_json import SplitJsonFile
from matbench_lite.data.structures import encode_structures
from matbench_lite.errors import DataFormatError
from matbench_lite.progress import Advance

InputKind = Literal["structure", "composition"]


@dataclass(frozen=True, kw_only=True)
class Original:
    """What an original file holds, rows in file order.

    Args:
        columns: Names of all columns.
        targets: Target of every row, in the task's unit; booleans for classification.
        formulas: Reduced formula of every row.
        compositions: Formula strings as written; None for structures, or if not kept.
        structures: Structures as columns; None for compositions, or if not kept.
        sha256: Checksum of the file's own bytes.
    """

    columns: tuple[str, ...]
    targets: NDArray[np.float64] | NDArray[np.bool_]
    formulas: list[str]
    compositions: list[str] | None
    structures: pa.Table | None
    sha256: str


def read_original(
    path: Path,
    *,
    input_kind: InputKind,
    target: str | None = None,
    targets_only: bool = False,
    on_bytes: Advance | None = None,
) -> Original:
    """Read and check an original file.

    Args:
        path: The file: pandas "split" JSON, gzipped or not.
        input_kind: What the inputs are; also the name of their column.
        target: Name of the target column; by default the only other one.
        targets_only: Whether to leave the inputs out; their formulas stay.
        on_bytes: Called with the number of bytes of the file read since the last call.

    Raises:
        DataMissingError: If there is no such file.
        DataFormatError: If it is damaged, incomplete, or holds something else.

    Examples:
        >>> import tempfile
        >>> text = '{"columns": ["composition", "strength"], "index": [0], "data": [["Fe2Ni2", 1.5]]}'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "steels.json"
        ...     _ = path.write_text(text)
        ...     original = read_original(path, input_kind="composition")
        >>> original.formulas, original.targets
        (['FeNi'], array([1.5]))
    """
    compositions: list[str] = []
    tables = [encode_structures([])]
    targets: list[Any] = []
    with _naming(path), collector_paused(), SplitJsonFile(path, on_bytes=on_bytes) as file:
        input_at, target_at = _positions(file.columns, input_kind, target)
        for rows in file.batches():
            inputs = [row[input_at] for row in rows]
            if input_kind == "composition":
                compositions += inputs
            else:
                table = encode_structures(inputs, first_row=len(targets))
                tables.append(table.select(["species", "rest"]) if targets_only else table)
            targets += [row[target_at] for row in rows]
        structures = pa.concat_tables(tables, promote_options="default")
        is_composition = input_kind == "composition"
        return Original(
            columns=file.columns,
            targets=_target_values(targets, file.columns[target_at]),
            formulas=reduced_formulas_of_strings(compositions) if is_composition else reduced_formulas(structures),
            compositions=compositions if is_composition and not targets_only else None,
            structures=structures if not is_composition and not targets_only else None,
            sha256=file.sha256,
        )


def _positions(columns: tuple[str, ...], input_kind: InputKind, target: str | None) -> tuple[int, int]:
    """Where in a row the input and the target are."""
    others = [name for name in columns if name != input_kind]
    if target is None and len(others) == 1:
        target = others[0]
    if columns.count(input_kind) != 1 or target is None or others.count(target) != 1:
        wanted = "one other column" if target is None else f"{target!r}"
        raise DataFormatError(
            f"expected the columns {input_kind!r} and {wanted}, found {list(columns)}",
            fix="check that this is the file of the task you meant",
        )
    return columns.index(input_kind), columns.index(target)


def _target_values(targets: list[Any], column: str) -> NDArray[np.float64] | NDArray[np.bool_]:
    is_class = bool(targets) and isinstance(targets[0], bool)
    for row, value in enumerate(targets):
        if type(value) not in ((bool,) if is_class else (int, float)) or not math.isfinite(value):
            wanted = "true or false" if is_class else "a finite number"
            raise DataFormatError(f"the target {column!r} of row {row} is {value!r}, not {wanted}")
    return np.array(targets, dtype=np.bool_) if is_class else np.array(targets, dtype=np.float64)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Put the file's name before what is wrong with it."""
    try:
        yield
    except DataFormatError as error:
        raise DataFormatError(f"{path}: {error.message}", fix=error.fix) from error
