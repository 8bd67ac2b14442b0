"""Run the test suite in a temporary folder and home of its own, and see that nothing is left of it.

`make test` and `make fast` call this with the arguments of pytest. Every process that the suite starts is marked by an
environment variable, and everything it writes goes below one folder: a process that is still alive afterwards, or a
file outside the folders that pytest gives to tests, is a failure like any other.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
MARK = "MATBENCH_LITE_TEST_RUN"
GIVEN = {"t", "home"}
"""What this program makes in the folder itself: the home, where libraries keep their caches, and the folders of the
tests (by a short name: the paths of sockets are short)."""


def main(arguments: list[str]) -> int:
    """Run pytest with some arguments; its exit code, or 1 if it left something behind."""
    with tempfile.TemporaryDirectory(prefix="mbl-tests-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "home").mkdir()
        # Neither a user's folders nor settings of Python that most people do not have.
        theirs = ("XDG_", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(theirs)}
        environment |= {"TMPDIR": name, "HOME": str(folder / "home"), MARK: name}
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "--basetemp", str(folder / "t")]
        done = subprocess.run([*command, *arguments], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        left = [*_processes(name), *_files(folder)]
    print(f"processor time: {(spent.ru_utime + spent.ru_stime) / 60:.1f} minutes, of all processes together")
    for line in left:
        print(f"left behind: {line}", file=sys.stderr)
    return done.returncode or bool(left)


def _processes(mark: str) -> list[str]:
    """The processes of this run that are still alive; they are ended."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(f"process {process.pid}: {' '.join(process.cmdline())[:200]}")
                process.kill()
    return found


def _files(folder: Path) -> list[str]:
    """What was written to the temporary folder by something that should have cleaned up."""
    return [f"file {path.relative_to(folder)}" for path in folder.iterdir() if path.name not in GIVEN]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
