"""What a submission can see and reach: its own data, Python, and nothing of the organiser's."""

from __future__ import annotations

import json
import os
import pwd
import secrets
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import matbench_lite
from matbench_lite.train.sandbox import isolation, visible_folders

from ...conftest import LONG

pytestmark = pytest.mark.usefixtures("isolation")

HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
"""Where this user is at home, whatever the environment says."""
REPORT = """
found = {}
def attempt(name, action):
    try:
        found[name] = action()
    except BaseException as error:
        found[name] = f"{type(error).__name__}: {error}"
"""


@pytest.fixture
def reported(works: Callable[..., str]) -> Callable[[str], dict[str, Any]]:
    """Makes some attempts in a sandbox, and gives what each of them came to."""

    def report(attempts: str) -> dict[str, Any]:
        output = works(f"{REPORT}\n{attempts}\nprint('REPORT' + json.dumps(found))")
        (line,) = [line for line in output.splitlines() if line.startswith("REPORT")]
        found: dict[str, Any] = json.loads(line.removeprefix("REPORT"))
        return found

    return report


def test_no_private_file_is_anywhere_in_its_tree(
    tmp_path: Path, works: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = secrets.token_hex(16)
    private = tmp_path / f"private-{token}"
    private.mkdir()
    (private / "targets.csv").write_text(f"id,target\n1,{token}\n")
    (tmp_path / "submissions" / "other").mkdir(parents=True)
    (tmp_path / "submissions" / "other" / "model.py").write_text(f"# {token}")
    monkeypatch.setenv("ORGANISER_SECRET", token)
    held = os.open(private / "targets.csv", os.O_RDONLY)
    os.set_inheritable(held, True)
    try:
        # Written backwards, so that the submission does not find itself. Python's own folders, with 10^5 files that are
        # there for everybody, are looked through in the long form.
        works(
            f"""
TOKEN = {token[::-1]!r}[::-1]; PRIVATE = {str(private)[::-1]!r}[::-1]; PARENT = {os.getpid()}; LONG = {LONG}
"""
            + SEARCH
        )
    finally:
        os.close(held)


SEARCH = """
seen, leaks = 0, []
places = [start + PRIVATE for start in ("", f"/proc/{PARENT}/root", "/proc/self/root", "/old", "/..")]
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    places += [f"/proc/{pid}/root{PRIVATE}", f"/proc/{pid}/cwd/..{PRIVATE}"]
    for name in ("environ", "cmdline", "mountinfo", "maps"):
        try:
            if TOKEN in Path(f"/proc/{pid}/{name}").read_text(errors="replace"):
                leaks.append(f"/proc/{pid}/{name}")
        except OSError:
            pass
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            if TOKEN in os.readlink(f"/proc/{pid}/fd/{number}"):
                leaks.append(f"/proc/{pid}/fd/{number}")
    except OSError:
        pass
leaks += [place for place in places if os.path.exists(place)]
if any(TOKEN in value for value in os.environ.values()):
    leaks.append("environment")
python = {"/usr", sys.prefix, sys.base_prefix, *(path for path in sys.path if path.endswith("-packages"))}
for folder, folders, files in os.walk("/"):
    if folder == "/":
        folders.remove("proc")
    folders[:] = [name for name in folders if LONG or str(Path(folder, name)) not in python]
    seen += len(files)
    leaks += [f"{folder}/{name}" for name in folders + files if TOKEN in name]
    if folder.startswith(tuple(python)) and "matbench_lite" not in folder:
        continue
    for name in files:
        path = Path(folder, name)
        try:
            if path.is_file() and TOKEN.encode() in path.read_bytes():
                leaks.append(str(path))
        except OSError:
            pass
assert seen > 100, seen  # the package alone has as many
assert not leaks, leaks
"""


def test_it_finds_its_secret_without_a_sandbox(tmp_path: Path, works: Callable[..., str]) -> None:
    """So that the test above can fail: what isolation takes away is there without it."""
    (tmp_path / "secret").write_text("here")
    works(f"assert Path({str(tmp_path / 'secret')!r}).read_text() == 'here'", isolated=False)


def test_its_tree_holds_no_homes_no_repository_and_no_targets(reported: Callable[[str], dict[str, Any]]) -> None:
    found = reported(
        f"""
import matbench_lite
found["top"] = sorted(os.listdir("/"))
found["beside"] = sorted(os.listdir(Path(matbench_lite.__file__).parents[1]))
found["mini"] = os.listdir(Path(matbench_lite.__file__).parent / "data" / "mini")
others = "/home", {str(HOME / ".bashrc")!r}, {str(HOME / ".profile")!r}, "/var", "/mnt"
found["homes"] = [path for path in others if os.path.exists(path)]
found["data"] = os.environ["MATBENCH_LITE_DATA"]
found["variables"] = sorted(os.environ)
"""
    )
    assert {"usr", "proc", "dev", "scratch", "tmp"} <= set(found["top"])
    assert not {"sys", "run", "boot", "srv", "old"} & set(found["top"])
    assert found["mini"] == []
    # A clone below /home is there, alone: what it takes to start Python from it.
    assert found["homes"] == (["/home"] if Path(sys.prefix).is_relative_to("/home") else [])
    assert found["data"].startswith("/scratch/")
    home = Path(matbench_lite.__file__).parents[1]
    if (home / "pyproject.toml").exists():
        assert [name for name in found["beside"] if not name.startswith(".venv")] == ["matbench_lite"]
    allowed = ("PYTHON", "XDG_", "MATBENCH_LITE_", "LC_CTYPE")
    plain = {name for name in found["variables"] if not name.startswith(allowed) and "_THREADS" not in name}
    kernels = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}  # which instructions to multiply with, where somebody said so
    assert plain - kernels <= {"HOME", "LANG", "PATH", "PWD", "TMPDIR", "KMP_INIT_AT_FORK", "KMP_DUPLICATE_LIB_OK"}


