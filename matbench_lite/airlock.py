"""The airlock: a child process in which strangers' files are decoded. A crash, a hang or a bomb is an error there.

Messages are plain JSON data and named arrays of numbers; nothing in them can become an object. A message is the sizes
of its two parts as little-endian 64-bit integers, a JSON text, and the bytes of all arrays one after the other. What
comes back is a stranger's word: sizes, types and positions are checked before they are used.
"""

from __future__ import annotations

import atexit
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Event, Lock, Timer
from typing import IO, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from matbench_lite.errors import AirlockError, MachineError, MatbenchLiteError

_SIZES = struct.Struct("<2Q")
_TYPES = ("<f8", "<f4", "<i8", "|u1", "|b1")
Decoder = Callable[[Any, Sequence[memoryview]], tuple[Any, Mapping[str, NDArray[Any]]]]
"""Takes plain data and the bytes of files; gives plain data and arrays."""
_MOST = 1 << 34
_FILES = 64
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES, _DIES_WITH_PARENT = 38, 1
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from matbench_lite.airlock import main; main()"
_PATIENCE = 20
"""Seconds on the clock for a second of processor time: other work may hold all processors."""
_START = 60
"""Seconds on the clock for the start of a child."""
_MOST_BACK = 1 << 31
_OUT_OF_TIME = getattr(signal, "SIGPROF", 0)
_READY = "ready"
_TOO_LARGE = {"failed": "memory"}
_SETTINGS = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "OMP_NUM_THREADS": "1",
    # Memory of one request serves the next: giving it back and asking for it anew took a third of the child's time.
    "MALLOC_MMAP_THRESHOLD_": "268435456",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
}


@dataclass(frozen=True)
class Reply:
    """What a decoder found: plain JSON data, and read-only arrays of one dimension by name."""

    content: Any
    arrays: Mapping[str, NDArray[Any]]


def send(stream: IO[bytes], content: Any, blobs: Sequence[bytes | memoryview]) -> None:
    """Write a message: plain JSON data, without integers beyond 64 bits, and the bytes that belong to it."""
    text = orjson.dumps(content)
    stream.write(_SIZES.pack(len(text), sum(len(blob) for blob in blobs)))
    stream.write(text)
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def receive(stream: IO[bytes], most: int) -> tuple[Any, bytes] | None:
    """Read a message; None if the other side is gone. A ValueError if it is none, or has more than `most` bytes."""
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
    about, blobs = [], []
    for name, array in arrays.items():
        values = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        about.append([name, values.dtype.str, len(values)])
        blobs.append(values.data.cast("B") if len(values) else memoryview(b""))
    return about, blobs


def restore(about: Any, blob: bytes) -> dict[str, NDArray[Any]]:
    """The inverse of `describe`; a ValueError if the description does not fit the bytes."""
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


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the decoding of one file may take: seconds of processor time, and megabytes of memory."""

    seconds: float = 2.0
    megabytes: int = 400


_USUAL = Limits()


def inside(decoder: Callable[..., Any], about: Any, *blobs: bytes, limits: Limits = _USUAL) -> Reply:
    """Run a decoder in the airlock.

    It is a function of ours at the top of its module that takes plain JSON data and the bytes of files, and gives plain
    data and arrays by name. What it raises is raised here. An `AirlockError` if it crashed, hung, needed too much, or
    gave something else; a `MachineError` if no child process can be started: that is no fault of the files.
    """
    return _airlock(os.getpid()).decode(decoder, about, blobs, limits)


def close() -> None:
    """End the child, if there is one; the next file starts another."""
    _airlock(os.getpid()).close()


class Airlock:
    """One child process, and the door to it; for one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.owner = os.getpid()  # a copy of it in a forked process is not to be used
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
            # What earlier files did to the child is no fault of this one: what fails there is tried in a new one.
            if self._runs():
                with suppress(_CrashError):
                    answer = self._ask(request, blobs, limits)
                    if answer[0] != _TOO_LARGE:
                        return _opened(answer, limits)
                self.close()
            answer = self._ask(request, blobs, limits)
        return _opened(answer, limits)

    def close(self) -> None:
        """End the child, if it is ours."""
        process, self._process = self._process, None
        if process is not None and self.owner == os.getpid():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()

    def _ask(self, request: Any, blobs: Sequence[bytes], limits: Limits) -> tuple[Any, bytes]:
        new = not self._runs()
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        answer = None
        with self._until(_START + _PATIENCE * limits.seconds) as late, suppress(OSError, ValueError):
            send(process.stdin, request, blobs)
            if new and receive(process.stdout, _MOST_BACK) is not None:
                new = False
            if not new:
                answer = receive(process.stdout, _MOST_BACK)
        if answer is not None:
            return answer
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        code = process.poll()
        self.close()
        if new:
            raise _not_started("it ends before it reads anything")
        message = _ending(code, limits, late=late.is_set())
        raise (AirlockError if late.is_set() or code == -_OUT_OF_TIME else _CrashError)(message)

    @contextmanager
    def _until(self, seconds: float) -> Iterator[Event]:
        """End the child if the block takes longer on the clock, or is left; the event says that it was too late."""
        late, process = Event(), self._process
        assert process is not None

        def end() -> None:
            late.set()
            process.kill()

        timer = Timer(seconds, end)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:  # no more threads
            self.close()
            raise _not_started(str(error)) from error
        try:
            yield late
        except BaseException:  # Ctrl-C: the answer to this question must not be taken for that to the next
            self.close()
            raise
        finally:
            timer.cancel()

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or not self._runs():
            self.close()
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-B", "-c", _PROGRAM, *(path or str(Path.cwd()) for path in sys.path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, **_SETTINGS},
                    start_new_session=True,  # Ctrl-C is for us
                )
            except OSError as error:
                raise _not_started(str(error)) from error
        return self._process


