"""The pages of a Parquet file as their own headers describe them: how large they become is known before any is opened.

The footer of a Parquet file says how large its columns are, and can lie; a reader decompresses a page into as much
memory as the page's header asks for. This walks the page headers (Thrift's compact protocol, of which only integers,
booleans, binaries, lists and structs occur there), so that a file that would unpack to gigabytes is refused unread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_MAX_DEPTH = 8


def unpacked_bytes(content: bytes | memoryview, metadata: Any) -> int:
    """The bytes that all pages unpack to, from the page headers themselves.

    Args:
        content: The whole file.
        metadata: Its footer, as pyarrow's `FileMetaData`.

    Raises:
        ValueError: If the headers do not describe the column chunks that the footer names.
    """
    total = 0
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            start = chunk.data_page_offset
            if chunk.dictionary_page_offset is not None:
                start = min(start, chunk.dictionary_page_offset)
            end = start + chunk.total_compressed_size
            if not 0 < start <= end <= len(content):
                raise ValueError("a column chunk lies outside the file")
            total += sum(_page_sizes(content, start, end))
    return total


def _page_sizes(content: bytes | memoryview, position: int, end: int) -> Iterator[int]:
    while position < end:
        reader = _Reader(content, position, end)
        header = reader.struct(0)
        unpacked, packed = header.get(2), header.get(3)
        if not isinstance(unpacked, int) or not isinstance(packed, int) or unpacked < 0 or packed < 0:
            raise ValueError("a page header without sizes")
        yield unpacked
        position = reader.position + packed
    if position != end:
        raise ValueError("the pages of a column do not fill it")


class _Reader:
    """Reads Thrift's compact protocol; keeps integers, skips everything else."""

    def __init__(self, content: bytes | memoryview, position: int, end: int) -> None:
        self.content = content
        self.position = position
        self.end = end

    def struct(self, depth: int) -> dict[int, int]:
        """The integer fields of a struct by their number."""
        if depth > _MAX_DEPTH:
            raise ValueError("a page header nested too deeply")
        fields: dict[int, int] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            value = self._value(head & 0x0F, depth)
            if value is not None:
                fields[number] = value
        return fields

    def _value(self, kind: int, depth: int) -> int | None:
        if kind in (_TRUE, _FALSE):
            return None
        if kind in (_I16, _I32, _I64):
            return self._zigzag()
        if kind == _STRUCT:
            self.struct(depth + 1)
        elif kind in (_LIST, _SET):
            self._list(depth)
        elif kind == _BYTE:
            self._skip(1)
        elif kind == _DOUBLE:
            self._skip(8)
        elif kind == _BINARY:
            self._skip(self._varint())
        else:
            raise ValueError(f"a page header with a field of type {kind}")
        return None

    def _list(self, depth: int) -> None:
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        for _ in range(size):
            if head & 0x0F in (_TRUE, _FALSE):
                self._skip(1)
            else:
                self._value(head & 0x0F, depth)

    def _byte(self) -> int:
        self._skip(1)
        return self.content[self.position - 1]

    def _skip(self, count: int) -> None:
        self.position += count
        if self.position > self.end:
            raise ValueError("a page header that runs out of its column")

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return result
            shift += 7
            if shift > 63:
                raise ValueError("a page header with an endless number")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
