"""A column of structures behaves like any other in pandas, and builds no structure too many."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymatgen.core import Lattice, Structure
from sklearn.model_selection import KFold, train_test_split

from matbench_lite.data.structure_array import StructureArray, StructureDtype
from matbench_lite.data.structures import StructureColumns, encode_structures
from matbench_lite.errors import DataMissingError

SYMBOLS = ["H", "Na", "Fe", "Si", "Po", "Ag"]


class CountingColumns(StructureColumns):
    """Remembers which rows were built."""

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self.built: list[int] = []

    def build(self, row: int) -> Structure:
        self.built.append(row)
        return super().build(row)


def plain(symbol: str, sites: int = 2) -> dict[str, Any]:
    made = Structure(Lattice.cubic(4), [symbol] * sites, [[i / sites, 0, 0] for i in range(sites)])
    return made.as_dict() | {"lattice": {"matrix": made.lattice.matrix.tolist()}}


def symbol(structure: Structure) -> str:
    return str(structure[0].specie)


def symbols(structures: Any) -> list[str]:
    return [symbol(one) for one in structures]


@pytest.fixture
def columns() -> CountingColumns:
    return CountingColumns(encode_structures([plain(one) for one in SYMBOLS]))


@pytest.fixture
def series(columns: CountingColumns) -> pd.Series:
    return pd.Series(StructureArray(columns), index=[f"mb-{i}" for i in range(6)], name="structure")


def test_one_structure_by_position_and_by_label(series: pd.Series, columns: CountingColumns) -> None:
    assert symbol(series.iloc[0]) == "H"
    assert symbol(series.iloc[-1]) == "Ag"
    assert symbol(series.loc["mb-2"]) == "Fe"
    assert symbol(series["mb-3"]) == "Si"
    assert columns.built == [0, 5, 2, 3]
    with pytest.raises(IndexError):
        series.iloc[6]


def test_selecting_builds_nothing(series: pd.Series, columns: CountingColumns) -> None:
    frame = series.to_frame().assign(y=range(6))
    parts = [
        series.iloc[[5, 0, 0]],
        series.iloc[-2:],
        series.loc[["mb-5", "mb-1"]],
        series[series.index > "mb-3"],
        series.iloc[np.array([True, False] * 3)],
        series.head(2),
        series.sort_index(ascending=False),
        series.reindex(["mb-1", "mb-0"]),
        series.sample(3, random_state=0),
        frame.head()["structure"],
        frame[frame.y > 2].structure,
        frame.sort_values("y", ascending=False).structure,
        frame.merge(pd.DataFrame({"y": [1, 4]}), on="y").structure,
        frame.copy().structure,
        pd.concat([series.iloc[:2], series.iloc[4:]]),
        pd.concat([frame, frame]).structure,
        series.dropna(),
        series.repeat(2),
    ]
    assert all(part.dtype == "structure" for part in parts)
    assert series.isna().sum() == 0
    # pandas 2 looks at the first value of each frame that it concatenates.
    assert columns.built in ([], [0, 0])
    assert [symbols(part) for part in parts[:4]] == [["Ag", "H", "H"], ["Po", "Ag"], ["Ag", "Na"], ["Po", "Ag"]]
    assert symbols(parts[14]) == ["H", "Na", "Po", "Ag"]


def test_iterating_builds_one_at_a_time(series: pd.Series, columns: CountingColumns) -> None:
    iterator = iter(series)
    assert symbol(next(iterator)) == "H"
    assert columns.built == [0]
    assert symbols(iterator) == SYMBOLS[1:]


@pytest.mark.parametrize("method", ["map", "apply"])
def test_a_function_over_all_structures(series: pd.Series, columns: CountingColumns, method: str) -> None:
    alive: list[int] = []
    result = getattr(series, method)(lambda one: alive.append(len(columns.built)) or one.volume)
    assert result.dtype == float
    assert result.index.equals(series.index)
    assert result.tolist() == pytest.approx([64.0] * 6)
    assert alive == [1, 2, 3, 4, 5, 6]
    assert getattr(series, method)(symbol).tolist() == SYMBOLS
    assert getattr(series, method)(len).dtype == int
    assert getattr(series, method)(lambda one: list(range(len(one)))).tolist() == [[0, 1]] * 6


def test_mapping_a_frame_by_rows(series: pd.Series) -> None:
    frame = series.to_frame().assign(factor=2.0)
    assert frame.apply(lambda row: row.structure.volume * row.factor, axis=1).tolist() == pytest.approx([128.0] * 6)


@pytest.mark.parametrize(
    "to_objects",
    [
        lambda series: np.asarray(series.array, dtype=object),
        lambda series: np.array(series.array),
        lambda series: series.to_numpy(),
        lambda series: series.astype(object).to_numpy(),
        lambda series: series.to_numpy(dtype=object),
        lambda series: series.values.astype(object),
    ],
)
def test_arrays_of_objects(series: pd.Series, to_objects: Any) -> None:
    built = to_objects(series)
    assert (type(built), built.dtype, built.shape) == (np.ndarray, object, (6,))
    assert symbols(built) == symbols(series.tolist()) == symbols(list(series)) == SYMBOLS


def test_scikit_learn_splits(series: pd.Series, columns: CountingColumns) -> None:
    y = np.arange(6)
    train, test, _, y_test = train_test_split(series, y, test_size=2, random_state=0)
    for _, rows in KFold(3).split(series):
        assert series.iloc[rows].dtype == "structure"
    assert columns.built == []
    assert symbols(test) == [SYMBOLS[i] for i in y_test]
    assert sorted(symbols(train) + symbols(test)) == sorted(SYMBOLS)


def test_pickling_ships_the_selected_rows_only() -> None:
    many = pd.Series(StructureArray(StructureColumns(encode_structures([plain("Si", 8)] * 500 + [plain("H")]))))
    few = pickle.dumps(many.iloc[[500, 3]])
    assert len(few) < len(pickle.dumps(many)) / 20
    assert symbols(pickle.loads(few)) == ["H", "Si"]
    assert symbols(copy.deepcopy(many.iloc[[500]])) == ["H"]


def test_other_processes_get_them(series: pd.Series, start: Callable[..., subprocess.Popen[str]]) -> None:
    with start("print([one.volume for one in part])", part=series.iloc[2:]) as process:
        out, errors = process.communicate()
    assert errors == ""
    assert json.loads(out) == pytest.approx([64.0] * 4)


def test_putting_together_columns_of_different_files() -> None:
    charged = plain("Fe") | {"charge": 0.5}
    magnetic = plain("Ni")
    for site in magnetic["sites"]:
        site["properties"] = {"magmom": 1.5}
    arrays = [StructureArray(StructureColumns(encode_structures([plain("H"), one]))) for one in (charged, magnetic)]
    joined = pd.concat([pd.Series(array).iloc[1:] for array in arrays], ignore_index=True)
    assert joined.dtype == "structure"
    assert symbols(joined) == ["Fe", "Ni"]
    assert joined[1].site_properties == {"magmom": [1.5, 1.5]}
    assert joined[0].site_properties == {}


def test_text_shows_formulas_and_builds_what_is_shown(columns: CountingColumns) -> None:
    many = StructureArray(columns, np.repeat(np.arange(6), 100))
    text = repr(pd.Series(many, name="structure"))
    assert "H2 (2 sites)" in text
    assert "lattice" not in text.lower()
    assert len(columns.built) <= 60
    columns.built.clear()
    assert "Ag (2 sites)" in repr(many)
    assert "Ag (2 sites)" in repr(pd.DataFrame({"s": many, "y": 1.0}))
    assert "Fe (2 sites)" in pd.DataFrame({"s": many[200:202]}).to_html()
    assert len(columns.built) <= 200
    assert "structure" in repr(StructureArray(columns)[:0])


@pytest.mark.parametrize(
    "operation",
    [
        lambda series: series.reindex(["mb-0", "nowhere"]),
        lambda series: pd.concat([series.to_frame(), pd.DataFrame({"y": [1.0]}, index=["nowhere"])], axis=1),
        lambda series: pd.DataFrame({"y": [1]}, index=["nowhere"]).join(series),
    ],
)
def test_a_structure_that_is_not_there_is_an_error(series: pd.Series, operation: Any) -> None:
    with pytest.raises(DataMissingError, match="no missing values"):
        operation(series)


def test_shifting_makes_no_missing_structure(series: pd.Series) -> None:
    with pytest.raises(TypeError, match="holds pymatgen Structure objects, got float"):
        series.shift(1)


def test_take_follows_pandas(columns: CountingColumns) -> None:
    array = StructureArray(columns)
    assert symbols(array.take([-1, 0])) == ["Ag", "H"]
    assert symbols(array.take([2, 1], allow_fill=True)) == ["Fe", "Na"]
    assert len(array[:0].take([])) == 0
    with pytest.raises(ValueError, match="start at -1"):
        array.take([-2], allow_fill=True)
    with pytest.raises(IndexError):
        array.take([6])
    with pytest.raises(IndexError, match="non-empty take"):
        array[:0].take([0])


def test_a_structure_cannot_be_put_in(series: pd.Series) -> None:
    with pytest.raises((NotImplementedError, TypeError)):
        series.array[0] = series.iloc[1]


def test_changing_a_structure_changes_nothing_here(series: pd.Series) -> None:
    series.iloc[0].replace_species({"H": "He"})
    assert symbol(series.iloc[0]) == "H"


def test_a_copy_is_independent_of_row_numbers(columns: CountingColumns) -> None:
    array = StructureArray(columns)
    copied = array.copy()
    assert copied is not array
    assert symbols(copied) == SYMBOLS
    assert array.nbytes >= columns.nbytes


def test_structures_made_elsewhere_become_a_column(series: pd.Series) -> None:
    made = pd.Series(series.tolist(), dtype="structure")
    assert isinstance(made.dtype, StructureDtype)
    assert made.array.equals(series.array)
    assert series.astype(object).astype("structure").array.equals(series.array)
    assert len(pd.Series([], dtype="structure")) == 0
    with pytest.raises(TypeError, match="got str"):
        pd.Series(["Fe"], dtype="structure")


def test_comparing(series: pd.Series) -> None:
    assert (series == series.iloc[1]).tolist() == [False, True, False, False, False, False]
    assert (series == series.copy()).all()
    assert series.equals(series.copy())
    assert not series.equals(series.iloc[::-1])


def test_an_array_is_always_built_anew(series: pd.Series) -> None:
    with pytest.raises(ValueError, match="always a copy"):
        np.array(series.array, copy=False)
    with pytest.raises((TypeError, ValueError)):
        np.asarray(series.array, dtype=float)
