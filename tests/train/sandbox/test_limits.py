"""Submissions that take too much are ended and named by what they took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from matbench_lite.errors import MatbenchLiteError, SubmittedCodeError
from matbench_lite.train.sandbox import Limits

from .conftest import LIMITS, train

Attack = Callable[..., SubmittedCodeError]
BRIEF = replace(LIMITS, seconds=0.5)
SMALL = replace(LIMITS, memory_mb=150, disk_mb=8)


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "time.sleep(1000)",
        """
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            time.sleep(0.1)
        """,
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "os.close(0); os.close(1); os.close(2); os.close(3); time.sleep(1000)",
    ],
    ids=["busy", "asleep", "deaf", "stopped", "silent"],
)
def test_never_ends(attack: Attack, code: str) -> None:
    assert attack(code, limits=BRIEF).stage == "took too long"


def test_never_ends_while_it_is_imported(contained: Attack) -> None:
    assert contained(top="while True: pass", limits=BRIEF).stage == "took too long"


@pytest.mark.parametrize(
    "code",
    [
        "while True: os.fork()",
        """
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        "while True: subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(1000)', MARK])",
        "while True: threading.Thread(target=time.sleep, args=(1000,)).start()",
    ],
    ids=["bomb", "stubborn-bomb", "programs", "threads"],
)
def test_starts_processes_without_end(attack: Attack, code: str) -> None:
    # What meets the kernel's limit, above ours, has to wait until it is seen.
    waiting = f"try:\n    {code}\nexcept (OSError, RuntimeError):\n    time.sleep(1000)"
    assert attack(code if "\n" in code else waiting).stage == "started too many processes"


def test_memory_of_one_process(attack: Attack) -> None:
    code = """
    kept = []
    try:
        while True:
            kept.append(b"x" * 10**7)
    except MemoryError:  # the kernel's limit, above ours
        time.sleep(1000)
    """
    assert attack(code, limits=SMALL).stage == "took too much memory"


def test_memory_of_many_small_processes_counts_together(attack: Attack) -> None:
    code = """
    for _ in range(12):
        if os.fork() == 0:
            kept = b"x" * (20 * 2**20)  # 240 MB together
            time.sleep(1000)
    time.sleep(1000)
    """
    assert attack(code, limits=SMALL).stage == "took too much memory"


def test_memory_that_processes_share_counts_once(works: Callable[..., str]) -> None:
    works(
        """
        kept = b"x" * (60 * 2**20)  # seen by nine processes
        children = []
        for _ in range(8):
            child = os.fork()
            if child == 0:
                time.sleep(0.5)
                os._exit(kept[0] != ord("x"))
            children.append(child)
        assert all(os.waitpid(child, 0)[1] == 0 for child in children)
        """,
        limits=replace(LIMITS, memory_mb=300),
    )


def test_memory_that_belongs_to_no_process_cannot_be_had(works: Callable[..., str]) -> None:
    works(
        """
        import mmap
        libc = ctypes.CDLL(None, use_errno=True)
        for attempt in (
            lambda: os.memfd_create("hidden"),
            lambda: mmap.mmap(-1, 4096),
            lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096),
        ):
            try:
                attempt()
            except OSError:
                continue
            raise AssertionError(attempt)
        assert libc.shmget(0, ctypes.c_size_t(4096), 0o1600) == -1
        assert libc.msgget(0, 0o1600) == -1
        mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)
        """
    )


def test_fills_its_disk(contained: Attack) -> None:
    fit = "[Path(f'/tmp/file{number}').write_bytes(bytes(2**20)) for number in range(20)]"
    assert contained(fit=fit, limits=replace(LIMITS, disk_mb=8)).stage == "filled its disk"


def test_every_way_to_fill_a_disk_ends_at_the_same_size(works: Callable[..., str]) -> None:
    works(
        """
        def fill(*folders, size=2**18, most=100):
            made = [Path(folder, f"file{number}") for number in range(most) for folder in folders]
            try:
                for path in made:
                    path.write_bytes(bytes(size))
            except OSError as error:
                full = error.errno == errno.ENOSPC
            else:
                full = False
            used = sum(path.stat().st_size for path in made if path.exists())
            for path in made:
                path.unlink(missing_ok=True)
            assert full and used <= 8 * 2**20, (folders, used)
        fill(".")
        fill("/tmp")
        fill("/dev/shm")
        fill("/tmp", "/dev/shm", "/scratch")
        fill("/tmp", size=0, most=10**4)
        try:
            os.posix_fallocate(os.open("huge", os.O_CREAT | os.O_RDWR), 0, 2**40)
        except OSError as error:
            assert error.errno == errno.EFBIG
        else:
            raise AssertionError("a terabyte")
        """,
        limits=SMALL,
    )


def test_there_is_nowhere_else_to_write(works: Callable[..., str]) -> None:
    works(
        """
        from importlib.util import find_spec
        places = {Path("/"), Path("/etc"), Path("/usr"), Path("/dev"), Path("/proc"), Path("/var"), Path(sys.prefix),
                  Path(sys.base_prefix), Path(find_spec("numpy").origin).parent, Path("/usr/lib"), Path("/bin"),
                  Path(find_spec("matbench_lite").origin).parent}
        for place in places:
            attempts = (place / "file").touch, (place / "folder").mkdir, lambda: place.chmod(0o777)
            for attempt in attempts:
                try:
                    attempt()
                except OSError:
                    continue
                raise AssertionError(place)
        """
    )


@pytest.mark.parametrize(
    "code",
    [
        "while True: print('x' * 10**6)",
        "while True: print('x' * 10**6, file=sys.stderr)",
        "while True: os.write(1, bytes(10**6))",
        "os.system('yes')",
    ],
    ids=["stdout", "stderr", "raw", "program"],
)
def test_prints_without_end(attack: Attack, code: str) -> None:
    error = attack(code)
    assert error.stage == "printed too much"
    assert len(error.details) < 2**20


def test_a_folder_that_is_too_large_is_not_even_sent(contained: Attack, write: Callable[..., Path]) -> None:
    folder = write()
    with (folder / "weights.bin").open("wb") as stream:
        stream.truncate(10**10)
    assert contained().stage == "filled its disk"


def test_threads_have_the_time_of_all_of_them(write: Callable[..., Path], isolation: None) -> None:
    """The kernel adds up the time of a process's threads: four of them must not be stopped after a quarter."""
    folder = write(top="import resource", fit="print('CPU', resource.getrlimit(resource.RLIMIT_CPU)[0])")
    _, record = train(folder, LIMITS, threads=4)
    assert "CPU 410" in record.printed


def test_limits_must_allow_something() -> None:
    for name in ("seconds", "memory_mb", "disk_mb", "processes", "output_mb"):
        with pytest.raises(MatbenchLiteError, match=name):
            Limits(**{name: -1})
