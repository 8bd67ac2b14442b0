"""Everything that reads a submitted file, as functions from bytes; and ways to change bytes and documents.

A reader must come back, with findings or with an error of ours; anything else that it raises is a bug.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from entries import NOTEBOOK, add_file, forge_content, read_table

from matbench_lite.check import check_entry
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.matbench import read_results
from matbench_lite.submission import seal
from matbench_lite.submission.entry_document import canonical_bytes, digest, read_about


class Readers:
    """The readers over one sound entry, which is copied for every input.

    Args:
        sound: The entry.
        folder: Where to work.
    """

    def __init__(self, sound: Path, folder: Path) -> None:
        self.sound = sound
        self.entry = folder / "entry"
        self.file = folder / "file"

    def read(self, reader: str, content: bytes) -> None:
        """Let one of them read the content."""
        getattr(self, f"read_{reader}")(content)

    def fresh(self) -> Path:
        shutil.rmtree(self.entry, ignore_errors=True)
        return Path(shutil.copytree(self.sound, self.entry))

    def read_json(self, content: bytes) -> None:
        """The content is `submission.json`."""
        entry = self.fresh()
        (entry / "submission.json").write_bytes(content)
        self.check(entry)

    def read_parquet(self, content: bytes) -> None:
        """The content is `predictions.parquet`, with the right checksum."""
        entry = self.fresh()
        forge_content(entry, content)
        self.check(entry)

    def read_notebook(self, content: bytes) -> None:
        entry = self.fresh()
        add_file(entry, "explore.ipynb", content)
        self.check(entry)

    def read_text(self, content: bytes) -> None:
        """The content is code and the README."""
        entry = self.fresh()
        add_file(entry, "model.py", content)
        add_file(entry, "README.md", content)
        self.check(entry)

    def read_matbench(self, content: bytes) -> None:
        """The content is a result of Matbench, gzipped or not."""
        self.file.write_bytes(content)
        for options in ({}, {"allow_hash_mismatch": True}):
            try:
                read_results(self.file, **options)
            except MatbenchLiteError:
                continue

    def read_about(self, content: bytes) -> None:
        """The content is `about.toml`."""
        self.file.write_bytes(content)
        try:
            read_about(self.file)
        except MatbenchLiteError:
            return

    def check(self, entry: Path) -> None:
        checked = check_entry(entry)
        json.dumps(checked.as_dict()).encode()
        try:
            seal(entry)
        except MatbenchLiteError:
            return

    def seeds(self) -> dict[str, list[bytes]]:
        """Sound inputs by reader: what mutations begin with."""
        result = made_up_result()
        table = read_table(self.sound)
        return {
            "json": [(self.sound / "submission.json").read_bytes()],
            "parquet": [
                (self.sound / "predictions.parquet").read_bytes(),
                *map(as_parquet, (table, table.slice(0, 50))),
            ],
            "notebook": [json.dumps(NOTEBOOK).encode()],
            "text": [b"import numpy as np\n\n# \xc3\xa9\n", b"\x80\x04N.", b"(dp0\n.", b"PK\x03\x04data.pkl"],
            "matbench": [result, gzip.compress(result, 1)],
            "about": [b'algorithm = "x"\nauthors = ["a", "b"]\nsingle_configuration = true\nexternal_data = false\n'],
        }


def as_parquet(table: pa.Table) -> bytes:
    """The table written in another way: other encodings, pages and compressions than ours."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, store_schema=False, compression="snappy", data_page_size=512, data_page_version="2.0")
    return sink.getvalue().to_pybytes()


def made_up_result() -> bytes:
    """A result of Matbench with one small task, in form but for its hash."""
    from matbench_lite import load_benchmark

    task = load_benchmark("matbench_v0.1")["matbench_steels"]
    folds = {
        f"fold_{fold}": {
            "data": dict.fromkeys(task.test_ids(fold), 1.5),
            "parameters": {"a": 1},
            "scores": dict.fromkeys(("mae", "rmse", "mape", "max_error"), 0.5),
        }
        for fold in task.folds
    }
    about = {"benchmark_name": "matbench_v0.1", "@module": "matbench.task", "@class": "MatbenchTask"}
    content = {
        **about,
        "@class": "MatbenchBenchmark",
        "version": "0.5",
        "user_metadata": {},
        "datestamp": "2022.06.28 19:36.19",
        "hash": "0" * 64,
        "tasks": {task.name: {**about, "dataset_name": task.name, "results": folds}},
    }
    return json.dumps(content).encode()


# Ways to change them.

PIECES = [
    b"\x00", b"\xff" * 8, b"\x7f\xff\xff\xff", b"\x80", b"{", b"[", b"}", b'"', b"\\ud800", b"NaN", b"1e999", b"-0",
    b"null", b"9" * 400, b"true", b'{"a":' * 70, b"[" * 2000, b"\xef\xbb\xbf", b"\xe2\x80\xae", b"PAR1", b"\r\n",
    b"'", b"= [[",
]  # fmt: skip


