"""Features as scikit-learn transformers: formulas or structures in, numbers out, nothing computed twice."""

from matbench_lite.train.features.magpie import MAGPIE_NAMES, element_amounts, magpie_array, magpie_features
from matbench_lite.train.features.structure import STRUCTURE_NAMES, structure_array, structure_features

__all__ = [
    "MAGPIE_NAMES", "STRUCTURE_NAMES", "element_amounts", "magpie_array", "magpie_features", "structure_array",
    "structure_features",
]  # fmt: skip
