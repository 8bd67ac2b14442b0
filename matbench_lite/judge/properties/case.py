"""What a property is measured on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from matbench_lite.judge.datasets import Dataset
    from matbench_lite.judge.expression import Node, Simplified, Simplifier


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One trained model on one dataset; what an organiser's own function gets.

    Args:
        algorithm: Name of the algorithm.
        dataset: The dataset, with the truth where it is known.
        run: Number of the run; `dataset.testing(run)` are the rows to be judged on.
        predictions: Predictions for those rows; None if they are not known.
        beyond: Predictions for `dataset.beyond`.
        formula: The formula as it was given; None for a model that has none.
        simplified: The formula simplified, constants rounded.
        simplifier: Answers questions about formulas.
    """

    algorithm: str
    dataset: Dataset
    run: int
    predictions: NDArray[np.float64] | None
    beyond: NDArray[np.float64] | None
    formula: Node | None
    simplified: Simplified | None
    simplifier: Simplifier
