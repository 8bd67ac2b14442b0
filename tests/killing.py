"""Ends a process before any one of its file operations: what is on disk then is what a crash may leave."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_DONE, _FAILED, _KILLED, _KILLED_OPENING = 0, 1, 9, 10
_FOLDERS = {"os.remove": 1, "os.rmdir": 1, "os.mkdir": 2, "os.rename": 2}
"""Operations that the interpreter tells of, and which of their arguments is the folder that the path is relative to."""


def killed_at_each_step(home: Path, prepare: Callable[[], None], work: Callable[[], Any]) -> Iterator[str]:
    """Do some work again and again, each time in a new process that ends before another file operation.

    Operations are: opening for writing, renaming, removing, making folders, flushing. Before one that opens a file for
    writing the process ends twice: with no file, and with one that is empty.

    Args:
        home: Operations elsewhere do not count.
        prepare: Called before each time: puts everything as it was.
        work: What is done.

    Yields:
        The name of the step, after each kill. When there is no step left, the work has been done once.
    """
    step = 0
    while True:
        prepare()
        code = _in_a_process(home, work, step, torn=False)
        if code == _DONE:
            return
        assert code in (_KILLED, _KILLED_OPENING), f"step {step}: the process ended with {code}"
        yield f"step {step}"
        if code == _KILLED_OPENING:
            prepare()
            code = _in_a_process(home, work, step, torn=True)
            assert code == _KILLED_OPENING, f"step {step}, torn: the process ended with {code}"
            yield f"step {step}, torn"
        step += 1


def _in_a_process(home: Path, work: Callable[[], Any], step: int, *, torn: bool) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = _FAILED
    try:
        signal.alarm(60)
        _Killer(str(home), step, torn=torn).watch()
        work()
        code = _DONE
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class _Killer:
    """Counts file operations, and ends the process before one."""

    def __init__(self, home: str, step: int, *, torn: bool) -> None:
        self.home, self.left, self.torn = home, step, torn

    def watch(self) -> None:
        """Begin; this cannot be undone, the process has to end."""
        sys.addaudithook(self._audit)
        flush = os.fsync

        def fsync(file: Any) -> None:
            self._count()
            flush(file)

        os.fsync = fsync

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & (os.O_WRONLY | os.O_RDWR) and str(path).startswith(self.home):
                self._count(opened=path)
        elif event in _FOLDERS:
            path, folder = arguments[0], arguments[_FOLDERS[event]]
            if folder != -1 or os.fsdecode(path).startswith(self.home):
                self._count()

    def _count(self, opened: Any = None) -> None:
        self.left -= 1
        if self.left != -1:
            return
        if opened is None or os.path.exists(opened):  # noqa: PTH110  what was opened may be no path
            os._exit(_KILLED)
        if self.torn:
            os.close(os.open(opened, os.O_CREAT | os.O_WRONLY))
        os._exit(_KILLED_OPENING)
