"""The scores: recomputed from the predictions and the targets, never believed."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT, fold_differences, score_rows

DIFFERENT = Rule(
    code="MBL408",
    severity="error",
    title="A stated score is not that of the predictions",
    why="Entries of version 1 state scores. One that is not that of the predictions was edited, or computed otherwise.",
    fix="run `mbl seal` on the entry: it then states no scores, which are always computed",
    needs="targets",
)
UNVERIFIED = Rule(
    code="MBL409",
    severity="note",
    title="Scores that could not be verified here",
    why="Scores are computed from the predictions and the published targets. What an entry states itself is a claim.",
    fix="run `mbl data fetch --targets-only`; the review of a pull request has the targets",
)
RULES = (DIFFERENT, UNVERIFIED)
_SHOWN = 3


def check(material: Material) -> Iterator[Finding]:
    """Every metric of every fold whose published targets are here."""
    for task, targets in material.with_targets():
        for fold, held in material.recorded(task).items():
            scores = score_rows(task.kind, targets.values[task.test_rows(fold)], held.predictions)
            differences = [] if held.stated is None else fold_differences(task, fold, held.stated, scores)
            if differences:
                told = [f"{d.metric} is {_number(d.stated)}, computed {_number(d.recomputed)}" for d in differences]
                more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
                message = f"{'; '.join(told[:_SHOWN])}{more}"
                evidence = {"metrics": ", ".join(d.metric for d in differences)}
                yield DIFFERENT.found(message, file=DOCUMENT, task=task.name, fold=fold, evidence=evidence)
    missing = [task.name for task in material.tasks if task.name not in (*material.targets, *material.unproven)]
    if missing:
        yield UNVERIFIED.found(f"the targets are not here of {', '.join(missing)}")
    if material.unproven:
        named = ", ".join(material.unproven)
        yield UNVERIFIED.found(f"the targets here are not proven to be the published ones of {named}")


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.6g}"
