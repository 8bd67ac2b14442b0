"""Copying from a `file://` address: a lab's shared disk as a mirror."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from matbench_lite.data.download.policy import AddressFailedError
from matbench_lite.progress import progress

_BLOCK = 2**20


class FileDownloader:
    """Copies a file; the object that `pooch.retrieve` calls.

    Args:
        label: What the progress bar says.

    Attributes:
        doubtful: Whether wrong bytes may be right at a second try from the start; never so for a copy.
        received: What came, for a message.
    """

    def __init__(self, *, label: str) -> None:
        self._label = label
        self.doubtful = False
        self.received = "nothing"

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        """Copy the file at `url` to `output_file`.

        Raises:
            AddressFailedError: It cannot be read.
            OSError: The copy cannot be written.
        """
        address = urlsplit(url)
        if address.netloc not in ("", "localhost"):
            raise AddressFailedError(f"a file address has no host, here {address.netloc!r}: write file:///folder")
        source, output = Path(url2pathname(address.path)), Path(output_file)
        # pooch makes its temporary file readable by one user only; a new file is what the user's umask says.
        output.unlink()
        with output.open("xb") as copy:
            for block in self._blocks(source):
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())
        self.received = f"{output.stat().st_size} bytes"

    def _blocks(self, source: Path) -> Iterator[bytes]:
        try:
            with source.open("rb") as stream, progress(self._label, source.stat().st_size, unit="bytes") as advance:
                while block := stream.read(_BLOCK):
                    yield block
                    advance(len(block))
        except OSError as error:
            raise AddressFailedError(error.strerror or str(error)) from error
