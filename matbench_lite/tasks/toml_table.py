"""A TOML table whose values are taken out key by key, checked; mistakes are collected with their place."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, TypeVar

T = TypeVar("T")


class TomlTable:
    """One table of the file: values are taken out key by key, mistakes are collected with their place."""

    def __init__(self, content: object, place: str, problems: list[str]) -> None:
        self._content: dict[str, Any] = dict(content) if isinstance(content, dict) else {}
        self._place = place
        self.problems = problems
        if not isinstance(content, dict):
            problems.append(f"{place.rstrip('.')}: is not a table")
            self.problems = []  # all that it then lacks is no further mistake

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of `key`, checked; a required one that is missing is noted, and a neutral value returned."""
        if key not in self._content:
            if default is None:
                self.complain(key, "is missing")
                return kind()
            return default
        value = self._content.pop(key)
        if kind is float and type(value) is int:
            value = float(value)
        # `type`, not `isinstance`: true is not a number here.
        if type(value) is not kind:
            self.complain(key, f"{value!r} is not a {_NAMES[kind]}")
            return kind() if default is None else default
        if value == "" and default is None:
            self.complain(key, "is empty")
        checked: T = value
        return checked

    def optional(self, key: str, kind: type[T]) -> T | None:
        """The value of `key`, or None."""
        return self.take(key, kind) if key in self._content else None

    def time(self, key: str) -> datetime:
        """The time at `key`, in UTC; one that does not say its offset is a mistake."""
        value = self._content.pop(key, None)
        if isinstance(value, datetime) and value.tzinfo is not None:
            return value.astimezone(UTC)
        if value is None:
            self.complain(key, "is missing")
        elif isinstance(value, datetime):
            self.complain(key, f"{value.isoformat()} does not say where; end it with Z for UTC")
        else:
            self.complain(key, f"{str(value)!r} is not a time such as 2026-11-16T09:00:00Z")
        return datetime.min.replace(tzinfo=UTC)

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> Any:
        """The value of `key`, one of `choices`."""
        value = self._content.pop(key, default)
        if value in choices:
            return value
        problem = "is missing;" if value is None else f"{value!r} is not"
        self.complain(key, f"{problem} one of {', '.join(choices)}")
        return choices[0]

    def name(self, key: str = "name") -> str:
        """The value of `key`, fit to be part of a file's name; "" if it is missing."""
        value = self.take(key, str)
        if value and not _NAME.fullmatch(value):
            self.complain(key, f"{value!r} is not a name: up to 100 letters, digits, '_', '.', '-'")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of strings at `key`; empty if there is none."""
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            self.complain(key, "is not a list of strings")
            return ()
        return tuple(values)

    def section(self, key: str) -> TomlTable | None:
        """The sub-table at `key`, or None."""
        if key not in self._content:
            return None
        return TomlTable(self._content.pop(key), f"{self._place}{key}.", self.problems)

    def complain(self, key: str, message: str) -> None:
        """Note a mistake at `key`."""
        self.problems.append(f"{self._place}{key}: {message}")

    def close(self) -> None:
        """Every key that nobody asked for is a mistake, most often a misspelt one."""
        for key in self._content:
            self.complain(key, "is not a known key")


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_NAMES = {str: "string", int: "whole number", float: "number", dict: "table", list: "list"}
