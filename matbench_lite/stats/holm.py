"""Holm's correction for several comparisons."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats._matrix import FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down method: below 5 % means significant at a family-wise level of 5 %.

    Args:
        p_values: P-values from 0 to 1, in any order; may be empty.

    Returns:
        The adjusted p-values, in the order given.

    Raises:
        MetricError: If one is not from 0 to 1, or they are not a flat list.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise MetricError(f"p_values={p_values!r} are not p-values", fix="pass a flat list of numbers from 0 to 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted
