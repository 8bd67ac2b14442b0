"""Reduced formulas from columns and from strings are those of pymatgen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymatgen.core import Composition, Structure

from matbench_lite.data import SYMBOLS
from matbench_lite.data.chemistry import reduced_formulas, reduced_formulas_of_strings
from matbench_lite.data.structures import encode_structures
from matbench_lite.errors import DataFormatError

pytestmark = pytest.mark.filterwarnings("ignore:No Pauling electronegativity")


def structure(*sites: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "lattice": {"matrix": [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]},
        "sites": [{"species": species, "abc": [0.0, 0.0, 0.0]} for species in sites],
    }


def ordered(*symbols: str) -> dict[str, Any]:
    return structure(*[[{"element": symbol, "occu": 1}] for symbol in symbols])


few_elements = st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=4, unique=True)
site_lists = few_elements.flatmap(lambda some: st.lists(st.sampled_from(some), min_size=1, max_size=24))


@given(st.lists(site_lists, max_size=5))
def test_ordered_structures(rows: list[list[str]]) -> None:
    structures = [ordered(*row) for row in rows]
    expected = [Structure.from_dict(one).composition.reduced_formula for one in structures]
    assert reduced_formulas(encode_structures(structures)) == expected


def test_peroxides_and_molecules_are_not_reduced_too_far() -> None:
    table = encode_structures([ordered("Li", "O"), ordered(*["Li", "O"] * 4), ordered("O"), ordered("Ar", "He", "Ne")])
    assert reduced_formulas(table)[:3] == ["Li2O2", "Li2O2", "O2"]


def test_structures_kept_whole() -> None:
    structures = [
        ordered("Na", "Cl"),
        structure([{"element": "Fe", "occu": 0.5}, {"element": "Ni", "occu": 0.5}], [{"element": "O", "occu": 1}]),
        ordered("Na", "Cl", "Cl", "Na"),
        structure([{"element": "Fe", "oxidation_state": 2, "occu": 1}]),
    ]
    expected = [Structure.from_dict(one).composition.reduced_formula for one in structures]
    assert reduced_formulas(encode_structures(structures)) == expected


def test_part_of_a_table() -> None:
    table = encode_structures([ordered("Na", "Cl"), ordered("Si"), ordered("Ga", "As")])
    assert reduced_formulas(table.slice(1)) == ["Si", "GaAs"]
    assert reduced_formulas(table.slice(0, 0)) == []


def test_strings() -> None:
    texts = ["Fe4O6", "Fe0.620C0.000953Mn0.000521", "(NH4)2SO4", "Fe4O6", "Al70Ni30"]
    assert reduced_formulas_of_strings(texts) == [Composition(text).reduced_formula for text in texts]


amounts = st.sampled_from(["", "0.25", "1.0", "1e2", "007"]) | st.integers(1, 30).map(str)
terms = st.builds("{}{}{}".format, st.sampled_from(SYMBOLS[:20]), amounts, st.sampled_from(["", " "]))


@given(st.lists(st.lists(terms, min_size=1, max_size=4).map("".join), max_size=5))
def test_any_string(texts: list[str]) -> None:
    assert reduced_formulas_of_strings(texts) == [Composition(text).reduced_formula for text in texts]


@pytest.mark.parametrize("wrong", ["", "  ", "Fe0", "iron", "Fe2O3!", "Xx2", "Fe-2", "(Fe", None, 5, ["Fe"], {"Fe": 1}])
def test_a_string_that_is_no_formula_is_named(wrong: Any) -> None:
    with pytest.raises(DataFormatError, match=r"row 2: .* is not a chemical formula") as raised:
        reduced_formulas_of_strings(["NaCl", "Si", wrong])
    assert repr(wrong) in str(raised.value)
