"""Who can isolate submitted code: root, and a user without any rights; and what is left without isolation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import matbench_lite.event.sandbox.fitting
from matbench_lite.errors import IsolationError, SubmittedCodeError
from matbench_lite.event.sandbox import Limits
from matbench_lite.event.sandbox.calls import REFUSED

from .conftest import LIMITS, survivors, train

NOBODY = 65534
AS_NOBODY = """
set -e
home=$1 keep=$2; shift 2
if [ -n "$home" ]; then  # root's home is closed to others: show the interpreter in it, and nothing else
    mount --bind "$home" "$keep"
    mount -t tmpfs -o mode=755 none "${HOME_OF_ROOT}"
    mkdir -p "$home"
    mount --bind "$keep" "$home"
fi
exec setpriv --reuid NOBODY --regid NOBODY --clear-groups -- "$@"
""".replace("NOBODY", str(NOBODY))
SUBSET = "rights or network or signals or stubborn or many_small"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach; those of pytest are for one alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_a_user_without_rights_can_isolate_too(open_folder: Path) -> None:
    """Some tests of this folder once more, as nobody: in a user namespace."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("only root can become another user, with unshare and setpriv")
    here = Path(__file__).parent
    keep, theirs = open_folder / "keep", open_folder / "theirs"
    keep.mkdir()
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    python = Path(sys.base_prefix).resolve()
    hidden = str(python) if python.is_relative_to(Path.home()) else ""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(theirs),
        "TMPDIR": str(theirs),
        "HOME_OF_ROOT": str(Path.home()),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    start = ["unshare", "--mount", "sh", "-c", AS_NOBODY, "sh", hidden, str(keep), sys.executable]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*start, *arguments]
        return subprocess.run(
            command, env=environment, cwd=here.parents[2], capture_output=True, text=True, check=False
        )

    probe = run("-c", "from matbench_lite.event.sandbox import isolation_problem; print(isolation_problem())")
    if probe.stdout.strip() != "None":
        pytest.skip(f"nobody cannot reach the interpreter, or cannot isolate: {probe.stdout}{probe.stderr}")
    options = ["-q", "-p", "no:cacheprovider", "--basetemp", str(theirs / "tests"), "-k", SUBSET]
    done = run("-m", "pytest", *options, str(here / "test_reaching_out.py"), str(here / "test_limits.py"))
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


def test_where_it_cannot_be_done_it_is_refused(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matbench_lite.event.sandbox.fitting, "isolation_problem", lambda: "no namespaces")
    with pytest.raises(IsolationError, match="no namespaces"):
        train(write())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fit", "stage"),
    [
        ("while True: time.sleep(1)", "took too long"),
        ("kept = [np.ones(10**7) for _ in range(10**4)]", "took too much memory"),
        ("while True: print('x' * 10**6)", "printed too much"),
        ("Path('huge').write_bytes(bytes(200 * 2**20))", "filled its disk"),
        ("[threading.Thread(target=time.sleep, args=(99,)).start() for _ in range(200)]", "started too many processes"),
        ("raise ValueError('secret')", "raised an error"),
        ("ctypes.string_at(0)", "crashed"),
        ("os._exit(0)", "sent no usable predictions"),
    ],
)
def test_limits_hold_without_isolation(write: Callable[..., Path], mark: str, fit: str, stage: str) -> None:
    limits: Limits = replace(LIMITS, seconds=3) if stage == "took too long" else LIMITS
    with pytest.raises(SubmittedCodeError, match=stage) as caught:
        train(write(fit=fit), limits, isolated=False)
    assert caught.value.stage == stage
    assert survivors(mark) == []


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
