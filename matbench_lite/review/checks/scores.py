"""The scores: recomputed from the predictions and the targets, never believed."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import score_rows
from matbench_lite.submission.comparison import fold_differences
from matbench_lite.submission.folder import DOCUMENT

DIFFERENT = Rule(
    code="MBL408",
    severity="error",
    title="A stated score is not that of the predictions",
    why="Every score is computed again from the predictions. One that differs was edited, or computed otherwise.",
    fix="run `mbl seal` on the entry where the targets are; it computes the scores again",
    needs="targets",
)
UNVERIFIED = Rule(
    code="MBL409",
    severity="note",
    title="Scores that could not be verified here",
    why="Without the published targets the stated scores are only claims. They are shown as unverified, not passed.",
    fix="run `mbl data fetch --targets-only`; the review of a pull request has the targets",
)
RULES = (DIFFERENT, UNVERIFIED)
_SHOWN = 3


def check(material: Material) -> Iterator[Finding]:
    """Every metric of every fold whose targets are here."""
    for task, targets in material.with_targets():
        for fold, held in material.recorded(task).items():
            scores = score_rows(task.kind, targets.values[task.test_rows(fold)], held.predictions)
            differences = [] if held.scores is None else fold_differences(task, fold, held.scores, scores)
            if differences:
                told = [f"{d.metric} is {_number(d.recorded)}, computed {_number(d.recomputed)}" for d in differences]
                more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
                message = f"{'; '.join(told[:_SHOWN])}{more}"
                evidence = {"metrics": ", ".join(d.metric for d in differences)}
                yield DIFFERENT.found(message, file=DOCUMENT, task=task.name, fold=fold, evidence=evidence)
    missing = [task.name for task in material.tasks if task.name not in material.targets]
    if missing:
        yield UNVERIFIED.found(f"the targets are not here of {', '.join(missing)}")
    other = [name for name, targets in material.targets.items() if not targets.verified]
    if other:
        yield UNVERIFIED.found(f"the targets here are not proven to be the published ones of {', '.join(other)}")


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.6g}"
