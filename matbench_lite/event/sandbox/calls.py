"""Which system calls submitted code may not make: those that reach out of a sandbox, or hide memory in it.

No model needs them. What is refused looks to the program as if the kernel were older, so that libraries that try one
of them go on without it.
"""

from __future__ import annotations

import errno
import struct

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machines whose call numbers are known: their column in the table, and what the kernel calls them."""

REFUSED = {
    # other views of the file system, and the privileges of a namespace of one's own
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "quotactl": (179, 60), "fanotify_init": (300, 262),
    # its flags are behind a pointer, where no filter can look; libraries then use clone
    "clone3": (435, 435),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # memory that belongs to no process, so that nobody sees who takes it
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "vmsplice": (278, 75), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # large and seldom-used parts of the kernel, where its holes are found
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # the machine itself
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "syslog": (103, 116), "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266),
}  # fmt: skip
"""Numbers of the calls on x86_64 and aarch64."""

_CLONE, _SOCKET, _MMAP = (56, 220), (41, 198), (9, 222)
_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag
_FAMILIES = (1, 2, 10)  # unix, IPv4, IPv6: these see the sandbox's own network; others, such as vsock, see the host's
_SHARED_ANONYMOUS = 0x21
_FIRST_X32 = 0x40000000  # a second set of numbers for the same calls

_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # where they lie in what the kernel shows; the low half comes first
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000


def filter_program(machine: str) -> bytes:
    """The filter for one kind of machine, in the kernel's classic BPF.

    Args:
        machine: A key of `MACHINES`, as `platform.machine()` gives it.

    Examples:
        >>> len(filter_program("x86_64")) % 8
        0
    """
    column, architecture = MACHINES[machine]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _FIRST_X32),
        _refuse(errno.ENOSYS),
    ]
    for numbers in REFUSED.values():
        program += [(_EQUAL, 0, 1, numbers[column]), _refuse(errno.ENOSYS)]
    program += _if_called(_CLONE[column], argument=0, then=_unless_none_of(_NEW_NAMESPACES, errno.EPERM))
    program += _if_called(_MMAP[column], argument=3, then=_unless_not_all_of(_SHARED_ANONYMOUS, errno.EPERM))
    program += _if_called(_SOCKET[column], argument=0, then=_unless_one_of(_FAMILIES, errno.EAFNOSUPPORT))
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


Instruction = tuple[int, int, int, int]


def _refuse(number: int) -> Instruction:
    return (_RETURN, 0, 0, _REFUSE | number)


def _if_called(number: int, *, argument: int, then: list[Instruction]) -> list[Instruction]:
    """Look at one argument of one call; `then` decides."""
    return [(_EQUAL, 0, 1 + len(then), number), (_LOAD, 0, 0, _ARGUMENTS + 8 * argument), *then]


def _unless_none_of(bits: int, number: int) -> list[Instruction]:
    return [(_AND, 0, 0, bits), (_EQUAL, 1, 0, 0), _refuse(number), (_RETURN, 0, 0, _ALLOW)]


def _unless_not_all_of(bits: int, number: int) -> list[Instruction]:
    return [(_AND, 0, 0, bits), (_EQUAL, 0, 1, bits), _refuse(number), (_RETURN, 0, 0, _ALLOW)]


def _unless_one_of(values: tuple[int, ...], number: int) -> list[Instruction]:
    # Each comparison jumps over those that follow it, and over the refusal.
    tests = [(_EQUAL, len(values) - position, 0, value) for position, value in enumerate(values)]
    return [*tests, _refuse(number), (_RETURN, 0, 0, _ALLOW)]
