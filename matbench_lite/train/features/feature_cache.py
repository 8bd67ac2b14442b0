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

import numpy as np
from numpy.typing import NDArray

from matbench_lite.atomic import temporary_file
from matbench_lite.data import data_directory

Array = NDArray[np.float64]


def cached_features(
    kind: str, contents: Iterable[bytes], width: int, compute: Callable[[NDArray[np.intp]], Array]
) -> Array:
    """The features of many inputs, shape (inputs, width), taken from disk where they are there.

    The kind is a folder's name that ends with the version of the computation; `contents` are all that the features of
    each input follow from. `compute` gets positions of different inputs and gives their features, shape
    (positions, width); a row must not depend on the others.
    """
    digests = b"".join(hashlib.blake2b(content, digest_size=16).digest() for content in contents)
    every = np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)
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


def _take_from(shard: Path, keys: NDArray[np.uint64], values: Array, missing: NDArray[np.bool_]) -> None:
    try:
        known_keys, known_values = _open(shard)
    except (OSError, ValueError, EOFError):
        return  # removed, or cut off: computed again
    if not len(known_keys) or known_values.shape != (len(known_keys), values.shape[1]):
        return
    wanted = np.flatnonzero(missing)
    # Keys are sorted by their first half; the second half tells the rest.
    at = np.minimum(np.searchsorted(known_keys[:, 0], keys[wanted, 0]), len(known_keys) - 1)
    found = (known_keys[at] == keys[wanted]).all(axis=1)
    values[wanted[found]] = known_values[at[found]]
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
            with temporary.open("wb") as stream:  # given a path, numpy would add a suffix
                np.save(stream, array)
            temporary.replace(path)
