"""Watch a process and all that it starts: what it prints, sends and takes; end it when it takes too much."""

from __future__ import annotations

import os
import selectors
import stat
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from matbench_lite.train.sandbox.launcher import MOST_FILES
from matbench_lite.train.sandbox.protocol import MEMORY, OUTPUT, PROCESSES, READY, TOO_LONG, UNUSABLE, Limits

_MB = 2**20
_SHORTEST_REST, _LONGEST_REST = 0.02, 0.1  # seconds between looks, which cost some milliseconds
_FASTEST = 8 * 2**30  # bytes per second that can be taken: the less is left, the sooner must be looked again
_FULL_PIPE = 2**16  # bytes, as long as its size cannot be set
_OTHER_FILE = 2**15  # bytes: the files of /proc are written into memory when they are read
_MAPPED_AREA = 2**13  # bytes of the kernel for one mapping in the last of a long line of forks; mostly 300
_MANY_AREAS, _SPARSE = 10_000, 8  # of one process; its memory, in sizes of its page tables: mostly above 100
_SEND_BUFFER = Path("/proc/sys/net/core/wmem_default")
_USUAL_SEND_BUFFER = 212_992  # bytes
# A last message may be as long as the buffer, and is rounded up to a power of two.
_PER_SEND_BUFFER = 3
_TO_BEGIN = 120  # seconds until the worker is ready: imports from a slow disk
_TO_END = 15  # seconds for the launcher to clean up
_AT_ONCE = 2**16  # bytes read, or written, at a time


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What became of a watched process: whether it was ready to take its job, what it sent then, what it printed.

    `stopped` is the stage at which it was stopped, None if it ended by itself; `seconds` is wall time from the job to
    the end, `code` the exit code of the launcher.
    """

    began: bool
    stopped: str | None
    sent: bytes
    output: bytes
    seconds: float
    code: int


def watch(
    process: subprocess.Popen[bytes], results: IO[bytes], job: bytes, *, limits: Limits, longest: int, isolated: bool
) -> Ended:
    """Hand over a job and wait for the end, within limits. When it returns, no process is left.

    `process` is the launcher, with pipes as standard input and output. At most `longest` bytes may come as results.
    """
    watched = _Watched(process, results, job, limits, longest, isolated=isolated)
    try:
        stopped = watched.until_the_end()
    finally:
        code = end(process)
        for stream in (process.stdin, process.stdout, results):
            with suppress(OSError):  # what could not be sent
                stream and stream.close()
    return Ended(
        began=watched.started is not None,
        stopped=stopped,
        sent=bytes(watched.sent[len(READY) :]),
        output=bytes(watched.output),
        seconds=time.monotonic() - (watched.started or watched.launched),
        code=code,
    )


def end(process: subprocess.Popen[bytes]) -> int:
    """End a launcher and with it everything in its sandbox; its exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


