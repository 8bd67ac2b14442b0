"""Who sends a submission and what it is: `submission.toml`, a stranger's file of a few lines."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.documents import toml_document
from matbench_lite.errors import EventError

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
    with toml_document(file, EventError, most_bytes=_MOST_BYTES) as top:
        texts = {name: " ".join(top.take(name, str, "").split()) for name in _LONGEST}
        top.close()
        for name, longest in _LONGEST.items():
            if len(texts[name]) > longest:
                top.complain(name, f"is longer than {longest} characters")
            if not texts[name].isprintable():
                top.complain(name, "has characters that cannot be shown")
    if texts["participant"] == PLACEHOLDER:
        texts["participant"] = ""
    return About(**texts)


def named(participant: str) -> str:
    """The participant's name, if it can be one.

    Raises:
        EventError: If it is empty, too long, or cannot be shown.
    """
    name = " ".join(participant.split())
    if not name or len(name) > _LONGEST["participant"] or not name.isprintable() or not identity(name):
        raise EventError(
            f"{participant!r} is no name of a participant",
            fix=f"write `participant` into {ABOUT_FILE}, or say --participant",
        )
    return name


def identity(name: str) -> str:
    """What two ways to write one name have in common: no case, no spaces, no punctuation.

    Examples:
        >>> identity("Team  A!") == identity("team-a"), identity("Łódź") == identity("ódź")
        (True, False)
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in plain if each.isalnum())


def slug(name: str) -> str:
    """A name as part of a file's name; several names may have the same.

    Examples:
        >>> slug("Équipe  A!"), slug("../../etc"), slug("研究室")
        ('equipe-a', 'etc', 'participant')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    words = re.findall("[a-z0-9]+", "".join(each for each in plain if not unicodedata.combining(each)))
    return "-".join(words)[:60].strip("-") or "participant"
