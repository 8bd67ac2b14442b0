"""Features as scikit-learn transformers: formulas or structures in, numbers out, nothing computed twice."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.train.features.magpie import (
        MAGPIE_NAMES as MAGPIE_NAMES, magpie_array as magpie_array, magpie_features as magpie_features,
    )
    from matbench_lite.train.features.structure import (
        STRUCTURE_NAMES as STRUCTURE_NAMES, structure_array as structure_array,
        structure_features as structure_features,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
