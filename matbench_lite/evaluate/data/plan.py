"""Who is shown what, and when: no model gets the answer of a row that it has yet to predict.

This is the one place that decides about it. A row of the training data that is a row of the tested group is never
handed out before that row is predicted, whatever file it comes from; the exceptions are `coverage`, which is made for
it, and training data without `corresponding_data`, which warns.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from matbench_lite.evaluate.data.agreement import check_data
from matbench_lite.evaluate.data.dataset import Groups, Record, digest, natural, read_groups
from matbench_lite.evaluate.data.item import Row
from matbench_lite.evaluate.data.tuples import FrozenList
from matbench_lite.evaluate.file.specification import Evaluation


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many rows and groups there are, and where rows went.

    Args:
        groups: Groups to predict.
        rows: Rows to predict.
        train_groups: Groups to learn from.
        train_rows: Rows to learn from.
        as_person: Rows of the training data that are absent from test, given to `pre_train_person`.
        as_background: The same in other domains, given to `pre_person_background`.
        withheld: The same in settings that must not use them.
        refused: Rows of person or background data that are test rows of the same group, and so never shown.
        leaking: Test rows that are in the training data, without `corresponding_data`.
    """

    groups: int
    rows: int
    train_groups: int
    train_rows: int
    as_person: int = 0
    as_background: int = 0
    withheld: int = 0
    refused: int = 0
    leaking: int = 0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The data of an evaluation, and who is shown what of it.

    Args:
        evaluation: The evaluation.
        test: The rows to predict.
        train: The rows to learn from; None without training data.
        person: Rows for `pre_train_person`, by group; None if it is not called.
        background: Rows for `pre_person_background`, by group; None if it is not called.
        counts: How many rows went where.
        notes: What may mislead.
        digest: Digest of all the data.
        strays: Whether a test row is in the training data under another group.
    """

    evaluation: Evaluation
    test: Groups
    train: Groups | None
    person: Groups | None
    background: Groups | None
    counts: Counts
    notes: tuple[str, ...]
    digest: str
    strays: bool

    @cached_property
    def rows(self) -> list[Record]:
        """All rows to predict, in order."""
        return [record for rows in self.test.values() for record in rows]

    def everything(self) -> list[list[Row]]:
        """All training groups, for `pre_train` without `corresponding_data`."""
        return list(self._lessons.values())

    def others(self, group: Any) -> list[list[Row]]:
        """All training groups but one, for `pre_train` with `corresponding_data`."""
        if not self.strays:
            return [rows for name, rows in self._lessons.items() if name != group]
        own = {record.key for record in self.test[group]}
        return [_shown(rows, own) for name, rows in (self.train or {}).items() if name != group]

    def person_rows(self, group: Any) -> list[Row]:
        """What `pre_train_person` gets."""
        return _shown((self.person or {}).get(group, ()))

    def background_rows(self, group: Any) -> list[Row]:
        """What `pre_person_background` gets."""
        return _shown((self.background or {}).get(group, ()))

    @cached_property
    def _lessons(self) -> dict[Any, list[Row]]:
        """Training groups as models see them, made once: they cannot be changed."""
        return {group: FrozenList(_shown(rows)) for group, rows in (self.train or {}).items()}


def make_plan(evaluation: Evaluation) -> Plan:
    """Read the data of an evaluation and decide who is shown what.

    Raises:
        EvaluationError: If the data cannot be used, or is not what the file says.
        DataMissingError: If a task's data is not on this machine.
    """
    columns = [target.column for target in evaluation.targets]
    test, train, person, background = (
        read_groups(sources, columns, evaluation.seed) if sources else None
        for sources in (
            evaluation.test,
            evaluation.pre_train,
            evaluation.pre_train_person,
            evaluation.pre_person_background,
        )
    )
    assert test is not None, "the schema requires it"
    check_data(evaluation, test, [train, person, background])
    own = {group: {record.key for record in rows} for group, rows in test.items()}
    refused = 0
    kept: list[Groups | None] = []
    for groups in (person, background):
        some, dropped = _kept(groups, own)
        kept.append(some)
        refused += dropped
    counts = {"as_person": 0, "as_background": 0, "withheld": 0}
    if train is not None and evaluation.corresponding_data:
        kept, counts = _with_train_only(evaluation, test, train, own, kept)
    elif train is not None:
        # As in CCOBRA: there, groups of the training data have other names, which sort as texts.
        train = {group: train[group] for group in sorted(train, key=str)}
    leaking = 0
    strays = False
    if train is not None:
        keys = {record.key: group for group, rows in train.items() for record in rows}
        found = [(group, keys[key]) for group, some in own.items() for key in some if key in keys]
        strays = any(natural(test_group) != natural(train_group) for test_group, train_group in found)
        leaking = 0 if evaluation.corresponding_data or evaluation.type == "coverage" else len(found)
    numbers = Counts(
        groups=len(test),
        rows=sum(map(len, test.values())),
        train_groups=len(train or {}),
        train_rows=sum(map(len, (train or {}).values())),
        refused=refused,
        leaking=leaking,
        **counts,
    )
    return Plan(
        evaluation=evaluation,
        test=test,
        train=train,
        person=kept[0],
        background=kept[1],
        counts=numbers,
        notes=(*evaluation.notes, *_notes(evaluation, numbers)),
        digest="-".join(digest(groups)[:16] for groups in (test, train, *kept)),
        strays=strays,
    )


def _shown(rows: Iterable[Record], without: Container[tuple[Any, ...]] = ()) -> list[Row]:
    return [record.shown for record in rows if not without or record.key not in without]


def _kept(groups: Groups | None, own: dict[Any, set[tuple[Any, ...]]]) -> tuple[Groups | None, int]:
    """The rows of tested groups that are not their test rows, and how many are."""
    if groups is None:
        return None, 0
    kept = {
        group: [record for record in rows if record.key not in own[group]]
        for group, rows in groups.items()
        if group in own
    }
    return kept, sum(len(groups[group]) - len(rows) for group, rows in kept.items())


def _with_train_only(
    evaluation: Evaluation,
    test: Groups,
    train: Groups,
    own: dict[Any, set[tuple[Any, ...]]],
    kept: list[Groups | None],
) -> tuple[list[Groups | None], dict[str, int]]:
    """Rows of the training data that are absent from test: more about a tested group, in adaption."""
    domains = {record.item.domain for rows in test.values() for record in rows}
    additional: list[Groups] = [{}, {}]
    for group, keys in own.items():
        for record in train.get(group, ()):
            if record.key not in keys:
                additional[record.item.domain not in domains].setdefault(group, []).append(record)
    numbers = [sum(map(len, groups.values())) for groups in additional]
    if evaluation.type != "adaption":
        return kept, {"as_person": 0, "as_background": 0, "withheld": sum(numbers)}
    merged = [_merged(more, given) if more else given for more, given in zip(additional, kept, strict=True)]
    return merged, {"as_person": numbers[0], "as_background": numbers[1], "withheld": 0}


def _merged(first: Groups, second: Groups | None) -> Groups:
    merged: Groups = {}
    for groups in (first, second or {}):
        for group, rows in groups.items():
            merged.setdefault(group, []).extend(rows)
    for rows in merged.values():
        rows.sort(key=lambda record: natural(record.item.sequence_number))
    return merged


def _notes(evaluation: Evaluation, counts: Counts) -> Iterable[str]:
    if counts.leaking:
        yield (
            f"{counts.leaking} of {counts.rows} test rows are in data.pre_train and corresponding_data is false: "
            "models are shown the answers; set corresponding_data to true to leave each group out"
        )
    if counts.withheld:
        yield (
            f"{counts.withheld} rows of the tested groups are in data.pre_train but not in data.test; "
            f"they are withheld in {evaluation.type}"
        )
    if counts.refused:
        yield (
            f"{counts.refused} rows of data.pre_train_person or data.pre_person_background are test rows of the same "
            "group; they are not shown to the models"
        )
