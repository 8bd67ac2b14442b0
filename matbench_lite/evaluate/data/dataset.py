"""Rows as the engine hands them out: the question, the answers, and what a model may see when."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.data.files import COLUMNS, read_file
from matbench_lite.evaluate.data.item import Item, Origin, parsed_choices
from matbench_lite.evaluate.data.registry import ORIGIN, read_registry
from matbench_lite.evaluate.data.tuples import (
    FrozenList,
    FrozenRow,
    convert_to_basic_types,
    frozen,
    split_choices,
    tuple_to_string,
)
from matbench_lite.evaluate.file.specification import FileSource, Source

if TYPE_CHECKING:
    import pandas as pd

RESPONSE = "response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row.

    Args:
        item: The question.
        key: What makes it the same row as one in another file.
        columns: The columns that are no targets: what `predict` sees beside the item.
        targets: The answer by column; auxiliary ones where the data has them.
        choices: The answers to choose from.
        shown: The row with its answers: what models learn from.
        texts: The answers as texts, made once.
    """

    item: Item
    key: tuple[Any, ...]
    columns: dict[str, Any]
    targets: dict[str, Any]
    choices: FrozenList
    shown: FrozenRow
    texts: dict[str, str]

    def beside(self, column: str) -> dict[str, Any]:
        """All columns but one target: what `adapt` sees beside it."""
        if len(self.targets) == 1:
            return self.columns
        return {**self.columns, **{name: value for name, value in self.targets.items() if name != column}}


Groups = dict[Any, list[Record]]
"""The rows of every group, by `sequence`; groups in their natural order."""


def read_groups(sources: Iterable[Source], targets: Sequence[str], seed: int) -> Groups:
    """Read sources and put their rows into groups.

    Args:
        sources: Files and tasks.
        targets: Columns that are targets; the first is the response.
        seed: For sources in random order.

    Raises:
        EvaluationError: If a source cannot be used.
    """
    import pandas as pd

    frames = [
        read_file(source) if isinstance(source, FileSource) else read_registry(source, seed) for source in sources
    ]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    return _grouped(_records(frame, targets), ", ".join(source.key for source in sources))


def digest(groups: Groups | None) -> str:
    """A sha256 over all that rows say: changed data are other data."""
    sha = hashlib.sha256()
    for group, records in (groups or {}).items():
        for record in records:
            item = record.item
            asked = (item.sequence_number, item.task_str, item.choices_str, item.response_type, item.domain)
            sha.update(repr((group, asked, record.key, record.columns, record.targets)).encode())
    return sha.hexdigest()


def natural(value: Any) -> tuple[bool, Any]:
    """A key to sort by: numbers by size, before texts."""
    text = isinstance(value, str)
    return text, value


def _records(frame: pd.DataFrame, targets: Sequence[str]) -> Iterable[Record]:
    """The rows of a frame, one by one; columns become lists of Python's own objects first, which is quick."""
    origins: Iterable[Any] = frame[ORIGIN].tolist() if ORIGIN in frame else [None] * len(frame)
    base = zip(*(frame[name].tolist() for name in COLUMNS), strict=True)
    extra_names = [str(name) for name in frame.columns if name not in (*COLUMNS, *targets, ORIGIN)]
    extras = _rows_of(frame, extra_names)
    aux_names = [name for name in targets if name != RESPONSE and name in frame]
    auxiliary = _rows_of(frame, aux_names)
    for origin, values, extra, aux in zip(origins, base, extras, auxiliary, strict=True):
        known = origin if isinstance(origin, Origin) else None
        group, sequence, task, choices, response, kind, domain = values
        item = Item(
            identifier=group,
            domain=str(domain),
            task_str=str(task),
            choices_str=str(choices),
            response_type=str(kind),
            sequence_number=sequence,
            origin=known,
        )
        columns = dict(zip(extra_names, extra, strict=True))
        answers = {RESPONSE: _response(response, item.response_type)}
        answers |= {name: _auxiliary(value) for name, value in zip(aux_names, aux, strict=True)}
        yield Record(
            item=item,
            key=_key(item, response),
            columns=columns,
            targets=answers,
            choices=parsed_choices(item.choices_str),
            shown=FrozenRow(item=item, **answers, **columns),
            texts={name: tuple_to_string(answer) for name, answer in answers.items()},
        )


def _rows_of(frame: pd.DataFrame, names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    if not names:
        return [()] * len(frame)
    return zip(*(frame[name].tolist() for name in names), strict=True)


def _key(item: Item, response: Any) -> tuple[Any, ...]:
    """A row of the registry is known by its place there; a row of a file by its place, question and answer.

    What else two files say of it may differ: a row that is only labelled otherwise must not pass for another one.
    """
    if item.origin is not None:
        return item.origin.task.benchmark, item.origin.task.name, item.origin.position
    return item.identifier, item.sequence_number, item.task_str, response


def _response(value: Any, response_type: str) -> Any:
    if not isinstance(value, str):
        return value
    choices = split_choices(value)
    return frozen(convert_to_basic_types(choices if response_type == "multiple-choice" else choices[0]))


def _auxiliary(value: Any) -> Any:
    # CCOBRA leaves these as the file has them: three levels, no conversion.
    return frozen(split_choices(value)) if isinstance(value, str) else value


def _grouped(records: Iterable[Record], place: str) -> Groups:
    unsorted: Groups = {}
    for record in records:
        unsorted.setdefault(record.item.identifier, []).append(record)
    groups = {group: unsorted[group] for group in sorted(unsorted, key=natural)}
    for rows in groups.values():
        try:
            rows.sort(key=lambda record: record.item.sequence_number)
        except TypeError as error:
            raise EvaluationError(f"{place}: sequence is a number in some rows and a text in others") from error
    return groups
