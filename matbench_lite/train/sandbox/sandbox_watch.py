"""Watch a process and all that it starts: what it prints, sends and takes; end it when it takes too much."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

import psutil

from matbench_lite.train.sandbox.protocol import MEMORY, OUTPUT, PROCESSES, READY, TOO_LONG, UNUSABLE, Limits

_MB = 2**20
_BETWEEN_LOOKS = 0.1  # seconds; looking costs some milliseconds, and much memory can be taken in that time
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
    process: subprocess.Popen[bytes], results: IO[bytes], job: bytes, *, limits: Limits, longest: int, ours: int
) -> Ended:
    """Hand over a job and wait for the end, within limits. When it returns, no process is left.

    `process` is the launcher, with pipes as standard input and output. At most `longest` bytes may come as results;
    `ours` is how many of the launcher's descendants are not the submission's.
    """
    watched = _Watched(process, results, job, limits, longest, ours)
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
        self, process: subprocess.Popen[bytes], results: IO[bytes], job: bytes, limits: Limits, longest: int, ours: int
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
        self._ours = ours

    def until_the_end(self) -> str | None:
        """Read and write until both pipes have ended; or the stage at which it must be stopped."""
        with selectors.DefaultSelector() as selector:
            for number in self._into:
                selector.register(number, selectors.EVENT_READ)
            next_look = time.monotonic()
            while any(key.events == selectors.EVENT_READ for key in selector.get_map().values()):
                for key, _ in selector.select(max(0.0, next_look - time.monotonic())):
                    if key.events == selectors.EVENT_WRITE:
                        self._write(selector)
                    elif stage := self._read(selector, key.fd):
                        return stage
                if time.monotonic() >= next_look:
                    if stage := self._excess():
                        return stage
                    next_look = time.monotonic() + _BETWEEN_LOOKS
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
            self.started = time.monotonic()
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
        if self.started is None:
            return TOO_LONG if now - self.launched > _TO_BEGIN else None
        if now - self.started > self._limits.seconds:
            return TOO_LONG
        return _taken_too_much(self._process.pid, self._limits, self._ours)


def _taken_too_much(launcher: int, limits: Limits, ours: int) -> str | None:
    try:
        family = psutil.Process(launcher).children(recursive=True)
    except psutil.NoSuchProcess:
        return None
    threads = resident = 0
    for member in family:
        with suppress(psutil.Error), member.oneshot():
            threads += member.num_threads()
            resident += member.memory_info().rss
    if threads - ours > limits.processes:
        return PROCESSES
    # Processes that were forked share most of their pages: only where the simple sum is too large, the costly one.
    if resident > limits.memory_mb * _MB and sum(map(_own_memory, family)) > limits.memory_mb * _MB:
        return MEMORY
    return None


def _own_memory(member: psutil.Process) -> int:
    """Memory of a process, in bytes, with its share of what it shares; all of it where that is not told."""
    try:
        return int(member.memory_full_info().pss)
    except (psutil.Error, AttributeError):
        with suppress(psutil.Error):
            return int(member.memory_info().rss)
    return 0
