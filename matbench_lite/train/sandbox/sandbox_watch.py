"""Watch a process and all that it starts: what it prints, sends and takes; end it when it takes too much."""

from __future__ import annotations

import os
import selectors
import socket
import stat
import subprocess
import time
from contextlib import suppress
from mmap import PAGESIZE
from pathlib import Path
from typing import IO

import psutil

from matbench_lite.train.sandbox.isolation import end
from matbench_lite.train.sandbox.launcher import GO_ON, MOST_FILES, STOP
from matbench_lite.train.sandbox.protocol import MEMORY, OUTPUT, PROCESSES, READY, TOO_LONG, UNUSABLE, Limits

_MB = 2**20
_SHORTEST_REST, _LONGEST_REST = 0.001, 0.1  # seconds between looks at the machine, and at each process
_FASTEST = 8 * 2**30  # bytes per second that can be taken: the less is left, the sooner must be looked again
_REST_PER_LOOK = 20  # a look at each process takes at most this part of the time
_FULL_PIPE = 2**16  # bytes, as long as its size cannot be set
_OTHER_FILE = 2**15  # bytes: the files of /proc are written into memory when they are read
_MAPPED_AREA = 2**13  # bytes of the kernel for one mapping in the last of a long line of forks; mostly 300
_MANY_AREAS = 10_000  # of one process, where they cannot be counted
_SEND_BUFFER = Path("/proc/sys/net/core/wmem_default")
_USUAL_SEND_BUFFER = 212_992  # bytes
# A last message may be as long as the buffer, and is rounded up to a power of two.
_PER_SEND_BUFFER = 3
_TO_BEGIN = 120  # seconds until the worker is ready: imports from a slow disk
_TO_STAND = 1  # seconds for a call to the kernel to end
_STANDING = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
_AT_ONCE = 2**16  # bytes read, or written, at a time


