"""The rows of an evaluation: read, grouped, and checked against what the evaluation file says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from matbench_lite.data import read_table
from matbench_lite.errors import DataFormatError, EvaluationError
from matbench_lite.evaluate.benchmark_rows import ORIGIN, read_registry
from matbench_lite.evaluate.evaluation_file import Evaluation, FileSource, Source
from matbench_lite.evaluate.items import (
    FrozenList,
    FrozenRow,
    Item,
    Origin,
    convert_to_basic_types,
    frozen,
    parsed_choices,
    split_choices,
    tuple_to_string,
)
from matbench_lite.train import data_digest

if TYPE_CHECKING:
    import pandas as pd


RESPONSE = "response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row.

    `key` makes it the same row as one in another file. `predict` sees `columns`, which are no targets, beside the item;
    models learn from `shown`, with the answers. `targets` has auxiliary ones where the data has them, as `texts` too.
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
    """Read sources and put their rows into groups; of the columns that are targets, the first is the response."""
    import pandas as pd

    frames = [
        read_file(source) if isinstance(source, FileSource) else read_registry(source, seed) for source in sources
    ]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    return _grouped(_records(frame, targets), ", ".join(source.key for source in sources))


def digest(groups: Groups | None) -> str:
    """A sha256 over all that rows say, and their tasks: changed data are other data, and so are other structures."""
    sha = hashlib.sha256()
    origins = (record.item.origin for records in (groups or {}).values() for record in records)
    for task in {id(origin.task): origin.task for origin in origins if origin is not None}.values():
        sha.update(data_digest(task).encode())  # structures are in no column
    for group, records in (groups or {}).items():
        for record in records:
            item = record.item
            asked = (item.sequence_number, item.task_str, item.choices_str, item.response_type, item.domain)
            sha.update(repr((group, asked, record.key, record.columns, record.targets)).encode())
    return sha.hexdigest()


def natural(value: Any) -> tuple[bool, Any]:
    """A key to sort by: numbers by size, before texts."""
    return isinstance(value, str), value


def _records(frame: pd.DataFrame, targets: Sequence[str]) -> Iterable[Record]:
    """The rows of a frame, one by one; columns become lists of Python's own objects first, which is quick."""
    names = list(frame)
    others = [name for name in names if name not in (*COLUMNS, *targets, ORIGIN)]
    answered = [RESPONSE, *(name for name in targets if name != RESPONSE and name in frame)]
    for values in zip(*(frame[name].tolist() for name in names), strict=True):
        row = dict(zip(names, values, strict=True))
        origin = row.get(ORIGIN)
        item = Item(
            identifier=row["id"],
            domain=str(row["domain"]),
            task_str=str(row["task"]),
            choices_str=str(row["choices"]),
            response_type=str(row["response_type"]),
            sequence_number=row["sequence"],
            origin=origin if isinstance(origin, Origin) else None,  # files beside a registry source have NaN
        )
        columns = {str(name): row[name] for name in others}
        answers = {name: _answer(row[name], name, item.response_type) for name in answered}
        yield Record(
            item=item,
            key=_key(item, row[RESPONSE]),
            columns=columns,
            targets=answers,
            choices=parsed_choices(item.choices_str),
            shown=FrozenRow(item=item, **answers, **columns),
            texts={name: tuple_to_string(answer) for name, answer in answers.items()},
        )


def _key(item: Item, response: Any) -> tuple[Any, ...]:
    """A row of the registry is known by its place there; a row of a file by its place, question and answer.

    What else two files say of it may differ: a row that is only labelled otherwise must not pass for another one.
    """
    if item.origin is not None:
        return item.origin.task.benchmark, item.origin.task.name, item.origin.position
    return item.identifier, item.sequence_number, item.task_str, response


def _answer(value: Any, name: str, response_type: str) -> Any:
    if not isinstance(value, str):
        return value
    choices = split_choices(value)
    if name != RESPONSE:
        return frozen(choices)  # CCOBRA leaves these as the file has them: three levels, no conversion
    return frozen(convert_to_basic_types(choices if response_type == "multiple-choice" else choices[0]))


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


