"""The outer door of the airlock: starts the child when it is needed, starts it again when a file was its end."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from matbench_lite.airlock.wire import Reply, receive, restore, send
from matbench_lite.errors import AirlockError, MatbenchLiteError

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from matbench_lite.airlock.child import main; main()"
_PATIENCE = 20
"""Seconds on the clock for a second of processor time: other work may hold all processors."""
_START = 60
"""Seconds on the clock for the start of a child."""
_MOST_BACK = 1 << 31


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the decoding of one file may take.

    Args:
        seconds: Processor time.
        megabytes: Memory.
    """

    seconds: float = 2.0
    megabytes: int = 400


_USUAL = Limits()


def inside(decoder: Callable[..., Any], about: Any, *blobs: bytes, limits: Limits = _USUAL) -> Reply:
    """Run a decoder in the airlock.

    Args:
        decoder: A function of ours at the top of its module: takes plain data and the bytes of files, gives plain data
            and arrays by name.
        about: What it is to know, as plain JSON data.
        blobs: The bytes of the files.
        limits: What it may take.

    Raises:
        AirlockError: If it crashed, hung, needed too much, or gave something else.
        MatbenchLiteError: What the decoder itself raised.
    """
    return _airlock().decode(decoder, about, blobs, limits)


def close() -> None:
    """End the child, if there is one; the next file starts another."""
    if _shared is not None:
        _shared.close()


class Airlock:
    """One child process, and the door to it; for one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._lock = Lock()

    def decode(self, decoder: Callable[..., Any], about: Any, blobs: Sequence[bytes], limits: Limits) -> Reply:
        """See `inside`."""
        request = {
            "decoder": f"{decoder.__module__}:{decoder.__qualname__}",
            "about": about,
            "sizes": [len(blob) for blob in blobs],
            "seconds": limits.seconds,
            "megabytes": limits.megabytes,
        }
        with self._lock:
            answer = self._ask(request, blobs, limits)
        return _opened(answer, limits)

    def close(self) -> None:
        """End the child, if it is ours."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()

    @property
    def owner(self) -> int:
        """The process that it belongs to: a copy of it in a forked process is not to be used."""
        return self._owner

    def _ask(self, request: Any, blobs: Sequence[bytes], limits: Limits) -> tuple[Any, bytes]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        late = Timer(_START + _PATIENCE * limits.seconds, process.kill)
        late.daemon = True
        late.start()
        try:
            send(process.stdin, request, blobs)
            answer = receive(process.stdout, _MOST_BACK)
        except (OSError, ValueError):
            answer = None
        except BaseException:  # Ctrl-C: the answer to this question must not be taken for that to the next
            self.close()
            raise
        finally:
            late.cancel()
        if answer is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
            code = process.poll()
            self.close()
            raise AirlockError(_ending(code, limits))
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-c", _PROGRAM, *(path or str(Path.cwd()) for path in sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C is for us
            )
        return self._process


def _opened(answer: tuple[Any, bytes], limits: Limits) -> Reply:
    said, blob = answer
    try:
        if "raised" not in said and "failed" not in said:
            return Reply(said["content"], restore(said["arrays"], blob))
        error = _raised(*said["raised"]) if "raised" in said else AirlockError(_failure(str(said["failed"]), limits))
    except (AttributeError, ImportError, KeyError, TypeError, ValueError) as problem:
        raise AirlockError(f"it gives what no file can give: {problem}") from problem
    raise error


def _raised(module: str, name: str, message: str, fix: str | None) -> MatbenchLiteError:
    """The error that a decoder raised."""
    kind = getattr(import_module(module), name) if module.startswith("matbench_lite.") else None
    if not (isinstance(kind, type) and issubclass(kind, MatbenchLiteError)):
        raise ValueError(f"the error {module}.{name}")
    return kind(str(message), fix=None if fix is None else str(fix))


def _failure(what: str, limits: Limits) -> str:
    return f"it needs more than {limits.megabytes} MB of memory" if what == "memory" else what


def _ending(code: int | None, limits: Limits) -> str:
    """Why there is no answer, in words."""
    number = -code if code is not None and code < 0 else 0
    if number == getattr(signal, "SIGPROF", None):
        return f"it takes more than {limits.seconds:g} s"
    if number == getattr(signal, "SIGKILL", None):
        return "it does not come to an end"
    if number:
        return f"the program that reads it crashes ({signal.Signals(number).name})"
    return "the program that reads it ends without an answer"


_shared: Airlock | None = None


def _airlock() -> Airlock:
    """The airlock of this process."""
    global _shared
    if _shared is None or _shared.owner != os.getpid():
        _shared = Airlock()
        atexit.register(_shared.close)
    return _shared
