"""Predictions that are constant, copied from another fold or task, or made from other entries or the labels.

The last are signs that a person should look at, each with its figures. Their bounds lie between what was measured of
honest entries and of forged ones; the pages of the rules have the numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.check.material import Material
from matbench_lite.check.rivals import Kin, Signs
from matbench_lite.check.rules import RULES
from matbench_lite.stats import shared_by_at_most
from matbench_lite.submission import MAX_ROWS, Finding
from matbench_lite.tasks import Task
from matbench_lite.text import count, share

CONSTANT = RULES["MBL503"]
COPIED = RULES["MBL504"]

SHARE = 0.5
"""Share of the rows with a prediction of their own that are the same elsewhere."""
_ROWS = 2000  # that are compared: enough to tell, and all pairs of tasks stay cheap
_FEWEST = 20
_SHOWN = 4


def check_constant(material: Material) -> Iterator[Finding]:
    """Folds with one value, then pairs of folds of a task and of tasks of the entry."""
    constant = {
        task.name: sum(_is_constant(held.predictions.prediction) for held in material.recorded(task).values())
        for task in material.tasks
    }
    if found := {name: folds for name, folds in constant.items() if folds}:
        tasks = ", ".join([*list(found)[:_SHOWN], *([f"{len(found) - _SHOWN} more"] if len(found) > _SHOWN else [])])
        yield CONSTANT.found(
            f"one value for all rows of a fold, in {sum(found.values())} folds of {tasks}",
            task=next(iter(found)) if len(found) == 1 else None,
            evidence={"tasks": len(found), "constant folds": sum(found.values())},
        )
    yield from _copied(material)


def _copied(material: Material) -> Iterator[Finding]:
    parts = {
        (task.name, fold): held.predictions.prediction[:_ROWS]
        for task in material.tasks
        for fold, held in material.recorded(task).items()
    }
    # Values of their own: zeros, labels and clipped values are the same by accident.
    own = {place: shared_by_at_most(values, 0) for place, values in parts.items()}
    pairs = (pair for pair in combinations(parts, 2) if pair[0][0] == pair[1][0] or pair[0][1] == pair[1][1])
    for first, second in pairs:
        size = min(len(parts[first]), len(parts[second]))
        compared = own[first][:size]
        same = int(np.count_nonzero((parts[first][:size] == parts[second][:size]) & compared))
        possible = int(np.count_nonzero(compared))
        if possible >= _FEWEST and same > SHARE * possible:
            yield COPIED.found(
                f"{same} of {possible} predictions are those of {first[0]} fold {first[1]}, row by row",
                task=second[0],
                fold=second[1],
                evidence={"same rows": same, "rows compared": possible},
            )


def _is_constant(values: NDArray[np.float64]) -> bool:
    return len(values) > 1 and bool(values[0] == values[-1]) and bool((values == values[0]).all())


COPY = RULES["MBL505"]
HARDNESS = RULES["MBL508"]
PULL = RULES["MBL509"]
MIXTURE = RULES["MBL510"]
LEAD = RULES["MBL511"]

WITNESSES = 3
"""With fewer independent entries beside it nothing is said of where an entry errs."""
FORGERY_SIGNS = frozenset({"MBL501", "MBL502", "MBL505", "MBL508", "MBL509", "MBL510", "MBL511"})
"""What boards mark an entry for: it looks as if test labels, or another entry, had gone into it."""
SIGNS = {"MBL508", "MBL509", "MBL510", "MBL511"}
NEED_WITNESSES = SIGNS - {"MBL510"}
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
_FEW_AGREE = 0.3
"""Few agree by accident: over the number of families, this is allowed besides."""
_PULLED_ROWS = {"regression": 10, "classification": 30}
_STANDARD_ERRORS = 2.6
TOO_GOOD = 1.5
"""How many times as large as its own the error of the best of the others may be."""


def check_beside_others(material: Material) -> Iterator[Finding]:
    """All signs, task by task; of a copy, one finding for all tasks."""
    copies: dict[str, dict[str, tuple[str, dict[str, Any]]]] = defaultdict(dict)
    for task in material.tasks:
        signs = material.beside(task)
        if signs is None and material.is_guess(task):
            continue
        if signs is None:
            for slug, folds in _same_numbers(material, task):
                copies[slug][task.name] = (f"its predictions in {count(folds, 'fold')} are", {})
            continue
        if copy := _copy(task, signs):
            what, kin = copy
            copies[kin.slug][task.name] = (what, _likeness(signs, kin))
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
    for slug, by_task in copies.items():
        task_name, (what, evidence) = next(iter(by_task.items()))
        more = f"; so on {count(len(by_task), 'task')}: {', '.join(by_task)}" if len(by_task) > 1 else ""
        message = f"row by row, {what} those of {slug}{more}"
        found = COPY.found(message, task=task_name, evidence={"entry": slug, **evidence})
        yield _of_relative(material, found, slug)


def _copy(task: Task, signs: Signs) -> tuple[str, Kin] | None:
    """Whose predictions these are, or whose errors, made larger or smaller or turned round; and what tells."""
    told = [
        ("its errors are", signs.errors, ALIKE[task.kind]),
        ("the sizes of its errors are", signs.sizes, ALIKE[task.kind]),
        (f"{share(signs.equal.likeness)} of its predictions are", signs.equal, EQUAL),
    ]
    return next(((what, kin) for what, kin, limit in told if kin.likeness > limit), None)


def _likeness(signs: Signs, kin: Kin) -> dict[str, Any]:
    of = (("errors", signs.errors), ("sizes of errors", signs.sizes), ("equal predictions, share", signs.equal))
    return {what: round(each.likeness, 4) for what, each in of if each.slug == kin.slug and each.likeness > 0}


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
    if least > PULLED[task.kind] + _FEW_AGREE / signs.rivals:
        ids = signs.pulled[np.argsort(-signs.pull, kind="stable")[:MAX_ROWS]]
        yield PULL.found(
            f"where all others agree on something else, it goes {share(typical)} of the way to the label",
            task=task.name,
            rows=tuple(map(str, ids)),
            row_count=rows,
            evidence={"way to the label": round(typical, 3), "at least": round(least, 3), "rows": rows},
        )


def _same_numbers(material: Material, task: Task) -> Iterator[tuple[str, int]]:
    """Without targets, or with folds missing: who has the same predictions in all folds that both have; how many."""
    ours = material.recorded(task)
    for slug, other in (material.others or {}).items():
        if slug == material.slug or other.benchmark.name != task.benchmark or material.is_constant(task):
            continue
        theirs = other.recorded(task.name)
        shared = [
            np.array_equal(ours[fold].predictions.prediction, theirs[fold].predictions.prediction)
            for fold in ours.keys() & theirs.keys()
        ]
        if shared and all(shared):
            yield slug, len(shared)


def _of_relative(material: Material, found: Finding, *slugs: str) -> Finding:
    """A note, if the entry says that it is based on the other one."""
    based_on = material.submission.based_on if material.submission else ()
    named = sorted(set(slugs) & set(based_on))
    return replace(found, severity="note", fix=f"nothing: based_on names {named[0]}") if named else found
