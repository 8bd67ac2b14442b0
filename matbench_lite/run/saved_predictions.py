"""Predictions of rows as one file: arrays, never objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from matbench_lite.run.bagging import RowPredictions


def to_npz(predictions: Mapping[str, RowPredictions]) -> bytes:
    """The predictions of some parts as the content of a file.

    Examples:
        >>> predicted = RowPredictions(rows=np.array([3, 5]), prediction=np.array([0.5, 1.5]), type="value")
        >>> from_npz(to_npz({"valid": predicted}), ["valid"])["valid"].rows.tolist()
        [3, 5]
    """
    arrays: dict[str, Any] = {}
    for part, rows in predictions.items():
        arrays[f"{part}.rows"] = rows.rows.astype(np.uint32)
        arrays[f"{part}.{rows.type}"] = rows.prediction
        if rows.std is not None:
            arrays[f"{part}.std"] = rows.std
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def from_npz(content: bytes, parts: Sequence[str]) -> dict[str, RowPredictions]:
    """Some parts of what `to_npz` made.

    Raises:
        ValueError: If the content is no such file.
        KeyError: If a part is missing.
    """
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return {part: _part(arrays, part) for part in parts}


def _part(arrays: Any, part: str) -> RowPredictions:
    rows = arrays[f"{part}.rows"].astype(np.intp)
    kind = next(kind for kind in ("value", "label", "probability") if f"{part}.{kind}" in arrays)
    return RowPredictions(
        rows=rows,
        prediction=arrays[f"{part}.{kind}"],
        type=kind,  # type: ignore[arg-type]
        std=arrays.get(f"{part}.std"),
    )
