"""Original files: one input and one target per row, checked while they are read."""

from __future__ import annotations

import gzip
import hashlib
import io
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, Self

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from matbench_lite.data.chemistry import reduced_formulas, reduced_formulas_of_strings
from matbench_lite.data.structures import encode_structures
from matbench_lite.data.tables import located
from matbench_lite.errors import DataFormatError, DataMissingError
from matbench_lite.memory import collector_paused
from matbench_lite.progress import Advance

InputKind = Literal["structure", "composition"]


@dataclass(frozen=True, kw_only=True)
class Original:
    """What an original file holds, rows in file order.

    Targets are in the task's unit, or booleans. Inputs are formula strings as written, or structures as columns; the
    other, or both if they are not kept, is None. The sha256 is that of the file's own bytes.
    """

    columns: tuple[str, ...]
    targets: NDArray[np.float64] | NDArray[np.bool_]
    formulas: list[str]
    compositions: list[str] | None
    structures: pa.Table | None
    sha256: str


def read_original(
    path: Path,
    *,
    input_kind: InputKind,
    target: str | None = None,
    targets_only: bool = False,
    on_bytes: Advance | None = None,
) -> Original:
    """Read and check an original file: pandas "split" JSON, gzipped or not.

    The inputs' column is named after their kind; the target is the only other one, if it is not named. With
    `targets_only` the inputs are left out, their formulas stay. `on_bytes` is called with how many bytes were read
    since the last call.
    """
    compositions: list[str] = []
    tables = [encode_structures([])]
    targets: list[Any] = []
    with located(f"{path}: "), collector_paused(), SplitJsonFile(path, on_bytes=on_bytes) as file:
        input_at, target_at = _positions(file.columns, input_kind, target)
        for rows in file.batches():
            inputs = [row[input_at] for row in rows]
            if input_kind == "composition":
                compositions += inputs
            else:
                table = encode_structures(inputs, first_row=len(targets))
                tables.append(table.select(["species", "rest"]) if targets_only else table)
            targets += [row[target_at] for row in rows]
        structures = pa.concat_tables(tables, promote_options="default")
        is_composition = input_kind == "composition"
        return Original(
            columns=file.columns,
            targets=_target_values(targets, file.columns[target_at]),
            formulas=reduced_formulas_of_strings(compositions) if is_composition else reduced_formulas(structures),
            compositions=compositions if is_composition and not targets_only else None,
            structures=structures if not is_composition and not targets_only else None,
            sha256=file.sha256,
        )


def _positions(columns: tuple[str, ...], input_kind: InputKind, target: str | None) -> tuple[int, int]:
    """Where in a row the input and the target are."""
    others = [name for name in columns if name != input_kind]
    if target is None and len(others) == 1:
        target = others[0]
    if columns.count(input_kind) != 1 or target is None or others.count(target) != 1:
        wanted = "one other column" if target is None else f"{target!r}"
        raise DataFormatError(
            f"expected the columns {input_kind!r} and {wanted}, found {list(columns)}",
            fix="check that this is the file of the task you meant",
        )
    return columns.index(input_kind), columns.index(target)


def _target_values(targets: list[Any], column: str) -> NDArray[np.float64] | NDArray[np.bool_]:
    is_class = bool(targets) and isinstance(targets[0], bool)
    for row, value in enumerate(targets):
        if type(value) not in ((bool,) if is_class else (int, float)) or not math.isfinite(value):
            wanted = "true or false" if is_class else "a finite number"
            raise DataFormatError(f"the target {column!r} of row {row} is {value!r}, not {wanted}")
    return np.array(targets, dtype=np.bool_) if is_class else np.array(targets, dtype=np.float64)


_GZIP = b"\x1f\x8b"
_DATA = re.compile(rb'"data"\s*:\s*\[\s*')
_PIECE = 4 * 2**20
_LARGEST = 32 * 2**20
"""Bytes of text held at most; the largest row of a real file is a hundredth of it."""


