"""Real structures come back from the columns exactly as pymatgen reads them from the original file."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest
from pymatgen.core import Structure

from matbench_lite.data.original import read_original
from matbench_lite.data.parquet import read_columns
from matbench_lite.data.structures import StructureColumns, write_structures

from ..conftest import LONG

pytestmark = [pytest.mark.real, pytest.mark.slow]

FILES = {
    "original/matbench_log_gvrh.json.gz": 10987,
    "rebuilt/matbench_jdft2d.rebuilt.json.gz": 636,
    "rebuilt/matbench_phonons.rebuilt.json.gz": 1265,
    "rebuilt/matbench_perovskites.rebuilt.json.gz": 18928,
}


ROWS = 20_000 if LONG else 1_300
"""Of a larger file every n-th row."""


@pytest.mark.parametrize(("name", "size"), FILES.items())
def test_every_structure_of_a_task(real_data: Path, tmp_path: Path, name: str, size: int) -> None:
    path = real_data / "matbench_v0.1" / name
    content: dict[str, Any] = orjson.loads(gzip.decompress(path.read_bytes()))
    assert len(content["data"]) == size
    if size > ROWS:
        step = size // 600
        content = {"columns": content["columns"], "index": content["index"][::step], "data": content["data"][::step]}
        path = tmp_path / path.name
        path.write_bytes(gzip.compress(orjson.dumps(content), 1))
    rows: list[list[Any]] = content["data"]
    original = read_original(path, input_kind="structure")
    write_structures(original.structures, tmp_path / "structures.parquet")
    columns = StructureColumns(read_columns((tmp_path / "structures.parquet").read_bytes()))

    assert len(columns) == len(rows) >= 600
    assert original.structures["rest"].null_count == len(rows)
    assert original.targets.tolist() == [target for _, target in rows]
    for row, (content, _) in enumerate(rows):
        reference = Structure.from_dict(content)
        assert columns.build(row).as_dict() == reference.as_dict(), f"row {row}"
        assert original.formulas[row] == reference.composition.reduced_formula, f"row {row}"
