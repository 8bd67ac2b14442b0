"""Write a file like `matbench_mp_e_form.json.gz`, of any length, the same bytes every time.

python perf/synthetic_structures.py synthetic.json.gz --rows 132752
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from matbench_lite.data import SYMBOLS

MEAN_SITES = 30


def write_synthetic(path: Path, rows: int, *, seed: int = 18012019) -> None:
    """Write `rows` structures with a target each, one at a time."""
    header = {"index": list(range(rows)), "columns": ["structure", "e_form"]}
    # No time and no name in the gzip header: the bytes depend on the arguments alone.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", compresslevel=4, fileobj=raw, mtime=0) as file:
        file.write(orjson.dumps(header)[:-1] + b', "data": [')
        for number, row in enumerate(synthetic_rows(rows, seed=seed)):
            file.write((b", " if number else b"") + orjson.dumps(row))
        file.write(b"]}")


def synthetic_rows(rows: int, *, seed: int) -> Iterator[list[Any]]:
    """Structures with the keys, the precision and the number of sites that the real file has."""
    random = np.random.default_rng(seed)
    symbols = SYMBOLS[:94]
    for _ in range(rows):
        sites = 1 + random.poisson(MEAN_SITES - 1)
        matrix = np.round(np.diag(random.uniform(3, 12, 3)) + random.normal(0, 0.5, (3, 3)), 8)
        abc = np.round(random.random((sites, 3)), 8)
        elements = random.choice(symbols, size=min(sites, random.integers(1, 5)))
        species = random.choice(elements, size=sites)
        yield [_structure(matrix, species.tolist(), abc), round(random.normal(-1.5, 1.0), 8)]


def _structure(matrix: np.ndarray, species: list[str], abc: np.ndarray) -> dict[str, Any]:
    lengths = np.linalg.norm(matrix, axis=1)
    lattice = {
        "matrix": matrix.tolist(),
        **dict(zip("abc", lengths.tolist(), strict=True)),
        **dict.fromkeys(("alpha", "beta", "gamma"), 90.0),
        "volume": float(abs(np.linalg.det(matrix))),
    }
    sites = [
        {
            "species": [{"element": element, "occu": 1}],
            "abc": fractional,
            "xyz": cartesian,
            "label": element,
            "properties": {},
        }
        for element, fractional, cartesian in zip(species, abc.tolist(), (abc @ matrix).tolist(), strict=True)
    ]
    return {
        "@module": "pymatgen.core.structure",
        "@class": "Structure",
        "charge": None,
        "lattice": lattice,
        "sites": sites,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rows", type=int, default=132_752)
    arguments = parser.parse_args()
    write_synthetic(arguments.path, arguments.rows)
    print(f"{arguments.path}: {arguments.rows} structures, {arguments.path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
