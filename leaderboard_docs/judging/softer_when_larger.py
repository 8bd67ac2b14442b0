"""An organiser's own property: a solid of larger atoms should be softer.

The share of test rows whose predicted modulus falls when every volume per atom grows by five percent.
"""

import numpy as np

from matbench_lite.judge.expression import evaluate

VOLUMES = ("mean_GSvolume_pa", "minimum_GSvolume_pa", "maximum_GSvolume_pa", "mode_GSvolume_pa")


def measure(case):
    """How far a model has the property, from 0 to 1."""
    if case.formula is None:
        return 0.0
    rows = case.dataset.testing(case.run).X
    larger = rows.assign(**{name: 1.05 * rows[name] for name in VOLUMES})
    return float(np.mean(evaluate(case.formula, larger) < evaluate(case.formula, rows)))
