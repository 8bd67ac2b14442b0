"""Git, asked through plumbing: bounded in time, nothing is checked out, no hook, filter or driver runs."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from matbench_lite.cleaner import brief
from matbench_lite.errors import RepositoryError

LINK, SUBMODULE, EXECUTABLE = "120000", "160000", "100755"
CHUNK = 2**18
"""Bytes of a content that are held at a time."""
_SECONDS, _LONG = 300, 36_000
"""How long an answer may take, and all contents of a repository, with what is done to each."""
_MEMORY = 2_000_000_000  # bytes of addresses: deltas can be bombs, too
_LIMITED = 'ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2; exec "$@"'
"""Through a shell: the limits have to hold before git starts helpers, and Python's own way is not safe with threads."""
_BLOCK = 512  # bytes, the unit of `ulimit -f`
_MOST_OUTPUT = 1_000_000  # bytes of an answer about a stranger's repository
# Replacement objects would show another content under the name that was asked for.
_ENVIRONMENT = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
_STRICT_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.askPass=",
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    # Small windows: within the limit of addresses a pack of any size can be read.
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=256m",
    "core.bigFileThreshold=16m",
    "pack.threads=1",
    "gc.auto=0",
    "maintenance.auto=false",
    # One file for what is fetched, so that the limit for one file holds for all.
    "fetch.unpackLimit=1",
    "submodule.recurse=false",
    "protocol.ext.allow=never",
)
_STRICT_ENVIRONMENT = {
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    # No content that is missing is fetched, however the repository says it is to be done: that runs its commands.
    "GIT_ALLOW_PROTOCOL": "none",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What git answered: whether it did what it was asked, what it found, and what it said, in one line."""

    fine: bool
    output: bytes
    said: str


@dataclass(frozen=True, kw_only=True)
class Git:
    """The program git, with so many seconds, up to `end` of the monotonic clock, for all it is asked.

    `command` is what comes before every command, `environment` has all variables, None for one that is not to be set.
    Of an answer `at_most` bytes are read, if nothing else is said; -1 for all. See `own_git` and `strict_git`.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str | None]
    folder: Path | None = None
    seconds: float
    end: float
    at_most: int = -1

    def at(self, *arguments: str, **environment: str | None) -> Git:
        """The same, with the same time, with more before every command and more variables."""
        command = (*self.command, *arguments)
        return replace(self, command=command, environment={**self.environment, **environment})

    def ask(self, *arguments: str, at_most: int | None = None) -> Answer:
        """Run a command to its end; a `RepositoryError` if it takes too long.

        At most `at_most` bytes of the answer are read; with more the command is ended, and that is an error.
        """
        most = self.at_most if at_most is None else at_most
        with TemporaryFile() as said, self.running(*arguments, said=said.fileno()) as process:
            assert process.stdout is not None
            output = process.stdout.read(most + 1 if most >= 0 else -1)
            if 0 <= most < len(output):
                return Answer(fine=False, output=output[:most], said="there is no end to the answer")
            code = None
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(max(0.0, self.end - time.monotonic()))
            said.seek(0)
            return Answer(fine=code == 0, output=output, said=brief(said.read(1000).decode(errors="replace"), 300))

    @contextmanager
    def running(self, *arguments: str, said: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command that answers questions, as long as the block runs; `said` takes what it says beside them."""
        process = subprocess.Popen(
            [*self.command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd=self.folder,
            env={name: value for name, value in self.environment.items() if value is not None},
            # A group of its own: what git has started ends with it.
            start_new_session=True,
        )
        watch = threading.Timer(max(0.0, self.end - time.monotonic()), _kill, [process])
        watch.daemon = True
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            _kill(process)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()
            process.wait()
            if time.monotonic() >= self.end:
                raise RepositoryError(f"git took more than {self.seconds:g} s", fix="try again later")


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            # Windows has no groups.
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()


def own_git(*arguments: str, seconds: float = _SECONDS, **environment: str) -> Git:
    """Git for a repository of whoever runs us, with their configuration; a `RepositoryError` if it is not installed."""
    program = shutil.which("git")
    if program is None:
        raise RepositoryError("git is not installed", fix="install git")
    return Git(
        command=(str(Path(program).absolute()), "--no-pager", "-c", "core.fsmonitor=false", *arguments),
        environment={**os.environ, **_ENVIRONMENT, **environment},
        seconds=seconds,
        end=time.monotonic() + seconds,
    )


def strict_git(scratch: Path, *, seconds: float, file_bytes: int) -> Git:
    """Git for repositories of strangers: bounded in memory, too, and deaf to configuration that runs something.

    It runs in `scratch`, a private folder, and writes no file of more than `file_bytes`.
    """
    limited = ("/bin/sh", "-c", _LIMITED, "sh", str(_MEMORY // 1024), str(file_bytes // _BLOCK + 1))
    usual = own_git(*(word for setting in _STRICT_SETTINGS for word in ("-c", setting)), seconds=seconds)
    inherited = {name: None for name in os.environ if name.startswith("GIT_")}
    environment = {**usual.environment, **inherited, **_ENVIRONMENT, **_STRICT_ENVIRONMENT}
    command = (*limited, *usual.command)
    return replace(usual, command=command, environment=environment, folder=scratch, at_most=_MOST_OUTPUT)


def read_content(process: subprocess.Popen[bytes], oid: str) -> Iterator[bytes]:
    """The content of a file from a running `git cat-file --batch`, in pieces; it has the name that git has for it.

    A `RepositoryError` if it is missing or damaged.
    """
    source, sink = process.stdout, process.stdin
    assert source is not None
    assert sink is not None
    gone = RepositoryError(f"the content {oid} is missing or damaged", fix="fetch it: git fetch")
    try:
        sink.write(f"{oid}\n".encode())
        sink.flush()
    except BrokenPipeError:
        raise gone from None
    header = source.readline(200).decode(errors="replace").split()
    if header[:2] != [oid, "blob"]:
        raise gone
    left = int(header[2])
    digest = hashlib.new("sha1" if len(oid) == 40 else "sha256", usedforsecurity=False)
    digest.update(f"blob {left}\0".encode())
    while left and (piece := source.read(min(CHUNK, left))):
        left -= len(piece)
        digest.update(piece)
        yield piece
    if left or source.read(1) != b"\n" or digest.hexdigest() != oid:
        raise gone


@dataclass(frozen=True, kw_only=True)
class TreeItem:
    """One file of a commit: `oid` is the name of its content, the size is in bytes, 0 where that is missing.

    Its mode is "100644" for a file, "100755" executable, "120000" for a link, "160000" for a submodule, of no size.
    """

    path: bytes
    mode: str
    oid: str
    size: int


def tree_items(listed: bytes) -> Iterator[TreeItem]:
    """The files in an answer of `git ls-tree -r -z --long`."""
    for line in listed.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, _, oid, size = about.decode().split()
        yield TreeItem(path=path, mode=mode, oid=oid, size=int(size) if size.isdecimal() else 0)


class Repository:
    """The git repository around a folder of this machine; a `RepositoryError` if it is none, or there is no git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment: dict[str, str] = {}
        self.folder = Path(os.fsdecode(self.ask("rev-parse", "--show-toplevel").rstrip(b"\n")))

    def commit(self, ref: str) -> str:
        """The full name of the commit that a branch, tag or short name stands for, if there is one."""
        # Never an option, whatever the name begins with.
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        fix = "fetch it (git fetch), or name another: a branch, a tag or a commit"
        return self.ask(*asked, failed=f"there is no commit {ref!r} in {self.folder}", fix=fix).decode().strip()

    @contextmanager
    def uncommitted(self, under: str) -> Iterator[str]:
        """A commit of HEAD and all changes below a folder, committed or not, for as long as the block runs.

        It is made beside the repository: neither its branches nor its index nor its objects change.
        """
        head = self.commit("HEAD")
        objects = self.folder / os.fsdecode(self.ask("rev-parse", "--git-path", "objects").rstrip(b"\n"))
        with TemporaryDirectory(prefix="mbl-git-") as private:
            who = {f"GIT_{role}_{part}": "mbl" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
            when = {f"GIT_{role}_DATE": "2000-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
            self._environment = {
                **who,
                **when,
                "GIT_INDEX_FILE": f"{private}/index",
                "GIT_OBJECT_DIRECTORY": f"{private}/objects",
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
            }
            try:
                Path(private, "objects").mkdir()
                self.ask("read-tree", head)
                if self.folder.joinpath(under).is_dir() or self.files(head, under):
                    self.ask("add", "--all", "--", under)
                tree = self.ask("write-tree").decode().strip()
                if tree == self.ask("rev-parse", f"{head}^{{tree}}").decode().strip():
                    yield head
                else:
                    yield self.ask("commit-tree", "-p", head, "-m", "uncommitted", tree).decode().strip()
            finally:
                self._environment = {}

    def merge_base(self, base: str, head: str) -> str:
        """The commit where `head` left `base`, if they have one in common and the clone is not too shallow to know."""
        failed = "the two commits have no common history here"
        fix = "fetch the whole history (git fetch --unshallow), or start the branch from the base again"
        return self.ask("merge-base", base, head, failed=failed, fix=fix).decode().strip()

    def changes(self, old: str, new: str) -> list[tuple[bytes, str]]:
        """The files that differ between two commits, each with its mode, "000000" if it was deleted."""
        fields = self.ask("diff-tree", "-r", "-z", "--raw", "--no-ext-diff", "--no-renames", old, new).split(b"\0")
        return [(path, about.split()[1].decode()) for about, path in zip(fields[:-1:2], fields[1::2], strict=True)]

    def files(self, commit: str, under: str) -> list[TreeItem]:
        """All files of a commit below a folder, with their sizes; none if it has no such folder."""
        return list(tree_items(self.ask("ls-tree", "-r", "-z", "--long", "--full-tree", commit, "--", f"{under}/")))

    def contents(self, oids: Sequence[str]) -> Iterator[bytes]:
        """The contents of files, one after the other; ask for their sizes first."""
        if oids:
            with self._git(_LONG).running("cat-file", "--batch") as process:
                for oid in oids:
                    yield b"".join(read_content(process, oid))

    def ask(
        self, *arguments: str, failed: str | None = None, fix: str = "run it inside a clone of the repository"
    ) -> bytes:
        """What git answers; a `RepositoryError` if it fails, with what it says unless `failed` says it better."""
        answer = self._git().ask(*arguments)
        if not answer.fine:
            raise RepositoryError(failed or f"git {arguments[0]} failed in {self.folder}: {answer.said}", fix=fix)
        return answer.output

    def _git(self, seconds: float = _SECONDS) -> Git:
        return own_git("-C", str(self.folder), seconds=seconds, **self._environment)
