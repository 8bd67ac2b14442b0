"""A submission on a branch of a git repository: read by its contents, nothing is checked out."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote, unquote

from matbench_lite import git
from matbench_lite.errors import ArrivalError, RepositoryError
from matbench_lite.event.arrival_files import (
    FILE,
    LINK,
    MAX_LISTED,
    ArrivalLimits,
    Item,
    Kind,
    check_part,
    decoded,
    parts_of,
    reading,
    shown,
    too_many_seen,
)

_KINDS = {git.LINK: LINK, git.SUBMODULE: "a submodule"}
_MAX_NAMED = 10  # branches or folders that a message lists
_FETCHED = "refs/heads/fetched"
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_SHORT_SSH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^/:\\-][^:\\]*")
_HOST = re.compile(r"([^@/\s]*@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(:[0-9]+)?/\S+")
_SECRET = re.compile(r"(?<=://)[^/\s]*@")
_ALLOWED = ("https", "ssh", "git", "file")
_MAX_POINTER = 5000  # bytes of the small files in which git says where things are


class GitSource:
    """A folder of a branch.

    Contents are read in an empty repository of our own that looks for them in the other one: whatever that has in its
    configuration, attributes, hooks or replacements is not even opened for it.

    `source` is a repository on this machine or the address of one, `path` the folder in it, empty for all of it;
    `scratch` is a private folder, and `stack` ends what was started. A `RepositoryError` says that git is not
    installed, or takes too long.
    """

    kind: Kind = "git"

    def __init__(
        self, source: str, *, branch: str, path: str, limits: ArrivalLimits, scratch: Path, stack: ExitStack
    ) -> None:
        self._source, self._branch, self._limits, self._stack = source, branch, limits, stack
        self._most = int(limits.fetch_mb * 1e6)
        self._git = git.strict_git(scratch, seconds=limits.seconds, file_bytes=self._most)
        self._place = scratch / "repository"
        self._own = self._git.at(f"--git-dir={self._place}")
        self._oids: dict[str, str] = {}
        self._contents: subprocess.Popen[bytes] | None = None
        self._folder = "/".join(parts_of(path)) if path else ""
        for part in self._folder.split("/") if path else ():
            check_part(part, path)
        self.commit: str | None = None
        is_name = not branch.startswith("-") and branch.isprintable()
        if not is_name or not self._git.ask("check-ref-format", f"refs/heads/{branch}").fine:
            raise ArrivalError(f"{shown(branch)} is no name of a branch", fix="give its name as git branch shows it")

    def items(self) -> list[Item]:
        """All files of the folder."""
        tip = self._fetch(*read_address(self._source)) if is_address(self._source) else self._look_up()
        commit = self._own.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{tip}^{{commit}}")
        if not commit.fine:
            raise ArrivalError(f"the branch {shown(self._branch)} leads to no commit", fix="push it again")
        self.commit = commit.output.decode().strip()
        tree = f"{self.commit}:{self._folder}"
        if self._own.ask("cat-file", "-t", tree).output.strip() != b"tree":
            message = f"there is no folder {shown(self._folder)} on the branch {shown(self._branch)}"
            raise ArrivalError(message, fix="give the path of a folder as the branch has it")
        listed = self._own.ask("ls-tree", "-r", "-z", "--long", "--full-tree", tree, at_most=MAX_LISTED)
        if len(listed.output) == MAX_LISTED:
            raise too_many_seen()
        if not listed.fine:
            raise ArrivalError(f"the files cannot be listed: {listed.said}", fix="send fewer files, or push it again")
        found = [(decoded(item.path), item) for item in git.tree_items(listed.output)]
        self._oids = {path: item.oid for path, item in found}
        return [Item(path=path, what=_KINDS.get(item.mode, FILE), size=item.size) for path, item in found]

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in pieces, which has the name that git has for it."""
        if self._contents is None:
            self._contents = self._stack.enter_context(self._own.running("cat-file", "--batch"))
        try:
            yield from git.read_content(self._contents, self._oids[item.path])
        except RepositoryError:
            message = f"the content of {shown(item.path)} is missing or damaged"
            raise ArrivalError(message, fix="push it again") from None

    def confirm(self) -> None:
        """Nothing to do: a commit does not change."""

    def _look_up(self) -> str:
        """The tip of the branch in a repository of this machine."""
        found = find_repository(Path(self._source))
        there = self._git.at(f"--git-dir={found}")
        tip = there.ask("rev-parse", "--verify", "--quiet", f"refs/heads/{self._branch}")
        if not tip.fine:
            if tip.said:
                raise ArrivalError(f"git cannot read the repository: {tip.said}", fix="see what git fsck says in it")
            count = f"--count={_MAX_NAMED + 1}"
            names = there.ask("for-each-ref", count, "--format=%(refname:lstrip=2)", "refs/heads/")
            raise self._no_branch(names.output.splitlines())
        oid = tip.output.decode().strip()
        self._make_own("sha1" if len(oid) == 40 else "sha256")
        self._own = self._own.at(GIT_OBJECT_DIRECTORY=str(found / "objects"))
        return oid

    def _fetch(self, address: str, protocols: str) -> str:
        """The tip of the branch, after fetching it."""
        self._make_own("sha1")
        on_the_way = self._own.at(**self._configuration(protocols), GIT_ALLOW_PROTOCOL=protocols)
        wanted = f"+refs/heads/{self._branch}:{_FETCHED}"
        options = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules")
        fetched = on_the_way.ask("fetch", *options, address, wanted)
        if fetched.fine:
            return _FETCHED
        if "find remote ref" in fetched.said:
            heads = on_the_way.ask("ls-remote", "--heads", address)
            raise self._no_branch([line.partition(b"\trefs/heads/")[2] for line in heads.output.splitlines()])
        packs = (self._place / "objects" / "pack").glob("*")
        if any(pack.stat().st_size >= self._most for pack in packs):
            message = f"the branch has more than {self._limits.fetch_mb:g} MB"
            raise ArrivalError(message, fix="make a branch that has only your submission, or send a zip file")
        message = f"git could not fetch it: {without_secrets(fetched.said)}"
        raise ArrivalError(message, fix="check the address, and that it can be read without a password")

    def _configuration(self, protocols: str) -> dict[str, str | None]:
        """Git's own settings for the way: proxy, certificates and keys are those of whoever fetches."""
        lines = ["[safe]", "\tdirectory = *"]
        if protocols != "file":
            home = os.environ.get("HOME", "/")
            usual = f"{os.environ.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/config", f"{home}/.gitconfig"
            given = os.environ.get("GIT_CONFIG_GLOBAL")
            for path in usual if given is None else (given,):
                quoted = str(Path(path).absolute()).replace("\\", "\\\\").replace('"', '\\"')
                lines += ["[include]", f'\tpath = "{quoted}"']
        place = self._place.parent / "configuration"
        place.write_text("\n".join([*lines, ""]), encoding="utf-8", errors="surrogateescape")
        nosystem = "1" if protocols == "file" else None
        return {"GIT_CONFIG_GLOBAL": str(place), "GIT_CONFIG_NOSYSTEM": nosystem}

    def _no_branch(self, names: list[bytes]) -> ArrivalError:
        named = ", ".join(shown(name.decode(errors="replace")) for name in names[:_MAX_NAMED])
        more = ", …" if len(names) > _MAX_NAMED else ""
        fix = f"give one of these: {named}{more}" if named else "push it first: it has no branches at all"
        return ArrivalError(f"there is no branch {shown(self._branch)}", fix=fix)

    def _make_own(self, names: str) -> None:
        made = self._git.ask("init", "--quiet", "--bare", "--template=", f"--object-format={names}", str(self._place))
        if not made.fine:
            raise ArrivalError(f"git could not make a repository: {made.said}", fix="check that git works: git init")


