"""What a leaderboard asks of an entry: its code, a name of its own, a real run, a date that can be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT

CODE = (".py", ".ipynb")

SOURCE = Rule(
    code="MBL116",
    severity="error",
    title="No source file",
    why="Others must be able to see how the predictions were made. An entry imported from Matbench has a link instead.",
    fix="put the .py or .ipynb file that made the entry into the folder and run `mbl seal`",
)
TAKEN = Rule(
    code="MBL117",
    severity="error",
    title="The algorithm's name is taken",
    why="Boards show the name; two entries of one name cannot be told apart.",
    fix="choose another name (a version helps: 'My forest v2') and run `mbl seal`",
    needs="others",
)
QUICK = Rule(
    code="MBL118",
    severity="error",
    title="A quick run",
    why="`mbl run --quick` trains on a few rows, to see that a model works. Its scores are not those of the model.",
    fix="run it again without --quick",
)
DATE = Rule(
    code="MBL210",
    severity="error",
    title="A date that cannot be",
    why="Boards show when an entry was made and how the best score has moved with time.",
    fix="save the entry again on a machine whose clock is right",
)
RULES = (SOURCE, TAKEN, QUICK, DATE)


def check(material: Material) -> Iterator[Finding]:
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
    yield from _taken(material, document["card"]["algorithm"])


def _taken(material: Material, name: str) -> Iterator[Finding]:
    for slug, other in (material.others or {}).items():
        same = _folded(other.algorithm) == _folded(name) and other.benchmark.name == material.document["benchmark"]
        if same and slug != material.slug:
            yield TAKEN.found(f"the algorithm {name!r} is that of the entry {slug} already", file=DOCUMENT)


def _folded(name: str) -> str:
    """Names that a reader would take for the same."""
    return "".join(name.casefold().split())


def _date_problem(created: str) -> str | None:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return "there is no such date"
    # A day for clocks that are wrong and people who are ahead.
    return "that is in the future" if moment > datetime.now(UTC) + timedelta(days=1) else None
