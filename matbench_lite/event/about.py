"""Who sends a submission and what it is: `submission.toml`, a stranger's file of a few lines."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import EventError
from matbench_lite.tasks.toml_table import TomlTable

ABOUT_FILE = "submission.toml"
_MOST_BYTES = 100_000
_LONGEST = {"participant": 80, "title": 200, "description": 5000}
PLACEHOLDER = "Your name or that of your team"
"""What the kit's file has in the place of a name."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What a submission says of itself.

    Args:
        participant: Who sends it; "" if it does not say.
        title: What it is, in a line.
        description: More about it.
    """

    participant: str = ""
    title: str = ""
    description: str = ""


def read_about(folder: Path) -> About:
    """What `submission.toml` in a folder says; nothing if there is none.

    Raises:
        EventError: With every mistake in it.
    """
    file = folder / ABOUT_FILE
    if not file.is_file():
        return About()
    if file.stat().st_size > _MOST_BYTES:
        raise EventError(f"{ABOUT_FILE} is larger than {_MOST_BYTES:,} bytes", fix="shorten the description")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"{ABOUT_FILE} is not a TOML file: {error}", fix="correct it there") from error
    problems: list[str] = []
    top = TomlTable(content, "", problems)
    texts = {name: " ".join(top.take(name, str, "").split()) for name in _LONGEST}
    top.close()
    for name, longest in _LONGEST.items():
        if len(texts[name]) > longest:
            top.complain(name, f"is longer than {longest} characters")
        if not texts[name].isprintable():
            top.complain(name, "has characters that cannot be shown")
    if texts["participant"] == PLACEHOLDER:
        texts["participant"] = ""
    if problems:
        raise EventError(f"{ABOUT_FILE} has {len(problems)} mistake(s):\n  " + "\n  ".join(problems))
    return About(**texts)


def named(participant: str) -> str:
    """The participant's name, if it can be one.

    Raises:
        EventError: If it is empty, too long, or cannot be shown.
    """
    name = " ".join(participant.split())
    if not name or len(name) > _LONGEST["participant"] or not name.isprintable() or not slug(name):
        raise EventError(
            f"{participant!r} is no name of a participant",
            fix=f"write `participant` into {ABOUT_FILE}, or say --participant",
        )
    return name


def slug(name: str) -> str:
    """A name as part of a file's name; names that differ in case, accents or spaces alone have one.

    Examples:
        >>> slug("Équipe  A!"), slug("equipe a"), slug("研究室")
        ('equipe-a', 'equipe-a', '7814-7a76-5ba4')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    words = re.findall("[a-z0-9]+", "".join(each for each in plain if not unicodedata.combining(each)))
    if not words:
        words = [f"{ord(each):x}" for each in plain if each.isalnum()]
    return "-".join(words)[:60].strip("-")
