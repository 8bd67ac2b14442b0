"""A submission on a branch of a git repository: read by its contents, nothing is checked out."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from matbench_lite import git
from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.choosing import FILE, LINK, Item
from matbench_lite.event.arriving.git_command import Answer, Git
from matbench_lite.event.arriving.git_place import Address, find_repository, is_address, read_address
from matbench_lite.event.arriving.limits import MAX_LISTED, ArrivalLimits
from matbench_lite.event.arriving.names import check_part, decoded, parts_of, plain, shown
from matbench_lite.event.arriving.source import CHUNK, Kind

_KINDS = {git.LINK: LINK, git.SUBMODULE: "a submodule"}
_MAX_NAMED = 10  # branches or folders that a message lists
_FETCHED = "refs/heads/fetched"


class GitSource:
    """A folder of a branch.

    Contents are read in an empty repository of our own that looks for them in the other one: whatever that has in its
    configuration, attributes, hooks or replacements is not even opened for it.

    Args:
        source: A repository on this machine, or the address of one.
        branch: The branch.
        path: The folder in it; empty for all of it.
        limits: How much may arrive.
        scratch: A private folder.
        stack: Ends what was started.

    Raises:
        ArrivalError: If the branch or the path has no valid name, or git is not installed.
    """

    kind: Kind = "git"

    def __init__(
        self, source: str, *, branch: str, path: str, limits: ArrivalLimits, scratch: Path, stack: ExitStack
    ) -> None:
        self._git = Git(scratch, seconds=limits.seconds, file_bytes=limits.fetch_bytes)
        self._source, self._branch, self._limits = source, branch, limits
        self._own = scratch / "repository"
        self._elsewhere: dict[str, str | None] = {}
        self._stack = stack
        self._oids: dict[str, str] = {}
        self._contents: subprocess.Popen[bytes] | None = None
        self._folder = parts_of(path) if path else ()
        for part in self._folder:
            check_part(part, path)
        self.commit: str | None = None
        self._check_branch()

    def items(self) -> list[Item]:
        """All files of the folder."""
        tip = self._fetch(read_address(self._source)) if is_address(self._source) else self._look_up()
        commit = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{tip}^{{commit}}")
        if not commit.fine:
            raise ArrivalError(f"the branch {shown(self._branch)} leads to no commit", fix="push it again")
        self.commit = commit.output.decode().strip()
        listed = self._ask("ls-tree", "-r", "-z", "--long", "--full-tree", self._tree(), at_most=MAX_LISTED)
        if not listed.fine:
            raise ArrivalError(f"the files cannot be listed: {listed.said}", fix="send fewer files, or push it again")
        found = list(git.tree_items(listed.output))
        items = [Item(path=decoded(item.path), what=_KINDS.get(item.mode, FILE), size=item.size) for item in found]
        self._oids = {item.path: entry.oid for item, entry in zip(items, found, strict=True)}
        return items

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in pieces, which has the name that git has for it."""
        if self._contents is None:
            running = self._git.running(*self._at_own(), "cat-file", "--batch", environment=self._elsewhere)
            self._contents = self._stack.enter_context(running)
        source, sink = self._contents.stdout, self._contents.stdin
        assert source is not None
        assert sink is not None
        oid = self._oids[item.path]
        gone = ArrivalError(f"the content of {shown(item.path)} is missing or damaged", fix="push it again")
        try:
            sink.write(f"{oid}\n".encode())
            sink.flush()
        except BrokenPipeError:
            raise gone from None
        if source.readline(200).split() != [oid.encode(), b"blob", str(item.size).encode()]:
            raise gone
        digest = hashlib.new("sha1" if len(oid) == 40 else "sha256", usedforsecurity=False)
        digest.update(f"blob {item.size}\0".encode())
        left = item.size
        while left and (piece := source.read(min(CHUNK, left))):
            left -= len(piece)
            digest.update(piece)
            yield piece
        if left or source.read(1) != b"\n" or digest.hexdigest() != oid:
            raise gone

    def confirm(self) -> None:
        """Nothing to do: a commit does not change."""

    def _check_branch(self) -> None:
        name = self._branch
        fine = not name.startswith("-") and name.isprintable()
        if not fine or not self._git.ask("check-ref-format", f"refs/heads/{name}").fine:
            raise ArrivalError(f"{shown(name)} is no name of a branch", fix="give its name as git branch shows it")

    def _look_up(self) -> str:
        """The tip of the branch in a repository of this machine."""
        found = find_repository(Path(self._source))
        there = f"--git-dir={found}"
        tip = self._git.ask(there, "rev-parse", "--verify", "--quiet", f"refs/heads/{self._branch}")
        if not tip.fine:
            if tip.said:
                raise ArrivalError(f"git cannot read the repository: {tip.said}", fix="see what git fsck says in it")
            names = self._git.ask(
                there, "for-each-ref", f"--count={_MAX_NAMED + 1}", "--format=%(refname:lstrip=2)", "refs/heads/"
            )
            raise self._no_branch(names.output.splitlines())
        oid = tip.output.decode().strip()
        self._make_own("sha1" if len(oid) == 40 else "sha256")
        self._elsewhere = {"GIT_OBJECT_DIRECTORY": str(found / "objects")}
        return oid

    def _fetch(self, address: Address) -> str:
        """The tip of the branch, after fetching it."""
        self._make_own("sha1")
        environment: dict[str, str | None] = {"GIT_ALLOW_PROTOCOL": address.protocols} | self._configuration(address)
        wanted = f"+refs/heads/{self._branch}:{_FETCHED}"
        options = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules")
        fetched = self._git.ask(*self._at_own(), "fetch", *options, address.url, wanted, environment=environment)
        if fetched.fine:
            return _FETCHED
        if "find remote ref" in fetched.said:
            heads = self._git.ask("ls-remote", "--heads", address.url, environment=environment)
            raise self._no_branch([line.partition(b"\trefs/heads/")[2] for line in heads.output.splitlines()])
        packs = (self._own / "objects" / "pack").glob("*")
        if any(pack.stat().st_size >= self._limits.fetch_bytes for pack in packs):
            message = f"the branch has more than {self._limits.fetch_mb:g} MB"
            raise ArrivalError(message, fix="make a branch that has only your submission, or send a zip file")
        message = f"git could not fetch it: {plain(fetched.said)}"
        raise ArrivalError(message, fix="check the address, and that it can be read without a password")

    def _configuration(self, address: Address) -> dict[str, str | None]:
        """Git's own settings for the way: proxy, certificates and keys are those of whoever fetches."""
        lines = ["[safe]", "\tdirectory = *"]
        if address.protocols != "file":
            home = Path.home()
            usual = [Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git/config", home / ".gitconfig"]
            given = os.environ.get("GIT_CONFIG_GLOBAL")
            for path in usual if given is None else [Path(given).absolute()]:
                quoted = str(path).replace("\\", "\\\\").replace('"', '\\"')
                lines += ["[include]", f'\tpath = "{quoted}"']
        place = self._own.parent / "configuration"
        place.write_text("\n".join([*lines, ""]), encoding="utf-8", errors="surrogateescape")
        nosystem = "1" if address.protocols == "file" else None
        return {"GIT_CONFIG_GLOBAL": str(place), "GIT_CONFIG_NOSYSTEM": nosystem}

    def _tree(self) -> str:
        """The folder of the commit."""
        path = "/".join(self._folder)
        tree = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{self.commit}:{path}")
        name = tree.output.decode().strip()
        if tree.fine and self._ask("cat-file", "-t", name).output.strip() == b"tree":
            return name
        message = f"there is no folder {shown(path)} on the branch {shown(self._branch)}"
        raise ArrivalError(message, fix="give the path of a folder as the branch has it")

    def _no_branch(self, names: list[bytes]) -> ArrivalError:
        named = ", ".join(shown(name.decode(errors="replace")) for name in names[:_MAX_NAMED])
        more = ", …" if len(names) > _MAX_NAMED else ""
        fix = f"give one of these: {named}{more}" if named else "push it first: it has no branches at all"
        return ArrivalError(f"there is no branch {shown(self._branch)}", fix=fix)

    def _make_own(self, names: str) -> None:
        made = self._git.ask("init", "--quiet", "--bare", "--template=", f"--object-format={names}", str(self._own))
        if not made.fine:
            raise ArrivalError(f"git could not make a repository: {made.said}", fix="check that git works: git init")

    def _at_own(self) -> tuple[str, ...]:
        return (f"--git-dir={self._own}",)

    def _ask(self, *arguments: str, at_most: int = 10_000) -> Answer:
        return self._git.ask(*self._at_own(), *arguments, environment=self._elsewhere, at_most=at_most)
