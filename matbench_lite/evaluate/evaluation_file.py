"""The evaluation file: what it may say, its schema, and the paths that it names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

Setting = Literal["prediction", "adaption", "coverage", "loo-coverage"]


@dataclass(frozen=True, kw_only=True)
class FileSource:
    """A CSV or Parquet file; `key` is its place in the evaluation file, e.g. "data.test/0"."""

    key: str
    path: Path

    @property
    def title(self) -> str:
        """How it is called in reports."""
        return self.path.name


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How many rows of a task are taken; None for all.

    The first `rows`, in the given order; of those only groups of `min_rows_per_group`; so many `groups` of them, drawn
    if the order is random; the first `rows_per_group` of each.
    """

    rows: int | None = None
    groups: int | None = None
    rows_per_group: int | None = None
    min_rows_per_group: int | None = None


@dataclass(frozen=True, kw_only=True)
class RegistrySource:
    """A task of the registry, its rows in groups; its benchmark by name or TOML file, None for the built-in ones."""

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
    """A class in somebody's Python file, or a folder of files; or a baseline, whose `path` is None.

    `stated` is what the evaluation file says, `classname` the class to take where there are several.
    """

    key: str
    path: Path | None
    stated: str
    classname: str | None = None
    name: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Target:
    """One column to predict, the model's methods that predict and learn it (None for none), and encoders by domain.

    `key` is its place in the evaluation file, "" for the response; `comparator` a name, code, or None for the default.
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


SCHEMA_FILE = Path(__file__).parent / "evaluation.schema.json"
_LONGEST = 80


class Mistake(NamedTuple):
    """What is wrong in an evaluation file, and what to do."""

    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.message}; {self.fix}"


def mistakes(document: Mapping[str, Any]) -> list[Mistake]:
    """Everything in which a document differs from the schema: the key, its value, and what is allowed."""
    schema, validator = _schema(), _validator()
    found: list[Mistake] = []
    for error in validator.iter_errors(document):
        *path, keyword = error.schema_path
        found += _mistakes(list(error.instance_path), str(keyword), _node(schema, path), document)
    return list(dict.fromkeys(found))  # two rules may find the same mistake


def deprecated(document: Mapping[str, Any]) -> list[str]:
    """Keys of older CCOBRA files that are there and not read."""
    return [name for name, node in _schema()["properties"].items() if node.get("deprecated") and name in document]


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _mistakes(path: list[str | int], keyword: str, node: Any, document: Any) -> Iterator[Mistake]:
    place = "/".join(map(str, path))
    value = document
    for step in path:
        value = value[step]
    prefix = f"{place}: " if place else ""
    if keyword == "additionalProperties":
        known = [name for name, about in node["properties"].items() if not about.get("deprecated")]
        for name in sorted(set(value) - set(node["properties"])):
            close = get_close_matches(name, known, n=1)
            fix = f"did you mean {shown(close[0])}?" if close else f"use {', '.join(known)}"
            yield Mistake(f"{prefix}unknown key {shown(name)}", fix)
    elif keyword == "required":
        for name in node["required"]:
            if name not in value:
                missing = f"{place}/{name}".lstrip("/")
                yield Mistake(f"{missing} is missing", f"give {_allowed(node['properties'][name])}")
    else:
        yield Mistake(f"{prefix}{shown(value)} is not allowed", f"give {_allowed(node)}")


def _allowed(node: Mapping[str, Any]) -> str:
    return str(node["x-allowed"] if "x-allowed" in node else _pointed(node["$ref"])["x-allowed"])


def _node(schema: Any, path: Sequence[str | int]) -> Any:
    """The part of the schema that was not met; the nearest one around it that says what is allowed."""
    node = nearest = schema
    for step in path:
        node = _pointed(node["$ref"]) if step == "$ref" else node[step]
        if isinstance(node, dict) and ("x-allowed" in node or "properties" in node):
            nearest = node
    return nearest


def _pointed(reference: str) -> Any:
    return _schema()["$defs"][reference.rpartition("/")[2]]


@cache
def _schema() -> Any:
    return json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))


@cache
def _validator() -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(_schema())


OWN, CCOBRA = "%matbench_lite%", "%ccobra%"
_PACKAGES = {OWN: "matbench_lite", CCOBRA: "ccobra"}


def full_path(stated: str, folder: Path) -> Path | None:
    """The path that a text in an evaluation file means; None if it lies in a package that is not installed.

    Examples:
        >>> full_path("data/a.csv", Path("/evaluations")).as_posix()
        '/evaluations/data/a.csv'
        >>> full_path("%matbench_lite%/tasks/mini.toml", Path("/evaluations")).is_file()
        True
    """
    for placeholder, package in _PACKAGES.items():
        if placeholder in stated:
            home = _home(package)
            if home is None:
                return None
            stated = stated.replace(placeholder, str(home))
    return folder / stated


@cache
def _home(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
