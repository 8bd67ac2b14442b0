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

from matbench_lite.evaluate.evaluation_file import Evaluation
from matbench_lite.evaluate.evaluation_rows import Groups, Record, check_data, digest, natural, read_groups
from matbench_lite.evaluate.items import FrozenList, Row


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many rows and groups there are to predict and to learn from, and where rows went.

    Rows of the training data that are absent from test are given to `pre_train_person` (`as_person`), in other domains
    to `pre_person_background` (`as_background`), or in settings that must not use them `withheld`. Rows of person or
    background data that are test rows of the same group are `refused`: never shown. Test rows in the training data,
    without `corresponding_data`, are `leaking`.
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

    `person` and `background` are rows for `pre_train_person` and `pre_person_background` by group, None if that is not
    called; `strays` says whether a test row is in the training data under another group.
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

    def lessons(self, group: Any = None) -> list[list[Row]]:
        """All training groups, for `pre_train`; with `corresponding_data` without the tested one."""
        if group is None or not self.strays:
            return [rows for name, rows in self._lessons.items() if name != group]
        own = {record.key for record in self.test[group]}
        return [shown(rows, own) for name, rows in (self.train or {}).items() if name != group]

    @cached_property
    def _lessons(self) -> dict[Any, list[Row]]:
        """Training groups as models see them, made once: they cannot be changed."""
        return {group: FrozenList(shown(rows)) for group, rows in (self.train or {}).items()}


def make_plan(evaluation: Evaluation) -> Plan:
    """Read the data of an evaluation and decide who is shown what."""
    columns = [target.column for target in evaluation.targets]
    test = read_groups(evaluation.test, columns, evaluation.seed)
    to_learn = (evaluation.pre_train, evaluation.pre_train_person, evaluation.pre_person_background)
    train, person, background = (
        read_groups(sources, columns, evaluation.seed) if sources else None for sources in to_learn
    )
    check_data(evaluation, test, [train, person, background])
    own = {group: {record.key for record in rows} for group, rows in test.items()}
    kept = [_without_own(groups, own) for groups in (person, background)]
    refused = sum(_rows(groups, own) - _rows(left) for groups, left in zip((person, background), kept, strict=True))
    counts: dict[str, int] = {}
    if train is not None and evaluation.corresponding_data:
        kept, counts = _with_train_only(evaluation, test, train, own, kept)
    elif train is not None:
        # As in CCOBRA: there, groups of the training data have other names, which sort as texts.
        train = {group: train[group] for group in sorted(train, key=str)}
    keys = {record.key: group for group, rows in (train or {}).items() for record in rows}
    found = [(group, keys[key]) for group, some in own.items() for key in some if key in keys]
    numbers = Counts(
        groups=len(test),
        rows=_rows(test),
        train_groups=len(train or {}),
        train_rows=_rows(train),
        refused=refused,
        leaking=0 if evaluation.corresponding_data or evaluation.type == "coverage" else len(found),
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
        strays=any(natural(test_group) != natural(train_group) for test_group, train_group in found),
    )


def shown(rows: Iterable[Record], without: Container[tuple[Any, ...]] = ()) -> list[Row]:
    """Rows as models see them, with their answers."""
    return [record.shown for record in rows if not without or record.key not in without]


def _rows(groups: Groups | None, among: Container[Any] | None = None) -> int:
    return sum(len(rows) for group, rows in (groups or {}).items() if among is None or group in among)


def _without_own(groups: Groups | None, own: dict[Any, set[tuple[Any, ...]]]) -> Groups | None:
    """The rows of tested groups that are not their test rows."""
    if groups is None:
        return None
    return {
        group: [record for record in rows if record.key not in own[group]]
        for group, rows in groups.items()
        if group in own
    }


def _with_train_only(
    evaluation: Evaluation, test: Groups, train: Groups, own: dict[Any, set[tuple[Any, ...]]], kept: list[Groups | None]
) -> tuple[list[Groups | None], dict[str, int]]:
    """Rows of the training data that are absent from test: more about a tested group, in adaption."""
    domains = {record.item.domain for rows in test.values() for record in rows}
    additional: list[Groups] = [{}, {}]
    for group, keys in own.items():
        for record in train.get(group, ()):
            if record.key not in keys:
                additional[record.item.domain not in domains].setdefault(group, []).append(record)
    as_person, as_background = map(_rows, additional)
    if evaluation.type != "adaption":
        return kept, {"withheld": as_person + as_background}
    merged = [_merged(more, given or {}) if more else given for more, given in zip(additional, kept, strict=True)]
    return merged, {"as_person": as_person, "as_background": as_background}


def _merged(first: Groups, second: Groups) -> Groups:
    def place(record: Record) -> tuple[bool, Any]:
        return natural(record.item.sequence_number)

    return {group: sorted([*first.get(group, ()), *second.get(group, ())], key=place) for group in first | second}


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