class Watch:
    """A launcher with a job for its worker: what came on the pipe for results, what was printed, and since when.

    `process` has pipes as standard input and output; `orders` are what its sandbox obeys, None without one. At most
    `longest` bytes may come as results. `began` is when the worker was ready to take the job, None until then; in the
    end, `seconds` is the wall time from there on, `code` the exit code of the launcher.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        results: IO[bytes],
        orders: socket.socket | None,
        job: bytes,
        *,
        limits: Limits,
        longest: int,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.began: float | None = None
        self.sent, self.output = bytearray(), bytearray()
        self.seconds, self.code = 0.0, 0
        self._launched = time.monotonic()
        self._process, self._stdin = process, process.stdin
        self._job = memoryview(job)
        self._limits = limits
        self._caps = {results.fileno(): longest, process.stdout.fileno(): int(limits.output_mb * _MB)}
        self._into = {results.fileno(): self.sent, process.stdout.fileno(): self.output}
        self._over = {results.fileno(): UNUSABLE, process.stdout.fileno(): OUTPUT}
        self._use = _Use(process.pid, limits, orders)
        self._next_look = time.monotonic()

    def until_the_end(self) -> str | None:
        """Hand over the job and wait for the end; the stage at which it had to be stopped, if it had.

        Nothing that was started for the job is left then.
        """
        try:
            return self._exchange()
        finally:
            self.code = end(self._process)
            self.seconds = time.monotonic() - (self.began or self._launched)
            self._use.close()

    def _exchange(self) -> str | None:
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
        if self.began is None and self.sent.startswith(READY):
            self.began = self._next_look = time.monotonic()
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
        since, most = (self._launched, _TO_BEGIN) if self.began is None else (self.began, self._limits.seconds)
        if now - since > most:
            return TOO_LONG
        stage, rest = self._use.look() if self.began is not None else (None, _LONGEST_REST)
        self._next_look = time.monotonic() + rest
        return stage


class _Use:
    """What a launcher's descendants take of the machine, by process or where no process owns it."""

    def __init__(self, launcher: int, limits: Limits, orders: socket.socket | None) -> None:
        self._launcher = launcher
        self._threads = limits.processes
        self._memory = limits.memory_mb * _MB
        self._orders = orders
        known = _SEND_BUFFER.exists()
        self._socket = _PER_SEND_BUFFER * (int(_SEND_BUFFER.read_text()) if known else _USUAL_SEND_BUFFER)
        self._least_unowned = _memory()[1]
        # What was left when everything in the sandbox stood still, and what was taken then.
        self._room = 0
        self._then = (0, 0, 0, 0)
        self._due = 0.0
        self._proc = -1

    def close(self) -> None:
        if self._proc >= 0:
            os.close(self._proc)

    def look(self) -> tuple[str | None, float]:
        """The stage at which they must be stopped, if they must; how long they may be left alone, in seconds.

        Mostly at the most by which they can have grown, which takes microseconds. A look at each process takes
        milliseconds, in which much can be taken, and misses those that hand their memory to a child and end. So it is
        believed that there is more room only while they stand still.
        """
        now = time.monotonic()
        machine, *own = (new - old for new, old in zip(self._signs(), self._then, strict=True))
        room = self._room - max(machine, sum(max(0, growth) for growth in own))
        if room < 0 or now >= self._due:
            try:
                stage, room = self._counted(room)
            except psutil.NoSuchProcess:
                return None, _LONGEST_REST
            if stage:
                return stage, 0
            self._due = (looked := time.monotonic()) + max(_LONGEST_REST, _REST_PER_LOOK * (looked - now))
            now = looked
        return None, max(_SHORTEST_REST, min(room / _FASTEST, self._due - now))

    def _counted(self, room: int) -> tuple[str | None, int]:
        """The stage at which they must be stopped, if they must; what is left, in bytes, of at most `room`."""
        family = self._family()
        threads, taken = _quick(family)
        if threads > self._threads:
            return PROCESSES, 0
        if self._orders:
            taken += _opened(family) + self._sockets()
        room = min(room, self._memory - taken)
        if room < 0:
            self._order(STOP)
            self._then = self._signs()
            latest = time.monotonic() + _TO_STAND
            still, before = False, None
            while not still:
                family = self._family()
                # One that forks comes to its end first: until then its pages are shared with a child that nobody sees.
                # One that ends while they are listed hides its children: two lists in a row must be the same.
                still = family == before and all(map(_stands, family))
                still, before = still or not self._orders or time.monotonic() > latest, family
                self._room = room = self._memory - self._taken(family)
                if room < 0:
                    return MEMORY, 0
                time.sleep(0 if still else _SHORTEST_REST)
            self._order(GO_ON)
        return None, room

    def _signs(self) -> tuple[int, int, int, int]:
        """Memory of the machine that is used, that the kernel keeps, and that they have been given or have sockets for.

        In bytes. The first two miss what others give back at the same time; page faults and sockets, all other objects.
        """
        faults = 0
        if self._orders and self._proc < 0:
            with suppress(OSError, ValueError):  # it has just ended
                _, (self._proc,), _, _ = socket.recv_fds(self._orders, 1, 1)
        for name in os.listdir(self._proc) if self._proc >= 0 else ():  # noqa: PTH208 (a folder without a path)
            if name.isdigit():
                with suppress(OSError):
                    fields = Path(f"/proc/self/fd/{self._proc}/{name}/stat").read_bytes().rsplit(b")", 1)[1].split()
                    faults += sum(map(int, fields[7:11]))  # small and large ones; its own, and of children that ended
        used, unowned = _memory()
        return used, unowned, faults * PAGESIZE, self._sockets()

    def _family(self) -> list[psutil.Process]:
        # The launcher's one child in a sandbox is ours, and lets nobody look.
        family: list[psutil.Process] = psutil.Process(self._launcher).children(recursive=True)
        return family[self._orders is not None :]

    def _order(self, order: bytes) -> None:
        """Have everything in the sandbox stand still, or go on."""
        if self._orders:
            with suppress(OSError):  # it has just ended
                self._orders.send(order)
                self._orders.recv(1)

    def _taken(self, family: list[psutil.Process]) -> int:
        """What they take, in bytes, if it is not too much; processes that were forked share most of their pages."""
        if not self._orders:
            return _mapped(family, 0, self._memory)
        unowned = _memory()[1]
        self._least_unowned = min(self._least_unowned, unowned)
        taken = _opened(family) + self._sockets()
        return taken + _mapped(family, unowned - self._least_unowned, self._memory - taken)

    def _sockets(self) -> int:
        """What the sockets of the sandbox's network can hold, in bytes; also those on their way, and forgotten ones."""
        try:
            first = Path(f"/proc/{self._launcher}/net/sockstat").read_text().split("\n", 1)[0]
            return int(first.split()[-1]) * self._socket
        except OSError:  # it has just ended
            return 0


