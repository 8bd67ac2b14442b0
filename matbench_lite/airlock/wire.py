"""What goes through the airlock: plain JSON data and named arrays of numbers. Nothing in it can become an object.

A message is the sizes of its two parts as little-endian 64-bit integers, a JSON text, and the bytes of all arrays one
after the other. What comes back is a stranger's word: sizes, types and positions are checked before they are used.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIZES = struct.Struct("<2Q")
_TYPES = ("<f8", "<f4", "<i8", "|u1", "|b1")


@dataclass(frozen=True)
class Reply:
    """What a decoder found.

    Args:
        content: Plain JSON data.
        arrays: Arrays of one dimension by name, read-only.
    """

    content: Any
    arrays: Mapping[str, NDArray[Any]]


def send(stream: IO[bytes], content: Any, blobs: Sequence[bytes | memoryview]) -> None:
    """Write a message.

    Args:
        stream: A pipe.
        content: Plain JSON data.
        blobs: Bytes that belong to it.

    Raises:
        TypeError: If the content is not plain, e.g. has an integer beyond 64 bits.
    """
    import orjson

    text = orjson.dumps(content)
    stream.write(_SIZES.pack(len(text), sum(len(blob) for blob in blobs)))
    stream.write(text)
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def receive(stream: IO[bytes], most: int) -> tuple[Any, bytes] | None:
    """Read a message; None if the other side is gone.

    Args:
        stream: A pipe.
        most: The most bytes that it may have.

    Raises:
        ValueError: If it is no message, or larger.
    """
    import orjson

    sizes = stream.read(_SIZES.size)
    if len(sizes) < _SIZES.size:
        return None
    text_size, blob_size = _SIZES.unpack(sizes)
    if text_size + blob_size > most:
        raise ValueError(f"a message of {text_size + blob_size:,} bytes")
    text, blob = stream.read(text_size), stream.read(blob_size)
    if len(text) < text_size or len(blob) < blob_size:
        return None
    return orjson.loads(text), blob


def describe(arrays: Mapping[str, NDArray[Any]]) -> tuple[list[list[Any]], list[memoryview]]:
    """Arrays as a list of names, types and lengths, and their bytes."""
    import numpy as np

    about, blobs = [], []
    for name, array in arrays.items():
        values = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        about.append([name, values.dtype.str, len(values)])
        blobs.append(values.data.cast("B") if len(values) else memoryview(b""))
    return about, blobs


def restore(about: Any, blob: bytes) -> dict[str, NDArray[Any]]:
    """The inverse of `describe`.

    Raises:
        ValueError: If the description does not fit the bytes.
    """
    import numpy as np

    arrays: dict[str, NDArray[Any]] = {}
    position = 0
    for name, kind, length in about:
        if kind not in _TYPES or type(length) is not int or length < 0 or type(name) is not str:
            raise ValueError(f"an array of {length!r} {kind!r}")
        end = position + length * np.dtype(kind).itemsize
        if end > len(blob):
            raise ValueError("an array that is longer than its bytes")
        arrays[name] = np.frombuffer(blob, dtype=kind, count=length, offset=position)
        position = end
    return arrays
