"""Features on disk, by what they were computed from: no input is featurised twice, whatever the task, fold or model.

A kind of features is a folder, `<data directory>/cache/<kind>`. Each computation adds a pair of files with the keys and
the values of what was new, named after the keys; files never change, so any number of processes may add theirs at the
same time. The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.atomic import temporary_file
from matbench_lite.data import data_directory

Array = NDArray[np.float64]


def cached_features(
    kind: str, contents: Iterable[bytes], width: int, compute: Callable[[NDArray[np.intp]], Array]
) -> Array:
    """The features of many inputs, taken from disk where they are there.

    Args:
        kind: What is computed; a folder name that ends with the version of the computation.
        contents: All that the features of each input follow from.
        width: Number of features.
        compute: Given positions of different inputs, their features, shape (positions, width). A row must not depend
            on the others.

    Returns:
        Shape (inputs, width).

    Examples:
        >>> cached_features("square-1", [b"3", b"4", b"3"], 1, lambda rows: np.array([[9.0], [16.0]])[rows])
        array([[ 9.], [16.], [ 9.]])
    """
    every = _keys(contents)
    keys, firsts, rows = np.unique(every, axis=0, return_index=True, return_inverse=True)
    values = np.empty((len(keys), width))
    missing = np.ones(len(keys), dtype=bool)
    folder = data_directory() / "cache" / kind
    for shard in sorted(folder.glob("*.keys.npy")):
        _take_from(shard, keys, values, missing)
        if not missing.any():
            break
    if missing.any():
        values[missing] = compute(firsts[missing])
        # A data directory that cannot be written costs time, nothing else.
        with suppress(OSError):
            _add(folder, keys[missing], values[missing])
    return values[rows.reshape(-1)]


def _keys(contents: Iterable[bytes]) -> NDArray[np.uint64]:
    digests = b"".join(hashlib.blake2b(content, digest_size=16).digest() for content in contents)
    return np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)


def _take_from(shard: Path, keys: NDArray[np.uint64], values: Array, missing: NDArray[np.bool_]) -> None:
    try:
        known, held = _open(shard)
    except (OSError, ValueError, EOFError):
        return  # removed, or cut off: computed again
    if not len(known) or held.shape != (len(known), values.shape[1]):
        return
    wanted = np.flatnonzero(missing)
    # Keys are sorted by their first half; the second half tells the rest.
    at = np.minimum(np.searchsorted(known[:, 0], keys[wanted, 0]), len(known) - 1)
    found = (known[at] == keys[wanted]).all(axis=1)
    values[wanted[found]] = held[at[found]]
    missing[wanted[found]] = False


@lru_cache(maxsize=256)
def _open(shard: Path) -> tuple[NDArray[np.uint64], Array]:
    values = shard.with_name(shard.name.replace(".keys.", ".values."))
    # Mapped, not read: a small task takes few rows of what the large ones have left.
    return np.load(shard), np.load(values, mmap_mode="r")


def _add(folder: Path, keys: NDArray[np.uint64], values: Array) -> None:
    name = hashlib.sha256(keys.tobytes()).hexdigest()[:24]
    # The keys last: they say that the values are there.
    for part, array in (("values", values), ("keys", keys)):
        path = folder / f"{name}.{part}.npy"
        with temporary_file(folder, path.name) as temporary:
            _write(temporary, array)
            temporary.replace(path)


def _write(path: Path, array: NDArray[Any]) -> None:
    with path.open("wb") as stream:
        np.save(stream, array)
