"""What a local test is, and what it found: plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from matbench_lite.metrics import Summary
from matbench_lite.run.inner import DEFAULT_INNER_FOLDS

PARTS = ("train", "valid", "test")
"""What every inner model predicts."""

State = Literal["trained", "validated", "tested", "scored", "error"]
"""How far an inner fold has come; "error" ends it."""

Metrics = Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TrialSettings:
    """What is tested: two trials with equal settings give equal predictions.

    Args:
        benchmark: Name of the benchmark.
        task: Name of the task.
        fold: The fold inside whose training part everything happens.
        model: Name of the model.
        model_sha256: Digest over its source files.
        inner_folds: Number of inner folds.
        seed: Seed of the inner folds and of the models.
        official_test: Whether `test` is the official test part of the fold.
    """

    benchmark: str
    task: str
    fold: int
    model: str
    model_sha256: str
    inner_folds: int = DEFAULT_INNER_FOLDS
    seed: int = 0
    official_test: bool = False


@dataclass(frozen=True, kw_only=True)
class InnerResult:
    """One inner fold: how far it came, how long it took, what it scored.

    Args:
        number: The inner fold.
        state: How far it came.
        seconds: Wall-clock seconds: `fit`, then what it took to predict `train`, `valid` and `test`.
        scores: The metrics of train, valid and test, once scored.
        error: What went wrong, if it did.
        traceback: Where it went wrong.
        printed: What the model printed.
        predictions_sha256: Digest of the file with its predictions, once they are saved.
    """

    number: int
    state: State | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[str, Metrics] = field(default_factory=dict)
    error: str | None = None
    traceback: str | None = None
    printed: str = ""
    predictions_sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrialScores:
    """What the inner folds say together; folds that failed are left out, and counted in `failed`.

    Args:
        folds: The inner folds that were scored.
        failed: Those that ended with an error.
        mean: Mean and standard deviation (ddof=0) over the folds, by part and metric.
        seconds: The same for the times.
        bagged: Scores of the averaged predictions by part ("valid", "test"), after the first fold, the first two, and
            so on; the last is what is reported. Empty if nothing was bagged.
    """

    folds: tuple[int, ...]
    failed: tuple[int, ...]
    mean: Mapping[str, Mapping[str, Summary]]
    seconds: Mapping[str, Summary]
    bagged: Mapping[str, tuple[Metrics, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A local test, as far as it has come.

    Args:
        settings: What was tested.
        results: One per inner fold, in order.
        scores: What they say together; None if every fold failed.
    """

    settings: TrialSettings
    results: tuple[InnerResult, ...]
    scores: TrialScores | None

    @property
    def ended(self) -> bool:
        """Whether every inner fold was scored or failed: nothing is left to train."""
        return len(self.results) == self.settings.inner_folds and all(
            result.state in ("scored", "error") for result in self.results
        )

    @property
    def ok(self) -> bool:
        """Whether every inner fold was scored."""
        return self.ended and all(result.state == "scored" for result in self.results)
