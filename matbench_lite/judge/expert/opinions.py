"""What an expert thinks: a TOML file with a trust rank and three notes for each model of a dossier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.documents import TomlTable, toml_document
from matbench_lite.errors import JudgingError
from matbench_lite.judge.expert.dossier import Dossier

NOTES = ("accuracy", "simplicity", "soundness")
"""What an expert writes about, besides the trust rank."""

_LONGEST_FILE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """One expert on one dossier.

    Args:
        expert: Name of the expert, or a pseudonym.
        dossier: Identity of the dossier.
        trust: Trust rank by letter: 1 for the model that is trusted most; equal ranks are allowed.
        notes: By letter, a note each on accuracy, simplicity and soundness; "" where nothing was written.
    """

    expert: str
    dossier: str
    trust: Mapping[str, float]
    notes: Mapping[str, Mapping[str, str]]


def opinion_form(dossier: Dossier) -> str:
    """An empty opinion file for an expert to fill in."""
    head = [
        f"# Your opinion on the models for {dossier.dataset}. Save this file and send it back.",
        "# trust: 1 for the model that you trust most, 2 for the next one, and so on; equal ranks are allowed.",
        "",
        'expert = ""',
        f'dossier = "{dossier.identity}"',
    ]
    for model in dossier.models:
        notes = [f'{name} = ""' for name in NOTES]
        head += ["", f"[{model.letter}]", "trust = 0", *notes]
    return "\n".join(head) + "\n"


def read_opinion(path: Path, key: Mapping[str, Mapping[str, str]]) -> Opinion:
    """Read an expert's file.

    Args:
        path: The file.
        key: The organiser's key: letters by dossier.

    Raises:
        JudgingError: With every mistake found, each with its place in the file.
    """
    with toml_document(path, JudgingError, fix="give the file of an expert", most_bytes=_LONGEST_FILE) as top:
        expert, dossier = top.take("expert", str), top.take("dossier", str)
        if dossier and dossier not in key:
            top.complain("dossier", f"{dossier!r} is not in the key; it has {', '.join(key)}")
        letters = [letter for letter in key.get(dossier, {}) if letter != "dataset"]
        trust, notes = {}, {}
        for letter in letters:
            section = top.section(letter)
            if section is None:
                top.complain(letter, "is missing: every model needs a trust rank")
                continue
            trust[letter] = _rank(section)
            notes[letter] = {name: section.take(name, str, "").strip() for name in NOTES}
            section.close()
        if dossier in key:
            top.close()
    return Opinion(expert=expert, dossier=dossier, trust=trust, notes=notes)


def _rank(section: TomlTable) -> float:
    value = section.take("trust", float, 0.0)
    if not 1 <= value < 1000:
        section.complain("trust", f"{value:g} is not a rank: 1 for the most trusted, 2 for the next")
    return value
