"""Whatever structure goes into the columns comes out again."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from monty.json import MontyEncoder
from pymatgen.core import Element, Lattice, Species, Structure

from matbench_lite.data import ATOMIC_NUMBERS, SYMBOLS
from matbench_lite.data.parquet import read_columns
from matbench_lite.data.structures import StructureColumns, encode_structures, write_structures
from matbench_lite.errors import DataFormatError

pytestmark = [
    # What pymatgen itself says of the odd structures made here.
    pytest.mark.filterwarnings("ignore:Structure charge"),
    pytest.mark.filterwarnings("ignore:Not all sites have property"),
    pytest.mark.filterwarnings("ignore:No Pauling electronegativity"),
]


def site(element: str = "Na", abc: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"species": [{"element": element, "occu": 1}], "abc": abc or [0.0, 0.25, 1.5], "label": element} | more


def structure(*sites: dict[str, Any], **more: Any) -> dict[str, Any]:
    matrix = [[4.1, 0.0, -1.5], [-0.5, 4.0, -1.5], [0.0, -0.1, 6.3]]
    return {
        "@module": "pymatgen.core.structure",
        "@class": "Structure",
        "charge": None,
        "lattice": {"matrix": matrix, "a": 4.4, "volume": 105.4},
        "sites": list(sites) or [site("Na"), site("Cl", [0.5, 0.5, 0.5])],
    } | more


def exact(built: Structure) -> str:
    """`as_dict()` as text, in which 1 and 1.0 differ; full occupancy and no charge may be written either way."""
    content = built.as_dict()
    content["charge"] = content["charge"] or 0.0
    for one in content["sites"]:
        for specie in one["species"]:
            specie["occu"] = float(specie["occu"])
    return json.dumps(content, cls=MontyEncoder, sort_keys=True)


def assert_comes_back(original: dict[str, Any]) -> None:
    table = encode_structures([copy.deepcopy(original)])
    assert exact(StructureColumns(table).build(0)) == exact(Structure.from_dict(copy.deepcopy(original)))


PLAIN = {
    "no properties": structure(),
    "no labels": structure({"species": [{"element": "Po", "occu": 1.0}], "abc": [0, 0, 0]}),
    "other labels": structure(site("Te", label="Te1"), site("O")),
    "empty label": structure(site("Te", label="")),
    "magnetic moments": structure(site(properties={"magmom": 0.6}), site("Fe", properties={"magmom": -0.0})),
    "moment that is not a number": structure(site(properties={"magmom": float("nan")})),
    "velocities": structure(*[site(properties={"velocities": [0.0, float(i), -1e-300]}) for i in range(4)]),
    "vectors on a single site": structure(site(properties={"force": [1.0, 2.0, 3.0]})),
    "numbers on three sites": structure(*[site(properties={"force": float(i)}) for i in range(3)]),
    "periodic by name": structure(lattice={"matrix": [[3, 0, 0], [0, 3, 0], [0, 0, 3]], "pbc": [True, True, True]}),
    "charge": structure(charge=1.5),
    "zero charge": structure(charge=0),
    "empty properties": structure(site(properties=None), properties={}),
    "every element": structure(*[site(symbol) for symbol in SYMBOLS]),
}
WHOLE = {
    "oxidation state": structure(site(species=[{"element": "Fe", "oxidation_state": 2.0, "occu": 1}])),
    "unknown oxidation state": structure(site(species=[{"element": "Fe", "oxidation_state": None, "occu": 1}])),
    "spin": structure(site(species=[{"element": "Fe", "oxidation_state": 2, "spin": 5, "occu": 1}])),
    "dummy species": structure(site(species=[{"element": "X", "oxidation_state": 0, "occu": 1}])),
    "disorder": structure(site(species=[{"element": "Fe", "occu": 0.4}, {"element": "Ni", "occu": 0.6}])),
    "partial occupancy": structure(site(species=[{"element": "Fe", "occu": 0.5}])),
    "vacant site": structure(site(species=[])),
    "isotope": structure(site("D")),
    "slab": structure(lattice={"matrix": [[3, 0, 0], [0, 3, 0], [0, 0, 30]], "pbc": [True, True, False]}),
    "lattice by parameters": structure(lattice={"a": 3, "b": 4, "c": 5, "alpha": 90, "beta": 91, "gamma": 92}),
    "flat lattice": structure(lattice={"matrix": [3, 0, 0, 0, 3, 0, 0, 0, 3]}),
    "structure properties": structure(properties={"source": "a paper", "ids": [1, 2.0]}),
    "whole charge": structure(charge=1),
    "integer property": structure(site(properties={"coordination": 4})),
    "integers and floats": structure(site(properties={"q": 4}), site(properties={"q": 4.0})),
    "text property": structure(site(properties={"wyckoff": "a"})),
    "truth values": structure(site(properties={"selective_dynamics": [True, False, True]})),
    "vector of integers": structure(site(properties={"velocities": [0, 0, 0]})),
    "vector of two": structure(site(properties={"v": [0.0, 1.0]})),
    "numbers and vectors": structure(site(properties={"v": 1.0}), site(properties={"v": [0.0, 1.0, 2.0]})),
    "tensor": structure(site(properties={"t": [[1.0, 2.0, 3.0]] * 3})),
    "property on some sites": structure(site(properties={"magmom": 1.0}), site()),
    "property on later sites": structure(site(), site(properties={"magmom": 1.0})),
    "property of nothing": structure(site(properties={"magmom": None})),
    "nested property": structure(site(properties={"p": {"a": [1, 2.5], "b": None}})),
    "numpy property": structure(
        site(properties={"f": {"@module": "numpy", "@class": "array", "dtype": "float64", "data": [1.0]}})
    ),
    "label that is no text": structure(site(label=5)),
    "label outside ASCII": structure(site(label="Na′")),
    "half a character": structure(site(label="\ud800", properties={"\ud800": 1.0})),
    "not a number in it": structure(site("D", properties={"magmom": float("nan")})),
    "number too large to be one": structure(site(abc=[10**30, 0, 0], properties={"n": 10**30})),
}


@pytest.mark.parametrize("original", PLAIN.values(), ids=PLAIN)
def test_plain_structures_fit_into_columns(original: dict[str, Any]) -> None:
    assert encode_structures([original])["rest"].null_count == 1
    assert_comes_back(original)


@pytest.mark.parametrize("original", WHOLE.values(), ids=WHOLE)
def test_odd_structures_are_kept_whole(original: dict[str, Any]) -> None:
    table = encode_structures([original])
    assert table["rest"].null_count == 0
    assert table["species"].null_count == 1
    assert_comes_back(original)


def test_a_mixed_table_survives_parquet_and_selection(tmp_path: Path) -> None:
    originals = [*PLAIN.values(), *WHOLE.values()]
    write_structures(encode_structures(originals), tmp_path / "s.parquet")
    columns = StructureColumns(read_columns((tmp_path / "s.parquet").read_bytes()))
    wanted = [exact(Structure.from_dict(copy.deepcopy(original))) for original in originals]
    assert [exact(columns.build(row)) for row in range(len(columns))] == wanted
    rows = list(range(len(columns)))[::-2]
    taken = pickle.loads(pickle.dumps(columns.take(rows)))
    assert [exact(taken.build(row)) for row in range(len(rows))] == [wanted[row] for row in rows]


def test_tables_with_different_properties_concatenate() -> None:
    batches = [[PLAIN["magnetic moments"]], [PLAIN["velocities"]], [], [WHOLE["disorder"], PLAIN["charge"]]]
    table = pa.concat_tables([encode_structures(batch) for batch in batches], promote_options="default")
    assert table.column_names[-2:] == ["site:magmom", "site:velocities"]
    columns = StructureColumns(table)
    for row, original in enumerate(chain.from_iterable(batches)):
        assert exact(columns.build(row)) == exact(Structure.from_dict(copy.deepcopy(original)))


def test_columns_hold_what_their_names_say() -> None:
    row = encode_structures([structure(site("Na", properties={"magmom": 0.6}), charge=-1.0)]).to_pylist()[0]
    assert row == {
        "lattice": [4.1, 0.0, -1.5, -0.5, 4.0, -1.5, 0.0, -0.1, 6.3],
        "species": [11],
        "abc": [0.0, 0.25, 1.5],
        "label": None,
        "charge": -1.0,
        "rest": None,
        "site:magmom": [0.6],
    }


def test_encoding_leaves_the_dicts_as_they_were() -> None:
    originals = [*PLAIN.values(), *WHOLE.values()]
    before = repr(originals)
    encode_structures(originals)
    assert repr(originals) == before


def test_every_build_is_a_new_object() -> None:
    columns = StructureColumns(encode_structures([PLAIN["velocities"]]))
    changed = columns.build(0)
    before = exact(changed)
    changed.replace_species({"Na": "K"})
    changed.translate_sites([0], [0.1, 0.1, 0.1])
    changed[1].properties["velocities"][0] = 9.0
    changed.lattice = Lattice.cubic(3)
    changed.remove_sites([2])
    assert exact(columns.build(0)) == before


def test_a_label_stays_when_the_species_is_replaced_as_it_does_in_pymatgen() -> None:
    built, reference = StructureColumns(encode_structures([structure()])).build(0), Structure.from_dict(structure())
    for one in (built, reference):
        one[0].species = "K"
    assert built.labels == reference.labels == ["Na", "Cl"]


@pytest.mark.filterwarnings("error")
def test_building_is_silent_about_what_the_file_is_like() -> None:
    odd = structure(site("He", properties={"magmom": 1.0}), site(species=[{"element": "Ar", "occu": 0.5}]))
    assert len(StructureColumns(encode_structures([odd])).build(0)) == 2


def test_a_file_of_nonsense_does_not_make_a_column_per_name() -> None:
    originals = [structure(site(properties={f"p{number}": 1.0})) for number in range(200)]
    table = encode_structures(originals)
    assert len(table.column_names) < 50
    assert exact(StructureColumns(table).build(199)) == exact(Structure.from_dict(originals[199]))


MALFORMED = {
    "it is a list": ([], "it is a list, not a dict"),
    "no sites": (structure(sites=[]), "at least 1 site"),
    "no lattice": ({"sites": [site()]}, "'lattice' is missing"),
    "no key for sites": ({"lattice": {}}, "'sites' is missing"),
    "no coordinates": (structure({"species": [{"element": "Na", "occu": 1}]}), "'abc' is missing"),
    "two coordinates": (structure(site(abc=[0.0, 0.5])), "not xyz-shaped"),
    "coordinate that is missing": (structure(site(abc=[0.0, 0.5, None])), "not a finite number"),
    "coordinate that is not a number": (structure(site(abc=[0.0, 0.5, float("nan")])), "not a finite number"),
    "infinite lattice": (structure(lattice={"matrix": [[float("inf"), 0, 0]] * 3}), "not a finite number"),
    "no such element": (structure(site("Qq")), "not a valid Element"),
    "too full a site": (structure(site(species=[{"element": "Na", "occu": 2}])), "more than 1"),
    "lattice of eight": (structure(lattice={"matrix": [1, 2, 3, 4, 5, 6, 7, 8]}), "reshape"),
    "not JSON": (structure(site(properties={"a": {1, 2}})), "not plain JSON"),
}


@pytest.mark.parametrize(("malformed", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_dicts_are_named(malformed: Any, message: str) -> None:
    with pytest.raises(DataFormatError, match=message) as raised:
        encode_structures([structure(), structure(), malformed], first_row=100)
    assert "structure 102" in str(raised.value)


@pytest.mark.parametrize("kind", ["@class", "@callable"])
def test_a_property_cannot_make_python_import_something(kind: str) -> None:
    hostile = structure(site(properties={"a": [{"b": {"@module": "this", kind: "s"}}]}))
    with pytest.raises(DataFormatError, match=r"names the Python object this\.s"):
        encode_structures([hostile])
    table = encode_structures([WHOLE["disorder"]])
    table = table.set_column(table.column_names.index("rest"), "rest", pa.array([json.dumps(hostile)]))
    with pytest.raises(DataFormatError, match="not data"):
        StructureColumns(table).build(0)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("species", pa.array([[11, 0]], pa.list_(pa.uint8()))),
        ("species", pa.array([[11, 119]], pa.list_(pa.uint8()))),
        ("species", pa.array([[11]], pa.list_(pa.uint8()))),
        ("species", pa.array([[11, 17]], pa.list_(pa.int64()))),
        ("lattice", pa.array([None], pa.list_(pa.float64(), 9))),
        ("rest", pa.array(["{}"])),
    ],
)
def test_a_damaged_table_is_refused(column: str, values: pa.Array) -> None:
    table = encode_structures([structure()])
    damaged = table.set_column(table.column_names.index(column), column, values)
    with pytest.raises(DataFormatError, match="table of structures"):
        StructureColumns(damaged)


def test_a_damaged_property_is_refused() -> None:
    table = encode_structures([structure()]).append_column("site:magmom", pa.array([[1.0, 2.0, 3.0, 4.0]]))
    with pytest.raises(DataFormatError, match="4 values of 'magmom'"):
        StructureColumns(table).build(0)


def test_symbols_are_those_of_pymatgen() -> None:
    assert {element.symbol: element.Z for element in Element} == ATOMIC_NUMBERS


numbers = st.floats(-20, 20)
elements = st.sampled_from(
    [*(Element(symbol) for symbol in SYMBOLS), Element("D"), Species("Fe", 2), Species("O", -2.0)]
)
species = elements | st.dictionaries(elements, st.floats(0.01, 0.3), min_size=1, max_size=3)
values = (
    numbers
    | st.integers(-5, 5)
    | st.booleans()
    | st.none()
    | st.text(max_size=3)
    | st.lists(numbers, min_size=3, max_size=3)
    | st.lists(st.booleans() | st.integers(0, 2), max_size=4)
)


@st.composite
def structures(draw: st.DrawFn) -> Structure:
    """Any structure that pymatgen can make: often a plain one, sometimes with several odd things at once."""
    size = draw(st.integers(1, 5))
    odd = draw(st.booleans())
    kinds = [values] if odd else [numbers, st.lists(numbers, min_size=3, max_size=3)]
    properties = {
        name: draw(st.lists(kind, min_size=size, max_size=size))
        for name in draw(st.lists(st.sampled_from(["magmom", "forces", "q", "a.b", ""]), unique=True, max_size=3))
        for kind in [draw(st.sampled_from(kinds))]
    }
    return Structure(
        Lattice(
            [draw(st.floats(2, 20) if i % 4 == 0 else st.floats(-0.9, 0.9)) for i in range(9)],
            pbc=draw(st.tuples(*[st.booleans()] * 3)) if odd else (True, True, True),
        ),
        draw(st.lists(species if odd else st.sampled_from(SYMBOLS), min_size=size, max_size=size)),
        draw(st.lists(st.tuples(*[numbers] * 3), min_size=size, max_size=size)),
        charge=draw(st.none() | numbers | st.integers(-2, 2)),
        site_properties=properties,
        labels=draw(st.none() | st.lists(st.none() | st.text(max_size=4), min_size=size, max_size=size)),
        properties=draw(st.dictionaries(st.text(max_size=3), values, max_size=2)) if odd else None,
    )


@given(made=st.lists(structures(), max_size=4))
def test_any_structure_comes_back_equal(made: list[Structure]) -> None:
    originals = [json.loads(one.to_json()) for one in made]
    columns = StructureColumns(encode_structures(originals))
    assert len(columns) == len(originals)
    for row, original in enumerate(originals):
        assert exact(columns.build(row)) == exact(Structure.from_dict(original))
