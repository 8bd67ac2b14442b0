"""Columns of a user's file that say in which fold, group, time or repeat a row is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.data.labels import ordered, refuse_first, whole_numbers
from matbench_lite.errors import DataFormatError
from matbench_lite.tasks import IN_NO_FOLD, MAX_FOLDS, NEITHER, TEST, TRAIN, Marks, Table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

TEXTS = ("part", "fold", "group")
"""Columns whose values are texts, even if they look like numbers."""


def read_marks(frame: pd.DataFrame, table: Table) -> Marks:
    """What the columns that a table names say of the folds; the columns are there."""
    path = table.path
    return Marks(
        is_test=None if table.part is None else _is_test(frame[table.part], path),
        folds=None if table.fold is None else _folds(frame[table.fold], path),
        groups=None if table.group is None else _groups(frame[table.group], path),
        times=None if table.time is None else _times(frame[table.time], path),
        repeats=tuple(_repeat(frame[name], path) for name in table.repeats),
    )


def _filled(column: pd.Series, path: Path) -> pd.Series:
    refuse_first(column.isna().to_numpy(), column, path, "empty", "fill it in or remove the row")
    return column


def _is_test(column: pd.Series, path: Path) -> NDArray[np.bool_]:
    known = _filled(column, path).isin(("train", "test")).to_numpy()
    refuse_first(~known, column, path, "not train or test", "write train or test")
    is_test: NDArray[np.bool_] = (column == "test").to_numpy()
    if not is_test.any():
        raise DataFormatError(f"{path}: {column.name!r} has no test", fix="write test for some rows")
    return is_test


def _folds(column: pd.Series, path: Path) -> NDArray[np.uint8]:
    """Numbers of folds, in the order of numbers or of the alphabet."""
    import numpy as np

    texts = whole_numbers(column.dropna().astype(str))
    names = ordered(texts)
    if not 2 <= len(names) <= MAX_FOLDS:
        raise DataFormatError(
            f"{path}: {column.name!r} names {len(names)} folds", fix=f"name 2 to {MAX_FOLDS} folds, or leave it out"
        )
    place = {name: number for number, name in enumerate(names)}
    folds = np.full(len(column), IN_NO_FOLD, dtype=np.uint8)
    folds[column.notna().to_numpy()] = texts.map(place).to_numpy()
    return folds


def _groups(column: pd.Series, path: Path) -> NDArray[np.intp]:
    """Numbers of groups, in the order of numbers or of the alphabet: they do not hang on the order of the rows."""
    import numpy as np

    texts = whole_numbers(_filled(column, path).astype(str))
    place = {name: number for number, name in enumerate(ordered(texts))}
    return np.asarray(texts.map(place).to_numpy(), dtype=np.intp)


def _times(column: pd.Series, path: Path) -> NDArray[np.intp]:
    """The place of each time among all; times are numbers, or dates as ISO 8601 writes them."""
    import numpy as np
    import pandas as pd

    _filled(column, path)
    moments: Any = column
    if not pd.api.types.is_datetime64_any_dtype(column):
        moments = pd.to_numeric(column, errors="coerce")
        if moments.isna().any():
            moments = pd.to_datetime(column.astype(str), errors="coerce", utc=True, format="ISO8601")
    bad = moments.isna().to_numpy()
    if moments.dtype.kind in "iuf":
        bad |= ~np.isfinite(moments.to_numpy(dtype=np.float64))
    refuse_first(bad, column, path, "no time", "write all as numbers, or all as dates such as 2024-05-31")
    return np.asarray(np.unique(moments.to_numpy(), return_inverse=True)[1], dtype=np.intp)


def _repeat(column: pd.Series, path: Path) -> NDArray[np.uint8]:
    import numpy as np

    places = column.map({"train": TRAIN, "test": TEST}).fillna(NEITHER)
    unknown = ((places == NEITHER) & column.notna()).to_numpy()
    refuse_first(unknown, column, path, "not train or test", "write train, test or nothing")
    return np.asarray(places.to_numpy(), dtype=np.uint8)
