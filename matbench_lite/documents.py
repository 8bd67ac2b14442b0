"""Documents that people write and programs read: TOML tables with every mistake named, and plain JSON data.

Files are read in one way: regular ones alone, up to a size, so that no device, pipe or endless file holds anybody up.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, TypeVar

from matbench_lite.errors import MatbenchLiteError, one_of
from matbench_lite.text import count

T = TypeVar("T")
MOST_BYTES = 50_000_000
"""Of a document; those of ours have a thousandth of it."""


def is_there(path: Path) -> bool:
    """Whether there is a file or folder; False also for what can be no path: too long, or with a null byte."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a regular file of at most so many bytes; an `OSError` says what it is else: a device or a pipe never ends.

    Examples:
        >>> read_regular(Path(os.devnull))
        Traceback (most recent call last):
        OSError: [Errno 22] it is not a regular file
    """
    try:
        # Without waiting: a pipe that nobody writes to would hold up the opening itself.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError as error:
        raise OSError(errno.EINVAL, "its path has a null byte") from error
    with open(number, "rb") as stream:  # noqa: PTH123 - of a number, not of a path
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        content = b"" if about.st_size > most else stream.read(most + 1)
    if max(about.st_size, len(content)) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return content


def is_name(text: str) -> bool:
    """Whether a text is fit to be part of a file's name."""
    return _NAME.fullmatch(text) is not None


def read_json(path: Path) -> Any:
    """Read a JSON file as plain data; an `OSError` or a `ValueError` if it cannot be read, or is none."""
    try:
        return json.loads(read_regular(path))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


@contextmanager
def toml_document(
    file: Path, error: type[MatbenchLiteError], *, fix: str | None = None, most_bytes: int = MOST_BYTES
) -> Iterator[TomlTable]:
    """Read a TOML file, to be taken out key by key; when the block ends, every mistake that was noted is named at once.

    Whatever is wrong is the given error: the file is not there or cannot be read (then `fix` is what to do), is none or
    has more than `most_bytes`, is no TOML, or has mistakes, each with its place.
    """
    try:
        content = tomllib.loads(read_regular(file, most_bytes).decode())
    except (ValueError, RecursionError) as problem:  # a number of thousands of digits is a plain ValueError
        raise error(f"{file} is not a TOML file: {problem}", fix="correct it there") from problem
    except FileNotFoundError as problem:
        raise error(f"there is no {file}", fix=fix) from problem
    except OSError as problem:
        raise error(f"{file} cannot be read: {problem.strerror}", fix=fix) from problem
    problems: list[str] = []
    yield TomlTable(content, "", problems)
    if problems:
        raise error(f"{file} has {count(len(problems), 'mistake')}:\n  " + "\n  ".join(problems))


_LONGEST = 200


def _shown(value: object) -> str:
    """A value of a file in a message, cut where it is long."""
    try:
        text = str(value).lower() if isinstance(value, bool) else repr(value)
    except ValueError:  # Python writes no number of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


