"""Tasks by chemical system: `Fe2O3` and `FeO` are both `Fe-O`."""

from __future__ import annotations

from matbench_lite.evaluate.benchmark_rows import chemical_system
from matbench_lite.evaluate.encoders import TaskEncoder


class ChemicalSystem(TaskEncoder):
    """The elements of a task that is a formula."""

    def encode_task(self, task: list[list[str]]) -> str:
        """The elements, in alphabetical order."""
        return chemical_system(task[0][0])
