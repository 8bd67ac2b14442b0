"""What an evaluation file says, as records: paths made absolute, defaults filled in, nothing opened yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Setting = Literal["prediction", "adaption", "coverage", "loo-coverage"]


@dataclass(frozen=True, kw_only=True)
class FileSource:
    """A CSV or Parquet file.

    Args:
        key: Its place in the evaluation file, e.g. "data.test/0".
        path: The file.
    """

    key: str
    path: Path

    @property
    def title(self) -> str:
        """How it is called in reports."""
        return self.path.name


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How many rows of a task are taken; None for all.

    Args:
        rows: The first rows, in the given order.
        groups: So many groups; drawn, if the order is random.
        rows_per_group: The first rows of each group.
        min_rows_per_group: Only groups with so many rows.
    """

    rows: int | None = None
    groups: int | None = None
    rows_per_group: int | None = None
    min_rows_per_group: int | None = None


@dataclass(frozen=True, kw_only=True)
class RegistrySource:
    """A task of the registry, its rows in groups.

    Args:
        key: Its place in the evaluation file.
        task: Name of the task.
        benchmark: Name of its benchmark, or path of a TOML file; None for whichever built-in one has it.
        group_by: What makes a group.
        order: The order of the rows in a group.
        limit: How many rows are taken.
    """

    key: str
    task: str
    benchmark: str | None
    group_by: str
    order: str
    limit: Limit

    @property
    def title(self) -> str:
        """How it is called in reports."""
        return f"{self.task} by {self.group_by}"


Source = FileSource | RegistrySource


@dataclass(frozen=True, kw_only=True)
class Code:
    """A class in somebody's Python file.

    Args:
        key: Its place in the evaluation file.
        path: The file, or a folder of files; None for a baseline.
        stated: What the evaluation file says: a path, or the name of a baseline.
        classname: The class to take, where a file has several.
        name: Name in the results, if the evaluation file gives one.
        args: Keyword arguments of the class.
    """

    key: str
    path: Path | None
    stated: str
    classname: str | None = None
    name: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Target:
    """One column to predict.

    Args:
        key: Its place in the evaluation file; "" for the response.
        column: The column.
        comparator: A name, code, or None for the default.
        predict: The method of the model that predicts it.
        adapt: The method of the model that learns it; None for none.
        task_encoders: By domain.
        response_encoders: By domain.
    """

    key: str
    column: str
    comparator: str | Code | None
    predict: str
    adapt: str | None
    task_encoders: Mapping[str, Code]
    response_encoders: Mapping[str, Code]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """One evaluation: a setting, data, models.

    Args:
        name: Name of the file, without its suffix.
        type: The setting.
        test: The rows to predict.
        pre_train: Groups to learn from.
        pre_train_person: Rows of the tested groups to learn from.
        pre_person_background: Rows of the tested groups in other domains.
        corresponding_data: Whether groups of one name are one group.
        domains: Domains that the file states; None if it does not.
        response_types: Response types that the file states.
        models: The models.
        targets: The columns to predict; the first is the response.
        seed: Everything random follows from it.
        notes: What is allowed but may mislead.
        stated: The file itself, as plain data.
    """

    name: str
    type: Setting
    test: tuple[Source, ...]
    pre_train: tuple[Source, ...]
    pre_train_person: tuple[Source, ...]
    pre_person_background: tuple[Source, ...]
    corresponding_data: bool
    domains: tuple[str, ...] | None
    response_types: tuple[str, ...] | None
    models: tuple[Code, ...]
    targets: tuple[Target, ...]
    seed: int
    notes: tuple[str, ...]
    stated: Mapping[str, Any]
