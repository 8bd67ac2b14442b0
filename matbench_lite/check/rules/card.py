"""What an entry says of itself: who made it, how, with which data, and when; and what it hides."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.matbench import published_results
from matbench_lite.submission import DOCUMENT, Finding
from matbench_lite.tasks import Task, categorise

_HOME = "https://github.com/materialsproject/matbench/"

CONFIGURATION = RULES["MBL601"]
EXTERNAL = RULES["MBL602"]
AUTHORS = RULES["MBL603"]
DESCRIPTION = RULES["MBL604"]
IMPORTED = RULES["MBL605"]
LINK = RULES["MBL606"]
HASH = RULES["MBL607"]
BY_HAND = RULES["MBL608"]


_NAMES_NO_DATA = {"", "-", "false", "n/a", "na", "no", "none", "nothing", "null", "true", "yes"}
"""What people write as `external_data` that leaves a reader wondering."""


def check_declarations(material: Material) -> Iterator[Finding]:
    """What is declared, and what is missing."""
    document, imported = material.document, material.imported
    if not document:
        return
    card = document["card"]
    missing = (
        (CONFIGURATION, card["single_configuration"] is None, "whether one configuration was used for all tasks"),
        (EXTERNAL, card["external_data"] is None, "whether other data was used for training"),
        (AUTHORS, not card["authors"], "who made it"),
        (DESCRIPTION, not card["description"].strip(), "what the algorithm does"),
    )
    for rule, absent, what in missing:
        if absent:
            yield rule.found(f"the entry does not say {what}", imported=imported, file=DOCUMENT)
    external = card["external_data"]
    if isinstance(external, str) and external.strip(" .").lower() in _NAMES_NO_DATA:
        message = f"external_data is the text {external!r:.20}, which names no data"
        yield EXTERNAL.found(message, imported=imported, file=DOCUMENT)
    yield from _imported(material)
    submission = material.submission
    if submission is not None and card["single_configuration"] is False:
        without = categorise(submission.benchmark, submission.complete_tasks, single_configuration=None)
        if without.general_purpose:
            yield BY_HAND.found(f"{submission.category.reason}: {submission.category}", file=DOCUMENT)


def _imported(material: Material) -> Iterator[Finding]:
    origin = material.document.get("imported")
    if origin is None:
        return
    address = origin.get("url")
    if not material.imported or not isinstance(address, str) or not address.startswith(_HOME):
        yield LINK.found(f"imported says from {origin.get('from')!r:.60} and url {address!r:.200}", file=DOCUMENT)
        return
    published = published_results().get(str(material.document["values_sha256"]))
    if published is None:
        yield IMPORTED.found(
            f"it is marked as imported from {address[:300]}, and no pinned result has these predictions", file=DOCUMENT
        )
    else:
        message = f"its predictions are those of {published.name} in Matbench, whose file has sha256 {published.sha256}"
        yield replace(IMPORTED.found(message, file=DOCUMENT), severity="note")
    if origin.get("hash_matches") is not True:
        yield HASH.found(f"hash_matches is {origin.get('hash_matches')!r:.60}", file=DOCUMENT)


CODE = (".py", ".ipynb")

SOURCE = RULES["MBL116"]
QUICK = RULES["MBL118"]
DATE = RULES["MBL210"]


def check_submittable(material: Material) -> Iterator[Finding]:
    """All of these; those that need submission.json only if it is in form."""
    if not material.imported and not any(name.lower().endswith(CODE) for name in material.examined.files):
        yield SOURCE.found("there is no .py or .ipynb file")
    document = material.document
    if not document:
        return
    if document["metadata"].get("quick"):
        yield QUICK.found("the entry was made by `mbl run --quick`", file=DOCUMENT)
    if problem := _date_problem(document["created"]):
        yield DATE.found(f"created is {document['created']}: {problem}", file=DOCUMENT)


def _date_problem(created: str) -> str | None:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return "there is no such date"
    # A day for clocks that are wrong and people who are ahead.
    return "that is in the future" if moment > datetime.now(UTC) + timedelta(days=1) else None


TEXT = RULES["MBL209"]

_TAG = re.compile(
    r"</?[a-z][a-z0-9-]*(\s[^<>]*)?/?>|<!--|<(script|iframe|img|svg|style|object|embed|link|meta|form)\b|javascript:",
    re.IGNORECASE,
)
_DECEIVING = {
    **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "a character that turns the direction"),
    **dict.fromkeys("\u200b\u2060\ufeff\u2061\u2062\u2063\u2064", "a character without width"),
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|[\U000e0000-\U000e007f]")
_LINES = ("algorithm", "authors", "requirements")
_TEXTS = ("description", "references")


def check_text(material: Material) -> Iterator[Finding]:
    """Who, what and how, as an entry says it."""
    card = material.document.get("card", {})
    for key in (*_LINES, *_TEXTS):
        for text in _texts(card.get(key)):
            problems = deceiving_characters(text)
            if control := _CONTROL.search(text.replace("\r\n", "\n")):  # line ends and tabs are fine
                problems.append(f"a control character (U+{ord(control[0]):04X})")
            if key in _LINES and _TAG.search(text):
                problems.append("markup")
            if problems:
                yield TEXT.found(f"{key} has {', '.join(problems)}: {text[:80]!r}", file=DOCUMENT)


def deceiving_characters(text: str) -> list[str]:
    r"""What kinds of characters turn the direction of writing or have no width; each kind once.

    Examples:
        >>> deceiving_characters("if admin\u202e: return")
        ['a character that turns the direction (U+202E)']
    """
    found = sorted(_DECEIVING.keys() & set(text.removeprefix("\ufeff")))
    return [f"{_DECEIVING[character]} (U+{ord(character):04X})" for character in found]


def _texts(value: Any) -> list[str]:
    """Every text in a value that may be anything: one, or a list of them."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


