"""Check the entries in the folders given on standard input, one after the other, within bounds; print what was found.

Runs in a process of its own: what it may take in processor time for one entry, and in memory for all of them, is seen
from outside, and a crash is one.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from pathlib import Path

SECONDS = 5


class OutOfTimeError(Exception):
    """Raised by the timer."""


def out_of_time(*_: object) -> None:
    raise OutOfTimeError(f"more than {SECONDS} s of processor time")


def main() -> None:
    from matbench_lite.check import check_entry

    signal.signal(signal.SIGPROF, out_of_time)
    found: dict[str, object] = {}
    for name, folder in json.load(sys.stdin).items():
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # processor time: a busy machine does not count
        try:
            found[name] = check_entry(Path(folder)).as_dict()
        except Exception as error:
            found[name] = {"crash": f"{type(error).__name__}: {error}"}
        signal.setitimer(signal.ITIMER_PROF, 0)
    json.dump({"found": found, "peak_bytes": peak_bytes()}, sys.stdout)


def peak_bytes() -> int:
    """The most memory this process had. What `getrusage` says on Linux includes that of the process it came from."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main()
