"""Magpie features: ours against matminer's, on 5 000 formulas drawn from all 13 tasks.

    python perf/magpie.py

Needs the real targets: `MATBENCH_LITE_TEST_DATA`, or `../shared/data` beside the project. The peer here is matminer, in
the same process; the cache is not used. Both sides read the formula: `Composition(formula)` is part of matminer's time.
"""

from __future__ import annotations

import sys
import time
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from real_data import real_data
from report import Limit, Row, report

NUMBER = 5000
ROUNDS = 3


def main() -> int:
    warnings.simplefilter("ignore")  # matminer's and pymatgen's own
    from matminer.featurizers.composition import ElementProperty
    from pymatgen.core import Composition

    from matbench_lite.train.features.magpie import compute_magpie

    formulas = drawn(real_data())
    featurizer = ElementProperty.from_preset("magpie", impute_nan=True)
    compute_magpie(formulas[:10])  # reads the table of elements
    peer, ours = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        theirs = np.array([featurizer.featurize(Composition(formula)) for formula in formulas])
        peer.append(time.perf_counter() - start)
        start = time.perf_counter()
        features = compute_magpie(formulas)
        ours.append(time.perf_counter() - start)
    largest = float(np.abs(features - theirs).max())
    return report(
        [
            Row(work=f"{NUMBER} formulas (matminer)", peer=peer, ours=ours, unit="s", bound=Fraction(1, 20)),
            Limit(work="largest difference of a feature", value=largest, unit="", bound=1e-8),
        ]
    )


def drawn(data: Path) -> list[str]:
    """Formulas of every task, as many of each as it has, up to what fills the number."""
    rng = np.random.default_rng(0)
    files = sorted((data / "matbench_v0.1" / "truth").glob("*.parquet"), key=lambda file: file.stat().st_size)
    formulas: list[str] = []
    for position, file in enumerate(files):
        column = pd.read_parquet(file, columns=["composition"])["composition"].unique()
        share = (NUMBER - len(formulas)) // (len(files) - position)
        formulas += rng.choice(column, size=min(len(column), share), replace=False).tolist()
    assert len(formulas) == NUMBER
    return formulas


if __name__ == "__main__":
    sys.exit(main())
