"""Original files come in whole and in order, or with a message that says what is wrong."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymatgen.core import Structure

from matbench_lite.data import original as module
from matbench_lite.data.original import SplitJsonFile, read_original
from matbench_lite.data.structures import StructureColumns
from matbench_lite.errors import DataFormatError, DataMissingError

NACL = {
    "@module": "pymatgen.core.structure",
    "@class": "Structure",
    "charge": None,
    "lattice": {"matrix": [[3.0, 0.0, 0.5], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]},
    "sites": [
        {"species": [{"element": "Na", "occu": 1}], "abc": [0.0, 0.0, 0.0], "label": "Na", "properties": {}},
        {"species": [{"element": "Cl", "occu": 1}], "abc": [0.5, 0.5, 0.5], "label": "Cl[1", "properties": {}},
    ],
}


def split(columns: list[str], rows: list[list[Any]], **more: Any) -> dict[str, Any]:
    return {"index": list(range(len(rows))), "columns": columns, "data": rows} | more


def write(path: Path, content: Any) -> Path:
    """Write text, bytes or a table to a file; gzipped if it is named so."""
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read_all(path: Path) -> list[list[Any]]:
    with SplitJsonFile(path) as file:
        return [row for batch in file.batches() for row in batch]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", 100)
    monkeypatch.setattr(module, "_LARGEST", 10_000)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["s.json", "s.json.gz"])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("keys", [["index", "columns", "data"], ["columns", "index", "data"], ["columns", "data"]])
def test_structures(tmp_path: Path, name: str, indent: int | None, keys: list[str]) -> None:
    disordered = json.loads(json.dumps(NACL))
    disordered["sites"][0]["species"][0]["occu"] = 0.5
    magnetic = json.loads(json.dumps(NACL))
    for site in magnetic["sites"]:
        site["properties"] = {"magmom": 0.5}
    structures = [NACL, magnetic, disordered] * 5
    content = split(["structure", "e_form"], [[one, float(i)] for i, one in enumerate(structures)])
    path = write(tmp_path / name, json.dumps({key: content[key] for key in keys}, indent=indent))

    read: list[int] = []
    original = read_original(path, input_kind="structure", on_bytes=read.append)

    assert original.columns == ("structure", "e_form")
    assert original.targets.tolist() == list(range(15))
    assert original.formulas == ["NaCl", "NaCl", "Na0.5Cl1"] * 5
    assert original.compositions is None
    assert original.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert sum(read) == path.stat().st_size
    columns = StructureColumns(original.structures)
    for row, one in enumerate(structures):
        assert columns.build(row).as_dict() == Structure.from_dict(json.loads(json.dumps(one))).as_dict()


def test_targets_only_keeps_formulas(tmp_path: Path) -> None:
    path = write(tmp_path / "s.json.gz", split(["structure", "e_form"], [[NACL, 1.0]]))
    original = read_original(path, input_kind="structure", targets_only=True)
    assert (original.structures, original.formulas, original.targets.tolist()) == (None, ["NaCl"], [1.0])
    path = write(tmp_path / "c.json.gz", split(["composition", "gap"], [["Na2Cl2", 1]]))
    original = read_original(path, input_kind="composition", targets_only=True)
    assert (original.compositions, original.formulas, original.targets.tolist()) == (None, ["NaCl"], [1.0])


def test_compositions_and_classes(tmp_path: Path) -> None:
    path = write(tmp_path / "c.json", split(["composition", "is_metal"], [["Na2Cl2", False], ["Fe", True]]))
    original = read_original(path, input_kind="composition")
    assert original.compositions == ["Na2Cl2", "Fe"]
    assert original.formulas == ["NaCl", "Fe"]
    assert original.targets.dtype == np.bool_
    assert original.targets.tolist() == [False, True]
    assert original.structures is None


def test_the_target_may_come_first_or_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "c.json", split(["gap", "composition", "note"], [[1.5, "NaCl", "[x"], [2, "Si", "]"]]))
    assert read_original(path, input_kind="composition", target="gap").targets.tolist() == [1.5, 2.0]
    with pytest.raises(DataFormatError, match=r"'composition' and one other column, found \['gap'"):
        read_original(path, input_kind="composition")
    with pytest.raises(DataFormatError, match="'composition' and 'e_form'"):
        read_original(path, input_kind="composition", target="e_form")
    with pytest.raises(DataFormatError, match="'structure' and 'gap'"):
        read_original(path, input_kind="structure", target="gap")


def test_a_file_without_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "c.json", split(["structure", "gap"], []))
    original = read_original(path, input_kind="structure")
    assert (len(original.targets), original.formulas, original.structures.num_rows) == (0, [], 0)


HEAD = '{"index": [0, 1], "columns": ["composition", "y"], "data": '
DAMAGED = {
    "nothing": ("", 'no "data" list'),
    "something else": ("mbid,target\n1,2\n", 'no "data" list'),
    "a list": ("[1, 2]", 'no "data" list'),
    "rows without end": (HEAD + '[["Fe", 1.0], ["Si", 2.0]', "cut off"),
    "text without end": (HEAD + '[["Fe", 1.0], ["Si", 2.0]]', "cut off"),
    "row without end": (HEAD + '[["Fe", 1.0], ["Si"', "cut off"),
    "something after": (HEAD + '[["Fe", 1.0], ["Si", 2.0]]} and more', "goes on after the data"),
    "brackets after": (HEAD + '[["Fe", 1.0], ["Si", 2.0]]}]}', "not JSON in row"),
    "key after": (HEAD + '[["Fe", 1.0], ["Si", 2.0]], "x": [[1], [2]]}', "not JSON in row"),
    "bad value": (HEAD + '[["Fe", 1.0], ["Si", oops]]}', "not JSON in row"),
    "missing comma": (HEAD + '[["Fe", 1.0] ["Si", 2.0]]}', "not JSON in row"),
    "not a number": (HEAD + '[["Fe", NaN], ["Si", 2.0]]}', "not JSON in row"),
    "not UTF-8": (HEAD.encode() + b'[["Fe", 1.0], ["Si\xff", 2.0]]}', "not JSON in row"),
    "no columns": ('{"index": [0], "data": [["Fe", 1.0]]}', "columns are not named before"),
    "columns after": (
        '{"index": [0], "data": [["Fe", 1.0]], "columns": ["composition", "y"]}',
        "columns are not named",
    ),
    "columns of numbers": ('{"columns": [1, 2], "data": [["Fe", 1.0]]}', "not a list of names"),
    "index of one": ('{"index": 5, "columns": ["composition", "y"], "data": []}', "index is not a list"),
    "bad header": ('{"columns": ["composition", "y"] "data": [["Fe", 1.0]]}', "not JSON before the data"),
    "nested": ('{"a": {"columns": ["composition", "y"], "data": [["Fe", 1.0]]}}', "not JSON before the data"),
    "short row": (HEAD + '[["Fe", 1.0], ["Si"]]}', r"row 1 does not have a value for each of .*: \['Si'\]"),
    "long row": (HEAD + '[["Fe", 1.0], ["Si", 1.0, 2.0]]}', "row 1 does not have"),
    "row that is none": (HEAD + '[["Fe", 1.0], "Si"]}', "row 1 does not have"),
    "too few rows": (HEAD + '[["Fe", 1.0]]}', "2 index values for 1 rows"),
    "no target": (HEAD + '[["Fe", 1.0], ["Si", null]]}', "target 'y' of row 1 is None"),
    "target as text": (HEAD + '[["Fe", "1.0"], ["Si", 2.0]]}', "target 'y' of row 0 is '1.0'"),
    "mixed targets": (HEAD + '[["Fe", 1.0], ["Si", true]]}', "target 'y' of row 1 is True, not a finite number"),
    "no class": (HEAD + '[["Fe", true], ["Si", null]]}', "target 'y' of row 1 is None, not true or false"),
    "class as number": (HEAD + '[["Fe", true], ["Si", 1]]}', "target 'y' of row 1 is 1, not true or false"),
    "not a formula": (HEAD + '[["Fe", 1.0], ["silicon!", 2.0]]}', "row 1: 'silicon!'"),
    "no formula": (HEAD + '[["Fe", 1.0], [null, 2.0]]}', "row 1: None"),
}


@pytest.mark.parametrize("pieces", ["large", "small"])
@pytest.mark.parametrize("name", ["c.json", "c.json.gz"])
@pytest.mark.parametrize(("content", "message"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: Any, message: str, pieces: str
) -> None:
    if pieces == "small":
        monkeypatch.setattr(module, "_PIECE", 7)
    path = write(tmp_path / name, content)
    with pytest.raises(DataFormatError, match=message) as raised:
        read_original(path, input_kind="composition")
    assert str(raised.value).startswith(f"{path}: ")


def test_a_malformed_structure_is_named_by_its_row(tmp_path: Path) -> None:
    path = write(tmp_path / "s.json", split(["structure", "y"], [[NACL, 1.0], [{"sites": []}, 2.0]]))
    with pytest.raises(DataFormatError, match="structure 1 is malformed"):
        read_original(path, input_kind="structure")


@pytest.mark.usefixtures("small_pieces")
def test_rows_are_numbered_through_all_pieces(tmp_path: Path) -> None:
    rows = [[NACL, 1.0]] * 20 + [[{"sites": []}, 2.0]] + [[NACL, 1.0]] * 20
    path = write(tmp_path / "s.json", split(["structure", "y"], rows))
    with pytest.raises(DataFormatError, match="structure 20 is malformed"):
        read_original(path, input_kind="structure")
    text = json.dumps(split(["structure", "y"], [[NACL, 1.0]] * 40))
    spoilt = text.index('"Cl"', len(text) // 2)
    path = write(tmp_path / "s.json", text[:spoilt] + "?" + text[spoilt + 1 :])
    with pytest.raises(DataFormatError, match=f"at {spoilt} of the text"):
        read_original(path, input_kind="structure")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match="does not exist"):
        read_original(tmp_path / "none.json", input_kind="composition")
    with pytest.raises(DataFormatError, match="cannot be read"):
        read_original(tmp_path, input_kind="composition")


@pytest.mark.usefixtures("small_pieces")
def test_damaged_gzip(tmp_path: Path) -> None:
    content = split(["composition", "y"], [["Fe", float(i)] for i in range(500)])
    whole = gzip.compress(json.dumps(content).encode())
    path = tmp_path / "c.json.gz"
    for damaged in (whole[:-1], whole[:-9], whole[: len(whole) // 2], whole[:15]):
        path.write_bytes(damaged)
        with pytest.raises(DataFormatError, match="cut off"):
            read_original(path, input_kind="composition")
    for damaged in (whole[:-8] + b"\0\0\0\0" + whole[-4:], whole + b"more", b"\x1f\x8b\x00" + whole[3:]):
        path.write_bytes(damaged)
        with pytest.raises(DataFormatError, match="cannot be decompressed"):
            read_original(path, input_kind="composition")
    path.write_bytes(whole + b"\0" * 1000)
    original = read_original(path, input_kind="composition")
    assert original.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    halves = json.dumps(content).encode()
    path.write_bytes(gzip.compress(halves[:999]) + gzip.compress(halves[999:]))
    assert read_original(path, input_kind="composition").compositions == ["Fe"] * 500


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("filler", [" ", "[", "]", "],[", '"', "1,", '["a",1],[[', '["a",'])
def test_memory_stays_bounded_whatever_comes(tmp_path: Path, filler: str) -> None:
    bomb = (HEAD + '[["Fe", 1.0], ' + filler * (20_000_000 // len(filler))).encode()
    path = write(tmp_path / "c.json.gz", bomb)
    del bomb
    tracemalloc.start()
    try:
        with pytest.raises(DataFormatError, match=r"no end of row|not JSON"):
            read_original(path, input_kind="composition")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_row_larger_than_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", 10)
    rows = [["a" * 5000, 1], ["b", 2], [[[]] * 3000, 3], ["c", 4]]
    assert read_all(write(tmp_path / "t.json", split(["x", "y"], rows))) == rows


@pytest.mark.parametrize("shift", range(4))
def test_pieces_that_always_end_at_the_same_place_in_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int
) -> None:
    monkeypatch.setattr(module, "_PIECE", 8)
    monkeypatch.setattr(module, "_LARGEST", 64)
    text = '{"columns":["x"],"data":[' + " " * shift + ",".join(["[1]"] * 100) + "]}"
    assert read_all(write(tmp_path / "t.json", text)) == [[1]] * 100


def test_a_pipe_is_read_too() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as stream:
        stream.write(b'{"columns": ["x"], "data": [[1], [2]]}')
    path = Path(f"/dev/fd/{reader}")
    if path.exists():
        assert read_all(path) == [[1], [2]]
    os.close(reader)


tricky = st.text(st.sampled_from('[]{},:"\\ab ]\u2028é'), max_size=8)
leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | tricky
cells = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(tricky, inner, max_size=3))
tables = st.integers(1, 3).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), max_size=12))
layouts = st.sampled_from([{"indent": 1}, {"separators": (",", ":")}, {"separators": (" , ", " : ")}, {}])


@given(rows=tables, layout=layouts, piece=st.integers(1, 60), ascii_only=st.booleans())
def test_any_table_comes_back_whatever_is_in_its_cells(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[Any]], layout: Any, piece: int, ascii_only: bool
) -> None:
    content = split(["data", "b", '"data": ['][: len(rows[0]) if rows else 1], rows)
    path = tmp_path_factory.getbasetemp() / "any.json"
    write(path, json.dumps(content, ensure_ascii=ascii_only, **layout))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PIECE", piece)
        assert read_all(path) == rows
