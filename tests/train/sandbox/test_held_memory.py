"""Memory that the kernel holds for a submission, where no process owns it: it counts, or it cannot be had."""

from __future__ import annotations

import subprocess
import textwrap
from collections.abc import Callable
from dataclasses import replace

import psutil
import pytest

from matbench_lite.errors import SubmittedCodeError
from matbench_lite.train.sandbox import sandbox_watch
from matbench_lite.train.sandbox.sandbox_watch import end

from .conftest import LIMITS

LIMIT = 120  # MB
PREPARED = """
import fcntl, mmap, resource
libc = ctypes.CDLL(None, use_errno=True)
PIECE = b"x" * 180_000
mine = 0
def hold(size):
    # Each process tells what it holds, by the megabyte.
    global mine
    mine += size
    if mine >= 2**20:
        os.write(1, b"held %d\\n" % mine)
        time.sleep(0.05)  # not faster than a busy machine can look
        mine = 0
def in_every_process(action):
    for _ in range(15):
        if os.fork() == 0:
            break
    kept = []
    try:
        while True:
            action(kept)
    except OSError:
        time.sleep(1000)
def fill(sender, size=len(PIECE)):
    sender.setblocking(False)
    try:
        while True:
            hold(sender.send(PIECE[:size]))
    except OSError:
        pass
"""
HOLDING = {
    "streams": """
        def action(kept):
            kept += socket.socketpair()
            fill(kept[-1]), fill(kept[-2])
        in_every_process(action)
        """,
    "datagrams": """
        def action(kept):
            kept += socket.socketpair(type=socket.SOCK_DGRAM)
            fill(kept[-1], 1000), fill(kept[-1]), fill(kept[-2])
        in_every_process(action)
        """,
    "datagrams of senders that are gone": """
        def action(kept):
            name = f"\\0{os.getpid()}-{len(kept)}"
            kept.append(socket.socket(type=socket.SOCK_DGRAM, family=socket.AF_UNIX))
            kept[-1].bind(name)
            for _ in range(11):
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                    sender.connect(name)
                    fill(sender)
        in_every_process(action)
        """,
    "connections that nobody takes": """
        def action(kept):
            name = f"\\0{os.getpid()}-{len(kept)}"
            kept.append(socket.socket(socket.AF_UNIX))
            kept[-1].bind(name)
            kept[-1].listen(4096)
            for _ in range(1000):
                with socket.socket(socket.AF_UNIX) as sender:
                    sender.setblocking(False)
                    try:
                        sender.connect(name)
                    except BlockingIOError:
                        break
                    fill(sender)
        in_every_process(action)
        """,
    "sockets that are in sockets": """
        def action(kept):
            kept += socket.socketpair()
            for _ in range(100):
                a, b = socket.socketpair()
                fill(a), fill(b)
                socket.send_fds(kept[-1], [b"x"], [a.fileno(), b.fileno()])
                a.close(), b.close()
        in_every_process(action)
        """,
    "pipes": """
        def action(kept):
            kept += os.pipe()
            os.set_blocking(kept[-1], False)
            hold(os.write(kept[-1], bytes(2**16)))
            os.close(kept.pop())
        in_every_process(action)
        """,
    "named pipes": """
        def action(kept):
            path = f"{os.getpid()}-{len(kept)}"
            os.mkfifo(path)
            kept.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))
            hold(os.write(kept[-1], bytes(2**16)))
        in_every_process(action)
        """,
    "page tables": """
        def action(kept):
            kept.append(mmap.mmap(-1, 2**29, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ))
            for place in range(0, 2**29, 2**21):
                kept[-1][place]  # reading takes no page, but a page of the table
                hold(4096)
        in_every_process(action)
        """,
    "mapped areas": """
        def action(kept):
            kept.append(mmap.mmap(-1, 2**28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
            start = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))
            for place in range(0, 2**28, 8192):
                if libc.mprotect(ctypes.c_void_p(start + place), ctypes.c_size_t(4096), 1):
                    raise OSError
                hold(2 * 160)
        in_every_process(action)
        """,
    "mapped areas through generations": """
        area = mmap.mmap(-1, 2**27, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        area[0] = area[2**26] = 1
        start = ctypes.addressof(ctypes.c_char.from_buffer(area))
        for place in range(0, 2**27, 8192):
            libc.mprotect(ctypes.c_void_p(start + place), ctypes.c_size_t(4096), 1)
        for generation in range(20):
            if os.fork():
                break
            os.write(1, b"held %d\\n" % (2**15 * (160 + 64 * generation)))
            time.sleep(0.2)
        time.sleep(1000)
        """,
}


