"""Branches of strangers' repositories: nothing of them runs, and they show nothing but their own contents."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from sending import FILES, as_branch, as_folder, as_tree, git
from test_hostile_names import refuse

from matbench_lite.errors import ArrivalError
from matbench_lite.event import ArrivalLimits, take


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return as_branch(tmp_path / "clone")


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_by_path_and_by_address(clone: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", "clone", "bare é.git")
    taken = [
        take(clone, tmp_path / "1", branch="mine"),
        take(tmp_path / "bare é.git", tmp_path / "2", branch="mine"),
        take(f"file://{clone}", tmp_path / "3", branch="mine"),
        take(f"file://{tmp_path}/bare%20é.git", tmp_path / "4", branch="mine"),
        take(f"FILE://{clone}", tmp_path / "5", branch="mine", path="data"),
    ]
    assert {one.sha256 for one in taken[:4]} == {take(clone, tmp_path / "6").sha256}
    assert {one.commit for one in taken} == {git(clone, "rev-parse", "mine")}
    assert content_of(tmp_path / "3") == FILES
    assert taken[4].files == ("a.csv", "b/empty.txt")


def test_what_is_committed_arrives_not_what_lies_there(clone: Path, tmp_path: Path) -> None:
    (clone / "model.py").write_bytes(b"changed")
    git(clone, "add", "model.py")
    (clone / ".git" / "info" / "attributes").write_text("* text eol=crlf filter=x ident\n")
    take(clone, tmp_path / "1", branch="mine")
    assert content_of(tmp_path / "1") == FILES


def test_a_relative_path(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert take("clone", Path("target"), branch="mine").files == tuple(sorted(FILES))


def test_a_worktree(clone: Path, tmp_path: Path) -> None:
    git(clone, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "worktree"))
    taken = take(tmp_path / "worktree", tmp_path / "1", branch="other")
    assert taken.files == tuple(sorted(FILES))


def test_names_of_contents_by_sha256(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "clone")
    git(folder, "init", "--quiet", "--object-format=sha256", "--initial-branch=mine")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "mine")
    taken = take(folder, tmp_path / "1", branch="mine")
    assert len(taken.commit or "") == 64
    assert content_of(tmp_path / "1") == FILES


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_somebody_else(clone: Path, tmp_path: Path) -> None:
    for path in (clone, *clone.rglob("*")):
        os.chown(path, 65534, 65534)
    take(clone, tmp_path / "1", branch="mine")
    take(f"file://{clone}", tmp_path / "2", branch="mine")


def test_a_branch_that_is_not_there(clone: Path, home: Path) -> None:
    git(clone, "branch", "a/b")
    git(clone, "tag", "v1")
    for source in (clone, f"file://{clone}"):
        for branch in ("yours", "v1", "HEAD", "refs/heads/mine", git(clone, "rev-parse", "mine")):
            with pytest.raises(ArrivalError, match="there is no branch") as refused:
                take(source, home / "target", branch=branch)
            assert refused.value.fix == "give one of these: 'a/b', 'mine'"
    assert not list(home.iterdir())


def test_a_repository_without_branches(tmp_path: Path, home: Path) -> None:
    git(tmp_path, "init", "--quiet", "clone")
    for source in (tmp_path / "clone", f"file://{tmp_path}/clone"):
        with pytest.raises(ArrivalError, match="it has no branches at all"):
            take(source, home / "target", branch="mine")


@pytest.mark.parametrize("branch", ["", "-x", "--upload-pack=x", "a..b", "a b", "a\nb", "a\0b", "@{-1}", "a.lock", "*"])
def test_names_that_no_branch_has(branch: str, clone: Path, home: Path) -> None:
    refuse(clone, home, "is no name of a branch", branch=branch)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("model.py", "there is no folder 'model.py' on the branch 'mine'"),
        ("gone", "there is no folder 'gone'"),
        ("../x", "leads out"),
        ("/data", "absolute"),
        ("data/b/empty.txt/x", "there is no folder"),
        ("--x", "there is no folder"),
    ],
)
def test_a_path_that_is_not_there(path: str, message: str, clone: Path, home: Path) -> None:
    refuse(clone, home, message, branch="mine", path=path)


def test_links_and_submodules(tmp_path: Path, home: Path) -> None:
    link = as_tree(tmp_path / "1", [("100644", b"a", ""), ("120000", b"link", "/etc/passwd")])
    refuse(link, home, "'link' is a symbolic link", branch="mine")
    refuse(link, home, "there is no folder", branch="mine", path="link")
    submodule = as_tree(tmp_path / "2", [("100644", b"a", ""), ("160000", b"sub", "1" * 40)])
    refuse(submodule, home, "'sub' is a submodule", branch="mine")
    executable = as_tree(tmp_path / "3", [("100755", b"run", "x")])
    take(executable, home / "target", branch="mine")
    assert (home / "target" / "run").stat().st_mode == 0o100644


def test_no_git(clone: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    refuse(clone, home, "git is not installed", branch="mine")


def test_no_repository(tmp_path: Path, home: Path) -> None:
    refuse(as_folder(tmp_path / "folder"), home, "it is no git repository", branch="mine")
    inside = as_folder(as_branch(tmp_path / "clone") / "inside")
    refuse(inside, home, "it is no git repository", branch="mine")


EVIL = """
[core]
\tfsmonitor = {run}
\tpager = {run}
\thooksPath = {hooks}
\tsshCommand = {run}
\tgitProxy = {run}
\taskPass = {run}
\talternateRefsCommand = {run}
\trepositoryformatversion = 1
[pager]
\trev-parse = {run}
\tls-tree = {run}
\tcat-file = {run}
[alias]
\tls-tree = !{run}
\tupload-pack = !{run}
[filter "x"]
\tsmudge = {run}
\tclean = {run}
[diff "x"]
\ttextconv = {run}
[uploadpack]
\tpackObjectsHook = {run}
[extensions]
\tpartialClone = evil
[remote "evil"]
\turl = {url}
\tpromisor = true
\tuploadpack = {run}
[credential]
\thelper = !{run}
"""


@pytest.mark.parametrize("by_address", [False, True])
@pytest.mark.parametrize("url", ["ext::{run}", "{folder}", "file://{folder}", "ssh://example.invalid/x"])
def test_nothing_in_a_repository_runs(url: str, by_address: bool, clone: Path, tmp_path: Path, home: Path) -> None:
    """Nor when a content is missing, which git would fetch by a command of the repository's choice."""
    mark, run = tmp_path / "it ran", tmp_path / "run"
    run.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    run.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        shutil.copy(run, hooks / name)
        shutil.copy(run, clone / ".git" / "hooks" / name)
    (clone / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n")
    evil = EVIL.format(run=run, hooks=hooks, url=url.format(run=run, folder=tmp_path))
    (clone / ".git" / "config").write_text(evil)
    source = f"file://{clone}" if by_address else clone
    take(source, home / "target", branch="mine")
    assert content_of(home / "target") == FILES
    oid = hashlib.sha1(b"blob 5\0pass\n").hexdigest()
    (clone / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(ArrivalError, match=r"is missing or damaged|could not fetch"):
        take(source, home / "other", branch="mine")
    assert not mark.exists()
    assert [path.name for path in home.iterdir()] == ["target"]
    if url == "{folder}":
        with pytest.raises(subprocess.CalledProcessError):
            git(clone, "cat-file", "-p", oid)
        assert mark.exists(), "git itself does as it is told, so the test could fail"


def test_the_environment_does_not_matter(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = as_branch(tmp_path / "other", {"other.py": b""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "nonsense")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    assert take(clone, tmp_path / "1", branch="mine").files == tuple(sorted(FILES))
    assert take(f"file://{clone}", tmp_path / "2", branch="mine").files == tuple(sorted(FILES))
    assert not (tmp_path / "trace").exists()


def test_replacements_do_not_matter(clone: Path, tmp_path: Path) -> None:
    other = git(clone, "hash-object", "-w", "--stdin", given=b"other")
    git(clone, "replace", git(clone, "rev-parse", "mine:model.py"), other)
    take(clone, tmp_path / "1", branch="mine")
    assert content_of(tmp_path / "1") == FILES


@pytest.mark.parametrize("by_address", [False, True])
def test_a_repository_that_shows_the_contents_of_another(by_address: bool, tmp_path: Path, home: Path) -> None:
    """Someone who knows the name of a private content cannot have it sent to him as part of his submission."""
    secret = as_branch(tmp_path / "secret", {"secret.csv": b"42"})
    oid = git(secret, "rev-parse", "mine:secret.csv")

    def refused(name: str, message: str) -> None:
        source = f"file://{tmp_path / name}" if by_address else tmp_path / name
        with pytest.raises(ArrivalError, match=message):
            take(source, home / "target", branch="mine")
        assert not list(home.iterdir())

    as_tree(tmp_path / "known", [("100644", b"a", "a")])
    tree = b"100644 a\0" + bytes.fromhex(oid)
    known = tmp_path / "known"
    made = git(known, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=tree)
    git(known, "update-ref", "refs/heads/mine", git(known, "commit-tree", "-m", "x", made))
    refused("known", "is missing or damaged|could not fetch")
    shutil.copytree(known, tmp_path / "borrowing")
    (tmp_path / "borrowing/.git/objects/info/alternates").write_text(f"{secret}/.git/objects\n")
    refused("borrowing", "borrows its contents")
    shutil.copytree(known, tmp_path / "linking")
    folder = tmp_path / "linking/.git/objects" / oid[:2]
    folder.symlink_to(secret / ".git/objects" / oid[:2])
    refused("linking", "symbolic links")
    folder.unlink()
    folder.mkdir()
    (folder / oid[2:]).symlink_to(secret / ".git/objects" / oid[:2] / oid[2:])
    refused("linking", "symbolic links")
    shutil.copytree(known, tmp_path / "pointing")
    (tmp_path / "pointing/.git/commondir").write_text(f"{secret}/.git\n")
    refused("pointing", "points to another one")
    as_folder(tmp_path / "file", {".git": f"gitdir: {secret}/.git\n".encode()})
    refused("file", "points to another one")
    false = {".git": b"gitdir: x/worktrees/y\n", "x/worktrees/y/gitdir": b"../../../.git"}
    as_folder(tmp_path / "false", {**false, "x/worktrees/y/commondir": f"{secret}/.git".encode()})
    refused("false", "points to another one")
    (tmp_path / "link").mkdir()
    (tmp_path / "link/.git").symlink_to(secret / ".git")
    refused("link", "is a symbolic link")


def test_contents_lent_through_a_pipe(tmp_path: Path, home: Path) -> None:
    """A list of alternates that has no size when it is looked at, and a content when git reads it."""
    secret = as_branch(tmp_path / "secret", {"secret.csv": b"42"})
    clone = as_tree(tmp_path / "clone", [("100644", b"a", "a")])
    tree = b"100644 a\0" + bytes.fromhex(git(secret, "rev-parse", "mine:secret.csv"))
    made = git(clone, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=tree)
    git(clone, "update-ref", "refs/heads/mine", git(clone, "commit-tree", "-m", "x", made))
    pipe = clone / ".git" / "objects" / "info" / "alternates"
    os.mkfifo(pipe)
    done = threading.Event()

    def lend() -> None:
        while not done.wait(0.01):
            with contextlib.suppress(OSError):  # nobody reads it at the moment
                ready = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                os.write(ready, f"{secret}/.git/objects\n".encode())
                os.close(ready)

    lender = threading.Thread(target=lend)
    lender.start()
    try:
        for source in (str(clone), f"file://{clone}"):
            with pytest.raises(ArrivalError, match="neither files nor folders"):
                take(source, home / "target", branch="mine")
    finally:
        done.set()
        lender.join()
    assert not list(home.iterdir())


def test_a_folder_that_is_said_to_be_a_file(tmp_path: Path, home: Path) -> None:
    """What git has under that name is its own list of names, and no content of anybody's."""
    clone = as_tree(tmp_path / "clone", [("100644", b"a", "a")])
    tree = b"100644 a\0" + bytes.fromhex(git(clone, "rev-parse", "mine^{tree}"))
    made = git(clone, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=tree)
    git(clone, "update-ref", "refs/heads/mine", git(clone, "commit-tree", "-m", "x", made))
    refuse(clone, home, "the content of 'a' is missing or damaged", branch="mine")


@pytest.mark.slow
def test_a_tree_that_is_a_bomb(tmp_path: Path, home: Path) -> None:
    """Ten folders of ten folders of ten folders, which are all the same one: 10^10 files in a kilobyte."""
    clone = as_tree(tmp_path / "clone", [("100644", b"a", "a")])
    tree = git(clone, "rev-parse", "mine^{tree}")
    for _ in range(10):
        entries = b"".join(b"40000 %d\0" % n + bytes.fromhex(tree) for n in range(10))
        tree = git(clone, "hash-object", "-w", "-t", "tree", "--stdin", given=entries)
    git(clone, "update-ref", "refs/heads/mine", git(clone, "commit-tree", "-m", "x", tree))
    refuse(clone, home, "more than 10,000 files and folders", branch="mine")


def test_large_contents(tmp_path: Path, home: Path) -> None:
    clone = as_branch(tmp_path / "clone", {"a": random.Random(0).randbytes(300_000), "b": b""})
    small = ArrivalLimits(file_mb=0.2)
    refuse(clone, home, "'a' has 300,000 bytes, at most 200,000", branch="mine", limits=small)
    with pytest.raises(ArrivalError, match=r"the branch has more than 0\.2 MB"):
        take(f"file://{clone}", home / "target", branch="mine", limits=ArrivalLimits(fetch_mb=0.2))
    assert not list(home.iterdir())
    assert take(f"file://{clone}", home / "target", branch="mine").size == 300_000


def test_a_content_that_is_not_what_its_name_says(clone: Path, home: Path) -> None:
    objects = clone / ".git" / "objects"
    first, second = (git(clone, "rev-parse", f"mine:{name}") for name in ("model.py", "data/a.csv"))
    other = git(clone, "hash-object", "-w", "--stdin", given=b"PASS\n")
    place = objects / first[:2] / first[2:]
    place.unlink()
    shutil.copy(objects / other[:2] / other[2:], place)
    refuse(clone, home, "the content of 'model.py' is missing or damaged", branch="mine")
    place = objects / second[:2] / second[2:]
    place.chmod(0o644)
    place.write_bytes(b"noise")
    refuse(clone, home, "damaged", branch="mine")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("ext::sh -c touch% x", "it is not there"),
        ("ext://sh", "nothing is fetched by 'ext'"),
        ("http://example.org/a", "nothing is fetched by 'http'"),
        ("ftp://example.org/a", "nothing is fetched by 'ftp'"),
        ("ssh://-oProxyCommand=x/a", "the address is not one"),
        ("https://", "the address is not one"),
        ("https://exa mple.org/a", "the address is not one"),
        ("https://example.org/a\nb", "the address is not one"),
        ("file://host/a", "no absolute path"),
        ("file:///nowhere", "it is no git repository"),
        ("file:///a%00b", "no absolute path"),
        ("-x@host:a", "it is not there"),
    ],
)
def test_addresses(source: str, message: str, home: Path) -> None:
    with pytest.raises(ArrivalError, match=message) as refused:
        take(source, home / "target", branch="mine")
    assert str(refused.value).isprintable()
    assert not list(home.iterdir())


@pytest.mark.parametrize(
    ("who", "message"), [("me:secret", "git could not fetch it"), ("me:my@secret", "the address is not one")]
)
def test_a_password_is_not_shown(who: str, message: str, home: Path) -> None:
    with pytest.raises(ArrivalError) as refused:
        take(f"https://{who}@localhost:1/a.git", home / "target", branch="mine")
    assert "secret" not in str(refused.value)
    assert f"https://localhost:1/a.git: {message}" in str(refused.value)


def test_a_host_that_never_answers(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"git://127.0.0.1:{silent.getsockname()[1]}/a"
        with pytest.raises(ArrivalError, match="git took more than 1 s"):
            take(address, home / "target", branch="mine", limits=ArrivalLimits(seconds=1))
    assert not list(home.iterdir())


def test_a_host_that_says_what_it_likes(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(1000)
                text = b"ERR \x1b[2J\x07 evil \xff" + b"x" * 900
                connection.sendall(b"%04x" % (len(text) + 4) + text)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ArrivalError, match="git could not fetch it") as refused:
            take(f"git://127.0.0.1:{server.getsockname()[1]}/a", home / "target", branch="mine")
        thread.join()
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 600
