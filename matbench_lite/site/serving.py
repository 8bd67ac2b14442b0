"""A plain server for a site that was built, to look at it."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from matbench_lite.errors import MatbenchLiteError


def site_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of the files of a folder, reachable from this machine alone.

    Args:
        folder: The folder of the HTML pages.
        port: Port to listen on; 0 takes a free one.

    Raises:
        MatbenchLiteError: If there is no site in the folder.
    """
    if not (folder / "index.html").is_file():
        raise MatbenchLiteError(f"there is no site in {folder}", fix="run `mbl site build` first")
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


class _Quiet(SimpleHTTPRequestHandler):
    """Does not print a line per request."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
