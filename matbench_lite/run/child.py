"""A process that trains one fold after the other and can be killed at any time.

Jobs come pickled on standard input, outcomes leave pickled on standard output. What the model prints goes to standard
error. When standard input ends, so does the process, whatever it is doing: nobody is there to take the result. It
also ends when it had nothing to do for a while: workers of a cluster live long.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from matbench_lite.run.unit import Job

GONE, IDLE = 3, 4
"""Exit codes: when the other side is no longer there, and when there was nothing to do."""
READY = b"\n"
"""What is said once, before the first outcome."""
_PATIENCE = 300  # seconds without a job


def main() -> None:
    """Work until standard input ends."""
    # Ctrl-C is for the program that the user has started; it ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # A model that prints, or asks for input, must not disturb the conversation.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    # Before the first job: what it takes to begin does not count against a fold's time.
    import pandas as pd  # noqa: F401

    import matbench_lite.run.unit  # noqa: F401

    results.write(READY)
    results.flush()
    jobs: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=_receive, args=(orders, jobs), daemon=True).start()
    packages_sent = False
    while True:
        try:
            job = jobs.get(timeout=_PATIENCE)
        except Empty:
            os._exit(IDLE)
        outcome = job.work()
        if not packages_sent:
            from matbench_lite.submission import collect_provenance

            outcome = replace(outcome, packages=collect_provenance()["packages"])
            packages_sent = True
        sys.stdout.flush()
        sys.stderr.flush()
        pickle.dump(outcome, results)
        results.flush()


def _receive(stream: IO[bytes], jobs: SimpleQueue[Job]) -> None:
    while True:
        try:
            jobs.put(pickle.load(stream))
        except EOFError:
            os._exit(GONE)
        except Exception:  # a job of another version of ours
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
