"""Who can isolate submitted code, where Python may lie, what is said where it cannot be done, and what is left then."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from matbench_lite.errors import IsolationError, SubmittedCodeError
from matbench_lite.train.sandbox import Limits, contained_fit, isolation
from matbench_lite.train.sandbox.isolation import PACKAGE_HOME, launched
from matbench_lite.train.sandbox.kernel import REFUSED
from matbench_lite.train.sandbox.launcher import CANNOT_START, MOST_FILES

from .conftest import LIMITS, mean, train

NOBODY = 65534
AS_NOBODY = """
set -e
mount -t tmpfs -o mode=755 none /mnt
mkdir /mnt/theirs /mnt/keep
chown NOBODY:NOBODY /mnt/theirs
number=0
for folder in $SHOWN; do
    number=$((number + 1))
    mkdir /mnt/keep/$number
    mount --bind "$folder" /mnt/keep/$number
done
for folder in $CLOSED; do
    mount -t tmpfs -o mode=755 none "$folder"
done
number=0
for folder in $SHOWN; do
    number=$((number + 1))
    mkdir -p "$folder"
    mount --bind /mnt/keep/$number "$folder"
done
exec setpriv --reuid NOBODY --regid NOBODY --clear-groups -- "$@"
""".replace("NOBODY", str(NOBODY))
"""Becomes nobody, in a view of the files where folders that are closed to others hold Python, and nothing else."""
SUBSET = "rights or network or signals or stubborn or many_small or counts_once or held_memory"
THREADS = """
while True:
    try:
        threading.Thread(target=time.sleep, args=(1000,)).start()
    except RuntimeError:  # what else this user has started counts, too
        time.sleep(0.1)
