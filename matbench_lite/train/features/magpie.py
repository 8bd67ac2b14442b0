"""Magpie features of compositions: statistics of 22 element properties, for all formulas at once.

The same numbers as matminer's `ElementProperty.from_preset("magpie")`, which takes one formula and one property at a
time. The properties are those of the installed matminer. Ward et al., npj Comput. Mater. 2, 16028 (2016).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.data import SYMBOLS, element_amounts
from matbench_lite.errors import ModelError
from matbench_lite.train.features.feature_cache import Array, cached_features

if TYPE_CHECKING:
    import pandas as pd

PROPERTIES = (
    "Number", "MendeleevNumber", "AtomicWeight", "MeltingT", "Column", "Row", "CovalentRadius", "Electronegativity",
    "NsValence", "NpValence", "NdValence", "NfValence", "NValence",
    "NsUnfilled", "NpUnfilled", "NdUnfilled", "NfUnfilled", "NUnfilled",
    "GSvolume_pa", "GSbandgap", "GSmagmom", "SpaceGroupNumber",
)  # fmt: skip
STATISTICS = ("minimum", "maximum", "range", "mean", "avg_dev", "mode")
MAGPIE_NAMES = tuple(f"MagpieData {statistic} {name}" for name in PROPERTIES for statistic in STATISTICS)
"""Names of the 132 features, as matminer has them."""

_VERSION = 1
_CHUNK = 20_000  # formulas at a time: 35 MB of properties for ten elements each


def magpie_features() -> Any:
    """A scikit-learn transformer from formulas to Magpie features.

    Examples:
        >>> from sklearn.linear_model import Ridge
        >>> from sklearn.pipeline import make_pipeline
        >>> model = make_pipeline(magpie_features(), Ridge()).fit(["NaCl", "Fe2O3"], [5.0, 2.0])
        >>> model.predict(["KCl"]).shape
        (1,)
    """
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(magpie_array, feature_names_out=_names_out)


def magpie_array(formulas: pd.Series | Iterable[str]) -> Array:
    """The Magpie features of formulas, from the cache where they are there.

    Shape (formulas, 132), in the order of `MAGPIE_NAMES`.

    Raises:
        DataFormatError: If one is not a formula.
        ModelError: If one is no text.

    Examples:
        >>> features = magpie_array(["Fe2O3"])
        >>> features.shape, float(features[0, MAGPIE_NAMES.index("MagpieData maximum Number")])
        ((1, 132), 26.0)
    """
    texts = [_text(formula) for formula in formulas]
    return cached_features(
        f"magpie-{_VERSION}-{hashlib.sha256(element_table().tobytes()).hexdigest()[:12]}",
        map(str.encode, texts),
        len(MAGPIE_NAMES),
        lambda rows: compute_magpie([texts[row] for row in rows]),
    )


def compute_magpie(formulas: Sequence[str]) -> Array:
    """The Magpie features of formulas, without the cache: a row does not depend on the others, to the last bit."""
    amounts = [element_amounts(formula) for formula in formulas]
    features = np.empty((len(formulas), len(MAGPIE_NAMES)))
    sizes = np.fromiter(map(len, amounts), dtype=np.intp, count=len(amounts))
    # Formulas with the same number of elements make a full array: nothing is padded.
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        for first in range(0, len(rows), _CHUNK):
            chunk = rows[first : first + _CHUNK]
            elements = np.array([tuple(amounts[row]) for row in chunk], dtype=np.intp)
            weights = np.array([tuple(amounts[row].values()) for row in chunk])
            features[chunk] = _statistics(element_table()[elements], weights).reshape(len(chunk), -1)
    return features


def _statistics(values: Array, weights: Array) -> Array:
    """Statistics of properties: from (formulas, elements, properties) to (formulas, properties, statistics)."""
    minimum, maximum = values.min(axis=1), values.max(axis=1)
    mean = _weighted_mean(values, weights)
    deviation = _weighted_mean(np.abs(values - mean[:, None, :]), weights)
    # matminer's rule: the smallest value among the elements whose amount is (close to) the largest.
    largest = weights.max(axis=1, keepdims=True)
    frequent = np.isclose(weights, largest)
    mode = np.where(frequent[:, :, None], values, np.inf).min(axis=1)
    return np.stack([minimum, maximum, maximum - minimum, mean, deviation, mode], axis=2)


def _weighted_mean(values: Array, weights: Array) -> Array:
    # One element after the other: a sum over an axis may be taken in another order for another number of rows.
    total = np.zeros((len(values), values.shape[2]))
    weight = np.zeros((len(values), 1))
    for element in range(values.shape[1]):
        total += weights[:, element, None] * values[:, element]
        weight += weights[:, element, None]
    return total / weight


@cache
def element_table() -> Array:
    """The 22 properties of every element, by atomic number (row 0 is nobody's); what is unknown is the mean.

    Read from the tables that the installed matminer carries: importing matminer for them takes three seconds.
    """
    import pandas as pd

    folder = _tables()
    table = np.full((len(SYMBOLS) + 1, len(PROPERTIES)), np.nan)
    for column, name in enumerate(PROPERTIES):
        lines = (folder / f"{name}.table").read_text().splitlines()[: len(SYMBOLS)]
        table[1 : 1 + len(lines), column] = pd.to_numeric(pd.Series(lines), errors="coerce")
    return np.where(np.isnan(table), np.nanmean(table, axis=0), table)


def _tables() -> Path:
    spec = find_spec("matminer")
    for location in (spec and spec.submodule_search_locations) or ():
        folder = Path(location) / "utils" / "data_files" / "magpie_elementdata"
        if folder.is_dir():
            return folder
    raise ModelError("matminer's element tables are not there", fix="install matminer, e.g. `pip install matminer`")


def _text(formula: object) -> str:
    if not isinstance(formula, str):
        raise ModelError(
            f"Magpie features are made from formulas, not from {type(formula).__name__}",
            fix='declare input = "composition" in the model file',
        )
    return formula


def _names_out(transformer: Any, names: Any) -> NDArray[Any]:  # noqa: ARG001 - what scikit-learn passes
    return np.array(MAGPIE_NAMES, dtype=object)