class _Watched:
    """The state of a watch: what has come so far, and since when."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        results: IO[bytes],
        job: bytes,
        limits: Limits,
        longest: int,
        *,
        isolated: bool,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.launched = time.monotonic()
        self.started: float | None = None
        self.sent = bytearray()
        self.output = bytearray()
        self._process = process
        self._stdin = process.stdin
        self._job = memoryview(job)
        self._limits = limits
        self._caps = {results.fileno(): longest, process.stdout.fileno(): int(limits.output_mb * _MB)}
        self._into = {results.fileno(): self.sent, process.stdout.fileno(): self.output}
        self._over = {results.fileno(): UNUSABLE, process.stdout.fileno(): OUTPUT}
        self._use = _Use(process.pid, limits, isolated=isolated)
        self._next_look = time.monotonic()

    def until_the_end(self) -> str | None:
        """Read and write until both pipes have ended; or the stage at which it must be stopped."""
        with selectors.DefaultSelector() as selector:
            for number in self._into:
                selector.register(number, selectors.EVENT_READ)
            while any(key.events == selectors.EVENT_READ for key in selector.get_map().values()):
                for key, _ in selector.select(max(0.0, self._next_look - time.monotonic())):
                    if key.events == selectors.EVENT_WRITE:
                        self._write(selector)
                    elif stage := self._read(selector, key.fd):
                        return stage
                if time.monotonic() >= self._next_look and (stage := self._excess()):
                    return stage
        return None

    def _read(self, selector: selectors.BaseSelector, number: int) -> str | None:
        content = os.read(number, _AT_ONCE)
        if not content:
            selector.unregister(number)
            return None
        into = self._into[number]
        into += content[: self._caps[number] + 1 - len(into)]
        if len(into) > self._caps[number]:
            return self._over[number]
        if self.started is None and self.sent.startswith(READY):
            self.started = self._next_look = time.monotonic()
            os.set_blocking(self._stdin.fileno(), False)
            selector.register(self._stdin.fileno(), selectors.EVENT_WRITE)
        return None

    def _write(self, selector: selectors.BaseSelector) -> None:
        try:
            self._job = self._job[os.write(self._stdin.fileno(), self._job[:_AT_ONCE]) :]
        except BrokenPipeError:
            self._job = self._job[:0]
        if not self._job:
            selector.unregister(self._stdin.fileno())
            self._stdin.close()

    def _excess(self) -> str | None:
        now = time.monotonic()
        since, most = (self.launched, _TO_BEGIN) if self.started is None else (self.started, self._limits.seconds)
        if now - since > most:
            return TOO_LONG
        stage, rest = self._use.look() if self.started is not None else (None, _LONGEST_REST)
        self._next_look = time.monotonic() + rest
        return stage


class _Use:
    """What a launcher's descendants take of the machine, by process or where no process owns it."""

    def __init__(self, launcher: int, limits: Limits, *, isolated: bool) -> None:
        self._launcher = launcher
        self._threads = limits.processes
        self._memory = limits.memory_mb * _MB
        self._isolated = isolated
        known = _SEND_BUFFER.exists()
        self._socket = _PER_SEND_BUFFER * (int(_SEND_BUFFER.read_text()) if known else _USUAL_SEND_BUFFER)
        self._least_unowned = _unowned() if isolated else 0

    def look(self) -> tuple[str | None, float]:
        """The stage at which they must be stopped, if they must; how long they may be left alone, in seconds."""
        try:
            # The launcher's one child in a sandbox is ours, and lets nobody look.
            family = psutil.Process(self._launcher).children(recursive=True)[self._isolated :]
        except psutil.NoSuchProcess:
            return None, _LONGEST_REST
        threads = taken = 0
        for member in family:
            with suppress(psutil.Error), member.oneshot():
                threads += member.num_threads()
                taken += member.memory_info().rss
        if threads > self._threads:
            return PROCESSES, 0
        # Quick, and at least what they take. Where that is too much, the costly figure: processes that were forked
        # share most of their pages, and others make the kernel grow, too.
        grown = 0
        if self._isolated:
            unowned = _unowned()
            self._least_unowned = min(self._least_unowned, unowned)
            grown = unowned - self._least_unowned
            taken += grown + sum(_FULL_PIPE * len(_files(member)) for member in family) + self._sockets()
        if taken > self._memory:
            taken = _opened(family) + self._sockets() if self._isolated else 0
            taken += _mapped(family, grown, self._memory - taken)
        room = self._memory - taken
        return (MEMORY if room < 0 else None), min(max(room / _FASTEST, _SHORTEST_REST), _LONGEST_REST)

    def _sockets(self) -> int:
        """What the sockets of the sandbox's network can hold, in bytes; also those on their way, and forgotten ones."""
        try:
            first = Path(f"/proc/{self._launcher}/net/sockstat").read_text().split("\n", 1)[0]
            return int(first.split()[-1]) * self._socket
        except OSError:  # it has just ended
            return 0


def _unowned() -> int:
    """Memory that the kernel keeps for all processes of the machine: page tables, and objects it cannot drop; bytes."""
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return 1024 * sum(int(lines[name].split()[0]) for name in ("SUnreclaim", "PageTables"))


def _mapped(family: list[psutil.Process], grown: int, most: int) -> int:
    """What is mapped, with the tables and lists for it, in bytes: of the lists at most what the kernel has grown by.

    More than `most` is too much, by whatever. A process that makes its share of what is shared dear to find, by many
    areas or sparse ones, counts in full, and so do those that follow.
    """
    taken = tables = areas = 0
    dear = False
    for member in family:
        folder = Path(f"/proc/{member.pid}")
        with suppress(psutil.Error, OSError):
            resident = member.memory_info().rss
            if areas * _MAPPED_AREA < grown:
                here = _areas(folder / "maps")
                areas += here
                dear |= here > _MANY_AREAS
            if grown:
                found = [line.split()[1] for line in (folder / "status").read_text().splitlines() if "VmPTE" in line]
                table = 1024 * sum(map(int, found))
                tables += table
                dear |= _SPARSE * table > resident
            taken += resident if dear else _share(member, resident)
        if taken + tables > most:
            break
    return taken + tables + max(0, min(areas * _MAPPED_AREA, grown - tables))


def _areas(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except PermissionError:
        return _MANY_AREAS


def _share(member: psutil.Process, resident: int) -> int:
    """Memory of a process, in bytes, with its share of what it shares; all of it where that is not told."""
    try:
        return int(member.memory_full_info().pss)
    except (psutil.AccessDenied, AttributeError):
        return resident


def _files(member: psutil.Process) -> list[Path]:
    """Where the open files of a process are shown; as many as there can be where that is not told."""
    folder = Path(f"/proc/{member.pid}/fd")
    try:
        return list(folder.iterdir())
    except PermissionError:
        return [folder / str(number) for number in range(MOST_FILES)]
    except OSError:
        return []


def _opened(family: list[psutil.Process]) -> int:
    """What open files other than sockets can hold, in bytes: pipes and their buffers, and those of other files."""
    pipes: set[object] = set()
    others = 0
    for path in (path for member in family for path in _files(member)):
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        except OSError:
            pipes.add(path)
            continue
        if stat.S_ISFIFO(found.st_mode):
            pipes.add((found.st_dev, found.st_ino))
        elif not stat.S_ISSOCK(found.st_mode):
            others += 1
    return len(pipes) * _FULL_PIPE + others * _OTHER_FILE
