"""Classes in a column of a user's file: which there are, in what order, and which one each row has.

True and false, also written as 1 and 0, have no names. Other classes are whole numbers or texts, in the order in which
the benchmark file names them, else in that of numbers or of the alphabet.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.errors import DataFormatError
from matbench_lite.tasks import MAX_CLASSES

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

Classes = tuple[str, ...] | tuple[int, ...]

# As text: one wrong label in a CSV file makes texts of all of them.
_LABELS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_WHOLE = re.compile(r"([+-]?\d{1,18})(\.0*)?")
_LONGEST = 100
_NAME_THEM = "correct the value, or name all classes in the benchmark file: classes = [...]"


def classes_of(column: pd.Series, named: Classes, path: Path) -> tuple[Classes, NDArray[Any]]:
    """The classes of a column, and the number of each row's; without names, whether each row is true.

    Args:
        column: A column without empty cells.
        named: The classes, where the benchmark file names them.
        path: The file, for messages.
    """
    import numpy as np

    plain = column.map(lambda value: isinstance(value, str | bool | int | float | np.generic))
    refuse_first(~plain.to_numpy(dtype=bool), column, path, "no label", "write texts, whole numbers or true and false")
    texts = column.map(_text)
    truths = texts.str.lower().map(_LABELS)
    if not named and truths.notna().all():
        return (), truths.to_numpy().astype(bool)
    if not named and texts.str.lower().isin(("true", "false")).any():
        refuse_first(truths.isna().to_numpy(), column, path, "not true or false", _NAME_THEM)
    classes = named or _found(texts, column, path)
    names = texts if isinstance(classes[0], str) else whole_numbers(texts)
    place = {str(name): number for number, name in enumerate(classes)}
    numbers = names.map(place)
    shown = ", ".join(map(str, classes[:5])) + (", …" if len(classes) > 5 else "")
    refuse_first(numbers.isna().to_numpy(), column, path, f"not one of the classes {shown}", "correct the value")
    codes: NDArray[Any] = numbers.to_numpy().astype(np.intp)
    return classes, codes == 1 if len(classes) == 2 else codes


def ordered(texts: pd.Series) -> list[str]:
    """The different texts of a column, as numbers if all are whole ones, else by the alphabet."""
    different = sorted(set(texts))
    if all(_WHOLE.fullmatch(text) for text in different):
        return sorted(different, key=lambda text: int(text.partition(".")[0]))
    return different


def whole_numbers(texts: pd.Series) -> pd.Series:
    """Whole numbers as they are usually written; any other text as it is."""
    return texts.map(lambda text: str(int(match[1])) if (match := _WHOLE.fullmatch(text)) else text)


def refuse_first(bad: NDArray[np.bool_], column: pd.Series, path: Path, problem: str, fix: str) -> None:
    """Raise a `DataFormatError` that shows the first bad value of a column, if there is one."""
    if bad.any():
        row = int(bad.argmax())
        value = str(column.iloc[row])[:_LONGEST]
        raise DataFormatError(f"{path}: {column.name!r} in row {row} is {value!r}, {problem}", fix=fix)


def _text(value: Any) -> str:
    """A label as text; a whole number in a column of floats without its point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _found(texts: pd.Series, column: pd.Series, path: Path) -> Classes:
    whole = texts.map(lambda text: _WHOLE.fullmatch(text) is not None).to_numpy()
    if whole.any():
        refuse_first(~whole, column, path, "and other labels are whole numbers", _NAME_THEM)
    names = [int(text) for text in ordered(whole_numbers(texts))] if whole.any() else ordered(texts)
    if not whole.any():
        unfit = texts.map(lambda text: text != text.strip() or not text.isprintable() or len(text) > _LONGEST)
        what = f"no label: it begins or ends with a space, cannot be shown or is longer than {_LONGEST} characters"
        refuse_first(unfit.to_numpy(), column, path, what, "correct the value")
    if not 2 <= len(names) <= MAX_CLASSES:
        wrong = f"has {len(names)} different labels" if len(names) > 1 else f"has the label {names[0]!r} alone"
        raise DataFormatError(
            f"{path}: {column.name!r} {wrong}",
            fix=f'a classification has 2 to {MAX_CLASSES} classes; for numbers, say kind = "regression"',
        )
    return tuple(names)  # type: ignore[return-value]  # all of one kind
