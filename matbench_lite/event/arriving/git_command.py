"""Git on repositories of strangers: bounded in time, memory and output, deaf to configuration that runs something."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.names import plain

_MEMORY = 2_000_000_000  # bytes of addresses: deltas can be bombs, too
_LIMITED = 'ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2; exec "$@"'
"""Through a shell: the limits have to hold before git starts helpers, and Python's own way is not safe with threads."""
_BLOCK = 512  # bytes, the unit of `ulimit -f`
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.askPass=",
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    # Small windows: within the limit of addresses a pack of any size can be read.
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=256m",
    "core.bigFileThreshold=16m",
    "pack.threads=1",
    "gc.auto=0",
    "maintenance.auto=false",
    # One file for what is fetched, so that the limit for one file holds for all.
    "fetch.unpackLimit=1",
    "submodule.recurse=false",
    "protocol.ext.allow=never",
)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_TERMINAL_PROMPT": "0",
    # No content that is missing is fetched, however the repository says it is to be done: that runs its commands.
    "GIT_ALLOW_PROTOCOL": "none",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What git answered.

    Args:
        fine: Whether it did what it was asked.
        output: What it found.
        said: What it said, in one line.
    """

    fine: bool
    output: bytes
    said: str


class Git:
    """Git, with so much time for all it is asked.

    Args:
        scratch: A private folder.
        seconds: How long it may work.
        file_bytes: Size of a file that it may write.

    Raises:
        ArrivalError: If git is not installed.
    """

    def __init__(self, scratch: Path, *, seconds: float, file_bytes: int) -> None:
        program = shutil.which("git")
        if program is None:
            raise ArrivalError("git is not installed", fix="install git, or send a folder or a zip file")
        self._program = str(Path(program).absolute())
        self._scratch = scratch
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._blocks = file_bytes // _BLOCK + 1

    def ask(
        self, *arguments: str, environment: Mapping[str, str | None] | None = None, at_most: int = 1_000_000
    ) -> Answer:
        """Run a command to its end.

        Args:
            *arguments: The command.
            environment: Variables beside the usual ones; None for one that is not to be set.
            at_most: Bytes of output that are read; with more the command is ended, and that is an error.

        Raises:
            ArrivalError: If it takes too long.
        """
        with self.running(*arguments, environment=environment) as process:
            assert process.stdout is not None
            output = process.stdout.read(at_most + 1)
            if len(output) > at_most:
                return Answer(fine=False, output=output[:at_most], said="there is no end to the answer")
            code = self._wait(process)
        return Answer(fine=code == 0, output=output, said=self._said())

    @contextmanager
    def running(
        self, *arguments: str, environment: Mapping[str, str | None] | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command that answers questions, as long as the block runs."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        given = {**own, **_ENVIRONMENT, **(environment or {})}
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        limited = ["/bin/sh", "-c", _LIMITED, "sh", str(_MEMORY // 1024), str(self._blocks)]
        with (self._scratch / "said").open("wb") as said:
            process = subprocess.Popen(
                [*limited, self._program, "--no-pager", *settings, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                cwd=self._scratch,
                env={name: value for name, value in given.items() if value is not None},
                # A group of its own: what git has started ends with it.
                start_new_session=True,
            )
        watch = threading.Timer(max(0.0, self._end - time.monotonic()), _kill, [process])
        watch.daemon = True
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            _kill(process)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()
            process.wait()
            if time.monotonic() >= self._end:
                message = f"git took more than {self._seconds:g} s"
                raise ArrivalError(message, fix="try again later, or send a folder or a zip file")

    def _wait(self, process: subprocess.Popen[bytes]) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(max(0.0, self._end - time.monotonic()))
        return None

    def _said(self) -> str:
        with (self._scratch / "said").open("rb") as said:
            return plain(said.read(1000).decode(errors="replace"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
