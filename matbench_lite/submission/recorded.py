"""What is known of one recorded fold: its predictions, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from matbench_lite.submission.predictions import FoldPredictions


@dataclass(frozen=True, kw_only=True)
class RecordedFold:
    """One recorded fold.

    Args:
        predictions: The predictions.
        params: Parameters of the model in this fold, as plain JSON.
        seconds: Wall time of the measured block, if there was one.
        peak_memory_mb: Most memory the process had in that block, MB.
        stated: Scores that the entry's file states, as files of version 1 do; None where there are none.
    """

    predictions: FoldPredictions
    params: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    peak_memory_mb: float | None = None
    stated: Mapping[str, float | None] | None = None