COLUMNS = ("id", "sequence", "task", "choices", "response", "response_type", "domain")
"""The columns that all data has."""
_TEXTS = ("id", "task", "choices", "response", "response_type", "domain")
_HOOK_WORDS = ("item", "target", "self")
# What pandas takes for a missing value; in the columns above, "None" or "NA" may be somebody's answer.
_MISSING = ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
            "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]  # fmt: skip


def read_file(source: FileSource) -> pd.DataFrame:
    """The rows of a file, with the columns that all data has and others, but none named like an argument of hooks."""
    frame = _read(source)
    place = f"{source.key}: {source.path.name}"
    if missing := [name for name in COLUMNS if name not in frame]:
        raise EvaluationError(
            f"{place} has no column {', '.join(missing)}", fix=f"give it the columns {', '.join(COLUMNS)}"
        )
    for name in _HOOK_WORDS:
        if name in frame:
            raise EvaluationError(
                f"{place} has a column {name!r}, which is the name of an argument of the models", fix="rename it"
            )
    if frame.empty:
        raise EvaluationError(f"{place} has no rows", fix="give a file with rows")
    for name in COLUMNS:
        empty = frame[name].isna()
        if empty.any() and name != "choices":
            row = int(empty.to_numpy().argmax())
            raise EvaluationError(
                f"{place}: {name} is missing in {int(empty.sum())} rows, first in data row {row + 1}",
                fix="fill it in, or leave the rows out",
            )
    choices = frame["choices"].astype(object)
    # Free responses need no choices.
    return frame.assign(choices=choices.where(choices.notna(), ""))


def _read(source: FileSource) -> pd.DataFrame:
    try:
        names = () if source.path.suffix.lower() == ".parquet" else read_table(source.path, nrows=0).columns
        values = {name: [""] if name in _TEXTS else _MISSING for name in names}
        return read_table(source.path, keep_default_na=False, na_values=values)
    except DataFormatError as error:
        raise EvaluationError(f"{source.key}: {error.message}", fix=error.fix) from error


def check_data(evaluation: Evaluation, test: Groups, others: Sequence[Groups | None]) -> None:
    """See that domains and response types, where stated, and target columns are those of the data."""
    for key, attribute in (("domains", "domain"), ("response_types", "response_type")):
        stated = getattr(evaluation, key)
        if stated is None:
            continue
        tested = _values(test, attribute)
        anywhere = tested.union(*(_values(groups, attribute) for groups in others if groups is not None))
        fix = f"give {sorted(tested)}, or leave it out"
        if missing := ", ".join(sorted(tested - set(stated))):
            raise EvaluationError(f"{key}: {list(stated)} lacks {missing}, which the test data has", fix=fix)
        if unknown := ", ".join(sorted(set(stated) - anywhere)):
            raise EvaluationError(f"{key}: {list(stated)} has {unknown}, which the data has not", fix=fix)
    _check_targets(evaluation, test)


def _check_targets(evaluation: Evaluation, test: Groups) -> None:
    first = next(iter(test.values()))[0]
    for target in evaluation.targets:
        if target.column not in first.targets:
            known = ", ".join(first.columns) or "none"
            raise EvaluationError(
                f"{target.key}data_column: {target.column!r} is not a column of the test data",
                fix=f"give another column: {known}",
            )
    for target, record in product(evaluation.targets[1:], chain.from_iterable(test.values())):
        value, item = record.targets[target.column], record.item
        if value is None or value != value:  # NaN is not equal to itself
            raise EvaluationError(
                f"{target.key}data_column: {target.column!r} is missing in group {item.identifier!r}, "
                f"sequence {item.sequence_number}",
                fix="fill it in, or leave the row out",
            )


def _values(groups: Groups, attribute: str) -> set[str]:
    return {getattr(record.item, attribute) for rows in groups.values() for record in rows}
