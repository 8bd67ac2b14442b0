"""Submissions that take too much are ended and named by what they took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from matbench_lite.errors import MatbenchLiteError, SubmittedCodeError
from matbench_lite.event.sandbox import Limits

from .conftest import LIMITS, mean, train

pytestmark = pytest.mark.slow

Contained = Callable[..., SubmittedCodeError]
BRIEF = replace(LIMITS, seconds=2)


@pytest.mark.parametrize(
    "fit",
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
def test_never_ends(contained: Contained, fit: str) -> None:
    assert contained(fit=fit, limits=BRIEF).stage == "took too long"


def test_never_ends_while_it_is_imported(contained: Contained) -> None:
    assert contained(top="while True: time.sleep(1)", limits=BRIEF).stage == "took too long"


@pytest.mark.parametrize(
    "fit",
    [
        "while True: os.fork()",
        """
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        "while True: subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', MARK])",
        "while True: threading.Thread(target=time.sleep, args=(1000,)).start()",
    ],
    ids=["bomb", "stubborn-bomb", "programs", "threads"],
)
def test_starts_processes_without_end(contained: Contained, fit: str) -> None:
    before = len(psutil.pids())
    assert contained(fit=fit).stage == "started too many processes"
    assert len(psutil.pids()) < before + 100


def test_memory_of_one_process(contained: Contained) -> None:
    error = contained(fit="kept = [np.ones(10**7) for _ in range(10**4)]")
    assert error.stage == "took too much memory"


def test_memory_of_many_small_processes_counts_together(contained: Contained) -> None:
    fit = """
    for _ in range(12):
        if os.fork() == 0:
            kept = np.ones(10 * 2**20)  # 80 MB each, 960 MB together
            time.sleep(1000)
    time.sleep(1000)
    """
    assert contained(fit=fit).stage == "took too much memory"


def test_memory_that_processes_share_counts_once(_isolation: None, write: Callable[..., Path]) -> None:
    folder = write(
        fit="""
        kept = np.ones(20 * 2**20)  # 160 MB, seen by nine processes
        children = []
        for _ in range(8):
            child = os.fork()
            if child == 0:
                time.sleep(1)
                os._exit(int(kept[0]) - 1)
            children.append(child)
        assert all(os.waitpid(child, 0)[1] == 0 for child in children)
        """
    )
    assert set(train(folder).predicted[0].values) == {mean()}


def test_memory_that_belongs_to_no_process_cannot_be_had(_isolation: None, write: Callable[..., Path]) -> None:
    folder = write(
        fit="""
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
    assert set(train(folder).predicted[0].values) == {mean()}


@pytest.mark.parametrize(
    "fit",
    [
        "Path('huge').write_bytes(bytes(200 * 2**20))",
        "[Path(f'file{number}').write_bytes(bytes(2**20)) for number in range(200)]",
        "[Path(f'file{number}').touch() for number in range(10**6)]",
        "[Path(f'/tmp/file{number}').write_bytes(bytes(2**20)) for number in range(200)]",
        "[Path(f'/dev/shm/file{number}').write_bytes(bytes(2**20)) for number in range(200)]",
        """
        for number in range(40):
            Path(f'/tmp/file{number}').write_bytes(bytes(2**20))
            Path(f'/dev/shm/file{number}').write_bytes(bytes(2**20))
        """,
        "os.posix_fallocate(os.open('huge', os.O_CREAT | os.O_RDWR), 0, 2**40)",
    ],
    ids=["one-file", "many-files", "empty-files", "tmp", "shm", "together", "allocated"],
)
def test_fills_its_disk(contained: Contained, fit: str) -> None:
    assert contained(fit=fit).stage == "filled its disk"


def test_there_is_nowhere_else_to_write(_isolation: None, write: Callable[..., Path]) -> None:
    folder = write(
        fit="""
        places = {Path("/"), Path("/etc"), Path("/usr"), Path("/dev"), Path("/proc"), Path("/var"), Path(sys.prefix),
                  Path(sys.base_prefix), Path(np.__file__).parent, Path("/usr/lib"), Path("/bin")}
        for place in places:
            for attempt in (lambda: (place / "file").write_text("x"), lambda: (place / "folder").mkdir(), lambda: os.chmod(place, 0o777)):
                try:
                    attempt()
                except OSError as error:
                    continue
                raise AssertionError(place)
        """
    )
    assert set(train(folder).predicted[0].values) == {mean()}


@pytest.mark.parametrize(
    "fit",
    [
        "while True: print('x' * 10**6)",
        "while True: print('x' * 10**6, file=sys.stderr)",
        "while True: os.write(1, bytes(10**6))",
        "os.system('yes')",
    ],
    ids=["stdout", "stderr", "raw", "program"],
)
def test_prints_without_end(contained: Contained, fit: str) -> None:
    error = contained(fit=fit)
    assert error.stage == "printed too much"
    assert len(error.details) < 2**20


def test_a_folder_that_is_too_large_is_not_even_sent(contained: Contained, write: Callable[..., Path]) -> None:
    folder = write()
    with (folder / "weights.bin").open("wb") as stream:
        stream.truncate(10**10)
    assert contained().stage == "filled its disk"


def test_limits_must_allow_something() -> None:
    for name in ("seconds", "memory_mb", "disk_mb", "processes", "output_mb"):
        with pytest.raises(MatbenchLiteError, match=name):
            Limits(**{name: -1})
