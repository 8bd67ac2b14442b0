"""`about.toml`: what the authors say of an entry, in a file that they edit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matbench_lite.errors import ModelError

ABOUT_FILE = "about.toml"


def read_about(file: Path) -> dict[str, Any]:
    """What an `about.toml` says, as arguments of `Submission`; what it does not say is not there.

    Raises:
        ModelError: If it has a mistake.
    """
    return checked_about(read_toml(file), file)


def read_toml(file: Path) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
        ModelError: If it cannot be read.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} cannot be read: {error}", fix="correct it; it is TOML") from error


def checked_about(fields: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The fields of an `about.toml` as arguments of `Submission`.

    Args:
        fields: Its content.
        file: Its path, for messages.

    Raises:
        ModelError: If a field is unknown, or of another type than it should be.
    """
    if unknown := sorted(set(fields) - set(_TYPES)):
        raise ModelError(f"{file} has {', '.join(unknown)}", fix=f"use {', '.join(_TYPES)}")
    for key, value in fields.items():
        if not isinstance(value, _TYPES[key]) or (isinstance(value, list) and not all(map(_is_text, value))):
            raise ModelError(f"{file}: {key} = {value!r}", fix=f"{key} is {_SHOULD_BE[_TYPES[key]]}")
    return {key: [value] if key in _LISTS and isinstance(value, str) else value for key, value in fields.items()}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_LISTS = ("authors", "references", "requirements")
_TYPES: dict[str, Any] = {
    "algorithm": str,
    "authors": list | str,
    "description": str,
    "references": list | str,
    "requirements": list | str,
    "single_configuration": bool,
    "external_data": bool | str,
}
_SHOULD_BE: dict[Any, str] = {
    str: "a text",
    list | str: "a list of texts",
    bool: "true or false",
    bool | str: "false, or a text that says what else the model has seen",
}
