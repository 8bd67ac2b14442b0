"""Names that readers would take for those of other entries: the same but for case, or by characters that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.submission import DOCUMENT, Finding

TAKEN = RULES["MBL117"]
ALIKE = RULES["MBL120"]

_SHOWN = 5
_NOT_SEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}
# Of other categories, yet drawn as nothing: joiners and fillers, selectors of a variant, the empty cell of braille.
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
_STROKES = {"1": "l", "I": "l", "|": "l", "0": "O", "o": "O"}
"""What looks alike within ASCII; beside these, r and n look like m."""


def check_names(material: Material) -> Iterator[Finding]:
    """Names of algorithms, among the entries of a benchmark, and of folders, among all."""
    document = material.document
    name = document["card"]["algorithm"] if document else None
    for slug, other in (material.others or {}).items():
        if slug == material.slug:
            continue
        if name is not None and other.benchmark.name == document["benchmark"]:
            theirs = other.algorithm
            evidence = {"entry": slug, "its name": theirs}
            if _folded(name) == _folded(theirs):
                message = f"the algorithm {name!r} is that of the entry {slug} already"
                yield TAKEN.found(message, file=DOCUMENT, evidence=evidence)
            elif confusable(name, theirs):
                message = f"the algorithm {name!r} looks like {theirs!r} of the entry {slug}{_differing(name, theirs)}"
                yield ALIKE.found(message, file=DOCUMENT, evidence=evidence)
        if confusable(material.slug, slug):
            differing = _differing(material.slug, slug)
            message = f"the folder {material.slug!r} looks like that of the entry {slug}{differing}"
            yield ALIKE.found(message, evidence={"entry": slug})


def confusable(one: str, other: str) -> bool:
    """Whether readers would take two names for the same, whatever their case, blanks and what is not seen.

    Letter by letter: I looks like l, and i is I in the other case, but neither makes an l of i, or ML of MI.

    Examples:
        >>> confusable("coNGN", "C\u043eNGN"), confusable("Model l", "model 1"), confusable("Rf v1", "RF v2")
        (True, True, False)
    """
    if _folded(one) == _folded(other):
        return True
    mine, theirs = _letters(one), _letters(other)
    return len(mine) == len(theirs) and all(
        shape == other_shape or small == other_small
        for (shape, small), (other_shape, other_small) in zip(mine, theirs, strict=True)
    )


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return "".join(filter(_is_seen, unicodedata.normalize("NFKC", name).casefold()))


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in _NOT_SEEN and not _FILLERS.match(character)


@lru_cache(maxsize=4096)
def _letters(name: str) -> list[tuple[str, str]]:
    """The letters of a name that are seen: how each is drawn (Unicode's skeleton, UTS #39), and which one it is."""
    letters: list[tuple[str, str]] = []
    for character in unicodedata.normalize("NFD", name):
        known = character in _shapes()
        for plain in character if known else unicodedata.normalize("NFKD", character):
            shape = _shapes().get(plain, plain)
            found = [(shape, _small(plain, shape))] if len(shape) == 1 else [(each, each.casefold()) for each in shape]
            letters += [(_STROKES.get(drawn, drawn), small) for drawn, small in found if _is_seen(plain)]
            if letters[-2:] == [("r", "r"), ("n", "n")]:
                letters[-2:] = [("m", "m")]
    return letters


def _small(character: str, shape: str) -> str:
    """The small letter that a character is read as: that of its shape, if that is of ASCII, else the shape of its own.

    What is drawn as l may be a capital I, whose small letter says so.
    """
    if not shape.isascii() or (shape == "l" and character != "l"):
        small = character.casefold()
        shape = _shapes().get(small, small)
    return shape.casefold()


@cache
def _shapes() -> dict[str, str]:
    """What each character that looks like others is drawn as."""
    lines = Path(__file__).with_name("lookalikes.txt").read_text(encoding="utf-8").splitlines()
    parted = (line.partition(": ") for line in lines if not line.startswith("#"))
    return {
        chr(int(source, 16)): "".join(chr(int(point, 16)) for point in shape.split("+"))
        for shape, _, sources in parted
        for source in sources.split()
    }


def _differing(name: str, other: str) -> str:
    """The characters in which two names differ, told apart by what Unicode calls them."""
    found = sorted(set(name) ^ set(other) - {" "}, key=ord, reverse=True)
    known = [f"U+{ord(each):04X} {unicodedata.name(each, 'without a name')}" for each in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f": they differ by {', '.join(known)}{more}" if known else ""