def is_address(source: str) -> bool:
    """Whether this is the address of a repository rather than a path.

    Examples:
        >>> is_address("https://example.org/a.git"), is_address("git@example.org:a.git"), is_address("a/b.zip")
        (True, True, False)
    """
    return bool(_ADDRESS.match(source) or _SHORT_SSH.fullmatch(source))


def without_secrets(source: str) -> str:
    """An address as it can be shown: without user and password."""
    return _SECRET.sub("", source)


def read_address(source: str) -> tuple[str, str]:
    """The address as git takes it, and the protocols that git may use for it, in git's form.

    A folder of this machine is checked, too, if it is one of those; an `ArrivalError` if git is not to use it.
    """
    if _SHORT_SSH.fullmatch(source):
        return source, "ssh"
    found = _ADDRESS.match(source)
    assert found is not None
    scheme, rest = found["scheme"].lower(), found["rest"]
    if scheme not in _ALLOWED:
        message = f"nothing is fetched by {shown(scheme)}"
        raise ArrivalError(message, fix=f"use an address that begins with one of {', '.join(_ALLOWED)}")
    if scheme == "file":
        path = unquote(rest, errors="surrogateescape")
        if not path.startswith("/") or "\0" in path:
            raise ArrivalError("the address has no absolute path", fix="write file:///the/path")
        find_repository(Path(path))
        return f"file://{quote(os.fsencode(path))}", "file"
    if not _HOST.fullmatch(rest) or not rest.isprintable():
        raise ArrivalError("the address is not one", fix=f"write {scheme}://host/path")
    # A git user may have it that https is ssh for some hosts.
    return f"{scheme}://{rest}", "https:ssh:git"


