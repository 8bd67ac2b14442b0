"""What a model gets to see of a task: formulas or structures, indexed by row id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.errors import ModelError
from matbench_lite.run.model import Model

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task


def model_inputs(model: Model, task: Task, rows: NDArray[np.intp] | None = None) -> pd.Series:
    """The inputs of some rows of a task, as the model wants them.

    A model that declares `input = "composition"` gets formulas from structure tasks too: the reduced formulas of the
    targets, whether the structures are on this machine or not, so that everybody trains on the same.

    Args:
        model: The model.
        task: The task.
        rows: Positions of the rows in file order; all of them by default.

    Returns:
        Formula strings, or structures that are built when looked at; indexed by row id.

    Raises:
        ModelError: If the model takes structures only and the task has compositions.
        DataMissingError: If the data is not on this machine.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.run import load_model
        >>> task = load_benchmark("mini")["mini_e_form"]
        >>> task.input, model_inputs(load_model("ridge-magpie"), task).iloc[0]
        ('structure', ...)
    """
    if not model.takes(task):
        raise ModelError(
            f"the model {model.name!r} takes structures, {task.name} has compositions", fix="leave this task out"
        )
    if model.input == "composition" and task.input == "structure":
        inputs = task.targets["formula"].rename("composition")
    else:
        inputs = task.inputs
    return inputs if rows is None else inputs.iloc[rows]