"""
PROBLEM = """
from matbench_lite.train.sandbox import isolation_problem
problem = isolation_problem()
print(problem and problem.message)
print(problem and problem.fix)
"""
TRAINING = """
import sys
from pathlib import Path
from matbench_lite import load_benchmark
from matbench_lite.train import Split
from matbench_lite.train.sandbox import fit_contained
task = load_benchmark("mini")["mini_gap"]
X, y = task.train_data(0)
split = Split(task=task, X=X[:40], y=y[:40], asked={"test": X[:7]}, rows={}, seed=1)
predicted, _ = fit_contained(Path(sys.argv[1]), split)
print(*set(predicted[0].values))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_a_user_without_rights_can_isolate_too() -> None:
    """Some tests of this folder once more, as nobody: in a user namespace."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv") and Path("/mnt").is_dir()):
        pytest.skip("only root can become another user, with unshare, setpriv and /mnt")
    here = Path(__file__).parent
    needed = [Path(folder).resolve() for folder in (PACKAGE_HOME, sys.prefix, sys.base_prefix)]
    closed = {parent for folder in needed for parent in folder.parents if not parent.stat().st_mode & 0o001}
    hidden = [folder for folder in needed if not closed.isdisjoint(folder.parents)]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/mnt/theirs",
        "TMPDIR": "/mnt/theirs",
        "SHOWN": " ".join(map(str, hidden)),
        "CLOSED": " ".join(str(folder) for folder in closed if closed.isdisjoint(folder.parents)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    start = ["unshare", "--mount", "sh", "-c", AS_NOBODY, "sh", sys.executable]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*start, *arguments], env=environment, cwd="/", capture_output=True, text=True, check=False
        )

    probe = run("-c", PROBLEM)
    assert probe.returncode == 0, probe.stderr
    if "cannot be isolated" in probe.stdout:
        pytest.skip(f"nobody cannot isolate: {probe.stdout}")
    options = ["-q", "-p", "no:cacheprovider", "--basetemp", "/mnt/theirs/tests", "-k", SUBSET]
    files = [str(here / f"test_{name}.py") for name in ("reaching_out", "limits", "held_memory")]
    done = run("-m", "pytest", "--rootdir", str(here.parents[2]), *options, *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A Python in the folder for temporary files, which is another one in a sandbox."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    return tmp_path / "venv"


def _asked(python: Path, *arguments: str, **variables: str) -> str:
    command = [str(python / "bin" / "python"), *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": str(python.parent), **variables}
    done = subprocess.run(command, env=environment, cwd=python, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_python_may_lie_among_temporary_files(environment: Path, write: Callable[..., Path]) -> None:
    purelib = Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))
    (purelib / "all.pth").write_text(f"{sysconfig.get_path('purelib')}\n{PACKAGE_HOME}\n")
    assert float(_asked(environment, "-c", TRAINING, str(write()))) == mean()


@pytest.mark.usefixtures("isolation")
def test_what_has_nothing_to_do_with_isolation_is_not_blamed_on_it(environment: Path) -> None:
    # The organiser finds its libraries by an environment variable, which nobody has in a sandbox.
    libraries = environment / "libraries"
    libraries.symlink_to(sysconfig.get_path("purelib"))
    said = _asked(environment, "-c", PROBLEM, PYTHONPATH=f"{libraries}:{PACKAGE_HOME}")
    assert "did not start: ModuleNotFoundError: No module named 'numpy'" in said
    assert "can import matbench_lite and pandas with no environment variable set" in said
    assert "without" not in said


@pytest.mark.usefixtures("isolation")
def test_a_kernel_that_refuses_is_named(works: Callable[..., str]) -> None:
    """In a sandbox, no other can be made."""
    said = works(PROBLEM)
    assert "submitted code cannot be isolated here: unshare: Function not implemented" in said
    assert "namespaces" in said


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = isolation._plan
    monkeypatch.setattr(isolation, "_plan", lambda *given, **options: plan(*given, **options) | {"command": ["/no/py"]})
    with launched(LIMITS, isolated=False) as (process, *_):
        assert process.communicate()[0] == b"No such file or directory: /no/py\n"
        assert process.returncode == CANNOT_START


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not-isolated"])
def test_code_gets_no_file_of_the_organisers_however_many_are_open(works: Callable[..., str], isolated: bool) -> None:
    """The socket of orders above all: who has it can say that everything stands still."""
    with ExitStack() as held:
        for _ in range(MOST_FILES):
            held.callback(os.close, os.dup(0))
        code = "print([number for number in range(10, 2000) if os.path.exists(f'/proc/self/fd/{number}')])"
        assert works(code, isolated=isolated) == "[]\n"


def test_where_it_cannot_be_done_it_is_refused(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contained_fit, "isolation_problem", lambda: IsolationError("no namespaces"))
    with pytest.raises(IsolationError, match="no namespaces"):
        train(write())


@pytest.mark.parametrize(
    ("code", "stage"),
    [
        ("while True: time.sleep(1)", "took too long"),
        ("kept = [b'x' * 10**7 for _ in range(30)]; time.sleep(1000)", "took too much memory"),
        ("while True: print('x' * 10**6)", "printed too much"),
        (THREADS, "started too many processes"),
        ("ctypes.string_at(0)", "crashed"),
        ("os._exit(0)", "sent no usable predictions"),
    ],
)
def test_limits_hold_without_isolation(attack: Callable[..., SubmittedCodeError], code: str, stage: str) -> None:
    limits = Limits(seconds=0.5 if stage == "took too long" else 100, memory_mb=200, processes=4, output_mb=0.25)
    assert attack(code, limits=limits, isolated=False).stage == stage


def test_the_size_of_a_file_is_limited_without_isolation(works: Callable[..., str]) -> None:
    said = works(
        """
        try:
            Path("huge").write_bytes(bytes(20 * 2**20))
        except OSError as error:
            print(error.strerror)
        """,
        limits=replace(LIMITS, disk_mb=8),
        isolated=False,
    )
    assert said == "File too large\n"


def test_numbers_of_refused_calls_are_those_of_the_system() -> None:
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.is_file():
        pytest.skip("no headers of the kernel for x86_64 here")
    lines = [line.split() for line in header.read_text().splitlines() if line.startswith("#define __NR_")]
    known = {line[1].removeprefix("__NR_"): int(line[2]) for line in lines}
    assert {name: numbers[0] for name, numbers in REFUSED.items() if name in known} == {
        name: known[name] for name in REFUSED if name in known
    }
    assert len(REFUSED.keys() & known.keys()) > 40
