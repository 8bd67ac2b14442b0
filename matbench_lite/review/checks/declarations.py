"""What an entry declares of itself: who, with which data, configured how; and the category that follows."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT
from matbench_lite.tasks import categorise

_ABOUT = "in about.toml, or as an argument of Submission; then run `mbl seal`"
_HOME = "https://github.com/materialsproject/matbench/"

CONFIGURATION = Rule(
    code="MBL601",
    severity="error",
    imported="note",
    title="single_configuration is not declared",
    why="A general-purpose entry uses one human-chosen configuration for all tasks; only its authors know if it does.",
    fix=f"declare single_configuration = true or false {_ABOUT}",
)
EXTERNAL = Rule(
    code="MBL602",
    severity="error",
    imported="note",
    title="external_data is not declared",
    why="Other data may hold the very rows that are tested. Readers must know what else a model was trained on.",
    fix=f"declare external_data = false, or a text that names the other data, {_ABOUT}",
)
AUTHORS = Rule(
    code="MBL603",
    severity="error",
    imported="note",
    title="No authors",
    why="An entry without a name has nobody to ask and nobody to credit.",
    fix=f"name the authors {_ABOUT}",
)
DESCRIPTION = Rule(
    code="MBL604",
    severity="warning",
    imported="note",
    title="No description",
    why="A board tells how good a model is, the description what it is.",
    fix=f"describe the algorithm in a few sentences {_ABOUT}",
)
IMPORTED = Rule(
    code="MBL605",
    severity="note",
    title="Says that it was imported from Matbench",
    why="Such an entry needs no code and no declarations, so anybody could claim it. Compare it with the original.",
    fix="nothing, if it was made by `mbl from-matbench`",
)
LINK = Rule(
    code="MBL606",
    severity="error",
    title="Says that it was imported, but not from where",
    why="An imported entry has a link to the original instead of code; without it nobody can compare them.",
    fix="import it with `mbl from-matbench`, or leave `imported` out and add the code and the declarations",
)
HASH = Rule(
    code="MBL607",
    severity="warning",
    title="The original was changed after Matbench wrote it",
    why="The hash in Matbench's file was not that of its content when it was imported.",
    fix="compare it with the published file",
)
BY_HAND = Rule(
    code="MBL608",
    severity="note",
    title="Configured by hand for each task",
    why="It covers enough tasks to be general-purpose, but declares hand-tuning, so it is listed as task-specific.",
    fix="nothing, if that is so; a run with one configuration for all tasks would be general-purpose",
)
RULES = (CONFIGURATION, EXTERNAL, AUTHORS, DESCRIPTION, IMPORTED, LINK, HASH, BY_HAND)


def check(material: Material) -> Iterator[Finding]:
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
    yield from _imported(material)
    submission = material.submission
    if submission is not None and card["single_configuration"] is False:
        without = categorise(submission.benchmark, submission.complete_tasks, single_configuration=None)
        if without.general_purpose:
            yield BY_HAND.found(f"{submission.category.reason}: {submission.category}", file=DOCUMENT)


def _imported(material: Material) -> Iterator[Finding]:
    about = material.document.get("imported")
    if about is None:
        return
    address = about.get("url")
    if not material.imported or not isinstance(address, str) or not address.startswith(_HOME):
        yield LINK.found(f"imported says from {about.get('from')!r:.60} and url {address!r:.200}", file=DOCUMENT)
        return
    yield IMPORTED.found(f"it is marked as imported from {address[:300]}", file=DOCUMENT)
    if about.get("hash_matches") is not True:
        yield HASH.found(f"hash_matches is {about.get('hash_matches')!r:.60}", file=DOCUMENT)
