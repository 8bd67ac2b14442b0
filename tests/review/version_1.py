"""An entry as matbench_lite wrote it before version 2: its scores stated, its declarations apart."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matbench_lite import Submission
from matbench_lite.submission import score_fold
from matbench_lite.submission.entry_document import canonical_bytes, digest

_DECLARED = ("single_configuration", "external_data")


def to_version_1(folder: Path, stated: Callable[[int], dict[str, float | None]] | None = None) -> Path:
    """Write `submission.json` of a sound entry anew, as of version 1; no other file is touched.

    Args:
        folder: The entry.
        stated: The scores that a fold states, by its number; by default those of its predictions.
    """
    submission = Submission.load(folder)
    document = json.loads((folder / "submission.json").read_bytes())
    card = document.pop("card")
    del document["code"]
    document |= {key: value for key, value in card.items() if key not in _DECLARED}
    document |= {"schema_version": 1, "declarations": {key: card[key] for key in _DECLARED}}
    for name, about in document["tasks"].items():
        for fold in about["folds"]:
            number = fold["fold"]
            fold["scores"] = _scores(submission, name, number) if stated is None else stated(number)
    write_document(folder, document)
    return folder


def write_document(folder: Path, document: dict[str, Any]) -> None:
    """Write `submission.json` with a digest that fits."""
    (folder / "submission.json").write_bytes(canonical_bytes(document | {"digest": digest(document)}))


def _scores(submission: Submission, name: str, fold: int) -> dict[str, float | None]:
    scores = score_fold(submission.benchmark[name], fold, submission.recorded(name)[fold].predictions)
    return {metric: value if math.isfinite(value) else None for metric, value in scores.items()}