class TomlTable:
    """One table of the file: values are taken out key by key, mistakes are collected with their place."""

    def __init__(self, content: object, place: str, problems: list[str]) -> None:
        self._content: dict[str, Any] = dict(content) if isinstance(content, dict) else {}
        self._place = place
        self._known: list[str] = []
        self.problems = problems
        if not isinstance(content, dict):
            problems.append(f"{place.rstrip('.')}: is not a table")
            self.problems = []  # all that it then lacks is no further mistake

    def _pop(self, key: str) -> Any:
        """The value of `key`, or None, which TOML has not; from now on it is a known key."""
        self._known.append(key)
        return self._content.pop(key, None)

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of `key`, checked; a required one that is missing is noted, and a neutral value returned."""
        value = self._pop(key)
        if value is None:
            if default is None:
                self.complain(key, f"is missing; give {_NAMES[kind]}")
                return kind()
            return default
        if kind is float and type(value) is int:
            value = float(value)
        # `type`, not `isinstance`: true is not a number here.
        if type(value) is not kind:
            self.complain(key, f"{_shown(value)} is not {_NAMES[kind]}")
            return kind() if default is None else default
        if value == "" and default is None:
            self.complain(key, "is empty")
        checked: T = value
        return checked

    def optional(self, key: str, kind: type[T]) -> T | None:
        """The value of `key`, or None."""
        return self.take(key, kind) if key in self._content else self._pop(key)

    def allowed(self, key: str, is_allowed: Callable[[Any], bool], what: str) -> Any:
        """The value of `key` if it is what is allowed, which `what` says; None if it is missing or is not."""
        value = self._pop(key)
        if value is None or is_allowed(value):
            return value
        self.complain(key, f"{_shown(value)} is not allowed; give {what}")
        return None

    def time(self, key: str) -> datetime:
        """The time at `key`, in UTC; one that does not say its offset is a mistake."""
        value = self._pop(key)
        if isinstance(value, datetime) and value.tzinfo is not None:
            return value.astimezone(UTC)
        if value is None:
            self.complain(key, "is missing; give a time such as 2026-11-16T09:00:00Z")
        elif isinstance(value, datetime):
            self.complain(key, f"{value.isoformat()} does not say where; end it with Z for UTC")
        else:
            self.complain(key, f"{str(value)!r} is not a time such as 2026-11-16T09:00:00Z")
        return datetime.min.replace(tzinfo=UTC)

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> Any:
        """The value of `key`, one of `choices`."""
        value = self._pop(key)
        if value is None:
            value = default
        if value in choices:
            return value
        problem = "is missing; give" if value is None else f"{_shown(value)} is not"
        self.complain(key, f"{problem} one of {', '.join(choices)}")
        return choices[0]

    def name(self, key: str = "name") -> str:
        """The value of `key`, fit to be part of a file's name; "" if it is missing."""
        value = self.take(key, str)
        if value and not is_name(value):
            self.complain(key, f"{_shown(value)} is not a name: up to 100 letters, digits, '_', '.', '-'")
        return value

    def located(self, key: str, stated: str, folder: Path) -> Path:
        """The path that is stated at `key`, of something below the folder that the document lies in.

        Nobody's document is to have other files read, or run: not by `..`, an absolute path or a link either.
        """
        path = folder / stated
        try:
            inside = path.resolve().is_relative_to(folder.resolve())
            usable = not path.exists() or path.is_file() or path.is_dir()
        except (OSError, ValueError, RuntimeError) as error:  # too long, a null byte, links in a circle
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            self.complain(key, f"{_shown(stated)} cannot be a path: {reason}; give that of a file")
            return folder
        if not inside:
            self.complain(key, f"{_shown(stated)} leads out of the folder of this file; put the two together")
        elif not usable:
            self.complain(key, f"{_shown(stated)} is a device or a pipe; give a file")
        return path

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of strings at `key`; empty if there is none."""
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            self.complain(key, "is not a list of strings")
            return ()
        return tuple(values)

    def section(self, key: str) -> TomlTable | None:
        """The sub-table at `key`, or None."""
        content = self._pop(key)
        return None if content is None else TomlTable(content, f"{self._place}{key}.", self.problems)

    def complain(self, key: str, message: str) -> None:
        """Note a mistake at `key`."""
        self.problems.append(f"{self._place}{key}: {message}")

    def close(self) -> None:
        """Every key that nobody asked for is a mistake, most often a misspelt one."""
        for key in self._content:
            self.complain(key, f"is not a known key; {one_of(self._known, key)}")


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_NAMES = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", dict: "a table", list: "a list",
}  # fmt: skip


def plain(value: Any) -> Any:
    """Bring anything a user hands over into JSON: NumPy numbers to numbers, NaN to null, objects to their text.

    Examples:
        >>> import numpy as np
        >>> plain({"depth": np.int64(3), "rates": (0.1, float("nan")), "model": print})
        {'depth': 3, 'rates': [0.1, None], 'model': '<built-in function print>'}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy arrays and scalars, pandas objects
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)  # larger ones are no numbers to most readers of JSON
    if isinstance(value, PurePath):
        return value.name  # a full path tells of the submitter's machine, not of the model
    return repr(value)
