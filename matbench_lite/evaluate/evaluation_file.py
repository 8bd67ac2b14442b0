"""The evaluation file: what it may say, its schema, and the paths that it names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from matbench_lite.errors import EvaluationError

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
    group_by: str
    benchmark: str | None = None
    order: str = "file"
    limit: Limit = Limit()

    @property
    def title(self) -> str:
        """How it is called in reports."""
        return f"{self.task} by {self.group_by}"


Source = FileSource | RegistrySource


@dataclass(frozen=True, kw_only=True)
class Code:
    """A class in somebody's Python file, or a folder of files; or a baseline, whose `path` is None.

    The others are what the evaluation file says: the `classname` to take where there are several, the name to go by.
    """

    key: str
    path: Path | None
    filename: str
    classname: str | None = None
    override_name: str | None = None
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

    `pre_train` are groups to learn from, `pre_train_person` and `pre_person_background` rows of the tested groups,
    these in other domains. `domains` and `response_types` are None where the file does not state them; `stated` is the
    file itself, `notes` what is allowed in it but may mislead. The first target is the response.
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


PACKAGES = ("matbench_lite", "ccobra")
"""Paths may begin with the folder of one of these, as `%ccobra%`."""
SCHEMA_FILE = Path(__file__).parent / "evaluation.schema.json"
_LONGEST = 80


def mistakes(document: Mapping[str, Any]) -> list[EvaluationError]:
    """Everything in which a document differs from the schema: the key, its value, and what is allowed."""
    return list({str(mistake): mistake for mistake in _mistakes(document)}.values())  # two rules may find the same


def deprecated(document: Mapping[str, Any]) -> list[str]:
    """Keys of older CCOBRA files that are there and not read."""
    return [name for name, node in _schema()["properties"].items() if node.get("deprecated") and name in document]


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _mistakes(document: Mapping[str, Any]) -> Iterator[EvaluationError]:
    import jsonschema_rs

    for error in jsonschema_rs.validator_for(_schema()).iter_errors(document):
        *path, keyword = error.schema_path
        value: Any = error.instance
        node, place = _node(path), "/".join(map(str, error.instance_path))
        prefix = f"{place}: " if place else ""
        if keyword == "additionalProperties":
            known = [name for name, about in node["properties"].items() if not about.get("deprecated")]
            for name in sorted(set(value) - set(node["properties"])):
                close = get_close_matches(name, known, n=1)
                fix = f"did you mean {shown(close[0])}?" if close else f"use {', '.join(known)}"
                yield EvaluationError(f"{prefix}unknown key {shown(name)}", fix=fix)
        elif keyword == "required":
            for name in node["required"]:
                if name not in value:
                    missing = f"{place}/{name}".lstrip("/")
                    yield EvaluationError(f"{missing} is missing", fix=f"give {_allowed(node['properties'][name])}")
        else:
            yield EvaluationError(f"{prefix}{shown(value)} is not allowed", fix=f"give {_allowed(node)}")


def _allowed(node: Mapping[str, Any]) -> str:
    return str(node["x-allowed"] if "x-allowed" in node else _pointed(node["$ref"])["x-allowed"])


def _node(path: Sequence[str | int]) -> Any:
    """The part of the schema that was not met; the nearest one around it that says what is allowed."""
    node = nearest = _schema()
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


def full_path(stated: str, folder: Path) -> Path | None:
    """The path that a text in an evaluation file means; None if it lies in a package that is not installed.

    Examples:
        >>> full_path("data/a.csv", Path("/evaluations")).as_posix()
        '/evaluations/data/a.csv'
        >>> full_path("%matbench_lite%/tasks/mini.toml", Path("/evaluations")).is_file()
        True
    """
    for package in PACKAGES:
        if f"%{package}%" in stated:
            spec = find_spec(package)
            if spec is None or spec.origin is None:
                return None
            stated = stated.replace(f"%{package}%", str(Path(spec.origin).parent))
    return folder / stated
