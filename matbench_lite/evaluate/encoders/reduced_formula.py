"""Tasks by reduced formula: `Fe4O6` and `Fe2O3` are the same task."""

from __future__ import annotations

from matbench_lite.data import reduced_formulas_of_strings
from matbench_lite.evaluate.encoders import TaskEncoder


class ReducedFormula(TaskEncoder):
    """The reduced formula of a task that is a formula."""

    def encode_task(self, task: list[list[str]]) -> str:
        """The reduced formula."""
        return reduced_formulas_of_strings([task[0][0]])[0]
