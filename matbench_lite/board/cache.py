"""What was computed for an entry, kept beside the data and never computed again.

A file is named after all that its content follows from (digests of predictions, targets and folds, the version of the
computation), so it is never wrong, only unused; the folder `cache` may be deleted at any time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import orjson

from matbench_lite.atomic import temporary_file
from matbench_lite.data import data_directory


def kept(kind: str, key: Sequence[str], compute: Callable[[], Any]) -> Any:
    """The result of an earlier call with the same key, or that of `compute`, which is kept.

    Args:
        kind: What is computed; a folder name. Ends with the version of the computation, e.g. "scores-1".
        key: All that the result follows from.
        compute: Makes the result: records, lists, texts and numbers.

    Returns:
        The result as plain JSON data, whether it was kept or is new: a NaN is None.
    """
    name = hashlib.sha256("\0".join(key).encode()).hexdigest()
    path = data_directory() / "cache" / kind / name[:2] / f"{name}.json"
    # Not there, or damaged: it is made again. A text that was cut off is no JSON.
    with suppress(OSError, orjson.JSONDecodeError):
        return orjson.loads(path.read_bytes())
    content = orjson.dumps(compute(), option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    # A data directory that cannot be written costs time, nothing else.
    with suppress(OSError), temporary_file(path.parent, path.name) as temporary:
        temporary.write_bytes(content)
        # Not flushed to disk first, unlike files that cannot be made again: it would double the time.
        temporary.replace(path)
    return orjson.loads(content)
