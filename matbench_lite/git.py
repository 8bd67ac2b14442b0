"""A git repository, read through plumbing: nothing is checked out, no hook, filter or driver runs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from matbench_lite.errors import RepositoryError

LINK, SUBMODULE, EXECUTABLE = "120000", "160000", "100755"
_TIMEOUT = 300  # seconds


@dataclass(frozen=True, kw_only=True)
class Change:
    """One file that differs between two commits.

    Args:
        status: "A" added, "D" deleted, "M" changed, "T" of another kind, "R" moved without a change.
        path: Where it is now, or was.
        old_path: Where it was, if it was moved.
        mode: Its mode now, e.g. "100644"; "000000" if it was deleted.
    """

    status: str
    path: bytes
    old_path: bytes | None
    mode: str


@dataclass(frozen=True, kw_only=True)
class TreeItem:
    """One file of a commit.

    Args:
        path: Where it is.
        mode: "100644" for a file, "100755" executable, "120000" for a link, "160000" for a submodule.
        oid: Name of its content.
        size: In bytes; 0 for a submodule, and where the content is missing.
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
    """A git repository on this machine.

    Args:
        folder: Any folder inside it.

    Raises:
        RepositoryError: If it is none, or git is not installed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Replacement objects would show another content under the name that was asked for.
        self._environment = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
        self.folder = Path(os.fsdecode(self.ask("rev-parse", "--show-toplevel").rstrip(b"\n")))

    def commit(self, ref: str) -> str:
        """The full name of the commit that a branch, tag or short name stands for.

        Raises:
            RepositoryError: If there is none.
        """
        try:
            # Never an option, whatever the name begins with.
            found = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        except RepositoryError:
            raise RepositoryError(
                f"there is no commit {ref!r} in {self.folder}",
                fix="fetch it (git fetch), or name another: a branch, a tag or a commit",
            ) from None
        return found.decode().strip()

    @contextmanager
    def uncommitted(self, under: str) -> Iterator[str]:
        """A commit of HEAD and all changes below a folder, committed or not, for as long as the block runs.

        It is made beside the repository: neither its branches nor its index nor its objects change.

        Args:
            under: The folder.
        """
        head = self.commit("HEAD")
        objects = self.folder / os.fsdecode(self.ask("rev-parse", "--git-path", "objects").rstrip(b"\n"))
        before = self._environment
        with TemporaryDirectory(prefix="mbl-git-") as private:
            who = {f"GIT_{role}_{part}": "mbl" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
            when = {f"GIT_{role}_DATE": "2000-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
            self._environment = {
                **before,
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
                self._environment = before

    def merge_base(self, base: str, head: str) -> str:
        """The commit where `head` left `base`.

        Raises:
            RepositoryError: If they have nothing in common, or the clone is too shallow to know.
        """
        try:
            return self.ask("merge-base", base, head).decode().strip()
        except RepositoryError:
            raise RepositoryError(
                "the two commits have no common history here",
                fix="fetch the whole history (git fetch --unshallow), or start the branch from the base again",
            ) from None

    def changes(self, old: str, new: str) -> list[Change]:
        """What differs between two commits.

        A file counts as moved only if its content is the same: to compare contents, git would read whatever a
        stranger put there.
        """
        fields = self.ask("diff-tree", "-r", "-z", "--raw", "--no-ext-diff", "--find-renames=100%", old, new)
        parts = iter(fields.split(b"\0")[:-1])
        found = []
        for about in parts:
            _, mode, _, _, status = about.decode().lstrip(":").split(" ")
            path, old_path = next(parts), None
            if status[0] == "R":
                path, old_path = next(parts), path
            found.append(Change(status=status[0], path=path, old_path=old_path, mode=mode))
        return found

    def files(self, commit: str, under: str) -> list[TreeItem]:
        """All files of a commit below a folder, with their sizes; none if it has no such folder."""
        return list(tree_items(self.ask("ls-tree", "-r", "-z", "--long", "--full-tree", commit, "--", f"{under}/")))

    def contents(self, oids: Sequence[str]) -> Iterator[bytes]:
        """The contents of files, one after the other; ask for their sizes first."""
        if not oids:
            return
        with subprocess.Popen(
            self._command("cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self._environment},
        ) as process:
            source, sink = process.stdout, process.stdin
            assert source is not None
            assert sink is not None
            for oid in oids:
                sink.write(f"{oid}\n".encode())
                sink.flush()
                header = source.readline().decode().split()
                if len(header) != 3:
                    raise RepositoryError(f"the content {oid} is not in {self.folder}", fix="fetch it: git fetch")
                yield source.read(int(header[2]))
                source.read(1)

    def ask(self, *arguments: str) -> bytes:
        """What git answers.

        Raises:
            RepositoryError: If it fails, with what it says.
        """
        try:
            result = subprocess.run(
                self._command(*arguments),
                check=True,
                capture_output=True,
                env={**os.environ, **self._environment},
                timeout=_TIMEOUT,
            )
        except FileNotFoundError:
            raise RepositoryError("git is not installed", fix="install git") from None
        except subprocess.TimeoutExpired:
            raise RepositoryError(f"git {arguments[0]} took more than {_TIMEOUT} s") from None
        except subprocess.CalledProcessError as error:
            said = os.fsdecode(error.stderr).strip()
            raise RepositoryError(
                f"git {arguments[0]} failed in {self.folder}: {said}", fix="run it inside a clone of the repository"
            ) from error
        return result.stdout

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "-C", str(self.folder), "-c", "core.fsmonitor=false", *arguments]