class _CrashError(AirlockError):
    """A child that ended by itself, or by somebody else's doing."""


def _not_started(why: str) -> MachineError:
    return MachineError(
        f"the process that reads strangers' files cannot be started: {why}",
        fix="see that there is memory, and that processes and files may be opened (`ulimit -a`); then run it again",
    )


def _opened(answer: tuple[Any, bytes], limits: Limits) -> Reply:
    said, blob = answer
    try:
        if "raised" not in said and "failed" not in said:
            return Reply(said["content"], restore(said["arrays"], blob))
        memory = f"it needs more than {limits.megabytes} MB of memory"
        failure = memory if said == _TOO_LARGE else str(said.get("failed"))
        error = _raised(*said["raised"]) if "raised" in said else AirlockError(failure)
    except (AttributeError, ImportError, KeyError, TypeError, ValueError) as problem:
        raise AirlockError(f"it gives what no file can give: {problem}") from problem
    raise error


def _raised(module: str, name: str, message: str, fix: str | None) -> MatbenchLiteError:
    """The error that a decoder raised."""
    kind = getattr(import_module(module), name) if module.startswith("matbench_lite.") else None
    if not (isinstance(kind, type) and issubclass(kind, MatbenchLiteError)):
        raise ValueError(f"the error {module}.{name}")
    return kind(str(message), fix=None if fix is None else str(fix))


def _ending(code: int | None, limits: Limits, *, late: bool) -> str:
    """Why there is no answer, in words."""
    number = -code if code is not None and code < 0 else 0
    if late:
        return "it does not come to an end"
    if number == _OUT_OF_TIME:
        return f"it takes more than {limits.seconds:g} s"
    if number == getattr(signal, "SIGKILL", None):
        return "the system ends the program that reads it, as it does where memory is short"
    if number:
        return f"the program that reads it crashes ({signal.Signals(number).name})"
    return "the program that reads it ends without an answer"


@cache
def _airlock(_process: int) -> Airlock:
    """The airlock of a process: that of the one it was forked from is not for it."""
    airlock = Airlock()
    atexit.register(airlock.close)
    return airlock


def main() -> None:
    """The program inside: answers requests from standard input on standard output."""
    requests, replies = _pipes()
    confined = False
    while (message := receive(requests, _MOST)) is not None:
        request, blob = message
        module, _, function = request["decoder"].partition(":")
        decoder: Decoder = getattr(import_module(module), function)
        if not confined:  # what the first decoder needs is imported: from here on nothing but memory is needed
            _confine()
            confined = True
            send(replies, _READY, [])
        ends = [0, *accumulate(request["sizes"])]
        blobs = [memoryview(blob)[start:end] for start, end in pairwise(ends)]
        _limit(request["seconds"], request["megabytes"])
        try:
            content, arrays = decoder(request["about"], blobs)
            about, parts = describe(arrays)
            said = {"content": content, "arrays": about}
        except MatbenchLiteError as error:
            kind = type(error)
            said, parts = {"raised": [kind.__module__, kind.__qualname__, error.message, error.fix]}, []
        except MemoryError:
            said, parts = dict(_TOO_LARGE), []
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
            # A closed pipe is noticed between two files only. Last: a change of rights takes it back.
            system.prctl(_DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


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
