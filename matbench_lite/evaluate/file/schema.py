"""The form of an evaluation file: its JSON Schema, and every mistake named with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

SCHEMA_FILE = Path(__file__).parent / "evaluation.schema.json"
_LONGEST = 80


def mistakes(document: Mapping[str, Any]) -> list[str]:
    """Everything in which a document differs from the schema: the key, its value, and what is allowed.

    Examples:
        >>> for mistake in mistakes({"type": "predict", "data.test": "a.csv", "modles": []}):
        ...     print(mistake)
        models is missing; give a list of models: ...
        type: "predict" is not allowed; give prediction, adaption (or adaptation), coverage or loo-coverage
        unknown key "modles"; did you mean "models"?
    """
    schema, validator = _schema(), _validator()
    found: dict[str, None] = {}  # a set that keeps its order: two rules may find the same mistake
    for error in validator.iter_errors(document):
        *path, keyword = error.schema_path
        for text in _texts(list(error.instance_path), str(keyword), _node(schema, path), document):
            found[text] = None
    return list(found)


def deprecated(document: Mapping[str, Any]) -> list[str]:
    """Keys of older CCOBRA files that are there and not read."""
    return [name for name, node in _schema()["properties"].items() if node.get("deprecated") and name in document]


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long.

    Examples:
        >>> shown({"a": [1, True]})
        '{"a": [1, true]}'
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _texts(path: list[str | int], keyword: str, node: Any, document: Any) -> Iterator[str]:
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
            yield f"{prefix}unknown key {shown(name)}; {fix}"
    elif keyword == "required":
        for name in node["required"]:
            if name not in value:
                yield f"{place}/{name}".lstrip("/") + f" is missing; give {_allowed(node['properties'][name])}"
    else:
        yield f"{prefix}{shown(value)} is not allowed; give {_allowed(node)}"


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
