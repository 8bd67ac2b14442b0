"""Digests that bind predictions to folds and targets, whatever file those came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def folds_digest(assignment: NDArray[np.uint8]) -> str:
    """The sha256 over one byte per row: its fold number."""
    return hashlib.sha256(assignment.tobytes()).hexdigest()


def targets_digest(ids: Iterable[str], values: NDArray[np.float64] | NDArray[np.bool_]) -> str:
    """The sha256 over the lines `id,target` in row order; numbers with ten decimals, booleans as 0 and 1.

    Ten decimals make it the same for the original files and for targets rounded to ten decimals.

    Args:
        ids: Row ids.
        values: Targets, in their own unit.

    Examples:
        >>> import numpy as np
        >>> targets_digest(["mb-1", "mb-2"], np.array([0.5, 2.0]))[:12]
        '20d30599eac0'
    """
    template = "%s,%d\n" if values.dtype == bool else "%s,%.10f\n"
    return _sha256_of_lines(template % pair for pair in zip(ids, values.tolist(), strict=True))


def inputs_digest(ids: Iterable[str], compositions: Iterable[str]) -> str:
    """The sha256 over the lines `id,composition` in row order: binds the inputs of a composition task."""
    return _sha256_of_lines(f"{row_id},{text}\n" for row_id, text in zip(ids, compositions, strict=True))


def formulas_digest(ids: Iterable[str], formulas: Iterable[str]) -> str:
    """The sha256 over the lines `id,reduced formula` in row order: binds what clusters and relatives follow from."""
    return inputs_digest(ids, formulas)


def spacegroups_digest(ids: Iterable[str], numbers: Iterable[int | None]) -> str:
    """The sha256 over the lines `id,space group` in row order; nothing after the comma where it is not known."""
    return inputs_digest(ids, ("" if number is None else str(number) for number in numbers))


def _sha256_of_lines(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(lines).encode()).hexdigest()
