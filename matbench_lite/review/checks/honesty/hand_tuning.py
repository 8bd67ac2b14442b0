"""Configurations that differ from task to task in an entry that is listed as general-purpose."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT
from matbench_lite.tasks import Task

TUNED = Rule(
    code="MBL507",
    severity="warning",
    title="Different configurations in a general-purpose entry",
    why="A parameter that is the same in all folds of a task but differs between tasks was probably chosen by hand.",
    fix="declare single_configuration = false, or say in the README how the algorithm chooses them",
)
RULES = (TUNED,)

_NOT_CHOSEN = re.compile(
    r"_$|seed|random_state|path|file|name|task|target|dataset|rows|samples|device|n_jobs", re.IGNORECASE
)
"""Learned attributes (as scikit-learn ends them), and what names the data or the machine rather than the model."""
_SEEDS = re.compile(r"(random_state|seed)=\w+")
_SHOWN = 5
_MOST = 2000  # parameters of a fold that are looked at


def check(material: Material) -> Iterator[Finding]:
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
        folds = [_flat(held.params) for held in material.recorded(task).values()]
        for name in set().union(*folds):
            found = {params.get(name, "absent") for params in folds}
            values[name] |= found
            if len(found) > 1:
                varying.add(name)
    return {name for name, found in values.items() if len(found) > 1 and name not in varying}


def _flat(params: Mapping[str, Any]) -> dict[str, str]:
    """Every parameter by its path, as text."""
    return dict(islice(_leaves(params, ""), _MOST))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if not _NOT_CHOSEN.search(key):
                yield from _leaves(item, f"{path}.{key}" if path else key)
    else:
        yield path, _SEEDS.sub("", json.dumps(value))
