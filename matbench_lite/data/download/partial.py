"""The bytes of an unfinished download, and what is needed to go on with them in another process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO

from matbench_lite.atomic import write_bytes


class Partial:
    """`<target>.part`, and beside it `<target>.part.json` with the address and the validator of its bytes.

    The second file is there only while the first can be resumed: bytes that came without a validator (a strong ETag
    or a Last-Modified date) could be joined with bytes of another version of the file, so they are never resumed.

    Examples:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> partial = Partial(Path(folder.name) / "a.json.gz")
        >>> partial.restart("https://host/a.json.gz", '"v1"')
        >>> with partial.append() as stream:
        ...     _ = stream.write(b"the first half")
        >>> partial.size, partial.validator("https://host/a.json.gz")
        (14, '"v1"')
        >>> partial.validator("https://other/a.json.gz") is None
        True
        >>> folder.cleanup()
    """

    def __init__(self, target: Path) -> None:
        self._path = target.with_name(f"{target.name}.part")
        self._origin = target.with_name(f"{target.name}.part.json")

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self._path.stat().st_size if self._path.exists() else 0

    @property
    def resumable(self) -> bool:
        """Whether a later download from the same address can go on with these bytes."""
        return self.size > 0 and self._origin.exists()

    def validator(self, url: str) -> str | None:
        """Give what the server called this version of the file; None where the bytes must not be resumed from `url`."""
        try:
            origin = json.loads(self._origin.read_text(encoding="utf-8"))
            validator = origin["validator"] if origin["url"] == url and self.size else None
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None
        return validator if isinstance(validator, str) else None

    def restart(self, url: str, validator: str | None) -> None:
        """Begin with no bytes; `validator` is None where the server gives none."""
        # In this order a crash never leaves old bytes beside a new validator, or the reverse.
        self._origin.unlink(missing_ok=True)
        self._path.write_bytes(b"")
        if validator is not None:
            write_bytes(self._origin, json.dumps({"url": url, "validator": validator}).encode())

    def append(self) -> BinaryIO:
        """Open the bytes for more of them."""
        return self._path.open("ab")

    def discard(self) -> None:
        """Delete the bytes and what is known about them."""
        self._origin.unlink(missing_ok=True)
        self._path.unlink(missing_ok=True)

    def move_to(self, output: Path) -> None:
        """Hand the bytes over as `output`, on disk in full."""
        with self._path.open("rb") as stream:
            os.fsync(stream.fileno())
        self._path.replace(output)
        self._origin.unlink(missing_ok=True)
