"""Whether submitted code can be isolated on this machine, what of the machine it sees, and how it is started."""

from __future__ import annotations

import json
import os
import platform
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import psutil

from matbench_lite.errors import IsolationError
from matbench_lite.train.sandbox.kernel import MACHINES
from matbench_lite.train.sandbox.launcher import CANNOT_ENTER, SCRATCH
from matbench_lite.train.sandbox.protocol import Limits
from matbench_lite.train.worker import PACKAGE_HOME, THREAD_VARIABLES

_LAST_USER = 2**31
_TO_PROBE = 120  # seconds: imports from a slow disk, on a busy machine
_TO_OBEY = 10  # seconds, on a busy machine
_TO_END = 15  # seconds for the launcher to clean up
_SPARE_PROCESSES = 8  # above the limit: so that those who exceed it are seen doing so
# Not pandas itself, which takes long to import: that it is there is enough to know.
_PROBE = """
from importlib.util import find_spec
import numpy
from matbench_lite.train.sandbox.sandbox_worker import main
print("inside" if find_spec("pandas") else "there is no pandas")
"""
_LAUNCH = "import sys; sys.path.insert(0, {home!r}); from matbench_lite.train.sandbox.launcher import main; main()"
_WORK = "from matbench_lite.train.sandbox.sandbox_worker import main; main()"
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
    "/etc/ld.so.cache", "/etc/alternatives",
)  # fmt: skip
_PACKAGE = Path(PACKAGE_HOME) / "matbench_lite"
_INSTALLED = ("site-packages", "dist-packages")


@lru_cache(maxsize=1)
def isolation_problem() -> IsolationError | None:
    """The error to raise if submitted code cannot be isolated on this machine; None if it can.

    It is tried, once per process, which takes about half a second.
    """
    if sys.platform != "linux":
        return _refused(f"it needs Linux, this is {platform.system()}")
    if platform.machine() not in MACHINES:
        return _refused(f"the system calls of {platform.machine()} are not known; those of {', '.join(MACHINES)} are")
    try:
        with launched(Limits(), isolated=True, program=_PROBE) as (process, *_):
            output = process.communicate(timeout=_TO_PROBE)[0].decode(errors="replace").strip()
    except IsolationError as error:
        return error
    except (OSError, subprocess.TimeoutExpired) as error:
        return did_not_start(str(error))
    last = output.splitlines()[-1] if output else f"exit code {process.returncode}"
    if process.returncode == CANNOT_ENTER:
        return _refused(last)
    if process.returncode != 0 or output != "inside":
        return did_not_start(last)
    return None


def require_isolation(*private: Path) -> None:
    """See that submitted code can be isolated on this machine, and finds none of these folders where its Python is.

    Raises:
        IsolationError: If not.
    """
    if problem := isolation_problem():
        raise problem
    for home in (folder.resolve() for folder in private):
        for folder in visible_folders():
            if home.is_relative_to(folder):
                message = f"{home} lies in {folder}, where submitted code finds its Python"
                raise IsolationError(message, fix="move it to another folder")


def did_not_start(why: str) -> IsolationError:
    """The error for a process that failed for a reason that a machine without isolation would have as well."""
    return IsolationError(
        f"the process for submitted code did not start: {why}",
        fix=f"see that {sys.executable} can import matbench_lite and pandas with no environment variable set, "
        "that memory and processes are to spare, and try again",
    )


def _refused(why: str) -> IsolationError:
    return IsolationError(
        f"submitted code cannot be isolated here: {why}",
        fix="use Linux 5.12 or later where namespaces are allowed; `mbl event score` can do without isolation, on a "
        "machine that holds nothing but its event (--without-isolation)",
    )


@contextmanager
def launched(
    limits: Limits, *, isolated: bool, program: str = _WORK, threads: int = 1, device: str | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], socket.socket | None]]:
    """Start a worker, in a sandbox or without one; leaving the block ends it and removes its scratch folder.

    Gives the launcher's process, the pipe on which results come, and what takes orders to a sandbox; an
    `IsolationError` if Python is installed in a folder that holds other things as well.
    """
    # A sandbox has its own, in memory.
    outside = tempfile.TemporaryDirectory(prefix="mbl-scratch-", ignore_cleanup_errors=True) if not isolated else None
    with outside or nullcontext(SCRATCH) as scratch:
        if not isolated:
            for name in ("home", "tmp"):
                (Path(scratch) / name).mkdir()
        environment = _environment(scratch, threads, device)
        plan = _plan(limits, isolated=isolated, scratch=scratch, program=program)
        results, theirs = os.pipe()
        orders, obeyed = socket.socketpair()
        orders.settimeout(_TO_OBEY)
        with os.fdopen(results, "rb", buffering=0) as stream, orders, obeyed:
            try:
                # Nothing else of ours is open in it.
                process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _LAUNCH.format(home=PACKAGE_HOME)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    pass_fds=(theirs, obeyed.fileno()),
                    env=environment,
                    cwd="/",
                    bufsize=0,
                    # Ctrl-C is for the program that the organiser has started; it ends its children itself.
                    start_new_session=True,
                )
            finally:
                os.close(theirs)
            with process:
                try:
                    assert process.stdin is not None
                    plan |= {
                        "results": theirs,
                        "orders": obeyed.fileno(),
                        "environment": environment,
                        "threads": threads,
                    }
                    obeyed.close()
                    with suppress(BrokenPipeError):  # what it has printed says why
                        process.stdin.write(json.dumps(plan).encode() + b"\n")
                    yield process, stream, orders if isolated else None
                finally:
                    end(process)