TUNED = RULES["MBL507"]

_NOT_CHOSEN = re.compile(
    r"_$|seed|random_state|path|file|name|task|target|dataset|rows|samples|device|n_jobs", re.IGNORECASE
)
"""Learned attributes (as scikit-learn ends them), and what names the data or the machine rather than the model."""
_SEEDS = re.compile(r"(random_state|seed)=\w+")
_SHOWN = 5
_MOST = 2000  # parameters of a fold that are looked at


def check_hand_tuning(material: Material) -> Iterator[Finding]:
    """Tasks of one kind and input are compared: a network for labels ends in another layer than one for values."""
    submission = material.submission
    if submission is None or not submission.category.general_purpose:
        return
    alike: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in material.tasks:
        alike[task.kind, task.input].append(task)
    different = sorted({name for tasks in alike.values() for name in _different(material, tasks)})
    if different:
        shown = ", ".join(different[:_SHOWN]) + (
            f" and {len(different) - _SHOWN} more" if len(different) > _SHOWN else ""
        )
        yield TUNED.found(
            f"these parameters are the same in all folds of a task and differ between tasks: {shown}",
            file=DOCUMENT,
            evidence={"parameters": len(different), "names": shown},
        )


def _different(material: Material, tasks: list[Task]) -> set[str]:
    recorded = [held.params for task in tasks for held in material.recorded(task).values()]
    if all(params == recorded[0] for params in recorded):
        return set()
    values: dict[str, set[str]] = defaultdict(set)
    varying: set[str] = set()
    for task in tasks:
        folds = [dict(islice(_leaves(held.params, ""), _MOST)) for held in material.recorded(task).values()]
        for name in set().union(*folds):
            found = {params.get(name, "absent") for params in folds}
            values[name] |= found
            if len(found) > 1:
                varying.add(name)
    return {name for name, found in values.items() if len(found) > 1 and name not in varying}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every parameter by its path, as text."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not _NOT_CHOSEN.search(key):
                yield from _leaves(item, f"{path}.{key}" if path else key)
    else:
        yield path, _SEEDS.sub("", json.dumps(value))


UNDECLARED = RULES["MBL506"]

_WORDS = re.compile(
    r"pre-?train\w*|fine-?tun\w*|transfer[- ]learn\w*|foundation model\w*|language model\w*|\bLLMs?\b", re.IGNORECASE
)
_CALLS = re.compile(r"\bfrom_pretrained\b|\bhub\.load\b|\bMPRester\b|\bload_dataset\b")
"""Calls in code that fetch weights or data; restoring a checkpoint of one's own (torch.load) is not among them."""
_KEYS = ("algorithm", "description")
"""Not the references: titles of cited work speak of what others did."""


def check_external_data(material: Material) -> Iterator[Finding]:
    """What the entry says of itself, and its code, as text; nothing of it is executed."""
    document = material.document
    if not document or document["card"]["external_data"]:
        return
    found: dict[str, set[str]] = {}
    notes = (document.get("imported") or {}).get("notes")
    for where, value in (*((key, document["card"][key]) for key in _KEYS), ("notes", notes)):
        if words := {word.lower() for text in _texts(value) for word in _WORDS.findall(text)}:
            found[where] = words
    for name, content in material.examined.files.items():
        if name.lower().endswith(CODE) and (calls := set(_CALLS.findall(content.decode(errors="replace")))):
            found[name] = calls
    if found:
        mentions = "; ".join(f"{where}: {', '.join(sorted(words)[:_SHOWN])}" for where, words in sorted(found.items()))
        yield UNDECLARED.found(
            f"external_data is not declared, but these words are used: {mentions}",
            file=DOCUMENT,
            evidence={"words": mentions[:500]},
        )
