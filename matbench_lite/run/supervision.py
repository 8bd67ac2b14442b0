"""Training in processes of its own: a fold that never ends, eats the memory or crashes takes nobody with it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType

from matbench_lite.run.child import IDLE, READY
from matbench_lite.run.unit import Job, Outcome

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_PACKAGE_HOME = str(Path(__file__).parents[2])
_FAREWELL = 5  # seconds that a process which says nothing more has to end
_LONGEST_OUTPUT = 100_000  # characters of what a model printed that are kept


class Child:
    """A process that trains folds, one at a time; a new one is started when it was killed or has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._closed = False

    def run(self, job: Job) -> Outcome:
        """Train a fold; what happens to the process becomes part of the outcome."""
        self._output.seek(0)
        self._output.truncate()
        is_new = self._process is None
        self._process = process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        if is_new and process.stdout.read(len(READY)) != READY:
            return replace(self._died(job, self._buried(process), late=False), output=self._printed())
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(job.timeout, stop) if job.timeout else None
        try:
            if timer:
                timer.start()
            pickle.dump(job, process.stdin)
            process.stdin.flush()
            outcome: Outcome = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self._buried(process)
            if code == IDLE:
                return self.run(job)  # it left before the job came
            outcome = self._died(job, code, late=late.is_set())
        finally:
            if timer:
                timer.cancel()
        return replace(outcome, output=self._printed())

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
            self._buried(self._process)
        self._output.close()

    def _start(self) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, (_PACKAGE_HOME, os.environ.get("PYTHONPATH"))))
        # Set before numpy is loaded: some libraries read them once.
        threads = dict.fromkeys(_THREAD_VARIABLES, "1")
        environment = {**os.environ, **threads, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen(
            [sys.executable, "-P", "-c", "from matbench_lite.run.child import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            env=environment,
        )

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

    def _died(self, job: Job, code: int, *, late: bool) -> Outcome:
        if late:
            return Outcome(
                job=job,
                error=f"{job.place}: not done after {job.timeout:g} s, stopped",
                fix="make the model faster, or give more time with --timeout",
            )
        if self._closed:
            return Outcome(job=job, error=f"{job.place}: stopped")
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return Outcome(
            job=job,
            error=f"{job.place}: the process that trained it {how}",
            fix="see the log; perhaps it took more memory than there is: try fewer --jobs",
        )

    def _printed(self) -> str:
        with suppress(ValueError):  # closed meanwhile
            self._output.seek(0)
            return self._output.read().decode(errors="replace")[-_LONGEST_OUTPUT:]
        return ""


class Children:
    """Some children, lent to whoever has a job; leaving the block ends them all."""

    def __init__(self, number: int) -> None:
        self._all = [Child() for _ in range(number)]
        self._idle: SimpleQueue[Child] = SimpleQueue()
        for child in self._all:
            self._idle.put(child)

    def run(self, job: Job) -> Outcome:
        """Train a fold in a child that has nothing else to do."""
        child = self._idle.get()
        try:
            return child.run(job)
        finally:
            self._idle.put(child)

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for child in self._all:
            child.close()
