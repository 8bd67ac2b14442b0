"""An item: what a model is asked, without the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from matbench_lite.evaluate.data.tuples import FrozenList, convert_to_basic_types, frozen, split_choices, split_task

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


class Shelf:
    """The inputs of a task, looked up once for all its items.

    Args:
        task: The task.
    """

    def __init__(self, task: Task) -> None:
        self.task = task

    @cached_property
    def inputs(self) -> pd.Series:
        """Every row's formula or structure; structures are built on access."""
        return self.task.inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an item of a registry source comes from.

    Args:
        shelf: The task, with its inputs.
        position: Position of the row in the task's file order, from 0.
    """

    shelf: Shelf = field(repr=False)
    position: int

    @property
    def task(self) -> Task:
        """The task."""
        return self.shelf.task


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question to a model; it cannot be changed.

    `task` and `choices` are new lists at every look: they are yours to change.

    Args:
        identifier: The group.
        domain: What kind of question it is; the task's name for registry sources.
        task_str: The question as text: for registry sources the formula.
        choices_str: The answers to choose from, as text.
        response_type: `single-choice`, `multiple-choice`, `verify`, `accept` or `free`.
        sequence_number: Its place in the order of the group.
        origin: The row of the registry, or None for data from a file.

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
        return split_task(self.task_str)

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
        return self.task_str if self.origin is None else self.origin.shelf.inputs.iloc[self.origin.position]

    def __deepcopy__(self, memo: object) -> Item:
        return self  # it cannot change, and models that keep their items are copied often