def end(process: subprocess.Popen[bytes]) -> int:
    """End a launcher and with it everything in its sandbox; its exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def _plan(limits: Limits, *, isolated: bool, scratch: str, program: str) -> dict[str, Any]:
    """What the launcher is told; see there."""
    user = _spare_user() if isolated else None
    return {
        **asdict(limits),
        **(_places() if isolated else {}),
        "parent": os.getpid(),
        "isolated": isolated,
        "drop_to_user": user is not None,
        "user": user or 0,
        "most_processes": limits.processes + _SPARE_PROCESSES + (_running() if user is None else 0),
        "scratch": scratch,
        "command": [sys.executable, "-P", "-c", program],
    }


_KERNELS = (
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS",
    "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES",
)  # fmt: skip
"""Which instructions linear algebra uses: the last digit of a prediction hangs on them."""


def _environment(scratch: str, threads: int, device: str | None) -> dict[str, str]:
    """All the environment variables of the worker: of the organiser's, only those that choose how to multiply."""
    return {
        **{name: os.environ[name] for name in _KERNELS if name in os.environ},
        **dict.fromkeys(THREAD_VARIABLES, str(threads)),
        **({} if device is None else {"CUDA_VISIBLE_DEVICES": device}),
        "HOME": f"{scratch}/home",
        "LANG": "C.UTF-8",
        "MATBENCH_LITE_AUTOFETCH": "0",
        "MATBENCH_LITE_DATA": f"{scratch}/home/data",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([PACKAGE_HOME, *_extra_paths()]),
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": f"{scratch}/tmp",
        "XDG_CACHE_HOME": f"{scratch}/home/.cache",
        "XDG_CONFIG_HOME": f"{scratch}/home/.config",
        "XDG_DATA_HOME": f"{scratch}/home/.local/share",
    }


def _spare_user() -> int | None:
    """The number of a user that nobody is, for one sandbox alone; None if this process may not become one.

    Limits on processes count by user: sandboxes that run at the same time must not count each other's.
    """
    if os.geteuid() != 0:
        return None
    ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    first, size = max(((int(start), int(length)) for start, _, length in ranges), key=lambda one: one[1])
    last = min(first + size, _LAST_USER)
    half = (last - first) // 2  # real users have low numbers
    return last - half + secrets.randbelow(half) if half > 0 else None


def _running() -> int:
    """Processes and threads that this user has now, which count against the kernel's limit."""
    count = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.uids().real == os.getuid():
                count += process.num_threads()
    return count


def _extra_paths() -> list[str]:
    """Folders of installed packages that Python would not find with an empty environment: those of the user."""
    found = [path for path in sys.path if Path(path).name in _INSTALLED and Path(path).is_dir()]
    return [path for path in found if not _is_below(Path(path), _prefixes())]


def visible_folders() -> tuple[Path, ...]:
    """Files and folders of this machine that code in a sandbox can read.

    Nothing private may lie in one of them.

    Raises:
        IsolationError: If Python is installed in a folder that holds other things as well.

    Examples:
        >>> Path("/usr") in visible_folders(), Path.home() in visible_folders()
        (True, False)
    """
    return tuple(sorted({Path(source) for source, _ in _places()["binds"]}))


def _places() -> dict[str, Any]:
    """What is put into the root folder of a sandbox, all of it read-only.

    `binds` are files and folders of the machine: where they are, and the same as named in the sandbox; `links` are
    symbolic links: what they say, and their path; `masks` are folders and files that are shown empty. An
    `IsolationError` if Python's own folder holds other things as well.
    """
    binds: dict[str, str] = {}
    links: dict[str, str] = {}
    for path in _SYSTEM:
        # On most systems /bin and /lib are links into /usr; made anew they stay what they are.
        if Path(path).is_symlink() and not path.startswith("/etc"):
            links[path] = str(Path(path).readlink())
        elif Path(path).exists():
            binds[path] = os.path.realpath(path)
    for folder in (*_prefixes(), *map(Path, _extra_paths()), _PACKAGE):
        real = Path(os.path.realpath(folder))
        if real == Path("/") or Path.home().resolve().is_relative_to(real):
            message = f"Python is installed in {folder}, which holds more than Python"
            raise IsolationError(message, fix="use a virtual environment")
        # Under both names: some paths inside are resolved, others are not.
        binds |= {str(folder): str(real), str(real): str(real)}
    for link in _links_to_python():
        if not _is_below(link, [*map(Path, binds), *map(Path, links)]):
            links[str(link)] = str(link.readlink())
    # The embedded benchmark ships with its targets, and matminer keeps what it has downloaded beside its code: they may
    # be what is asked for.
    private = [_PACKAGE / "data" / "mini", *_downloaded()]
    masks = sorted({name for path in private for name in (str(path), os.path.realpath(path))})
    ordered = sorted(binds, key=lambda name: (name.count("/"), name))
    return {
        "binds": [(binds[name], name) for name in ordered],
        "links": [(text, path) for path, text in links.items()],
        "masks": masks,
    }


def _downloaded() -> list[Path]:
    """The datasets, targets included, that matminer has downloaded to its own folder."""
    found = find_spec("matminer")
    return sorted((Path(found.origin).parent / "datasets").glob("*.gz")) if found and found.origin else []


def _prefixes() -> list[Path]:
    return sorted({Path(prefix) for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)})


def _links_to_python() -> list[Path]:
    """The links from the interpreter's name to its file: `venv/bin/python`, what that points to, and so on."""
    found: list[Path] = []
    path = Path(sys.executable)
    while path.is_symlink() and len(found) < 40:
        found.append(path)
        path = Path(os.path.normpath(path.parent / path.readlink()))
    return found


def _is_below(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
