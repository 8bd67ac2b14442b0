"""Writing what arrives: plain files that nobody can execute, and their digest."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.choosing import Chosen
from matbench_lite.event.arriving.names import shown
from matbench_lite.event.arriving.source import Source


def write_files(source: Source, chosen: Chosen, folder: Path) -> str:
    """Write the chosen files of a source.

    Args:
        source: The source.
        chosen: Which files, and their names.
        folder: A private, empty folder.

    Returns:
        The sha256, in hex, of the lines `<sha256 of the content>  <name>`, in order of the names, as `sha256sum`
        prints them: the same for the same files, from wherever they come.

    Raises:
        ArrivalError: If a file is not as it was listed.
    """
    whole = sha256()
    for name, item in chosen.items.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        digest, length = sha256(), 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            for piece in source.read(item):
                length += len(piece)
                # The limits were held against the sizes that the source says.
                if length > item.size:
                    break
                digest.update(piece)
                stream.write(piece)
            if length != item.size:
                message = f"{shown(item.path)} does not have the {item.size:,} bytes that were listed"
                raise ArrivalError(message, fix="send it again")
            stream.flush()
            os.fchmod(descriptor, 0o644)
            os.fsync(descriptor)
        whole.update(f"{digest.hexdigest()}  {name}\n".encode())
    return whole.hexdigest()
