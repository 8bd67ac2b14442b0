"""Ways to send the same files."""

from __future__ import annotations

import os
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

Files = Mapping[str, bytes]
FILES: Files = {"model.py": b"pass\n", "data/a.csv": b"1,2\n" * 1000, "data/b/empty.txt": b""}


def as_folder(folder: Path, files: Files = FILES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def as_zip(path: Path, files: Files = FILES, *, around: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(around + name, content)
    return path


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    # A fixed date, too: the names of commits, and so the folders they lie in, are the same in every run.
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "a"), ("EMAIL", "a"), ("DATE", "2026-01-01T00:00:00Z"))
    }
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**own, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    ended = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=environment, input=given
    )
    return ended.stdout.decode().strip()


def as_branch(folder: Path, files: Files = FILES, *, branch: str = "mine") -> Path:
    as_folder(folder, files)
    git(folder, "init", "--quiet", f"--initial-branch={branch}")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "-m", "mine")
    return folder


def as_tree(folder: Path, entries: list[tuple[str, bytes, str]]) -> Path:
    """A repository with one tree made of bytes, as no git would make it: mode, name, and content or oid."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=mine")
    tree = b""
    for mode, name, content in entries:
        known = mode in ("160000", "40000")
        oid = content if known else git(folder, "hash-object", "-w", "--stdin", given=content.encode())
        tree += mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid)
    made = git(folder, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=tree)
    commit = git(folder, "commit-tree", "-m", "mine", made)
    git(folder, "update-ref", "refs/heads/mine", commit)
    return folder


@dataclass(kw_only=True)
class Packed:
    """A file in a zip file; what its two headers say can be false."""

    name: bytes = b"model.py"
    content: bytes = b"pass\n"
    method: int = 8
    flags: int = 0
    mode: int = 0o100644
    size: int | None = None
    crc: int | None = None
    packed: bytes | None = None
    packed_size: int | None = None
    local_name: bytes | None = None
    local_size: int | None = None
    local_extra: bytes = b""
    at: int | None = None


def deflate(content: bytes) -> bytes:
    deflating = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflating.compress(content) + deflating.flush()


def by_hand(path: Path, *files: Packed, number: int | None = None, behind: bytes = b"", comment: bytes = b"") -> Path:
    """A zip file as it is said to be."""
    body, directory = bytearray(), bytearray()
    for file in files:
        packed = file.packed
        if packed is None:
            packed = deflate(file.content) if file.method == 8 else file.content
        size = len(file.content) if file.size is None else file.size
        crc = zlib.crc32(file.content) if file.crc is None else file.crc
        packed_size = len(packed) if file.packed_size is None else file.packed_size
        place = len(body) if file.at is None else file.at
        if file.at is None:
            name = file.name if file.local_name is None else file.local_name
            local_size = size if file.local_size is None else file.local_size
            about = (b"PK\3\4", 20, file.flags, file.method, 0, 33, crc, packed_size, local_size, len(name))
            extra = file.local_extra
            body += struct.pack("<4s5H3L2H", *about, len(extra)) + name + extra + packed
        about = (b"PK\1\2", 788, 20, file.flags, file.method, 0, 33, crc, packed_size, size, len(file.name))
        directory += struct.pack("<4s6H3L5H2L", *about, 0, 0, 0, 0, file.mode << 16, place) + file.name
    number = len(files) if number is None else number
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, number, number, len(directory), len(body), len(comment))
    path.write_bytes(body + directory + end + comment + behind)
    return path
