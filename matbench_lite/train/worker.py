"""A process that does jobs, one at a time, and can be stopped: both sides of the conversation with it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

import psutil

from matbench_lite.train.jobs import Job, Outcome, Resources

THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
PACKAGE_HOME = str(Path(__file__).parents[2])
"""The folder from which `matbench_lite` is imported."""
_FAREWELL = 5  # seconds that a process which says nothing more has to end
_LONGEST_OUTPUT = 100_000  # characters of what a model printed that are kept
_LOOK = 0.05  # seconds between two looks at the memory of a process
_MB = 1e6
_GONE, _IDLE = 3, 4
"""Exit codes: when the other side is no longer there, and when there was nothing to do."""
_READY = b"\n"
"""What is said once, before the first outcome."""
_PATIENCE = 300  # seconds without a job


class Child:
    """A process that does jobs, one at a time; a new one is started when it was killed or has died.

    `prepare`, a function at the top of a module with its arguments, is what it does before its first job.
    """

    def __init__(self, *, device: str | None = None, prepare: Callable[[], object] | None = None) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._device, self._prepare = device, prepare
        self._threads = 1
        self._is_ready = self._closed = False
        self._starting = threading.Lock()

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Do jobs up to the first that fails; what happens to the process becomes part of the outcome."""
        threads = jobs[0].resources.threads
        if self._process is not None and self._threads != threads:
            self._stop()  # some libraries read how many threads there are once, when they are loaded
        self._threads = threads
        self.start()
        process = self._process
        if process is None:
            return [self._died(jobs[0], 0)]
        assert process.stdin is not None
        assert process.stdout is not None
        if not self._is_ready:
            if process.stdout.read(len(_READY)) != _READY:
                if self._prepare is None:
                    return [self._died(jobs[0], self._buried(process))]
                self._buried(process)  # perhaps another model's fault: this one is told when it is its turn
                self._prepare = None
                return self.run(jobs)
            self._is_ready = True
        self._output.seek(0)
        self._output.truncate()
        reasons: list[tuple[str, str]] = []
        outcomes: list[Outcome]
        try:
            with _limited(process, jobs[0].resources, reasons):
                pickle.dump(list(jobs), process.stdin)
                process.stdin.flush()
                outcomes = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self._buried(process)
            if code == _IDLE:
                return self.run(jobs)  # it left before the job came
            outcomes = [self._died(jobs[0], code, *reasons)]
        outcomes[-1] = replace(outcomes[-1], record=replace(outcomes[-1].record, printed=self._printed()))
        return outcomes

    def start(self) -> None:
        """Start the process, if there is none, and it was not closed."""
        with self._starting:
            if self._process is not None or self._closed:
                return
            path = os.pathsep.join(filter(None, (PACKAGE_HOME, os.environ.get("PYTHONPATH"))))
            # Set before numpy is loaded: some libraries read them once.
            threads = dict.fromkeys(THREAD_VARIABLES, str(self._threads))
            device = {} if self._device is None else {"CUDA_VISIBLE_DEVICES": self._device}
            self._is_ready = False
            self._process = process = subprocess.Popen(
                [sys.executable, "-P", "-c", "from matbench_lite.train.worker import work_on_jobs; work_on_jobs()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._output,
                env={**os.environ, **threads, **device, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            )
            assert process.stdin is not None
            with suppress(OSError):  # it has died: said when it is asked for something
                pickle.dump(self._prepare, process.stdin)
                process.stdin.flush()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        with self._starting:
            self._closed = True
        self._stop()
        self._output.close()

    def _stop(self) -> None:
        if self._process is not None:
            _kill(self._process)
            self._buried(self._process)

    def _buried(self, process: subprocess.Popen[bytes]) -> int:
        """The exit code of a process that has stopped answering; one that does not end is killed."""
        try:
            process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            process.kill()
        self._process = None
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):  # what could not be sent
                stream and stream.close()
        return process.wait()

    def _died(self, job: Job, code: int, reason: tuple[str, str] | None = None) -> Outcome:
        if reason is not None:
            return Outcome().failed(f"{job.place}: {reason[0]}, stopped", fix=reason[1])
        if self._closed:
            return Outcome().failed(f"{job.place}: stopped")
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return Outcome().failed(
            f"{job.place}: the process that trained it {how}",
            fix="see the log; perhaps it took more memory than there is: try fewer --jobs",
        )

    def _printed(self) -> str:
        with suppress(ValueError):  # closed meanwhile
            self._output.seek(0)
            return self._output.read().decode(errors="replace")[-_LONGEST_OUTPUT:]
        return ""


@contextmanager
def _limited(process: subprocess.Popen[bytes], limits: Resources, reasons: list[tuple[str, str]]) -> Iterator[None]:
    """Kill a process that takes longer, or more memory with all that it has started, than its job may.

    `reasons` gets what it took too much of, and what to do.
    """
    ended, began = threading.Event(), time.monotonic()

    def watch() -> None:
        while not reasons:
            left = float("inf") if limits.seconds is None else began + limits.seconds - time.monotonic()
            if ended.wait(max(0.0, min(left, 60.0 if limits.memory_mb is None else _LOOK))):
                return
            if left <= 0:
                fix = "make the model faster, or give more time with --timeout"
                reasons.append((f"not done after {limits.seconds:g} s", fix))
            elif limits.memory_mb is not None and _takes_more(process.pid, limits.memory_mb * _MB):
                fix = "make the model smaller, or give more with --memory"
                reasons.append((f"it took more than {limits.memory_mb:g} MB of memory", fix))
        _kill(process)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _family(pid: int) -> list[Any]:
    """A process and all that it has started; none if it has ended."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all that it has started: a model that uses many processes has them for itself alone."""
    for one in _family(process.pid):
        with suppress(psutil.Error):
            one.kill()
    process.kill()


def _takes_more(pid: int, most: float) -> bool:
    """Whether a process and all that it has started take more than so many bytes; what they share counts once."""
    found = shared = 0
    for one in _family(pid):
        with suppress(psutil.Error):
            found += one.memory_info().rss
    for one in _family(pid) if found > most else ():
        with suppress(psutil.Error):
            shared += getattr(one.memory_full_info(), "pss", found)  # told by Linux alone
    return shared > most


def work_on_jobs() -> None:
    """In the child: do one job after the other until standard input ends."""
    # Ctrl-C is for the program that the user has started; it ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # A model that prints, or asks for input, must not disturb the conversation.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    received: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(orders, received), daemon=True).start()
    # Before the first job: what it takes to begin does not count against its time.
    import pandas as pd  # noqa: F401

    prepare = received.get()
    if prepare is not None:
        with suppress(Exception):  # said when it is asked for
            prepare()
    results.write(_READY)
    results.flush()
    packages_sent = False
    while True:
        try:
            jobs: list[Job] = received.get(timeout=_PATIENCE)
        except Empty:
            os._exit(_IDLE)
        outcomes = []
        for job in jobs:
            outcomes.append(job.work())
            if outcomes[-1].record.error is not None:
                break
        if not packages_sent and outcomes[-1].record.error is None:
            from matbench_lite.submission import collect_provenance

            packages = collect_provenance()["packages"]
            outcomes[-1] = replace(outcomes[-1], record=replace(outcomes[-1].record, packages=packages))
            packages_sent = True
        sys.stdout.flush()
        sys.stderr.flush()
        pickle.dump(outcomes, results)
        results.flush()


def _receive(stream: IO[bytes], received: SimpleQueue[Any]) -> None:
    while True:
        try:
            received.put(pickle.load(stream))
        except EOFError:
            os._exit(_GONE)
        except Exception:  # a job of another version of ours
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
