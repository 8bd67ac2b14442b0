"""Bagging, as RAMP calls it: the average of the models of a cross-validation, and of blended models.

The name is historical. Elsewhere, bagging draws random training sets with replacement; here the training sets are
those of the inner folds. On rows that the folds held out in turn, each row's prediction is the mean over the models
that have not seen it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import MetricError
from matbench_lite.submission import FoldPredictions, PredictionType, class_columns

_SMALLEST = 1e-15  # no model is so sure that another one cannot outvote it


@dataclass(frozen=True, kw_only=True)
class RowPredictions:
    """What one model, or an average of models, predicts for some rows of a task.

    `rows` are positions in the task, each at most once; `truth` their targets, where they are known to whoever
    predicts. A `prediction` is a number in the unit of the target (type "value", perhaps with its standard deviation
    `std`), or from 0 to 1: true, false or the share of votes for true ("label"), or the probability of true
    ("probability"). Of more than two classes it is an array of shape (rows, classes), with the probability of each or
    its share of votes.
    """

    rows: NDArray[np.intp]
    prediction: NDArray[np.float64]
    type: PredictionType
    std: NDArray[np.float64] | None = None
    truth: NDArray[np.float64] | None = None

    def scorable(self) -> FoldPredictions:
        """The predictions in the form that metrics take: a majority of votes is a label."""
        if self.prediction.ndim == 2:
            largest = self.prediction.argmax(axis=1).astype(np.float64)
            columns = class_columns(self.prediction) if self.type == "probability" else {}
            return FoldPredictions(type=self.type, **{"prediction": largest, **columns})
        prediction = (self.prediction > 0.5).astype(np.float64) if self.type == "label" else self.prediction
        std = None if self.std is None else self.std.astype(np.float32)
        return FoldPredictions(type=self.type, prediction=prediction, std=std)


def bag(models: Sequence[RowPredictions]) -> RowPredictions:
    """Average what several models predict, each row over the models that have a prediction for it.

    Numbers are averaged, probabilities are clipped to [1e-15, 1 - 1e-15], renormalised and averaged, labels become a
    share of votes. Rows come in ascending order; one that no model predicts is left out.

    Raises:
        MetricError: If there is no model, or a prediction is NaN or infinite: it would drop out of the average, and
            could so improve a score.

    Examples:
        >>> first = RowPredictions(rows=np.array([0, 1]), prediction=np.array([1.0, 2.0]), type="value")
        >>> second = RowPredictions(rows=np.array([1, 3]), prediction=np.array([4.0, 5.0]), type="value")
        >>> both = bag([first, second])
        >>> both.rows.tolist(), both.prediction.tolist()
        ([0, 1, 3], [1.0, 3.0, 5.0])
    """
    return list(bag_prefixes(models))[-1]


def bag_prefixes(models: Sequence[RowPredictions]) -> Iterator[RowPredictions]:
    """What `bag` gives for the first model, for the first two, and so on: how much each further model helps."""
    if not models:
        raise MetricError("there is no prediction to average", fix="give those of at least one model")
    for position, model in enumerate(models):
        _refuse_nan(position, model)
    types = {model.type for model in models}
    kind: PredictionType = types.pop() if len(types) == 1 else "probability"
    size = 1 + max(int(model.rows.max(initial=-1)) for model in models)
    total, count = np.zeros((size, *models[0].prediction.shape[1:])), np.zeros(size, dtype=np.intp)
    for model in models:
        values = model.prediction
        if kind == "probability":
            values = _clipped(values) if values.ndim == 2 else _clipped(np.column_stack([1 - values, values]))[:, 1]
        total[model.rows] += values
        count[model.rows] += 1
        rows = np.flatnonzero(count)
        each = count[rows] if total.ndim == 1 else count[rows, None]
        yield RowPredictions(rows=rows, prediction=total[rows] / each, type=kind)


def _clipped(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class probabilities, shape (rows, classes), clipped to [1e-15, 1 - 1e-15] and renormalised."""
    clipped = np.clip(probabilities, _SMALLEST, 1 - _SMALLEST)
    clipped /= clipped.sum(axis=1, keepdims=True)
    return clipped


def _refuse_nan(position: int, model: RowPredictions) -> None:
    sums = model.prediction if model.prediction.ndim == 1 else model.prediction.sum(axis=1)
    bad = ~np.isfinite(sums)
    if bad.any():
        first = int(np.argmax(bad))
        raise MetricError(
            f"model {position} predicts {sums[first]} for row {model.rows[first]} ({np.count_nonzero(bad)} such rows)",
            fix="a model must predict a number for every row",
        )


def to_npz(predictions: Mapping[str, RowPredictions]) -> bytes:
    """The predictions of some parts as the content of a file."""
    arrays: dict[str, Any] = {}
    for part, one in predictions.items():
        columns = {"rows": one.rows.astype(np.uint32), one.type: one.prediction, "std": one.std, "truth": one.truth}
        arrays |= {f"{part}.{name}": column for name, column in columns.items() if column is not None}
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def from_npz(content: bytes) -> dict[str, RowPredictions]:
    """The parts that `to_npz` was given; a `ValueError`, `KeyError` or `TypeError` if the content is no such file."""
    parts: dict[str, dict[str, Any]] = {}
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        for name, array in arrays.items():
            part, _, column = name.partition(".")
            one = {"type": column, "prediction": array} if column in get_args(PredictionType) else {column: array}
            parts.setdefault(part, {}).update(one)
    return {part: RowPredictions(**one | {"rows": one["rows"].astype(np.intp)}) for part, one in parts.items()}
