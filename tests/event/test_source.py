from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import DataFormatError, EventError
from matbench_lite.event import benchmark_source, table_source


def write(path: Path, **columns: object) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


FORMULAS = ["NaCl", "Fe2O3", "SiO2", "MgO"]


def test_a_table_without_ids_is_numbered_at_random(tmp_path: Path) -> None:
    formulas = [f"Na{i}Cl{i + 1}" for i in range(1, 200)]
    file = write(tmp_path / "my.csv", formula=formulas, y=np.arange(199.0))  # sorted by what is to be predicted
    source = table_source(file, target="y", input="composition")
    numbers = source.frame["id"].str.removeprefix("row-").astype(int).to_numpy()
    assert sorted(numbers) == list(range(1, 200))
    assert abs(np.corrcoef(numbers, source.frame["target"])[0, 1]) < 0.4
    assert source.task.kind == "regression"
    assert not source.already_public


def test_ids_and_column_names_are_the_organisers(tmp_path: Path) -> None:
    file = write(tmp_path / "my.csv", sample=["007", "008", "009", "010"], what=FORMULAS, y=[True, False, True, True])
    source = table_source(file, target="y", input="composition", column="what", id="sample")
    assert source.frame["id"].tolist() == ["007", "008", "009", "010"]
    assert source.task.kind == "classification"
    assert source.kin == ("NaCl", "Fe2O3", "SiO2", "MgO")


def test_targets_keep_every_digit(tmp_path: Path) -> None:
    texts = ["9.925434121760651", "0.1", "1e-17", "123456789.123456789"]  # the first is off by one digit in pandas' way
    for id in (None, "name"):
        file = write(tmp_path / "my.csv", name=["a", "b", "c", "d"], formula=FORMULAS, y=texts)
        source = table_source(file, target="y", input="composition", id=id)
        assert source.frame["target"].tolist() == [float(text) for text in texts]


def test_structures_go_in_as_text_and_come_out_as_json(tmp_path: Path) -> None:
    bench = load_benchmark("mini")
    source = benchmark_source(bench, bench["mini_e_form"])
    frame = source.frame.head(5)
    frame.to_parquet(tmp_path / "my.parquet")
    again = table_source(tmp_path / "my.parquet", target="target", input="structure", id="id")
    assert again.frame["structure"].tolist() == frame["structure"].tolist()
    assert source.already_public


def test_zeros_and_ones_need_a_word(tmp_path: Path) -> None:
    file = write(tmp_path / "my.csv", formula=FORMULAS, y=[0, 1, 0, 1])
    with pytest.raises(EventError, match=r"a class, or a number.*--kind"):
        table_source(file, target="y", input="composition")
    assert table_source(file, target="y", input="composition", kind="classification").task.kind == "classification"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"formula": FORMULAS, "z": [1.0, 2, 3, 4]}, "has no column 'y'"),
        ({"wrong": FORMULAS, "y": [1.0, 2, 3, 4]}, "has no column 'composition'"),
        ({"formula": [*FORMULAS[:3], "Xx9"], "y": [1.5, 2, 3, 4]}, "Xx9"),
        ({"formula": FORMULAS, "y": ["1.5", "2", "three", "4"]}, "row 2 is 'three'"),
        ({"formula": FORMULAS, "y": ["1.5", "2", "", "4"]}, "'y' in row 2 is empty"),
    ],
)
def test_mistakes_are_named_with_the_organisers_file(tmp_path: Path, columns: dict[str, object], message: str) -> None:
    file = write(tmp_path / "my.csv", **columns)
    with pytest.raises(DataFormatError, match=message) as caught:
        table_source(file, target="y", input="composition")
    assert str(file) in str(caught.value)
    assert "rows.parquet" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["my.csv"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="there is no"):
        table_source(tmp_path / "my.csv", target="y", input="composition")