class SplitJsonFile:
    """A table in a file, gzipped or not, read once from front to back; its columns are known as soon as it is open.

    No more than one piece of the text is held at a time, however large the file or a row in it. A file that does not
    start like a table (columns, perhaps the index, then the data) is a `DataFormatError`.
    """

    def __init__(self, path: Path, *, on_bytes: Advance | None = None) -> None:
        self._text = b""  # read and not yet given out
        self._before = 0  # bytes of text before that
        self._rows = 0
        try:
            self._hashed = _HashedFile(path, on_bytes)
        except FileNotFoundError as error:
            raise DataMissingError(f"{path} does not exist") from error
        except OSError as error:
            raise DataFormatError(f"cannot be read: {error.strerror}") from error
        try:
            stream = io.BufferedReader(self._hashed, buffer_size=2**20)
            gzipped = stream.peek(len(_GZIP)).startswith(_GZIP)
            self._stream: io.BufferedIOBase = gzip.GzipFile(fileobj=stream) if gzipped else stream
            self.columns, self._index = self._read_header()
        except BaseException:
            self._hashed.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hashed.close()

    @property
    def sha256(self) -> str:
        """Checksum of the file's own bytes; of the whole file once all batches are read."""
        return self._hashed.sha256.hexdigest()

    def batches(self) -> Iterator[list[list[Any]]]:
        """The rows in file order, some megabytes of text at a time; an error says what is wrong, and where."""
        while self._read_more():
            try:
                split = split_rows(self._text)
            except orjson.JSONDecodeError as error:
                self._fail_at(error)
            if split is not None:
                rows, following = split
                yield self._checked(rows)
                self._skip(following)
        head, brace, after = self._text.rpartition(b"}")
        inside, bracket, between = head.rpartition(b"]")
        if not brace or not bracket or after.strip() or between.strip():
            self._fail(f"no ]}} at the end, in row {self._rows} or after: it is cut off, or goes on after the data")
        try:
            rows = parse_rows(inside)
        except orjson.JSONDecodeError as error:
            self._fail_at(error)
        yield self._checked(rows)
        if self._index is not None and len(self._index) != self._rows:
            self._fail(f"{len(self._index)} index values for {self._rows} rows")

    def _read_header(self) -> tuple[tuple[str, ...], list[Any] | None]:
        """Read up to the first row: the columns, and the index if there is one."""
        while (data := _DATA.search(self._text)) is None:
            if not self._read_more():
                self._fail('no "data" list in it')
        try:
            header = orjson.loads(self._text[: data.start()] + b'"data":[]}')
        except orjson.JSONDecodeError as error:
            self._fail(f"not JSON before the data: {error}")
        if "columns" not in header:
            self._fail('the columns are not named before "data"')
        columns, index = header["columns"], header.get("index")
        if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
            self._fail(f"the columns are not a list of names: {str(columns)[:80]}")
        if not isinstance(index, list | None):
            self._fail("the index is not a list")
        self._skip(data.end())
        return tuple(columns), index

    def _read_more(self) -> bool:
        """Read another piece, at least as long as what is held: a long row costs no more than twice its reading."""
        size = min(max(_PIECE, len(self._text)), _LARGEST - len(self._text))
        if size <= 0:
            self._fail(f"no end of row {self._rows} within {_LARGEST // 2**20} MB of text")
        try:
            piece = self._stream.read(size)
        except EOFError:
            self._fail("cut off: its gzip stream does not end")
        except (OSError, zlib.error) as error:
            self._fail(f"cannot be decompressed: {error}")
        self._text += piece
        return bool(piece)

    def _skip(self, size: int) -> None:
        self._text = self._text[size:]
        self._before += size

    def _checked(self, rows: list[Any]) -> list[list[Any]]:
        for number, row in enumerate(rows, start=self._rows):
            if not isinstance(row, list) or len(row) != len(self.columns):
                self._fail(f"row {number} does not have a value for each of {list(self.columns)}: {str(row)[:80]}")
        self._rows += len(rows)
        return rows

    def _fail_at(self, error: orjson.JSONDecodeError) -> NoReturn:
        # One less: the bracket that was put before the text.
        self._fail(f"not JSON in row {self._rows} or after, at {self._before + error.pos - 1} of the text: {error.msg}")

    def _fail(self, what: str) -> NoReturn:
        # The caller puts the file's name before it.
        raise DataFormatError(what, fix='get the file again; it should be pandas "split" JSON')


class _HashedFile(io.FileIO):
    """A file that hashes and reports what is read of it."""

    def __init__(self, path: Path, on_bytes: Advance | None) -> None:
        super().__init__(path)
        self.sha256 = hashlib.sha256()
        self._on_bytes = on_bytes

    def readinto(self, buffer: Any) -> int:
        size = super().readinto(buffer) or 0
        self.sha256.update(memoryview(buffer)[:size])
        if self._on_bytes is not None:
            self._on_bytes(size)
        return size


_BETWEEN_ROWS = re.compile(rb"\]\s*,\s*\[")
_QUOTE, _CLOSE = ord('"'), ord("]")
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[[ord("["), ord("{")]] = 1
_STEPS[[ord("]"), ord("}")]] = -1
_MARKS = _STEPS != 0
_MARKS[_QUOTE] = True


def split_rows(text: bytes) -> tuple[list[Any], int] | None:
    """Parse the whole rows that a text starts with, but the last one, and say where the next one starts.

    The text begins with the bracket of a row and is cut off anywhere; None if it holds no end of a row.
    """
    # The last end of a row may be where the text was cut off; every other one has the next row after it.
    for end in _row_ends(text)[:-3:-1]:
        if between := _BETWEEN_ROWS.match(text, end):
            return parse_rows(text[: end + 1]), between.end() - 1
    return None


def parse_rows(text: bytes) -> list[Any]:
    """Parse rows with commas between them."""
    rows: list[Any] = orjson.loads(b"[%b]" % text)
    return rows


def _row_ends(text: bytes) -> NDArray[np.int64]:
    """Where rows end: closing brackets, outside strings, that leave no bracket open.

    Trying to parse at every `], [` instead would read a text again for each one inside a row: every lattice has two.
    """
    unescaped = text.replace(b"\\\\", b"  ").replace(b'\\"', b"  ") if b"\\" in text else text
    characters = np.frombuffer(unescaped, dtype=np.uint8)
    positions = np.flatnonzero(_MARKS[characters])
    marks = characters[positions]
    in_string = np.cumsum(marks == _QUOTE, dtype=np.uint8) % 2 == 1  # wraps at 256, which is even
    steps = _STEPS[marks]
    steps[in_string] = 0
    depth = np.cumsum(steps, dtype=np.int32)
    ends: NDArray[np.int64] = positions[(depth == 0) & (marks == _CLOSE) & ~in_string]
    return ends
