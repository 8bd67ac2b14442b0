"""The process between the organiser and submitted code: builds the sandbox, starts the worker in it, cleans up.

Its standard input begins with a line of JSON, the plan; what follows belongs to the worker. Only the standard library
is used: it has all the rights of the organiser, so it should be little, and it starts in a blink.

In a sandbox there are three processes: this one; the first process of the new process namespace (`_first`), which the
kernel kills with this one and whose end ends every process in the namespace; and the worker, which has no rights.
Without isolation there are two, and this one collects what the worker leaves behind.
"""

from __future__ import annotations

import _thread
import errno
import json
import os
import platform
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from matbench_lite.train.sandbox import kernel

RESULTS = 3
"""The number of the pipe on which the worker sends its predictions."""
CANNOT_ENTER, CANNOT_START = 77, 78
"""Exit codes when the kernel refuses to isolate, and when anything else is in the way; standard error says what."""
_REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL, errno.ENODEV, errno.ENOSPC, errno.EUSERS}
_MB = 2**20
STOP, GO_ON = b"s", b"g"
"""Orders: everything in the sandbox stands still, or goes on. A byte says that it does; the first comes with the folder
/proc of the sandbox."""
MOST_FILES = 256
"""Files that one process may have open."""
SCRATCH = "/scratch"
"""The folder that code in a sandbox can write: `home`, `tmp` (also /tmp) and `shm` (also /dev/shm)."""
_DEVICES = ("null", "full", "random", "urandom")  # not zero: mapped as shared, it is memory that belongs to no process
_DEVICE_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_INODES_PER_MB = 64


def main() -> NoReturn:
    """Build the sandbox, run the worker, and end with its exit code (128 and the signal if one has killed it)."""
    try:
        plan = _read_plan()
        if sys.platform == "linux":
            kernel.die_with_parent()
        if os.getppid() != plan["parent"]:
            os._exit(CANNOT_START)  # it ended before the kernel was told to watch it
        if plan["isolated"]:
            _new_namespaces(plan)
        elif sys.platform == "linux":
            kernel.adopt_orphans()
        alive, held = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(held)
            _first(plan, alive) if plan["isolated"] else _become_worker(plan)
        if plan["isolated"]:
            os.close(plan["orders"])
    except OSError as error:
        _give_up(error)
    os.close(alive)
    # Asked to stop: what the worker has started goes with it.
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    code = _wait_for(child)
    if not plan["isolated"]:
        _end_orphans(child)
    os._exit(code)


def _read_plan() -> dict[str, Any]:
    # Byte by byte: a buffer would take what is meant for the worker.
    with open(0, "rb", buffering=0, closefd=False) as stream:
        line = stream.readline()
    if not line.endswith(b"\n"):
        os._exit(CANNOT_START)
    plan: dict[str, Any] = json.loads(line)
    return plan


def _new_namespaces(plan: dict[str, Any]) -> None:
    if plan["drop_to_user"]:
        kernel.unshare(kernel.NEW_NAMESPACES & ~kernel.NEW_USERS)
        return
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_NAMESPACES)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path("/proc/self", name).write_text(text)


def _first(plan: dict[str, Any], alive: int) -> NoReturn:
    """The first process of the namespace: it stays outside the reach of the worker and waits for its end."""
    try:
        kernel.die_with_parent()
        os.set_blocking(alive, False)
        with suppress(BlockingIOError):  # nothing to read: the process that has started this one holds the other end
            os.read(alive, 1)
            os._exit(CANNOT_START)
        os.close(alive)
        # The worker may have the same user number, and may send signals.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        kernel.hide_from_others()
        enter_new_root(plan)
        worker = os.fork()
        if worker == 0:
            _become_worker(plan)
    except OSError as error:
        _give_up(error)
    _thread.start_new_thread(_obey, (plan["orders"],))
    os._exit(_wait_for(worker))


def _obey(orders: int) -> None:
    with socket.socket(fileno=orders) as shown:
        socket.send_fds(shown, [GO_ON], [os.open("/proc", os.O_RDONLY)])
        shown.detach()
    # One call for all: a process that forks at that moment cannot leave a child that runs.
    while order := os.read(orders, 1):
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGSTOP if order == STOP else signal.SIGCONT)
        os.write(orders, order)


def _become_worker(plan: dict[str, Any]) -> NoReturn:
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        _limit_resources(plan)
        if plan["isolated"]:
            _give_up_rights(plan)
        elif sys.platform == "linux":
            kernel.die_with_parent()
        os.chdir(plan["scratch"])
        os.dup2(plan["results"], RESULTS)
        for number in {plan["results"], plan["orders"]} - {RESULTS}:
            os.close(number)  # as high as the organiser's process had files open: perhaps above all limits
        os.closerange(RESULTS + 1, MOST_FILES)
    except OSError as error:
        _give_up(error)
    try:
        os.execve(plan["command"][0], plan["command"], plan["environment"])
    except OSError as error:
        _give_up(error, started=True)


def _give_up_rights(plan: dict[str, Any]) -> None:
    kernel.drop_capabilities()
    if plan["drop_to_user"]:
        os.setgroups([])
        os.setresgid(plan["user"], plan["user"], plan["user"])
        os.setresuid(plan["user"], plan["user"], plan["user"])
    kernel.clear_capabilities()
    kernel.refuse_huge_pages()
    kernel.filter_calls(kernel.filter_program(platform.machine()))


