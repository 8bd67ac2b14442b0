"""Tables of users: whatever is in the file, there is a table, or an error that says what is wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from matbench_lite.data import read_table
from matbench_lite.errors import DataFormatError

from ..conftest import LONG

FLIPS = 5000 if LONG else 200


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": [f"row {number}" for number in range(200)],
            "x": rng.normal(size=200),
            "n": rng.integers(0, 5, 200),
            "label": rng.random(200) > 0.5,
            "kind": pd.Categorical(rng.choice(list("abc"), 200)),
            "values": [[1.0] * (number % 4) for number in range(200)],
            "when": pd.date_range("2024-01-01", periods=200, tz="UTC"),
            "missing": [None if number % 3 else "NaN" for number in range(200)],
        }
    )


def test_a_table_is_read_as_pandas_reads_it(frame, tmp_path) -> None:
    frame.to_parquet(tmp_path / "a.parquet")
    expected = pd.read_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.parquet", lists=True), expected)
    (tmp_path / "A.PARQUET").write_bytes((tmp_path / "a.parquet").read_bytes())
    assert len(read_table(tmp_path / "A.PARQUET", lists=True)) == 200
    frame.to_csv(tmp_path / "a.csv", index=False)
    for options in ({}, {"dtype": str, "keep_default_na": False}):
        expected = pd.read_csv(tmp_path / "a.csv", **options)
        pd.testing.assert_frame_equal(read_table(tmp_path / "a.csv", **options), expected)


def test_damage_anywhere_is_an_error_or_another_table(frame, tmp_path) -> None:
    """Bytes are changed anywhere, more often in the footer: a table, or a message, and the process is there still."""
    rng, path = np.random.default_rng(int.from_bytes(b"flips")), tmp_path / "a.parquet"
    stream = BytesIO()
    frame.to_parquet(stream, compression=None)
    whole, refused = stream.getvalue(), 0
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        for _ in range(rng.integers(1, 6)):
            reach = len(whole) if rng.random() < 0.5 else 2500
            damaged[-1 - rng.integers(reach)] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            assert isinstance(read_table(path, lists=True), pd.DataFrame)
        except DataFormatError:
            refused += 1
    assert refused > FLIPS / 3


@pytest.mark.parametrize("rows", [0, 1])
def test_a_file_that_is_cut_off_anywhere_is_an_error(rows, tmp_path) -> None:
    path = tmp_path / "a.parquet"
    pd.DataFrame({"x": [1.0] * rows}).to_parquet(path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 50):
        path.write_bytes(whole[:length])
        with pytest.raises(DataFormatError, match="cannot be read"):
            read_table(path)


@pytest.mark.parametrize("cell", [[1.0], {"a": 1}, [["x"]], b"\xff\x00"], ids=["list", "object", "lists", "bytes"])
def test_cells_that_are_no_values_are_refused(cell, tmp_path) -> None:
    pd.DataFrame({"id": ["a", "b"], "odd": [cell, cell]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataFormatError, match=r"the column 'odd' has .* in its cells"):
        read_table(tmp_path / "a.parquet")
    if not isinstance(cell, bytes):
        assert len(read_table(tmp_path / "a.parquet", lists=True)) == 2


def bomb_of_texts(path: Path) -> None:
    """One text of 10 MB in a thousand rows, written once: 10 GB of a file of some kilobytes."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1000, dtype=np.int32)), ["x" * 10_000_000])
    pq.write_table(pa.table({"id": texts}), path, compression="zstd", store_schema=False)


def bomb_of_rows(path: Path) -> None:
    """Two hundred million rows that are the same."""
    rows = pa.record_batch({"x": pa.array(np.zeros(10_000_000))})
    with pq.ParquetWriter(path, rows.schema, compression="zstd") as writer:
        for _ in range(20):
            writer.write_batch(rows)


def deep_notes(path: Path) -> None:
    """What pandas notes in the file is JSON, too."""
    schema = pa.schema({"x": pa.int64()}, metadata={"pandas": "[" * 100_000 + "]" * 100_000})
    pq.write_table(pa.table({"x": [1]}, schema=schema), path)


def other_notes(path: Path) -> None:
    schema = pa.schema({"x": pa.int64()}, metadata={"pandas": '{"index_columns": [{"kind": 7}], "columns": 3}'})
    pq.write_table(pa.table({"x": [1]}, schema=schema), path)


BOUNDED = """
import resource, sys
from pathlib import Path
from matbench_lite.data import read_table
from matbench_lite.errors import DataFormatError
try:
    read_table(Path(sys.argv[1]))
except DataFormatError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.parametrize("made", [bomb_of_texts, bomb_of_rows, deep_notes, other_notes])
def test_what_unpacks_to_gigabytes_is_an_error_in_bounded_memory(made: Callable[[Path], None], tmp_path) -> None:
    made(tmp_path / "a.parquet")
    ended = subprocess.run(
        [sys.executable, "-c", BOUNDED, tmp_path / "a.parquet"], capture_output=True, text=True, check=True
    )
    message, memory = ended.stdout.strip().splitlines()
    assert "cannot be read" in message
    assert max(map(int, memory.split())) < 1_500_000, "kilobytes"


def test_what_is_no_text_is_no_csv(tmp_path) -> None:
    (tmp_path / "a.csv").write_bytes("id,x\n".encode("utf-16"))
    with pytest.raises(DataFormatError, match="it is not text; give a CSV or Parquet file"):
        read_table(tmp_path / "a.csv")