@pytest.mark.parametrize("name", HOLDING)
def test_what_the_kernel_holds_counts(attack: Callable[..., SubmittedCodeError], name: str) -> None:
    code = PREPARED + textwrap.dedent(HOLDING[name])
    error = attack(code, limits=replace(LIMITS, memory_mb=LIMIT))
    assert error.stage == "took too much memory"
    held = sum(int(line.split()[1]) for line in error.details.splitlines() if line.startswith("held "))
    assert held <= 1.1 * LIMIT * 2**20


AT_ONCE = """
import mmap
libc = ctypes.CDLL(None)
def fill(size, *advice):
    area = mmap.mmap(-1, size << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for one in advice:
        area.madvise(one)
    refill(area)
    return area
def refill(area):
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for place in range(0, len(area), 2**20):
        libc.memset(ctypes.c_void_p(start + place), 1, ctypes.c_size_t(2**20))
        os.write(1, b"#")  # a megabyte
def together(number, action):
    read, write = os.pipe()
    for _ in range(number):
        if os.fork() == 0:
            os.close(write)
            os.read(read, 1)
            kept = action()
            time.sleep(1000)
    time.sleep(0.3)
    os.close(write)
    time.sleep(1000)
"""
FAST = {
    "by one process": "kept = fill(550)\ntime.sleep(1000)",
    "in huge pages": "kept = fill(340), fill(200, mmap.MADV_HUGEPAGE)\ntime.sleep(1000)",
    "by many processes": "together(15, lambda: fill(40))",
    "by many processes that share much": "kept = fill(150)\ntogether(18, lambda: fill(30))",
    "by writing to what was shared": "kept = fill(80)\ntogether(12, lambda: refill(kept))",
    "handed from parent to child": """
kept = []
os.fork() and time.sleep(1000)
for _ in range(110):
    kept.append(fill(5))
    if os.fork():
        os._exit(0)
time.sleep(1000)
""",
}


