"""The fixed folds, shipped as data so that no version of anything can move them, and digests of rows."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from matbench_lite.errors import DataFormatError, raising

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from matbench_lite.tasks.task import Kind, Task


_HERE = Path(__file__).parent
# What numpy and zipfile make of a damaged file; RuntimeError: one that looks encrypted.
_UNREADABLE = (
    OSError, ValueError, TypeError, LookupError, AttributeError, EOFError, RuntimeError, MemoryError, SyntaxError,
    struct.error, BadZipFile, zlib.error,
)  # fmt: skip
IN_NO_FOLD = 255
"""In place of a fold's number: a row that is always trained on."""
MAX_FOLDS = 255
"""One byte per row says in which fold it is, and one value of it that it is in none."""


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the rows to train on and of those to test on, in file order."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def load_folds(task: Task) -> NDArray[np.uint8]:
    """The shipped fold number of every row of a built-in task; its digest must be the registry's."""
    message = f"the folds of {task.name} were changed"
    with raising(DataFormatError, message, fix="install matbench_lite again", on=_UNREADABLE):
        assignment = _shipped(task.benchmark, task.name)
        as_shipped = assignment.dtype == "uint8" and assignment.shape == (task.rows,)
        if not as_shipped or folds_digest(assignment) != task.folds_sha256:
            raise ValueError("their digest is not the registry's")
    return assignment


def assign_folds(kind: Kind, targets: ArrayLike, *, n_folds: int, seed: int) -> NDArray[np.uint8]:
    """Make the folds of a new task, shuffled, stratified by label for classification: the fold that tests each row.

    Examples:
        >>> assign_folds("regression", [1.0, 2.0, 3.0, 4.0], n_folds=2, seed=0).tolist()
        [1, 1, 0, 0]
    """
    import numpy as np
    from sklearn.model_selection import KFold, StratifiedKFold

    splitter = (KFold if kind == "regression" else StratifiedKFold)(n_splits=n_folds, shuffle=True, random_state=seed)
    values = np.asarray(targets)
    assignment = np.empty(len(values), dtype=np.uint8)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(len(values)), values)):
        assignment[test] = fold
    assignment.flags.writeable = False
    return assignment


@cache
def _shipped(benchmark: str, task: str) -> NDArray[np.uint8]:
    import numpy as np

    # From memory: of a damaged archive, numpy would leave the file open.
    content = BytesIO((_HERE / f"{benchmark}.folds.npz").read_bytes())
    with np.load(content) as arrays:
        assignment: NDArray[np.uint8] = arrays[task]
    assignment.flags.writeable = False
    return assignment


def folds_digest(assignment: NDArray[np.uint8]) -> str:
    """The sha256 over one byte per row: its fold number."""
    return hashlib.sha256(assignment.tobytes()).hexdigest()


def targets_digest(
    ids: Iterable[str],
    values: NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp],
    classes: tuple[str, ...] | tuple[int, ...] = (),
) -> str:
    """The sha256 over the lines `id,target` in row order; numbers with ten decimals, booleans as 0 and 1.

    Ten decimals make it the same for the original files and for targets rounded to ten decimals. Where classes have
    names, these are a line of JSON before all others, and the targets are their numbers.

    Examples:
        >>> import numpy as np
        >>> targets_digest(["mb-1", "mb-2"], np.array([0.5, 2.0]))[:12]
        '20d30599eac0'
    """
    template = "%s,%d\n" if classes or values.dtype == bool else "%s,%.10f\n"
    names = [f"{json.dumps(classes)}\n"] if classes else []
    return _sha256_of_lines([*names, *(template % pair for pair in zip(ids, values.tolist(), strict=True))])


def quick_targets_digest(values: NDArray[np.float64] | NDArray[np.bool_]) -> str:
    """The sha256 over targets in row order as integers, in units of the tenth decimal: a fortieth of the time.

    Where it is that of the registry, the targets are the published ones; where not, `targets_digest` says.

    Examples:
        >>> import numpy as np
        >>> quick_targets_digest(np.array([0.5, 2.0])) == quick_targets_digest(np.array([0.50000000001, 2.0]))
        True
    """
    import numpy as np

    with np.errstate(invalid="ignore"):  # what is not finite is in no published data
        numbers = np.rint(values * 1e10).astype("<i8")
    return hashlib.sha256(numbers.tobytes()).hexdigest()


def inputs_digest(ids: Iterable[str], compositions: Iterable[str]) -> str:
    """The sha256 over the lines `id,composition` in row order: binds the inputs of a composition task.

    Over reduced formulas, it binds what clusters and relatives follow from.
    """
    return _sha256_of_lines(f"{row_id},{text}\n" for row_id, text in zip(ids, compositions, strict=True))


def spacegroups_digest(ids: Iterable[str], numbers: Iterable[int | None]) -> str:
    """The sha256 over the lines `id,space group` in row order; nothing after the comma where it is not known."""
    return inputs_digest(ids, ("" if number is None else str(number) for number in numbers))


def _sha256_of_lines(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(lines).encode()).hexdigest()
