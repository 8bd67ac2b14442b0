"""Features: the same numbers as matminer's, each input once, and no row that depends on another."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymatgen.core import Composition, Lattice, Structure
from sklearn.base import clone

from matbench_lite import load_benchmark
from matbench_lite.data import SYMBOLS, element_amounts
from matbench_lite.errors import DataFormatError, ModelError
from matbench_lite.train.features import (
    MAGPIE_NAMES,
    STRUCTURE_NAMES,
    magpie_array,
    magpie_features,
    structure_array,
    structure_features,
)
from matbench_lite.train.features.feature_cache import cached_features
from matbench_lite.train.features.magpie import compute_magpie

from ..conftest import LONG

ODD = [
    "Fe0.5Ni0.5",
    "Ca(OH)2",
    "D2O",
    "T2O",
    "Og",
    "(NH4)2SO4",
    "Fe0.62C0.000953Mn0.000521",
    "H2O",
    "Lr2O3",
    "NaCl NaCl",
]
TIES = ["NaCl", "Na1.000001Cl", "Na1.01Cl", "LiFePO4", "K0.3333333Na0.33333334Cl0.3333333"]


def matminer_features(formulas: list[str]) -> np.ndarray:
    from matminer.featurizers.composition import ElementProperty

    featurizer = ElementProperty.from_preset("magpie", impute_nan=True)
    assert tuple(featurizer.feature_labels()) == MAGPIE_NAMES
    return np.array([featurizer.featurize(Composition(formula)) for formula in formulas])


@pytest.mark.filterwarnings("ignore")  # matminer's and pymatgen's own
def test_magpie_features_are_those_of_matminer() -> None:
    formulas = [*ODD, *TIES, *SYMBOLS]
    for task in load_benchmark("mini"):
        formulas += task.targets["formula"].iloc[: 40 if LONG else 10].tolist()
    assert np.abs(compute_magpie(formulas) - matminer_features(formulas)).max() <= 1e-8


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(SYMBOLS), st.floats(1e-6, 1e3).map(lambda x: round(x, 6)), min_size=1, max_size=9
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_row_does_not_depend_on_the_others_to_the_last_bit(compositions: list[dict[str, float]]) -> None:
    formulas = ["".join(f"{symbol}{amount:f}" for symbol, amount in of.items()) for of in compositions]
    together = compute_magpie(formulas)
    assert np.array_equal(together, np.vstack([compute_magpie([formula]) for formula in formulas]))
    assert np.isfinite(together).all()


@given(st.dictionaries(st.sampled_from(SYMBOLS), st.integers(1, 99), min_size=1, max_size=6))
def test_amounts_are_those_of_pymatgen(amounts: dict[str, int]) -> None:
    formula = "".join(f"{symbol}{amount}" for symbol, amount in amounts.items())
    expected = {element.Z: amount for element, amount in Composition(formula).items()}
    assert element_amounts(formula) == expected


@pytest.mark.parametrize("text", ["", "Xx2", "2", "Fe(", "iron", "Fe-2"])
def test_what_is_no_formula_is_named(text: str) -> None:
    with pytest.raises(DataFormatError, match="is not a chemical formula"):
        magpie_array([text])


def test_structures_where_formulas_belong_say_what_to_declare() -> None:
    with pytest.raises(ModelError, match='declare input = "composition"'):
        magpie_array([Structure(Lattice.cubic(3), ["Po"], [[0, 0, 0]])])


def test_transformers_are_scikit_learns(data_directory: Path) -> None:
    formulas = pd.Series(["NaCl", "Fe2O3"], index=["a", "b"])
    transformer = clone(magpie_features()).fit(formulas)
    assert transformer.transform(formulas).shape == (2, 132)
    assert list(transformer.get_feature_names_out()) == list(MAGPIE_NAMES)


def test_what_was_featurised_is_on_disk_and_is_taken_from_there(data_directory: Path) -> None:
    first = magpie_array(["NaCl", "KCl", "NaCl"])
    (kind,) = (data_directory / "cache").iterdir()
    files = sorted(kind.iterdir())
    assert [file.name.split(".", 1)[1] for file in files] == ["keys.npy", "values.npy"]
    assert np.load(files[1]).shape == (2, 132), "NaCl once"
    again = magpie_array(["KCl", "NaCl"])
    assert np.array_equal(again, first[[1, 0]])
    assert sorted(kind.iterdir()) == files, "nothing new"
    magpie_array(["KCl", "LiCl"])
    new = set(kind.iterdir()) - set(files)
    assert sorted(np.load(file).shape[0] for file in new) == [1, 1], "LiCl alone"


def test_only_what_is_missing_is_computed() -> None:
    asked: list[list[int]] = []

    def compute(rows: np.ndarray) -> np.ndarray:
        asked.append(rows.tolist())
        return rows[:, None].astype(float)

    assert cached_features("t-1", [b"a", b"b", b"a"], 1, compute).ravel().tolist() == [0.0, 1.0, 0.0]
    assert cached_features("t-1", [b"c", b"b"], 1, compute).ravel().tolist() == [0.0, 1.0]
    assert [sorted(rows) for rows in asked] == [[0, 1], [0]]
    assert cached_features("t-1", [], 1, compute).shape == (0, 1)


@pytest.mark.parametrize("part", ["keys", "values"])
def test_a_damaged_cache_is_computed_again(data_directory: Path, part: str) -> None:
    expected = magpie_array(["NaCl", "KCl"])
    for file in data_directory.rglob(f"*.{part}.npy"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert np.array_equal(magpie_array(["NaCl", "KCl"]), expected)


def test_a_cache_that_cannot_be_written_costs_time_only(data_directory: Path) -> None:
    (data_directory / "cache").write_text("a file where the folder should be")
    assert magpie_array(["NaCl"]).shape == (1, 132)


def _featurise(formulas: list[str]) -> np.ndarray:
    return magpie_array(formulas)


def test_processes_may_fill_the_cache_at_the_same_time(data_directory: Path) -> None:
    formulas = [f"Na{n}Cl{m}" for n in range(1, 20) for m in range(1, 20)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        results = pool.map(_featurise, [formulas, formulas[::-1], formulas[::2]])
    expected = compute_magpie(formulas)
    assert np.array_equal(results[0], expected)
    assert np.array_equal(results[1], expected[::-1])
    assert np.array_equal(results[2], expected[::2])
    assert np.array_equal(magpie_array(formulas), expected)


def salt(**options: float) -> Structure:
    return Structure.from_spacegroup("Fm-3m", Lattice.cubic(5.69), ["Na", "Cl"], [[0, 0, 0], [0.5, 0.5, 0.5]])


def test_structure_features_of_rock_salt_are_what_a_book_says() -> None:
    features = dict(zip(STRUCTURE_NAMES, structure_array([salt()])[0], strict=True))
    assert features["sites"] == 8
    assert features["volume per atom"] == pytest.approx(5.69**3 / 8)
    assert features["density"] == pytest.approx(2.11, abs=0.01)
    assert features["nearest distance, mean"] == pytest.approx(5.69 / 2)
    assert features["coordination, mean"] == 6
    assert features["bonds between like atoms, share"] == 0
    assert features["bond electronegativity difference, mean"] == pytest.approx(3.16 - 0.93)
    assert (features["space group"], features["crystal system"]) == (225, 6)
    assert features["operations of the point group"] == 48


def test_the_choice_of_cell_changes_the_number_of_sites_only() -> None:
    conventional = salt()
    primitive = conventional.get_primitive_structure()
    doubled = conventional * (2, 1, 1)
    rows = structure_array([conventional, primitive, doubled])
    cell = [STRUCTURE_NAMES.index(name) for name in ("sites", "shortest lattice vector / longest")]
    assert rows[:, 0].tolist() == [8, 2, 16]
    others = np.delete(rows, cell, axis=1)
    assert np.allclose(others, others[0], atol=1e-6)


def test_thin_mixed_and_charged_structures_have_features() -> None:
    thin = Structure(Lattice.cubic(30), ["He"], [[0, 0, 0]])
    void = Structure(Lattice.cubic(500), ["He"], [[0, 0, 0]])
    mixed = Structure(Lattice.cubic(3), [{"Fe": 0.5, "Ni": 0.5}], [[0, 0, 0]])
    charged = Structure(Lattice.cubic(4), ["Cs+", "Cl-"], [[0, 0, 0], [0.5, 0.5, 0.5]])
    features = structure_array([thin, void, mixed, charged])
    assert np.isfinite(features).all()
    assert features[0, STRUCTURE_NAMES.index("nearest distance, mean")] == pytest.approx(30)
    assert structure_features().fit_transform([thin, mixed, charged]).shape == (3, len(STRUCTURE_NAMES) + 132)


def test_formulas_where_structures_belong_say_what_to_declare() -> None:
    with pytest.raises(ModelError, match='declare input = "structure"'):
        structure_array(["NaCl"])


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.filterwarnings("ignore")
def test_magpie_features_of_real_formulas_are_those_of_matminer(real_data: Path) -> None:
    rng = np.random.default_rng(0)
    formulas: list[str] = []
    for file in sorted((real_data / "matbench_v0.1" / "truth").glob("*.parquet")):
        column = pd.read_parquet(file, columns=["composition"])["composition"].to_numpy()
        formulas += rng.choice(column, size=60 if LONG else 10, replace=False).tolist()
    assert len(formulas) >= 13 * 10
    assert np.abs(compute_magpie(formulas) - matminer_features(formulas)).max() <= 1e-8