def _limit_resources(plan: dict[str, Any]) -> None:
    """What the kernel itself enforces, for each process; the organiser's process watches the sum."""
    import resource  # not on Windows, where it must still be said that nothing can be isolated

    memory = plan["memory_mb"] * _MB
    limits = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": int(plan["seconds"] * plan["threads"]) + 10,
        # Memory that can be written; address space is mostly promises, and libraries make large ones.
        "RLIMIT_DATA": memory + 256 * _MB,
        "RLIMIT_AS": 2 * memory + 8192 * _MB,
        "RLIMIT_FSIZE": plan["disk_mb"] * _MB,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NOFILE": MOST_FILES,
        "RLIMIT_NPROC": plan["most_processes"],
        "RLIMIT_SIGPENDING": 256,
    }
    for name, value in limits.items():
        if hasattr(resource, name):  # some systems lack a few
            _, hard = resource.getrlimit(getattr(resource, name))
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(getattr(resource, name), (most, most))


def _wait_for(child: int) -> int:
    """The exit code of a child; others that end meanwhile are taken leave of, too."""
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_orphans(worker: int) -> None:
    """End what a worker without isolation has left behind: all of it comes to this process as its parents end."""
    with suppress(OSError):  # mostly there is none left
        os.killpg(worker, signal.SIGKILL)
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while children.exists() and (orphans := children.read_text().split()):
        for orphan in orphans:
            os.kill(int(orphan), signal.SIGKILL)
        os.wait()


def _give_up(error: OSError, *, started: bool = False) -> NoReturn:
    """End and say why. What a file's owner, place or size is to blame for has nothing to do with isolation."""
    about_a_file = error.filename is not None and not str(error.filename).startswith("/proc/self/")
    refused = error.errno in _REFUSALS and not about_a_file and not started
    what = f"{error.strerror or error}" + (f": {error.filename}" if error.filename else "")
    os.write(2, f"{what}\n".encode(errors="replace"))
    os._exit(CANNOT_ENTER if refused else CANNOT_START)


def enter_new_root(plan: Mapping[str, Any]) -> None:
    """Replace the root folder of this mount namespace; the old one is gone for every process in it.

    The plan has `binds`, `links` and `masks` (see `isolation`), `disk_mb`, and the `user` who gets the scratch folder.
    """
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    # A first move makes the machine's files a folder, /old, beside the new root; so nothing that is mounted on the
    # way can hide what is still to be bound.
    kernel.mount("tmpfs", "/tmp", "tmpfs", flags, "size=1m,mode=755")
    Path("/tmp/old").mkdir()
    Path("/tmp/new").mkdir()
    kernel.pivot_root("/tmp", "/tmp/old")
    os.chdir("/")
    kernel.mount("tmpfs", "/new", "tmpfs", flags, "size=4m,mode=755")
    # First what covers whole folders: Python itself may lie below /tmp, and is put in over it.
    _make_scratch(plan)
    _put_in(plan)
    _make_devices()
    _write_names(plan["user"])
    Path("/new/proc").mkdir()
    kernel.mount("proc", "/new/proc", "proc", flags | kernel.MS_NOEXEC)
    kernel.mount("none", "/new", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | flags)
    os.chdir("/new")
    kernel.pivot_root(".", ".")
    # The old root now lies over the new one, at the same place.
    kernel.detach(".")
    os.chdir(SCRATCH)
    socket.sethostname("sandbox")


def _put_in(plan: Mapping[str, Any]) -> None:
    for source, name in plan["binds"]:
        _bind(f"/old{source}", f"/new{name}")
        kernel.make_read_only(f"/new{name}")
    for path in plan["masks"]:
        if Path(f"/new{path}").is_dir():
            kernel.mount("tmpfs", f"/new{path}", "tmpfs", kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV)
        elif Path(f"/new{path}").is_file():
            kernel.mount("/old/dev/null", f"/new{path}", None, kernel.MS_BIND)
    for text, path in plan["links"]:
        _link(text, path)


def _bind(source: str, target: str) -> None:
    place = Path(target)
    if Path(source).is_dir():
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)


def _link(text: str, path: str) -> None:
    place = Path(f"/new{path}")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(text)


def _make_devices() -> None:
    for name in _DEVICES:
        _bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for name, text in _DEVICE_LINKS.items():
        _link(text, f"/dev/{name}")


def _make_scratch(plan: Mapping[str, Any]) -> None:
    """One file system of limited size for all that may be written: home, temporary files, shared memory."""
    size, user = plan["disk_mb"], plan["user"]
    scratch = Path(f"/new{SCRATCH}")
    scratch.mkdir()
    options = f"size={size}m,nr_inodes={max(4096, size * _INODES_PER_MB)},mode=700"
    kernel.mount("tmpfs", str(scratch), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    os.chown(scratch, user, user)
    for name in ("home", "tmp", "shm"):
        (scratch / name).mkdir(mode=0o700)
        os.chown(scratch / name, user, user)
    _bind(str(scratch / "tmp"), "/new/tmp")
    _bind(str(scratch / "shm"), "/new/dev/shm")


def _write_names(user: int) -> None:
    """The one user that there is, for programs that ask for a name."""
    folder = Path("/new/etc")
    folder.mkdir(exist_ok=True)
    (folder / "passwd").write_text(f"sandbox:x:{user}:{user}::{SCRATCH}/home:/bin/sh\n")
    (folder / "group").write_text(f"sandbox:x:{user}:\n")
    (folder / "nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n")
    (folder / "hosts").write_text("127.0.0.1 localhost sandbox\n")