@pytest.fixture
def megabytes(attack: Callable[..., SubmittedCodeError], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """How much an attack of `FAST` gets under a limit of 400 MB."""
    rest = bytearray()

    def ended(process: subprocess.Popen[bytes]) -> int:
        code = end(process)
        if process.stdout and not process.stdout.closed:
            rest.extend(process.stdout.read())
        return code

    def got(name: str) -> int:
        error = attack(AT_ONCE + FAST[name], limits=replace(LIMITS, memory_mb=400))
        assert error.stage == "took too much memory"
        return error.details.count("#") + rest.count(b"#")

    monkeypatch.setattr(sandbox_watch, "end", ended)
    return got


@pytest.mark.parametrize("name", FAST)
def test_what_is_taken_faster_than_processes_can_be_looked_at_counts(
    megabytes: Callable[[str], int], name: str
) -> None:
    """However busy the machine is: what is counted is what was taken when it stood still."""
    assert megabytes(name) <= 440


def test_a_process_that_ends_does_not_hide_its_children(
    megabytes: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    use, stopped = sandbox_watch._Use, False
    order, family = use._order, use._family

    def ordered(self: sandbox_watch._Use, what: bytes) -> None:
        nonlocal stopped
        order(self, what)
        stopped = what == sandbox_watch.STOP

    def listed(self: sandbox_watch._Use) -> list[psutil.Process]:
        nonlocal stopped
        stopped, hidden = False, stopped
        return [] if hidden else family(self)

    monkeypatch.setattr(use, "_order", ordered)
    monkeypatch.setattr(use, "_family", listed)
    assert megabytes("by one process") <= 440


def test_what_would_hold_memory_without_limit_is_refused(works: Callable[..., str]) -> None:
    works(
        """
        import fcntl, mmap, platform, select, struct
        libc = ctypes.CDLL(None, use_errno=True)
        area = ctypes.create_string_buffer(4096)
        column = ("x86_64", "aarch64").index(platform.machine())
        Path("file").write_bytes(b"x")
        number = os.open("file", os.O_RDWR)
        one, other = socket.socketpair()
        read, write = os.pipe()

        def call(*numbers):
            def attempt(*arguments):
                if libc.syscall(numbers[column if len(numbers) > 1 else 0], *arguments) == -1:
                    raise OSError(ctypes.get_errno(), "")
            return attempt

        def option(*arguments):
            if libc.prctl(*arguments) == -1:
                raise OSError(ctypes.get_errno(), "")

        def map_huge():
            mmap.mmap(-1, 2**21, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)

        access_list = struct.pack("I", 2) + struct.pack("HHI", 1, 6, 0xFFFFFFFF) * 1000
        for expected, action, *arguments in (
            ("ENOSYS", call(206, 0), 128, area),  # io_setup
            ("ENOSYS", call(425), 8, area),  # io_uring_setup
            ("ENOSYS", call(444), area, 8, 0),  # landlock_create_ruleset
            ("ENOSYS", call(447), 0),  # memfd_secret
            ("ENOSYS", call(222, 107), 1, 0, area),  # timer_create
            ("EPERM", fcntl.fcntl, number, fcntl.F_SETSIG, 18),
            ("ENOSYS", call(10**4)),  # a call of a kernel to come
            ("ENOSYS", call(321, 280), 0, area, 72),  # bpf
            ("ENOSYS", call(298, 241), area, 0, -1, -1, 0),  # perf_event_open
            ("ENOSYS", call(323, 282), 0),  # userfaultfd
            ("ENOSYS", call(248, 217), b"user", b"name", b"x", 1, -2),  # add_key
            ("ENOSYS", call(240, 180), b"queue", os.O_CREAT | os.O_RDWR, 0o600, None),  # mq_open
            ("ENOSYS", call(294, 26), 0),  # inotify_init1
            ("ENOSYS", call(237, 235), area, 4096, 0, None, 0, 0),  # mbind
            ("ENOSYS", call(317, 277), 1, 0, area),  # seccomp
            ("ENOSYS", os.memfd_create, "hidden"),
            ("ENOSYS", select.epoll),
            ("ENOSYS", os.splice, number, write, 1),
            ("ENOSYS", os.sendfile, one.fileno(), number, 0, 1),
            ("EPERM", fcntl.fcntl, write, 1031, 2**20),  # F_SETPIPE_SZ
            ("EPERM", one.setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF, 2**22),
            ("EPERM", one.setsockopt, socket.SOL_SOCKET, 26, bytes(16)),  # SO_ATTACH_FILTER
            ("ENOLCK", fcntl.lockf, number, fcntl.LOCK_EX),
            ("EOPNOTSUPP", os.setxattr, "file", "system.posix_acl_access", access_list),
            ("EOPNOTSUPP", os.setxattr, number, "user.x", b"x"),
            ("EINVAL", option, 78, 1, 2**22, 0),  # PR_FUTEX_HASH
            ("EINVAL", option, 22, 1, 0, 0),  # PR_SET_SECCOMP
            ("EINVAL", option, 41, 0, 0, 0, 0),  # PR_SET_THP_DISABLE
            ("ENOMEM", map_huge),
            ("EINVAL", mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).madvise, 21),  # MADV_PAGEOUT
            ("EAFNOSUPPORT", socket.socketpair, socket.AF_TIPC),
        ):
            try:
                action(*arguments)
            except OSError as error:
                assert error.errno == getattr(errno, expected), (action, arguments, error)
            else:
                raise AssertionError((action, arguments))
        fcntl.flock(number, fcntl.LOCK_EX)  # one for a file
        """
    )
