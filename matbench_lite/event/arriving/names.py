"""Names of files from strangers: which are plain, which are junk, which are a trap."""

from __future__ import annotations

import re
import unicodedata

from matbench_lite.errors import ArrivalError
from matbench_lite.filenames import is_device_name

_MAX_PATH = 4096  # characters, before anything is taken off it
_SHOWN = 80
_JUNK = {
    *("__macosx", ".ds_store", "thumbs.db", "desktop.ini"),
    *("__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
    *(".git", ".hg", ".svn", ".run", ".venv", ".idea", ".vscode"),
}
_JUNK_FILE = re.compile(r"\._.*|.*\.pyc", re.DOTALL | re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_WINDOWS = set('<>:"|?*')
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
"""Control characters, those of direction and of no width, halves of characters, and blanks other than the blank."""
_FILLERS = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
"""Letters and marks that show nothing."""
_RENAME = "rename it: letters, digits, dots, dashes and underscores, with / between folders"


def shown(text: str) -> str:
    """A stranger's text as it can be printed: short, and without what a terminal would obey.

    Examples:
        >>> print(shown("a\\x1b[2J"))
        'a\\x1b[2J'
    """
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def plain(text: str, length: int = 300) -> str:
    """What another program said, in one line."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= length else f"{line[:length]}…"


def decoded(raw: bytes) -> str:
    """A path as text.

    Raises:
        ArrivalError: If it is not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw[:_SHOWN].decode("ascii", errors="backslashreplace")
        raise ArrivalError(f"the name {shown(name)} is not UTF-8", fix=_RENAME) from None


def is_junk(name: str) -> bool:
    """Whether a file or folder of this name is a leftover of some tool.

    Examples:
        >>> is_junk("__pycache__"), is_junk(".GIT"), is_junk(".gitignore")
        (True, True, False)
    """
    return name.casefold() in _JUNK or bool(_JUNK_FILE.fullmatch(name))


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a path that leads nowhere else, each composed (NFC); a slash at the end is no part.

    Args:
        path: A path with / between its parts.

    Raises:
        ArrivalError: If it is absolute, leads upwards, or could be read as another path somewhere.

    Examples:
        >>> parts_of("a/b.py")
        ('a', 'b.py')
        >>> parts_of("../b.py")
        Traceback (most recent call last):
        matbench_lite.errors.ArrivalError: the name '../b.py' leads out of the submission; rename it: ...
    """
    if len(path) > _MAX_PATH:
        raise ArrivalError(f"the name {shown(path)} has {len(path):,} characters", fix="use shorter names")
    if path.startswith("/") or _DRIVE.match(path):
        raise _trap(path, "is an absolute path")
    if "\\" in path:
        raise _trap(path, "has a backslash")
    if "\0" in path:
        raise _trap(path, "has a null character")
    parts = tuple(unicodedata.normalize("NFC", part) for part in path.removesuffix("/").split("/"))
    if ".." in parts:
        raise _trap(path, "leads out of the submission")
    if "." in parts or "" in parts:
        raise _trap(path, "has an empty part")
    return parts


def check_part(part: str, path: str) -> None:
    """Check one part of a path.

    Args:
        part: The part.
        path: The path, for the message.

    Raises:
        ArrivalError: If some system could not have such a name, or a reader would see another.
    """
    for character in part:
        if (unicodedata.category(character) in _UNSEEN and character != " ") or ord(character) in _FILLERS:
            raise _trap(path, f"has a character that cannot be seen, U+{ord(character):04X}")
        if character in _WINDOWS:
            raise _trap(path, f"has the character {character}, which Windows does not allow")
    if part[0] == " " or part[-1] in " .":
        raise _trap(path, "begins or ends with a blank, or ends with a dot")
    if is_device_name(part):
        raise _trap(path, "is one that Windows keeps for a device")


def caseless(part: str) -> str:
    """The same for all names that some file system takes for one.

    Examples:
        >>> caseless("Straße") == caseless("STRASSE")
        True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", part).casefold())


def _trap(path: str, what: str) -> ArrivalError:
    return ArrivalError(f"the name {shown(path)} {what}", fix=_RENAME)