def _memory() -> tuple[int, int]:
    """Memory of the machine that is used, but for files that are kept in memory; what the kernel keeps of it; bytes.

    The latter for all processes: page tables, and objects that it cannot drop.
    """
    path = Path("/proc/meminfo")
    if not path.exists():
        return 0, 0
    lines = dict(line.split(":") for line in path.read_text().splitlines())
    total, free, files, buffers, droppable, fixed, tables = (
        1024 * int(lines[name].split()[0])
        for name in ("MemTotal", "MemFree", "Cached", "Buffers", "SReclaimable", "SUnreclaim", "PageTables")
    )
    return total - free - files - buffers - droppable, fixed + tables


def _quick(family: list[psutil.Process]) -> tuple[int, int]:
    """How many threads they have, and what is resident of each, added up, in bytes."""
    threads = taken = 0
    for member in family:
        with suppress(psutil.Error), member.oneshot():
            threads += member.num_threads()
            taken += member.memory_info().rss
    return threads, taken


def _stands(member: psutil.Process) -> bool:
    try:
        return member.status() in _STANDING
    except psutil.NoSuchProcess:
        return True


def _mapped(family: list[psutil.Process], grown: int, most: int) -> int:
    """What is mapped, with the tables and lists for it, in bytes: of the lists at most what the kernel has grown by.

    More than `most` is too much, by whatever.
    """
    taken = tables = areas = 0
    for member in family:
        folder = Path(f"/proc/{member.pid}")
        with suppress(psutil.Error, OSError):
            taken += _share(member)
            if grown:
                areas += _areas(folder / "maps")
                found = [line.split()[1] for line in (folder / "status").read_text().splitlines() if "VmPTE" in line]
                tables += 1024 * sum(map(int, found))
        if taken + tables > most:
            break
    return taken + tables + max(0, min(areas * _MAPPED_AREA, grown - tables))


def _areas(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except PermissionError:
        return _MANY_AREAS


def _share(member: psutil.Process) -> int:
    """Memory of a process, in bytes, with its share of what it shares; all of it where that is not told."""
    try:
        return int(member.memory_full_info().pss)
    except (psutil.AccessDenied, AttributeError):
        return int(member.memory_info().rss)


def _opened(family: list[psutil.Process]) -> int:
    """What open files other than sockets can hold, in bytes: pipes and their buffers, and those of other files."""
    pipes: set[object] = set()
    taken = 0
    for member in family:
        try:
            for path in Path(f"/proc/{member.pid}/fd").iterdir():
                with suppress(FileNotFoundError):
                    found = path.stat()
                    if stat.S_ISFIFO(found.st_mode):
                        pipes.add((found.st_dev, found.st_ino))
                    elif not stat.S_ISSOCK(found.st_mode):
                        taken += _OTHER_FILE
        except PermissionError:  # as many as there can be
            taken += MOST_FILES * _FULL_PIPE
        except OSError:  # it has just ended
            continue
    return taken + len(pipes) * _FULL_PIPE
