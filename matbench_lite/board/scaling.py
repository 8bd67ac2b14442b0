"""One scale for all tasks: 0 is perfect, 1 is as good as a constant guess."""

from __future__ import annotations

import math

import numpy as np

from matbench_lite.board.rows import read_rows, targets_state
from matbench_lite.tasks import Task


def scaled_error(task: Task, score: float) -> float:
    """The ranking metric of a task on the common scale.

    Args:
        task: The task.
        score: MAE in the unit of the task, or balanced accuracy.

    Returns:
        MAE by the mean absolute deviation of the targets, or 2 (1 - balanced accuracy); NaN where the deviation is
        not known or zero.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> bench = load_benchmark("matbench_v0.1")
        >>> scaled_error(bench["matbench_glass"], 0.9), round(scaled_error(bench["matbench_steels"], 100), 3)
        (0.19..., 0.436)
    """
    if task.kind == "classification":
        return 2 * (1 - score)
    deviation = _deviation(task)
    return score / deviation if deviation else math.nan


def _deviation(task: Task) -> float | None:
    """The registry's, so that it does not hang on the data being here; computed for a benchmark that has none."""
    if task.mean_absolute_deviation is not None:
        return task.mean_absolute_deviation
    state = targets_state(task)
    if state is None:
        return None
    targets = read_rows(task, state.digest).targets
    return float(np.abs(targets - targets.mean()).mean())
