"""Calls to the Linux kernel: the few that Python has no name for, and those that submitted code may not make.

What is refused reaches out of a sandbox, or hides memory in it; no model needs it. It looks to the program as if the
kernel were older, so that libraries that try one of these calls go on without it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
from pathlib import Path

NEW_NAMESPACES, NEW_USERS = 0x7E020000, 0x10000000  # every CLONE_NEW* flag; CLONE_NEWUSER
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 0x1, 0x2, 0x4, 0x8, 0x20
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 4, 22, 24
_PR_SET_SECUREBITS, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_SET_THP_DISABLE = 28, 36, 38, 41
_SECCOMP_MODE_FILTER = 2
_NOROOT_LOCKED = 0b11  # user 0 gets no capabilities by being user 0, and cannot change that
_MNT_DETACH = 2
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 0x1
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = "/proc/sys/kernel/cap_last_cap"
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machines whose call numbers are known: their column in the table, and what the kernel calls them."""

REFUSED = {
    # other views of the file system, and the privileges of a namespace of one's own
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "fanotify_init": (300, 262),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    # memory that belongs to no process, so that nobody sees who takes it
    "memfd_create": (319, 279), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "io_setup": (206, 0),
    "epoll_create": (213, None), "epoll_create1": (291, 20), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "mbind": (237, 235), "seccomp": (317, 277),
    # signals that come by themselves: a process that is stopped would go on
    "timer_create": (222, 107),
    # pages of deleted files, held in pipes and sockets that seem to hold a byte
    "splice": (275, 76), "tee": (276, 77), "vmsplice": (278, 75), "sendfile": (40, 71),
    # large and seldom-used parts of the kernel, where its holes are found
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    # the machine itself
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "syslog": (103, 116), "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266),
}  # fmt: skip
"""Numbers of the calls on x86_64 and aarch64; None where there is no such call."""
_FIRST_NEW, _NEW_ALLOWED = 424, (424, 434, 436, 439)
"""From Linux 5.1 on, numbers are the same everywhere. Of these calls a model needs those on processes it has started,
close_range and faccessat2. All others are refused, also those to come: io_uring, new mounts and Landlock, whose rules
are memory without limit. So is clone3: its flags are behind a pointer, where no filter can look."""

Instruction = tuple[int, int, int, int]
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # where they lie in what the kernel shows; the low half comes first
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000


def _return_error(number: int) -> Instruction:
    return (_RETURN, 0, 0, _REFUSE | number)


def _if_any_of(bits: int, number: int) -> list[Instruction]:
    return [(_AND, 0, 0, bits), (_EQUAL, 1, 0, 0), _return_error(number)]


def _if_all_of(bits: int, number: int) -> list[Instruction]:
    return [(_AND, 0, 0, bits), (_EQUAL, 0, 1, bits), _return_error(number)]


def _if_at_least(value: int, number: int) -> list[Instruction]:
    return [(_AT_LEAST, 0, 1, value), _return_error(number)]


def _if_one_of(values: tuple[int, ...], number: int) -> list[Instruction]:
    return [step for value in values for step in ((_EQUAL, 0, 1, value), _return_error(number))]


def _unless_one_of(values: tuple[int, ...], number: int) -> list[Instruction]:
    # Each comparison jumps over those that follow it, and over the refusal.
    tests = [(_EQUAL, len(values) - position, 0, value) for position, value in enumerate(values)]
    return [*tests, _return_error(number)]


