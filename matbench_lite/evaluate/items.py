"""A row as models see it, and answers as tuples and as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.tasks import Task


Row = dict[str, Any]
"""What a model is shown of a row with its answer: `item`, `response`, and the other columns. It cannot be changed."""


@lru_cache(maxsize=2**14)
def parsed_choices(text: str) -> FrozenList:
    """Choices as nested lists that cannot be changed; most rows of a file share a few texts."""
    parsed: FrozenList = frozen(convert_to_basic_types(split_choices(text)))
    return parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an item of a registry source comes from: the task, and the row's position in its file order, from 0."""

    task: Task = field(repr=False)
    position: int


@lru_cache(maxsize=8)
def _inputs(task: Task) -> pd.Series | pd.DataFrame:
    """Every row's formula or structure, looked up once for all items; structures are built on access."""
    return task.inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question to a model; it cannot be changed.

    `task` and `choices` are new lists at every look: they are yours to change. `identifier` is the group,
    `sequence_number` the place in it; of registry sources, `domain` is the name of the task and `task_str` the formula.
    `response_type` is `single-choice`, `multiple-choice`, `verify`, `accept` or `free`; `origin` the row of the
    registry, or None for data from a file.

    Examples:
        >>> item = Item(
        ...     identifier="Al-O", domain="gap", task_str="Al2O3", choices_str="yes|no",
        ...     response_type="single-choice", sequence_number=0,
        ... )
        >>> item.task, item.choices
        ([['Al2O3']], [[['yes']], [['no']]])
    """

    identifier: Any
    domain: str
    task_str: str
    choices_str: str
    response_type: str
    sequence_number: Any
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def task(self) -> list[list[str]]:
        """The question as parts and terms."""
        return [part.split(";") for part in self.task_str.split("/") if part]

    @property
    def choices(self) -> list[Any]:
        """The answers to choose from, each as parts and terms, numbers and booleans converted."""
        return [[terms[:] for terms in choice] for choice in parsed_choices(self.choices_str)]

    @property
    def row(self) -> str | None:
        """The row id of a registry source."""
        return None if self.origin is None else str(self.origin.task.ids[self.origin.position])

    @property
    def input(self) -> Any:
        """The formula or structure of a registry source; for data from a file, the text of the task."""
        return self.task_str if self.origin is None else _inputs(self.origin.task).iloc[self.origin.position]

    def __deepcopy__(self, memo: object) -> Item:
        return self  # it cannot change, and models that keep their items are copied often


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
    """What a model returned, with NumPy's scalars and arrays turned into Python's."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        return [plain_value(part) for part in value]
    if isinstance(value, float):
        return float(value)  # such as pymatgen's, which write their unit
    return value.tolist() if hasattr(value, "tolist") else value


def split_choices(text: str) -> list[list[list[str]]]:
    """Choices, or several responses: `yes|no`."""
    return [[part.split(";") for part in choice.split("/")] for choice in text.split("|")]


def _refuse(self: object, *_: Any, **__: Any) -> Any:
    plain = "list" if isinstance(self, list) else "dict"
    raise TypeError(f"the data of an evaluation cannot be changed: copy it first, {plain}(…)")


class FrozenList(list[Any]):
    """A list that cannot be changed: what one model is shown stays what all others are shown.

    A copy (`list(x)`, `copy.deepcopy(x)`) is an ordinary list.
    """

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __deepcopy__(self, memo: object) -> list[Any]:
        return [thawed(part) for part in self]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return frozen, (thawed(self),)


class FrozenRow(dict[str, Any]):
    """A dict that cannot be changed, for the same reason; a copy (`dict(x)`, `copy.deepcopy(x)`) is an ordinary one."""

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
    if len(value) == 1:
        text, depth = _text(value[0])
        return text, depth + 1
    texts, depths = zip(*map(_text, value), strict=True)
    return _SEPARATORS[min(depths[0], 2)].join(texts), depths[0] + 1
