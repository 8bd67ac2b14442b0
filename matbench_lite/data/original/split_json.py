"""A table in pandas "split" JSON, gzipped or not, read in pieces of bounded size."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import orjson

from matbench_lite.data.original.row_ends import parse_rows, split_rows
from matbench_lite.errors import DataFormatError, DataMissingError
from matbench_lite.progress import Advance

_GZIP = b"\x1f\x8b"
_DATA = re.compile(rb'"data"\s*:\s*\[\s*')
_PIECE = 4 * 2**20
_LARGEST = 32 * 2**20
"""Bytes of text held at most; the largest row of a real file is a hundredth of it."""


class SplitJsonFile:
    """A table in a file, read once from front to back.

    No more than one piece of the text is held at a time, however large the file or a row in it.

    Args:
        path: The file; gzip is recognised by its first bytes.
        on_bytes: Called with the number of bytes of the file read since the last call.

    Attributes:
        columns: Names of the columns, known as soon as the file is open.

    Raises:
        DataMissingError: If there is no such file.
        DataFormatError: If it does not start like a table: columns, perhaps the index, then the data.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "table.json"
        ...     _ = path.write_text('{"columns": ["a", "b"], "index": [0, 1], "data": [[1, 2], [3, 4]]}')
        ...     with SplitJsonFile(path) as file:
        ...         print(file.columns, *file.batches())
        ('a', 'b') [[1, 2], [3, 4]]
    """

    def __init__(self, path: Path, *, on_bytes: Advance | None = None) -> None:
        self._text = b""  # read and not yet given out
        self._before = 0  # bytes of text before that
        self._rows = 0
        try:
            self._hashed = _HashedFile(path.open("rb", buffering=0), on_bytes)
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hashed.close()

    @property
    def sha256(self) -> str:
        """Checksum of the file's own bytes; of the whole file once all batches are read."""
        return self._hashed.sha256.hexdigest()

    def batches(self) -> Iterator[list[list[Any]]]:
        """The rows in file order, some megabytes of text at a time.

        Raises:
            DataFormatError: If the file is damaged or incomplete: what is wrong, and where.
        """
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


class _HashedFile(io.RawIOBase):
    """A file that hashes and reports what is read of it."""

    def __init__(self, file: io.FileIO, on_bytes: Advance | None) -> None:
        self.sha256 = hashlib.sha256()
        self._file = file
        self._on_bytes = on_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._file.readinto(buffer)
        self.sha256.update(memoryview(buffer)[:size])
        if self._on_bytes is not None:
            self._on_bytes(size)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()