_FAMILIES = (1, 2, 10)  # unix, IPv4, IPv6: these see the sandbox's own network; others, such as vsock, see the host's
_SHARED_ANONYMOUS, _HUGE_PAGES = 0x21, 0x40000  # memory of no process, and the machine's reserve
_PAGE_OUT = 21
_RECORD_LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW: as many as there are bytes in a file
_SET_SIGNAL, _SET_PIPE_SIZE = 10, 1031
_SEND_BUFFER, _ATTACH_FILTERS = 7, (26, 51)
_FIRST_NEW_OPTION = 65
_ARGUMENTS_REFUSED = (
    ((56, 220), 0, _if_any_of(NEW_NAMESPACES, errno.EPERM)),  # clone
    ((9, 222), 3, _if_all_of(_SHARED_ANONYMOUS, errno.EPERM)),  # mmap
    ((9, 222), 3, _if_any_of(_HUGE_PAGES, errno.ENOMEM)),
    ((28, 233), 2, _if_one_of((_PAGE_OUT,), errno.EINVAL)),  # madvise
    ((41, 198), 0, _unless_one_of(_FAMILIES, errno.EAFNOSUPPORT)),  # socket
    ((53, 199), 0, _unless_one_of(_FAMILIES, errno.EAFNOSUPPORT)),  # socketpair
    ((54, 208), 2, _if_one_of((_SEND_BUFFER, *_ATTACH_FILTERS), errno.EPERM)),  # setsockopt
    ((72, 25), 1, _if_one_of((_SET_SIGNAL, _SET_PIPE_SIZE), errno.EPERM)),  # fcntl
    ((72, 25), 1, _if_one_of(_RECORD_LOCKS, errno.ENOLCK)),
    # Newer options: among them one that reserves a gigabyte for futexes.
    ((157, 167), 0, _if_at_least(_FIRST_NEW_OPTION, errno.EINVAL)),  # prctl
    ((157, 167), 0, _if_one_of((_PR_SET_SECCOMP, _PR_SET_THP_DISABLE), errno.EINVAL)),
    # An access list of 64 kB fits on every empty file. Programs that copy files go on without.
    *(((number, column), 2, [_return_error(errno.EOPNOTSUPP)]) for number, column in ((188, 5), (189, 6), (190, 7))),
)
"""Calls that are refused with some arguments: numbers of the call, which argument, and the test of it."""


def _call(name: str, *arguments: object, what: str | None = None) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what or name}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Move this process (and for process ids: its children) into new namespaces."""
    _call("unshare", flags)


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, or bind a part of one to a second place."""
    encoded = [text.encode() if text is not None else None for text in (source, target, kind)]
    _call("mount", *encoded, ctypes.c_ulong(flags), options.encode(), what=f"mount {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all the mounts below it read-only; needs Linux 5.12."""
    attributes = struct.pack("QQQQ", _MOUNT_ATTR_RDONLY, 0, 0, 0)
    arguments = (_AT_FDCWD, target.encode(), _AT_RECURSIVE, attributes, ctypes.c_size_t(len(attributes)))
    _call("syscall", _MOUNT_SETATTR, *arguments, what=f"mount_setattr {target}")


def pivot_root(new: str, old: str) -> None:
    """Make the mount `new` the root; the old root appears at `old`."""
    _call("syscall", _PIVOT_ROOT[platform.machine()], new.encode(), old.encode(), what="pivot_root")


def detach(target: str) -> None:
    """Take a mount, and all the mounts below it, out of the tree."""
    _call("umount2", target.encode(), _MNT_DETACH, what=f"umount {target}")


def die_with_parent() -> None:
    """Have this process killed when the one that started it ends, however that ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def hide_from_others() -> None:
    """Let no other process of the same user look into this one."""
    _prctl(_PR_SET_DUMPABLE, 0)


def refuse_huge_pages() -> None:
    """Give this process and its descendants no pages of 2 MB: they are had faster than anybody can look."""
    _prctl(_PR_SET_THP_DISABLE, 1)


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
    _call("capset", header, bytes(24))


def filter_calls(program: bytes) -> None:
    """Have the kernel ask a program (see `filter_program`) before every call of this process and its descendants."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(Program(len(program) // 8, program)))


def _prctl(option: int, value: object, extra: object = 0) -> None:
    first = ctypes.c_ulong(value) if isinstance(value, int) else value
    _call("prctl", option, first, extra, ctypes.c_ulong(0), ctypes.c_ulong(0), what=f"prctl {option}")


def filter_program(machine: str) -> bytes:
    """The filter for a machine of `MACHINES`, in the kernel's classic BPF: instructions of 8 bytes each."""
    column, architecture = MACHINES[machine]
    load_number = (_LOAD, 0, 0, _NUMBER)
    refused = tuple(number for numbers in REFUSED.values() if (number := numbers[column]) is not None)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        load_number,
        *_if_one_of(refused, errno.ENOSYS),
    ]
    for numbers, argument, test in _ARGUMENTS_REFUSED:
        program += [
            (_EQUAL, 0, 2 + len(test), numbers[column]),
            (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
            *test,
            load_number,
        ]
    # Above all others: x32, a second set of numbers for the same calls.
    newer = _unless_one_of(_NEW_ALLOWED, errno.ENOSYS)
    program += [(_AT_LEAST, 0, len(newer), _FIRST_NEW), *newer, (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)