def mutated(rng: random.Random, content: bytes) -> bytes:
    """A few bytes of it changed, copied, cut out or put in."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        size = min(rng.choice((1, 2, 4, 8, 64, 1000)), len(data) - at)
        action = rng.randrange(7)
        if action == 0 and size:
            data[at] ^= 1 << rng.randrange(8)
        elif action == 1:
            data[at : at + size] = rng.randbytes(size)
        elif action == 2:
            del data[at : at + size]
        elif action == 3:
            data[at:at] = rng.choice(PIECES)
        elif action == 4 and len(data) > size:
            other = rng.randrange(len(data) - size + 1)
            data[at : at + size] = data[other : other + size]
        elif action == 5 and size >= 4:
            data[at : at + 4] = struct.pack("<i", rng.choice((0, -1, 2**31 - 1, -(2**31), 65536)))
        elif action == 6 and rng.random() < 0.2:
            del data[at:]
    return bytes(data)


VALUES: list[Any] = [
    None, True, False, 0, -1, 2**63, -(2**63), 1.5, -0.0, 1e308, 5e-324, "", "x", "\u202e", "../x", "a" * 3000, [], {},
    [[]],
    {"a": {}}, ["x"] * 300, {"": None}, "0" * 64, "matbench_v0.1", "mini_gap", 254, 255, 2**31,
    "2026-02-30T00:00:00+00:00",
]  # fmt: skip


def mutated_document(rng: random.Random, content: Any) -> Any:
    """A few values anywhere in a document replaced, removed, renamed or copied elsewhere; digests are not."""
    content = json.loads(json.dumps(content))
    for _ in range(rng.choice((1, 1, 2, 5))):
        node = content
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.8:
                node = node[key]
                continue
            action = rng.randrange(5)
            if action == 0:
                del node[key]
            elif action == 1 and isinstance(node, dict):
                node[str(rng.choice(VALUES))[:50]] = node[key]
            elif action == 2 and isinstance(node, list):
                node.append(node[key])
            else:
                node[key] = json.loads(json.dumps(rng.choice(VALUES)))
            break
    return content


def mutated_table(rng: random.Random, table: pa.Table) -> pa.Table:
    """Rows and cells changed: the file stays a sound Parquet file."""
    try:
        return _mutated_table(rng, table)
    except pa.ArrowException:  # a change on top of a change that does not fit
        return table


def _mutated_table(rng: random.Random, table: pa.Table) -> pa.Table:
    for _ in range(rng.choice((1, 2, 3))):
        place = rng.randrange(table.num_columns)
        name, column = table.column_names[place], table.column(place)
        action = rng.randrange(6)
        if action == 0:
            table = table.slice(rng.randrange(len(table)), rng.randrange(1, 4000))
        elif action == 1:
            table = table.remove_column(place) if table.num_columns > 1 else table
        elif action == 2:
            kind = rng.choice((pa.string(), pa.float64(), pa.int64(), pa.large_string(), pa.bool_(), pa.float16()))
            table = table.set_column(place, name, pa.nulls(len(table), kind))
        elif action == 3:
            table = table.append_column(rng.choice((name, "more", "")), column)
        elif action == 4:
            values = column.to_pylist()
            for _ in range(rng.choice((1, 5, 100))):
                odd = rng.choice((None, 0, 1, 255)) if name == "fold" else rng.choice((None, "x", "", "mini_gap"))
                number = rng.choice((None, float("nan"), float("inf"), 1e300, -1.0, 0.5))
                values[rng.randrange(len(values))] = odd if name in ("task", "fold") else number
            table = table.set_column(place, name, pa.array(values, column.type))
        else:
            table = table.take(np.asarray([rng.randrange(len(table)) for _ in range(rng.choice((1, 50, 3000)))]))
        if not len(table):
            break
    return table


def random_input(rng: random.Random, readers: Readers, seeds: dict[str, list[bytes]]) -> tuple[str, bytes]:
    """A reader and an input for it."""
    reader = rng.choice(("json", "json", "parquet", "parquet", "notebook", "text", "matbench", "about"))
    content = rng.choice(seeds[reader])
    if reader == "json" and rng.random() < 0.6:
        changed = mutated_document(rng, json.loads(seeds["json"][0]))
        changed["digest"] = digest(changed) if rng.random() < 0.9 else "0" * 64
        return reader, canonical_bytes(changed)
    if reader == "parquet" and rng.random() < 0.4:
        return reader, as_parquet(mutated_table(rng, read_table(readers.sound)))
    if reader in ("notebook", "matbench") and rng.random() < 0.5 and not content.startswith(b"\x1f\x8b"):
        return reader, json.dumps(mutated_document(rng, json.loads(content))).encode()
    if reader == "matbench" and content.startswith(b"\x1f\x8b") and rng.random() < 0.5:
        return reader, gzip.compress(mutated(rng, gzip.decompress(content)), 1)
    return reader, mutated(rng, content)
