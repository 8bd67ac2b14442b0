"""What runs in the airlock: one decoder after the other, each within its limits, until nothing more is asked for."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from matbench_lite.airlock.wire import describe, receive, send
from matbench_lite.errors import MatbenchLiteError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Decoder = Callable[[Any, Sequence[memoryview]], tuple[Any, Mapping[str, "NDArray[Any]"]]]
"""Takes plain data and the bytes of files; gives plain data and arrays."""

_MOST = 1 << 34
_FILES = 64
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38


def main() -> None:
    """Answer requests from standard input on standard output."""
    requests, replies = _pipes()
    confined = False
    while (message := receive(requests, _MOST)) is not None:
        request, blob = message
        decoder = _decoder(request["decoder"])
        if not confined:  # what the first decoder needs is imported: from here on nothing but memory is needed
            _confine()
            confined = True
        blobs = _cut(blob, request["sizes"])
        _limit(request["seconds"], request["megabytes"])
        try:
            content, arrays = decoder(request["about"], blobs)
            about, parts = describe(arrays)
            said = {"content": content, "arrays": about}
        except MatbenchLiteError as error:
            kind = type(error)
            said, parts = {"raised": [kind.__module__, kind.__qualname__, error.message, error.fix]}, []
        except MemoryError:
            said, parts = {"failed": "memory"}, []
        except Exception as error:
            said, parts = {"failed": f"{type(error).__name__}: {error}"[:300]}, []
        _limit(0, None)
        send(replies, said, parts)


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Both ends, out of the way of whatever writes to standard output."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    return requests, replies


def _decoder(name: str) -> Decoder:
    module, _, function = name.partition(":")
    decoder: Decoder = getattr(import_module(module), function)
    return decoder


def _cut(blob: bytes, sizes: Sequence[int]) -> list[memoryview]:
    whole, blobs, position = memoryview(blob), [], 0
    for size in sizes:
        blobs.append(whole[position : position + size])
        position += size
    return blobs


def _confine() -> None:
    """Give up what no decoder needs, as far as the system lets an ordinary user: files to write, network, rights."""
    if sys.platform == "win32":
        return
    import resource

    for limit, most in (("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0), ("RLIMIT_NOFILE", _FILES)):
        with suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, limit), (most, most))
    if sys.platform == "linux":
        import ctypes

        system = ctypes.CDLL(None, use_errno=True)
        with suppress(AttributeError):
            if system.unshare(_NEW_USER | _NEW_NET):
                system.unshare(_NEW_NET)
            system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _limit(seconds: float, megabytes: int | None) -> None:
    """Processor time and memory from here on; what needs more is ended by the system, or gets a MemoryError."""
    if sys.platform == "win32":
        return
    import resource

    # Its default action ends the process, in the middle of a library, too.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = hard if megabytes is None else megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


if __name__ == "__main__":
    main()
