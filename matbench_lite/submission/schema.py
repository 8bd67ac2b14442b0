"""The form of `submission.json`: its JSON Schema, and older versions of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from matbench_lite.errors import EntryError

SCHEMA_VERSION = 1
SCHEMA_FILE = Path(__file__).parent / "submission.schema.json"
_MAX_SHOWN = 20


def migrate(document: dict[str, Any]) -> dict[str, Any]:
    """Bring a document of an older version into today's form; there is one version so far.

    Raises:
        EntryError: If its version is unknown.
    """
    version = document.get("schema_version")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise EntryError(
            f"submission.json has schema_version {version!r}, this matbench_lite reads {SCHEMA_VERSION}",
            fix="upgrade matbench_lite, or save the entry again",
        )
    return document


def form_problems(document: Mapping[str, Any], *, partly: bool = False) -> list[str]:
    """Everything in which a document differs from the schema, each with its place.

    Args:
        document: `submission.json`.
        partly: Whether keys may be missing: for a submission that is not finished.
    """
    problems = []
    for error in _validator(partly).iter_errors(document):
        place = "/".join(str(step) for step in error.instance_path) or "submission.json"
        problems.append(f"{place}: {error.message[:300]}")
        if len(problems) == _MAX_SHOWN:
            problems.append("… and more")
            break
    return problems


@cache
def _validator(partly: bool) -> Any:
    import jsonschema_rs

    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    if partly:
        del schema["required"]
    return jsonschema_rs.validator_for(schema)
