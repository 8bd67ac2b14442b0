"""Folders of strangers: links, devices, and those that change under our hands."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sending import FILES, as_folder, as_zip
from test_hostile_names import refuse

from matbench_lite.errors import ArrivalError
from matbench_lite.event import take
from matbench_lite.event.arrival_files import FolderSource, Item
from matbench_lite.event.zip_source import ZipSource


def test_links(tmp_path: Path, home: Path) -> None:
    folder = as_folder(tmp_path / "folder")
    link = folder / "data" / "link"
    for leads_to in ("/etc/passwd", "/etc", "a.csv", "nowhere"):
        link.symlink_to(leads_to)
        refuse(folder, home, "'data/link' is a symbolic link")
        link.unlink()


def test_what_is_no_file(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = as_folder(tmp_path / "folder")
    os.mkfifo(folder / "x")
    refuse(folder, home, "'x' is a pipe")
    (folder / "x").unlink()
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("x")
        refuse(folder, home, "'x' is a socket")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices")
def test_devices(tmp_path: Path, home: Path) -> None:
    folder = as_folder(tmp_path / "folder")
    try:
        os.mknod(folder / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("not even root")
    refuse(folder, home, "'zero' is a device")


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which we are not root, who may read everything. We are in it: those above it may be closed."""
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o777)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield Path()
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("name", ["model.py", "data"])
def test_what_may_not_be_read(name: str, nobody: Path) -> None:
    folder = as_folder(nobody / "folder")
    (nobody / "home").mkdir()
    mode = (folder / name).stat().st_mode
    (folder / name).chmod(0)
    refuse(folder, nobody / "home", f"'{name}' cannot be read: Permission denied")
    (folder / name).chmod(mode)


def test_a_place_that_may_not_be_written(nobody: Path) -> None:
    folder = as_folder(nobody / "folder")
    (nobody / "home").mkdir()
    (nobody / "home").chmod(0o500)
    refuse(folder, nobody / "home", "cannot be written: Permission denied")


@pytest.mark.slow
def test_ten_thousand_files(tmp_path: Path, home: Path) -> None:
    (tmp_path / "folder").mkdir()
    for number in range(10_001):
        os.mknod(tmp_path / "folder" / f"{number}")
    refuse(tmp_path / "folder", home, "more than 10,000 files and folders")


def test_a_sparse_file(tmp_path: Path, home: Path) -> None:
    folder = as_folder(tmp_path / "folder")
    os.truncate(folder / "model.py", 10**13)
    refuse(folder, home, "has 10,000,000,000,000 bytes")


def grow(folder: Path) -> None:
    with (folder / "model.py").open("ab") as stream:
        stream.write(b"more")


def same_size(folder: Path) -> None:
    (folder / "model.py").write_bytes(b"PASS\n")


def other_file(folder: Path) -> None:
    (folder / "model.py").rename(folder.parent / "old.py")
    (folder / "model.py").write_bytes(b"pass\n")


def link_to_file(folder: Path) -> None:
    (folder / "model.py").unlink()
    (folder / "model.py").symlink_to("/etc/passwd")


def link_to_folder(folder: Path) -> None:
    (folder / "data").rename(folder.parent / "old")
    (folder / "data").symlink_to(folder.parent / "old")


def new_file(folder: Path) -> None:
    (folder / "data" / "new.py").write_bytes(b"")


def gone(folder: Path) -> None:
    (folder / "data" / "a.csv").unlink()


def pipe(folder: Path) -> None:
    (folder / "model.py").unlink()
    os.mkfifo(folder / "model.py")


CHANGES = [grow, same_size, other_file, link_to_file, link_to_folder, new_file, gone, pipe]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("when", range(len(FILES) + 1))
def test_a_folder_that_changes_meanwhile(change, when: int, tmp_path: Path, home: Path, monkeypatch) -> None:
    """After it was listed, between any two files, and before it is looked at again."""
    folder = as_folder(tmp_path / "folder")
    real, calls = FolderSource.read, []

    def reading(self: FolderSource, item: Item) -> Iterator[bytes]:
        if len(calls) == when:
            change(folder)
        calls.append(item)
        yield from real(self, item)
        if len(calls) == when == len(FILES):
            change(folder)

    monkeypatch.setattr(FolderSource, "read", reading)
    with pytest.raises(ArrivalError, match=r"changed while it was read|cannot be read"):
        take(folder, home / "target")
    assert not list(home.iterdir())


def test_a_zip_file_that_changes_meanwhile(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = as_zip(tmp_path / "a.zip")
    real = ZipSource.read

    def reading(self: ZipSource, item: Item) -> Iterator[bytes]:
        yield from real(self, item)
        with path.open("ab") as stream:
            stream.write(b"more")

    monkeypatch.setattr(ZipSource, "read", reading)
    refuse(path, home, "the zip file changed while it was read")


def test_a_folder_around_it_that_is_a_repository(tmp_path: Path, home: Path) -> None:
    folder = as_folder(tmp_path / "a.git", {"HEAD": b"", "objects/x": b"", "refs/x": b""})
    refuse(folder, home, "it is a git repository, and no branch is given")
