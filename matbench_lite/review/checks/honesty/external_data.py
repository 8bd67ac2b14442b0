"""Other training data that is spoken of but not declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT

UNDECLARED = Rule(
    code="MBL506",
    severity="warning",
    title="Speaks of other training data without declaring it",
    why="Pretraining and fine-tuning mean other data, which may hold the rows that are tested; readers must know.",
    fix="name the data in external_data, or say in the README why there is none, and run `mbl seal`",
)
RULES = (UNDECLARED,)

_WORDS = re.compile(
    r"pre-?train\w*|fine-?tun\w*|transfer[- ]learn\w*|foundation model\w*|language model\w*|\bLLMs?\b", re.IGNORECASE
)
_CALLS = re.compile(r"\bfrom_pretrained\b|\bhub\.load\b|\bMPRester\b|\bload_dataset\b")
"""Calls in code that fetch weights or data; restoring a checkpoint of one's own (torch.load) is not among them."""
_KEYS = ("algorithm", "description")
"""Not the references: titles of cited work speak of what others did."""
_CODE = (".py", ".ipynb")
_SHOWN = 5


def check(material: Material) -> Iterator[Finding]:
    """What the entry says of itself, and its code, as text; nothing of it is executed."""
    document = material.document
    if not document or document["card"]["external_data"]:
        return
    found: dict[str, set[str]] = {}
    notes = (document.get("imported") or {}).get("notes")
    for where, text in (*((key, _text(document["card"][key])) for key in _KEYS), ("notes", _text(notes))):
        if words := set(map(str.lower, _WORDS.findall(text))):
            found[where] = words
    for name, content in material.examined.files.items():
        if name.lower().endswith(_CODE) and (calls := set(_CALLS.findall(content.decode(errors="replace")))):
            found[name] = calls
    if found:
        told = "; ".join(f"{where}: {', '.join(sorted(words)[:_SHOWN])}" for where, words in sorted(found.items()))
        yield UNDECLARED.found(
            f"external_data is not declared, but there is {told}", file=DOCUMENT, evidence={"words": told[:500]}
        )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""
