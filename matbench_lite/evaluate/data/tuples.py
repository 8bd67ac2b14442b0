"""Tasks, choices and responses as nested lists, and as the text that a CSV file holds of them.

`;` separates the terms of a part, `/` the parts of a choice, `|` the choices: `All;a;b/Some;b;c`, `yes|no`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_SEPARATORS = (";", "/", "|")
_PLAIN = frozenset({str, int, float, bool})


def tuple_to_string(value: Any) -> str:
    """The text of a nested list: the innermost lists are joined by `;`, those around them by `/`, then by `|`.

    Examples:
        >>> tuple_to_string([["All", "a", "b"], ["Some", "b", "c"]])
        'All;a;b/Some;b;c'
        >>> tuple_to_string([[["yes"]], [["no"]]]), tuple_to_string(0.5)
        ('yes|no', '0.5')
    """
    return _text(value)[0]


def convert_to_basic_types(value: Any) -> Any:
    """Turn every text in a nested list into a boolean, an integer or a float where it is one.

    Examples:
        >>> convert_to_basic_types([["True", "3"], ["2.5", "NVC"]])
        [[True, 3], [2.5, 'NVC']]
    """
    if isinstance(value, list):
        return [convert_to_basic_types(part) for part in value]
    if isinstance(value, bool | int | float):
        return value
    text = str(value)
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def unnest(value: Any) -> Any:
    """Take a value out of the lists around it, as long as each holds nothing else.

    Examples:
        >>> unnest([[2.5]]), unnest([["a", "b"]])
        (2.5, ['a', 'b'])
    """
    while isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    return value


def plain_value(value: Any) -> Any:
    """What a model returned, with NumPy's scalars and arrays turned into Python's.

    Examples:
        >>> import numpy as np
        >>> plain_value(np.float32(0.5)), plain_value([np.bool_(True)])
        (0.5, [True])
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        return [plain_value(part) for part in value]
    if isinstance(value, float):
        return float(value)  # such as pymatgen's, which write their unit
    return value.tolist() if hasattr(value, "tolist") else value


def split_task(text: str) -> list[list[str]]:
    """The parts of a task: `All;a;b/Some;b;c`.

    Examples:
        >>> split_task("All;a;b/Some;b;c"), split_task("Fe2O3")
        ([['All', 'a', 'b'], ['Some', 'b', 'c']], [['Fe2O3']])
    """
    return [part.split(";") for part in text.split("/") if part]


def split_choices(text: str) -> list[list[list[str]]]:
    """Choices, or several responses: `yes|no`.

    Examples:
        >>> split_choices("All;a;c|NVC")
        [[['All', 'a', 'c']], [['NVC']]]
    """
    return [[part.split(";") for part in choice.split("/")] for choice in text.split("|")]


class FrozenList(list[Any]):
    """A list that cannot be changed: what one model is shown stays what all others are shown.

    A copy (`list(x)`, `copy.deepcopy(x)`) is an ordinary list.

    Examples:
        >>> frozen(["a", ["b"]])[1].append("c")
        Traceback (most recent call last):
        TypeError: the data of an evaluation cannot be changed: copy it first, list(…)
    """

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("the data of an evaluation cannot be changed: copy it first, list(…)")

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __deepcopy__(self, memo: object) -> list[Any]:
        return [thawed(part) for part in self]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return frozen, (thawed(self),)


class FrozenRow(dict[str, Any]):
    """A dict that cannot be changed, for the same reason. A copy (`dict(x)`, `copy.deepcopy(x)`) is an ordinary dict.

    Examples:
        >>> FrozenRow(response=1.5)["seen"] = True
        Traceback (most recent call last):
        TypeError: the data of an evaluation cannot be changed: copy it first, dict(…)
    """

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("the data of an evaluation cannot be changed: copy it first, dict(…)")

    clear = pop = popitem = setdefault = update = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return {name: thawed(value) for name, value in self.items()}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return FrozenRow, (dict(self),)


def frozen(value: Any) -> Any:
    """The value with every list in it made unchangeable."""
    return FrozenList(map(frozen, value)) if isinstance(value, list) else value


def thawed(value: Any) -> Any:
    """The value with every list in it an ordinary one."""
    return [thawed(part) for part in value] if isinstance(value, list) else value


def _text(value: Any) -> tuple[str, int]:
    """The text, and how deep the lists are nested along their first elements."""
    if not isinstance(value, (list, tuple)):
        return str(value), 0
    if not value:
        return "", 1
    texts, depths = zip(*map(_text, value), strict=True)
    return _SEPARATORS[min(depths[0], 2)].join(texts), depths[0] + 1
