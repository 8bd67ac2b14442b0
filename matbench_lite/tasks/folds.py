"""The fixed folds: shipped as data, so that no version of anything can move them."""

from __future__ import annotations

import struct
import zlib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from matbench_lite.errors import DataFormatError
from matbench_lite.tasks.digests import folds_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from matbench_lite.tasks.task import Kind, Task

_HERE = Path(__file__).parent
# What numpy and zipfile make of a damaged file; RuntimeError: one that looks encrypted.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    EOFError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    struct.error,
    BadZipFile,
    zlib.error,
)
IN_NO_FOLD = 255
"""In place of a fold's number: a row that is always trained on."""


def load_folds(task: Task) -> NDArray[np.uint8]:
    """Read the shipped fold number of every row of a built-in task.

    Raises:
        DataFormatError: If the shipped file was changed: its digest is not the registry's.
    """
    try:
        assignment = _shipped(task.benchmark, task.name)
        as_shipped = assignment.dtype == "uint8" and assignment.shape == (task.rows,)
        same = as_shipped and folds_digest(assignment) == task.folds_sha256
        problem = "" if same else "their digest is not the registry's"
    except _UNREADABLE as error:
        problem = str(error) or type(error).__name__
    if problem:
        raise DataFormatError(f"the folds of {task.name} were changed: {problem}", fix="install matbench_lite again")
    return assignment


def assign_folds(kind: Kind, targets: ArrayLike, *, n_folds: int, seed: int) -> NDArray[np.uint8]:
    """Make the folds of a new task: shuffled, stratified by label for classification.

    Args:
        kind: Kind of the task.
        targets: One target per row, in file order.
        n_folds: Number of folds.
        seed: Seed of the shuffle.

    Returns:
        The fold in whose test part each row is.

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


def given_fold(is_test: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The one fold of a task whose data says which rows to test on.

    Args:
        is_test: Per row, in file order, whether it is to be tested on.

    Examples:
        >>> import numpy as np
        >>> given_fold(np.array([False, True])).tolist()
        [255, 0]
    """
    import numpy as np

    assignment = np.where(is_test, np.uint8(0), np.uint8(IN_NO_FOLD))
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
