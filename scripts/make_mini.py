"""Make the data of the embedded benchmark `mini` again, from public data that came with matminer 0.4.0.

    pip download --no-deps --no-binary :all: matminer==0.4.0
    python scripts/make_mini.py matminer-0.4.0.tar.gz

The source distribution carries four collections of DFT results with crystal structures (see `references` in
`matbench_lite/tasks/mini.toml`). From each, rows are drawn by the hash of their Materials Project id, so the
result depends on nothing but the source file. Writes `matbench_lite/data/mini/*.parquet` with their checksums, and
prints the facts that `mini.toml` states.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pymatgen.core import Structure

from matbench_lite.data.chemistry import reduced_formulas_of_strings
from matbench_lite.data.parquet import write_compositions, write_targets
from matbench_lite.data.structures import encode_structures, write_structures
from matbench_lite.tasks import assign_folds, folds_digest, inputs_digest, targets_digest

SOURCE_SHA256 = "1a6bdfb198b36d836bab4fbcdffb2dc4fda8a740c3dc08cbb21ea43b817fec86"
SEED = 18012019
MAX_SITES = 16
OUTPUT = Path("matbench_lite/data/mini")


@dataclass(frozen=True)
class Recipe:
    """How one task is made: which file, what a model sees, what it predicts, how many rows."""

    source: str
    input: Literal["structure", "composition"]
    target: Callable[[pd.DataFrame], pd.Series]
    rows: int


RECIPES = {
    "mini_log_gvrh": Recipe("elastic_tensor", "structure", lambda frame: np.log10(frame["G_VRH"]), 400),
    "mini_log_kvrh": Recipe("elastic_tensor", "composition", lambda frame: np.log10(frame["K_VRH"]), 500),
    "mini_is_ductile": Recipe(
        "elastic_tensor", "composition", lambda frame: frame["K_VRH"] / frame["G_VRH"] > 1.75, 500
    ),
    "mini_n": Recipe("dielectric_constant", "structure", lambda frame: frame["n"], 400),
    "mini_gap": Recipe("dielectric_constant", "composition", lambda frame: frame["band_gap"], 500),
    "mini_e_form": Recipe("flla_2015", "structure", lambda frame: frame["formation_energy_per_atom"], 400),
    "mini_is_stable": Recipe("flla_2015", "structure", lambda frame: frame["e_above_hull"] == 0, 400),
}


def main(archive: Path) -> None:
    """Read the source distribution and write every task."""
    content = archive.read_bytes()
    if hashlib.sha256(content).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{archive} is not the source distribution of matminer 0.4.0: its sha256 is another one")
    frames = {source: read_source(content, source) for source in {recipe.source for recipe in RECIPES.values()}}
    OUTPUT.mkdir(exist_ok=True)
    folds = {}
    for name, recipe in RECIPES.items():
        frame = choose(name, recipe, frames[recipe.source])
        values = recipe.target(frame).to_numpy()
        kind: Literal["regression", "classification"] = "classification" if values.dtype == bool else "regression"
        folds[name] = assign_folds(kind, values, n_folds=5, seed=SEED)
        prefix = name.replace("_", "-")
        ids = [f"{prefix}-{row:03d}" for row in range(1, len(frame) + 1)]
        print(f"\n{name}: rows = {len(frame)}")
        print(f'folds_sha256 = "{folds_digest(folds[name])}"\ntargets_sha256 = "{targets_digest(ids, values)}"')
        if recipe.input == "composition":
            print(f'inputs_sha256 = "{inputs_digest(ids, frame["formula"])}"')
        if kind == "regression":
            print(f"mean_absolute_deviation = {np.abs(values - values.mean()).mean():.10g}")
        else:
            print(f"fraction_true = {values.mean():.10g}")
        write(name, recipe, frame, values)
    np.savez_compressed("matbench_lite/tasks/mini.folds.npz", **folds)
    files = sorted(OUTPUT.glob("*.parquet"))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (OUTPUT / "SHA256SUMS").write_text("".join(sums), encoding="ascii")
    total = sum(path.stat().st_size for path in files)
    print(f"\n{total / 1e3:.0f} kB in all")


def read_source(content: bytes, source: str) -> pd.DataFrame:
    """Read one CSV file of the archive: id, reduced formula, structure as a dict, and the numbers."""
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        stream = tar.extractfile(f"matminer-0.4.0/matminer/datasets/{source}.csv")
        assert stream is not None
        frame = pd.read_csv(stream, comment="#").dropna(subset=["structure"])
    if "poscar" in frame:
        structures = [Structure.from_str(text, fmt="poscar") for text in frame["poscar"]]
    else:
        structures = [Structure.from_dict(ast.literal_eval(text)) for text in frame["structure"]]
    frame["structure"] = [plain(structure) for structure in structures]
    frame["formula"] = [structure.composition.reduced_formula for structure in structures]
    frame["sites"] = [len(structure) for structure in structures]
    return frame


def plain(structure: Structure) -> dict[str, Any]:
    """The structure without site properties (forces, coordination numbers), as parsed JSON."""
    bare = Structure(structure.lattice, structure.species, structure.frac_coords)
    parsed: dict[str, Any] = json.loads(json.dumps(bare.as_dict()))
    return parsed


def choose(name: str, recipe: Recipe, frame: pd.DataFrame) -> pd.DataFrame:
    """Draw the rows of one task: small cells; for composition tasks only formulas that occur once."""
    eligible = frame[frame["sites"] <= MAX_SITES]
    if recipe.input == "composition":
        eligible = eligible[~eligible["formula"].duplicated(keep=False)]
    key = eligible["material_id"].map(lambda text: hashlib.sha256(f"{name}:{text}".encode()).hexdigest())
    return eligible.loc[key.sort_values().index[: recipe.rows]]


def write(name: str, recipe: Recipe, frame: pd.DataFrame, values: np.ndarray) -> None:
    """Write the two Parquet files of one task, in the form of the store."""
    formulas = reduced_formulas_of_strings(frame["formula"].tolist())
    spacegroups = frame["space_group"].tolist() if "space_group" in frame and recipe.input == "structure" else None
    write_targets(OUTPUT / f"{name}.targets.parquet", values, formulas, spacegroups)
    inputs = OUTPUT / f"{name}.inputs.parquet"
    if recipe.input == "composition":
        write_compositions(inputs, frame["formula"].tolist())
    else:
        write_structures(encode_structures(frame["structure"]), inputs)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
