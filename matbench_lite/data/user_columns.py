"""Columns of a user's file: which class each row has, and in which fold, group, time or repeat it is.

True and false, also written as 1 and 0, have no names. Other classes are whole numbers or texts, in the order in which
the benchmark file names them, else in that of numbers or of the alphabet.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.errors import DataFormatError
from matbench_lite.tasks import IN_NO_FOLD, MAX_CLASSES, MAX_FOLDS

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.tasks import Marks, Table

Classes = tuple[str, ...] | tuple[int, ...]

# As text: one wrong label in a CSV file makes texts of all of them.
_LABELS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_WHOLE = re.compile(r"([+-]?\d{1,18})(\.0*)?")
_LONGEST = 100
_NAME_THEM = "correct the value, or name all classes in the benchmark file: classes = [...]"


def classes_of(column: pd.Series, named: Classes, path: Path) -> tuple[Classes, NDArray[Any]]:
    """The classes of a column without empty cells, and the number of each row's; without names, which rows are true.

    `named` are the classes where the benchmark file names them; the path is for messages.
    """
    plain = column.map(lambda value: isinstance(value, str | bool | int | float | np.generic))
    refuse_first(~plain.to_numpy(dtype=bool), column, path, "no label", "write texts, whole numbers or true and false")
    texts = column.map(label_text)
    truths = texts.str.lower().map(_LABELS)
    if not named and truths.notna().all():
        return (), truths.to_numpy().astype(bool)
    if not named and texts.str.lower().isin(("true", "false")).any():
        refuse_first(truths.isna().to_numpy(), column, path, "not true or false", _NAME_THEM)
    classes = named or _found(texts, column, path)
    names = texts if isinstance(classes[0], str) else _whole_numbers(texts)
    place = {str(name): number for number, name in enumerate(classes)}
    numbers = names.map(place)
    shown = ", ".join(map(str, classes[:5])) + (", …" if len(classes) > 5 else "")
    refuse_first(numbers.isna().to_numpy(), column, path, f"not one of the classes {shown}", "correct the value")
    codes: NDArray[Any] = numbers.to_numpy().astype(np.intp)
    return classes, codes == 1 if len(classes) == 2 else codes


def _ordered(texts: pd.Series) -> list[str]:
    """The different texts of a column, as numbers if all are whole ones, else by the alphabet."""
    different = sorted(set(texts))
    if all(_WHOLE.fullmatch(text) for text in different):
        return sorted(different, key=lambda text: int(text.partition(".")[0]))
    return different


def _whole_numbers(texts: pd.Series) -> pd.Series:
    """Whole numbers as they are usually written; any other text as it is."""
    return texts.map(lambda text: str(int(match[1])) if (match := _WHOLE.fullmatch(text)) else text)


def refuse_first(bad: NDArray[np.bool_], column: pd.Series, path: Path, problem: str, fix: str) -> None:
    """Raise a `DataFormatError` that shows the first bad value of a column, if there is one."""
    if bad.any():
        row = int(bad.argmax())
        value = str(column.iloc[row])[:_LONGEST]
        raise DataFormatError(f"{path}: {column.name!r} in row {row} is {value!r}, {problem}", fix=fix)


def label_text(value: Any) -> str:
    """A label as text; a whole number in a column of floats without its point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _found(texts: pd.Series, column: pd.Series, path: Path) -> Classes:
    whole = texts.map(lambda text: _WHOLE.fullmatch(text) is not None).to_numpy()
    if whole.any():
        refuse_first(~whole, column, path, "and other labels are whole numbers", _NAME_THEM)
        names: list[Any] = [int(text) for text in _ordered(_whole_numbers(texts))]
    else:
        names = _ordered(texts)
        unfit = texts.map(lambda text: text != text.strip() or not text.isprintable() or len(text) > _LONGEST)
        what = f"no label: it begins or ends with a space, cannot be shown or is longer than {_LONGEST} characters"
        refuse_first(unfit.to_numpy(), column, path, what, "correct the value")
    if not 2 <= len(names) <= MAX_CLASSES:
        wrong = f"has {len(names)} different labels" if len(names) > 1 else f"has the label {names[0]!r} alone"
        raise DataFormatError(
            f"{path}: {column.name!r} {wrong}",
            fix=f'a classification has 2 to {MAX_CLASSES} classes; for numbers, say kind = "regression"',
        )
    return tuple(names)


def read_marks(frame: pd.DataFrame, table: Table) -> Marks:
    """What the columns that a table names say of the folds; the columns are there."""
    from matbench_lite.tasks import Marks

    path = table.path
    return Marks(
        is_test=None if table.part is None else _is_test(frame[table.part], path),
        folds=None if table.fold is None else _folds(frame[table.fold], path),
        groups=None if table.group is None else _numbered(filled(frame[table.group], path))[1],
        times=None if table.time is None else _times(frame[table.time], path),
        repeats=tuple(_repeat(frame[name], path) for name in table.repeats),
    )


def filled(column: pd.Series, path: Path) -> pd.Series:
    """The column of a file, if it has a value in every row."""
    empty = column.isna().to_numpy()
    if empty.any():
        message = f"{path}: {column.name!r} in row {int(empty.argmax())} is empty"
        raise DataFormatError(message, fix="fill it in or remove the row")
    return column


def _numbered(column: pd.Series) -> tuple[list[str], NDArray[np.intp]]:
    """Names, by number or the alphabet, which does not hang on the order of the rows, and the number of each row's."""
    texts = _whole_numbers(column.astype(str))
    names = _ordered(texts)
    place = {name: number for number, name in enumerate(names)}
    return names, np.asarray(texts.map(place).to_numpy(), dtype=np.intp)


def _is_test(column: pd.Series, path: Path) -> NDArray[np.bool_]:
    known = filled(column, path).isin(("train", "test")).to_numpy()
    refuse_first(~known, column, path, "not train or test", "write train or test")
    is_test: NDArray[np.bool_] = (column == "test").to_numpy()
    if not is_test.any():
        raise DataFormatError(f"{path}: {column.name!r} has no test", fix="write test for some rows")
    return is_test


def _folds(column: pd.Series, path: Path) -> NDArray[np.uint8]:
    names, numbers = _numbered(column.dropna())
    if not 2 <= len(names) <= MAX_FOLDS:
        raise DataFormatError(
            f"{path}: {column.name!r} names {len(names)} folds", fix=f"name 2 to {MAX_FOLDS} folds, or leave it out"
        )
    folds = np.full(len(column), IN_NO_FOLD, dtype=np.uint8)
    folds[column.notna().to_numpy()] = numbers
    return folds


def _times(column: pd.Series, path: Path) -> NDArray[np.intp]:
    """The place of each time among all; times are numbers, or dates as ISO 8601 writes them."""
    import pandas as pd

    filled(column, path)
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
    from matbench_lite.tasks import NEITHER, TEST, TRAIN

    places = column.map({"train": TRAIN, "test": TEST}).fillna(NEITHER)
    unknown = ((places == NEITHER) & column.notna()).to_numpy()
    refuse_first(unknown, column, path, "not train or test", "write train, test or nothing")
    return np.asarray(places.to_numpy(), dtype=np.uint8)
