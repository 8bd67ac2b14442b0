"""The few calls to the Linux kernel that Python's standard library has no name for."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
from pathlib import Path

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 0x1, 0x2, 0x4, 0x8, 0x20
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 4, 22, 24
_PR_SET_SECUREBITS, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 28, 36, 38
_SECCOMP_MODE_FILTER = 2
_NOROOT_LOCKED = 0b11  # user 0 gets no capabilities by being user 0, and cannot change that
_MNT_DETACH = 2
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 0x1
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = "/proc/sys/kernel/cap_last_cap"


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Move this process (and for process ids: its children) into new namespaces."""
    _checked(_libc().unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, or bind a part of one to a second place."""
    encoded = [text.encode() if text is not None else None for text in (source, target, kind)]
    _checked(_libc().mount(*encoded, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all the mounts below it read-only; needs Linux 5.12."""
    attributes = struct.pack("QQQQ", _MOUNT_ATTR_RDONLY, 0, 0, 0)
    result = _libc().syscall(
        _MOUNT_SETATTR, _AT_FDCWD, target.encode(), _AT_RECURSIVE, attributes, ctypes.c_size_t(len(attributes))
    )
    _checked(result, f"mount_setattr {target}")


def pivot_root(new: str, old: str) -> None:
    """Make the mount `new` the root; the old root appears at `old`."""
    _checked(_libc().syscall(_PIVOT_ROOT[platform.machine()], new.encode(), old.encode()), "pivot_root")


def detach(target: str) -> None:
    """Take a mount, and all the mounts below it, out of the tree."""
    _checked(_libc().umount2(target.encode(), _MNT_DETACH), f"umount {target}")


def die_with_parent() -> None:
    """Have this process killed when the one that started it ends, however that ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def hide_from_others() -> None:
    """Let no other process of the same user look into this one."""
    _prctl(_PR_SET_DUMPABLE, 0)


def drop_capabilities() -> None:
    """Give up every privilege that Linux knows, and every way to get one back, other than leaving user 0."""
    last = int(Path(_LAST_CAPABILITY).read_text())
    for capability in range(last + 1):
        _prctl(_PR_CAPBSET_DROP, capability)
    _prctl(_PR_SET_SECUREBITS, _NOROOT_LOCKED)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def clear_capabilities() -> None:
    """Empty the capabilities that this process holds."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_libc().capset(header, bytes(24)), "capset")


def filter_calls(program: bytes) -> None:
    """Have the kernel ask a filter program before every system call of this process and its descendants.

    Args:
        program: Instructions of 8 bytes each, see `matbench_lite.event.sandbox.calls`.
    """

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(Program(len(program) // 8, program)))


def _prctl(option: int, value: object, extra: object = 0) -> None:
    first = ctypes.c_ulong(value) if isinstance(value, int) else value
    arguments = (first, extra, ctypes.c_ulong(0), ctypes.c_ulong(0))
    _checked(_libc().prctl(option, *arguments), f"prctl {option}")