def test_what_matminer_has_downloaded_is_not_there(works: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies beside matminer's code, targets included. A file that every installation has stands in for a dataset."""
    import matminer

    file = Path(matminer.__file__).parent / "datasets" / "dataset_metadata.json"
    works(f"assert Path({str(file)!r}).read_bytes()")
    monkeypatch.setattr(isolation, "_downloaded", lambda: [file])
    works(
        f"""
try:
    content = Path({str(file)!r}).read_bytes()
except OSError:
    content = b""
assert not content
"""
    )
    assert file.stat().st_size > 1000, "it is as it was outside"


def test_there_is_no_network(reported: Callable[[str], dict[str, Any]], mark: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        udp.bind(("127.0.0.1", 0))
        unix.bind(f"\0{mark}-listener")
        unix.listen()
        for listener in (tcp, udp, unix):
            listener.setblocking(False)  # who has come, has come before the end
        found = reported(
            f"""
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", {tcp.getsockname()[1]}), timeout=2).send(b"x"))
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("udp", lambda: datagrams.sendto(b"x", ("127.0.0.1", {udp.getsockname()[1]})))
attempt("outside", lambda: socket.create_connection(("192.0.2.1", 80), timeout=2).send(b"x"))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0{mark}-listener"))
attempt("vsock", lambda: str(socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)))
attempt("raw", lambda: str(socket.socket(socket.AF_PACKET, socket.SOCK_RAW)))
attempt("netlink", lambda: str(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)))
attempt("name", lambda: socket.gethostbyname("example.org"))
found["interfaces"] = [line.split(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
"""
        )
        for listener in (tcp, unix):
            with pytest.raises(BlockingIOError):
                listener.accept()
        with pytest.raises(BlockingIOError):
            udp.recv(1)
    assert "lo" in found.pop("interfaces")  # its own, which is down
    assert all("Error" in text or "gaierror" in text for text in found.values()), found


def test_it_has_no_rights_and_gets_none(reported: Callable[[str], dict[str, Any]]) -> None:
    found = reported(
        """
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    result = getattr(libc, name)(*arguments)
    return f"Error {ctypes.get_errno()}" if result == -1 else "done"
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
found["capabilities"] = [status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
found["seccomp"], found["nonewprivs"] = status["Seccomp"].strip(), status["NoNewPrivs"].strip()
found["groups"] = os.getgroups() if os.getuid() else []
attempt("setuid", lambda: os.setuid(0 if os.getuid() else 1))
attempt("mount", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
attempt("umount", lambda: call("umount2", b"/proc", 2))
attempt("unshare", lambda: call("unshare", 0x10000000))
attempt("unshare mount", lambda: call("unshare", 0x00020000))
number = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
attempt("clone", lambda: call("syscall", number, 0x10000000 | 17, 0, 0, 0, 0))
attempt("setns", lambda: call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0))
attempt("chroot", lambda: os.chroot("/tmp"))
attempt("ptrace", lambda: call("ptrace", 16, 1, 0, 0))
attempt("memory", lambda: os.open("/proc/1/mem", os.O_RDWR))
attempt("root", lambda: os.listdir("/proc/1/root"))
attempt("environ", lambda: Path("/proc/1/environ").read_text() + "x")
attempt("fds", lambda: os.listdir("/proc/1/fd"))
attempt("core pattern", lambda: Path("/proc/sys/kernel/core_pattern").write_text("|/tmp/x"))
attempt("sysrq", lambda: Path("/proc/sysrq-trigger").write_text("h"))
attempt("mknod", lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)))
attempt("device", lambda: os.open("/dev/mem", os.O_RDONLY))
attempt("nice", lambda: os.nice(-5))
import resource
attempt("limits", lambda: resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6)))
attempt("su", lambda: subprocess.run(["su", "-c", "id"], check=True, stdin=subprocess.DEVNULL).returncode)
found["processes"] = len([name for name in os.listdir("/proc") if name.isdigit()])
"""
    )
    assert set(found.pop("capabilities")) == {"0" * 16}
    assert (found.pop("seccomp"), found.pop("nonewprivs"), found.pop("groups")) == ("2", "1", [])
    assert found.pop("processes") == 2  # the first of its namespace, and itself
    assert all("Error" in str(text) for text in found.values()), found


def test_signals_reach_nobody(works: Callable[..., str]) -> None:
    works(
        """
        for target in (os.getppid(), 1, -1):  # -1: everybody but itself
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
                try:
                    os.kill(target, number)
                except OSError:
                    pass
        """
    )


def test_what_is_visible_can_be_asked() -> None:
    folders = visible_folders()
    assert Path(matbench_lite.__file__).parent.resolve() in folders
    for own in (Path.home(), HOME, Path(__file__)):
        assert not any(own.is_relative_to(folder) for folder in folders)
