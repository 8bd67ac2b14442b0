"""Mistakes of a modeller, not of a forger: seen where predictions meet the targets; `record` warns of them, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.submission import MAX_ROWS, Finding, Mistake, mistakes
from matbench_lite.text import in_words

OF_KIND = {
    "worse than a guess": RULES["MBL512"],
    "unrelated": RULES["MBL513"],
    "out of range": RULES["MBL514"],
    "another unit": RULES["MBL515"],
}


def check_mistakes(material: Material) -> Iterator[Finding]:
    """One finding per task and kind, with the figures of the first fold that has it."""
    for task, _ in material.with_targets():
        found: dict[str, dict[int, Mistake]] = defaultdict(dict)
        for fold, held in material.recorded(task).items():
            for mistake in mistakes(task, fold, held.predictions.prediction):
                found[mistake.kind][fold] = mistake
        for kind, by_fold in found.items():
            fold, first = next(iter(by_fold.items()))
            rows = np.concatenate([task.test_rows(each)[mistake.rows] for each, mistake in by_fold.items()])
            folds = "" if len(by_fold) == 1 else f", and in folds {in_words(list(map(str, by_fold)))}"
            yield OF_KIND[kind].found(
                f"{first.message}{folds}",
                task=task.name,
                fold=fold,
                rows=tuple(map(str, task.ids[rows[:MAX_ROWS]])),
                row_count=len(rows),
                evidence=first.evidence,
            )
