"""What an entry looks like beside the others and the labels: signs that a person should look at, each with its figures.

The bounds lie between what was measured of honest entries and of forged ones; the pages of the rules have the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from matbench_lite.check.material import Material
from matbench_lite.check.rivals import Kin, Signs
from matbench_lite.check.rules import RULES
from matbench_lite.submission import MAX_ROWS, Finding
from matbench_lite.tasks import Task
from matbench_lite.text import share

COPY = RULES["MBL505"]
HARDNESS = RULES["MBL508"]
PULL = RULES["MBL509"]
MIXTURE = RULES["MBL510"]
LEAD = RULES["MBL511"]

WITNESSES = 3
"""With fewer independent entries beside it nothing is said of where an entry errs."""
ALIKE = {"regression": 0.985, "classification": 0.9}
"""Correlation of errors, or of their sizes, from which on two entries are the same."""
EQUAL = 0.5
"""Share of equal predictions from which on two entries are the same."""
LEFT = 0.1
"""What others must leave of an entry, as a share of its own error; in a single fold half as much."""
LEAST_HARDNESS = 0.5
"""Share of the usual hardness below which errors look drawn by chance."""
PULLED = {"regression": 0.2, "classification": 0.25}
"""How far an entry may go to the label where all others agree on something else."""
_PULLED_ROWS = {"regression": 10, "classification": 30}
_STANDARD_ERRORS = 2.6
TOO_GOOD = 1.5
"""How many times as large as its own the error of the best of the others may be."""


def check_beside_others(material: Material) -> Iterator[Finding]:
    """All signs, task by task; of a copy, that alone."""
    for task in material.tasks:
        signs = material.beside(task)
        if signs is None:
            yield from _same_numbers(material, task)
            continue
        copied = _copied(task, signs)
        if copied is not None:
            yield _of_relative(material, copied, signs.errors.slug, signs.sizes.slug, signs.equal.slug)
        elif mixed := _mixed(task, signs):
            yield _of_relative(material, mixed, signs.errors.slug)
        if signs.rivals >= WITNESSES:
            yield from _of_errors(task, signs)
            if signs.lead > TOO_GOOD:
                yield LEAD.found(
                    f"its error is {1 / signs.lead:.2g} of that of the best other entry",
                    task=task.name,
                    evidence={"error of the best other, over its own": round(signs.lead, 3)},
                )


def _copied(task: Task, signs: Signs) -> Finding | None:
    """Another entry's predictions, or its errors, made larger or smaller or turned round."""
    told = [
        ("its errors are", signs.errors, ALIKE[task.kind]),
        ("the sizes of its errors are", signs.sizes, ALIKE[task.kind]),
        (f"{share(signs.equal.likeness)} of its predictions are", signs.equal, EQUAL),
    ]
    found = [(what, kin) for what, kin, limit in told if kin.likeness > limit]
    if not found:
        return None
    what, kin = found[0]
    return COPY.found(f"row by row, {what} those of {kin.slug}", task=task.name, evidence=_likeness(signs, kin))


def _likeness(signs: Signs, kin: Kin) -> dict[str, Any]:
    of = (("errors", signs.errors), ("sizes of errors", signs.sizes), ("equal predictions, share", signs.equal))
    return {"entry": kin.slug, **{what: round(each.likeness, 4) for what, each in of if each.slug == kin.slug}}


def _mixed(task: Task, signs: Signs) -> Finding | None:
    if not signs.left.size or (np.median(signs.left) >= LEFT and signs.left.min() >= LEFT / 2):
        return None
    left, least = float(np.median(signs.left)), float(signs.left.min())
    return MIXTURE.found(
        f"a sum of other entries and the labels leaves {share(left)} of its error unexplained",
        task=task.name,
        evidence={"left": round(left, 4), "least of a fold": round(least, 4), "most alike": signs.errors.slug},
    )


def _of_errors(task: Task, signs: Signs) -> Iterator[Finding]:
    if signs.hardness < LEAST_HARDNESS * signs.usual_hardness:
        yield HARDNESS.found(
            f"it does not err where others do: hardness {signs.hardness:.2f}, usual is {signs.usual_hardness:.2f}",
            task=task.name,
            evidence={"hardness": round(signs.hardness, 3), "usual": round(signs.usual_hardness, 3)},
        )
    rows = len(signs.pull)
    if rows < _PULLED_ROWS[task.kind]:
        return
    if task.kind == "regression":
        typical, least = float(np.median(signs.pull)), signs.pull_at_least
    else:
        typical = float(signs.pull.mean())
        least = typical - _STANDARD_ERRORS * float(np.sqrt(typical * (1 - typical) / rows))
    if least > PULLED[task.kind]:
        ids = signs.pulled[np.argsort(-signs.pull, kind="stable")[:MAX_ROWS]]
        yield PULL.found(
            f"where all others agree on something else, it goes {share(typical)} of the way to the label",
            task=task.name,
            rows=tuple(map(str, ids)),
            row_count=rows,
            evidence={"way to the label": round(typical, 3), "at least": round(least, 3), "rows": rows},
        )


def _same_numbers(material: Material, task: Task) -> Iterator[Finding]:
    """Without targets, or with folds missing: the same predictions in every fold that both have."""
    ours = material.recorded(task)
    for slug, other in (material.others or {}).items():
        if slug == material.slug or other.benchmark.name != task.benchmark:
            continue
        theirs = other.recorded(task.name)
        shared = [
            np.array_equal(ours[fold].predictions.prediction, theirs[fold].predictions.prediction)
            for fold in ours.keys() & theirs.keys()
        ]
        if shared and all(shared) and not _constant(material, task):
            found = COPY.found(
                f"its predictions are those of {slug}, in {len(shared)} folds", task=task.name, evidence={"entry": slug}
            )
            yield _of_relative(material, found, slug)


def _constant(material: Material, task: Task) -> bool:
    return all(np.ptp(held.predictions.prediction) == 0 for held in material.recorded(task).values())


def _of_relative(material: Material, found: Finding, *slugs: str) -> Finding:
    """A note, if the entry says that it is based on the other one."""
    based_on = material.submission.based_on if material.submission else ()
    return replace(found, severity="note") if set(slugs) & set(based_on) else found