def find_repository(folder: Path) -> Path:
    """The folder in which git has branches and contents, of a bare repository, a clone, or a worktree.

    A repository can be made to show the contents of another one, which its owner was not meant to see: by links, by
    pointers from one repository to the next, by contents that are borrowed. Such are refused. The one pointer that is
    followed is that of a worktree, if the repository it leads to knows of it.
    """
    dot = folder / ".git"
    with reading("the repository"):
        if folder.is_symlink() or dot.is_symlink():
            raise _borrowed("is a symbolic link")
        if dot.is_file():
            found = _of_worktree(dot)
        elif dot.is_dir():
            found = dot
        elif (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            found = folder
        else:
            fix = "give a clone or a bare repository, or leave the branch out"
            raise ArrivalError("it is no git repository", fix=fix)
        _check_own(found)
    return found.absolute()


def _of_worktree(dot: Path) -> Path:
    private = Path(os.path.normpath(dot.parent / _pointer(dot).removeprefix("gitdir:").strip()))
    back, common = private / "gitdir", private.parent.parent
    if (
        private.parent.name == "worktrees"
        and back.is_file()
        and (private / _pointer(back)).resolve() == dot.resolve()
        and (common / "HEAD").is_file()
    ):
        return common
    raise _borrowed("points to another one")


def _check_own(found: Path) -> None:
    if os.path.lexists(found / "commondir"):
        raise _borrowed("points to another one")
    objects = found / "objects"
    _check_kinds([path for name in ("HEAD", "refs", "packed-refs", "objects") if os.path.lexists(path := found / name)])
    _check_kinds(objects.iterdir())
    _check_kinds(objects.glob("*/*"))
    alternates = objects / "info" / "alternates"
    if alternates.exists() and alternates.stat().st_size:
        message = "the repository borrows its contents from another one (objects/info/alternates)"
        raise ArrivalError(message, fix="make it whole: git repack -a -d && rm .git/objects/info/alternates")


def _check_kinds(paths: Iterable[Path]) -> None:
    kinds = {stat.S_IFMT(path.lstat().st_mode) for path in paths}
    if stat.S_IFLNK in kinds:
        raise _borrowed("has symbolic links in it")
    if kinds - {stat.S_IFREG, stat.S_IFDIR}:
        # A pipe has no size when it is looked at, and a content when git reads it.
        raise _borrowed("has things in it that are neither files nor folders")


def _pointer(path: Path) -> str:
    with path.open("rb") as stream:
        return os.fsdecode(stream.read(_MAX_POINTER)).strip().replace("\0", "")


def _borrowed(what: str) -> ArrivalError:
    return ArrivalError(f"the repository {what}", fix="give the repository itself, or send a folder or a zip file")
