"""Zip files that are damaged, lie or are bombs are refused: in bounded time and memory, and nothing is written."""

from __future__ import annotations

import random
import resource
import stat
import struct
import subprocess
import sys
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sending import FILES, Packed, as_zip, by_hand, deflate
from test_hostile_names import refuse

from matbench_lite.errors import ArrivalError
from matbench_lite.event import take

MB = 1_000_000
BOMB = deflate(bytes(10 * MB))
NOTHING = b"\x00\x00\x00\xff\xff" * 20_000 + b"\x03\x00"
"""Deflated: twenty thousand blocks with nothing in them."""

NOISE = random.Random(0).randbytes(99)

LIES = {
    "more than it says": (Packed(content=b"pass\n" * 1000, size=5), "does not have the 5 bytes"),
    "more than it says, with a matching checksum": (
        Packed(content=b"pass\n", packed=deflate(b"pass\n" * 9), crc=zlib.crc32(b"pass\n")),
        "does not have the 5 bytes",
    ),
    "far more than it says": (Packed(packed=BOMB, size=9 * MB), "does not have"),
    "less than it says": (Packed(size=6), "does not have the 6 bytes"),
    "stored, of another size": (Packed(method=0, size=6), "takes 5 bytes for a content of 6"),
    "checksum": (Packed(crc=1), "the checksum of 'model.py' is wrong"),
    "damaged": (Packed(packed=b"\xff\xff\xff\xff\xff\xff"), "is damaged"),
    "cut": (Packed(content=NOISE, packed=deflate(NOISE)[:50]), "ends too early"),
    "more behind": (Packed(packed=deflate(b"pass\n") + b"secret"), "there is more behind"),
    "nothing at great length": (Packed(packed=NOTHING, content=b""), "takes 100,002 bytes for a content of 0"),
    "encrypted": (Packed(flags=1), "is encrypted"),
    "strongly encrypted": (Packed(flags=1 << 6), "is encrypted"),
    "encrypted with AES": (Packed(method=99), "is encrypted"),
    "bzip2": (Packed(method=12), "compressed by bzip2"),
    "lzma": (Packed(method=14), "compressed by lzma"),
    "unknown method": (Packed(method=77), "compressed by method 77"),
    "link": (Packed(mode=stat.S_IFLNK | 0o777, content=b"/etc/passwd"), "is a symbolic link"),
    "device": (Packed(mode=stat.S_IFCHR | 0o666), "is a device"),
    "pipe": (Packed(mode=stat.S_IFIFO | 0o666), "is a device, pipe or socket"),
    "folder as a file": (Packed(mode=stat.S_IFDIR | 0o755), "a folder by its mode"),
    "folder with a content": (Packed(name=b"a/"), "is a folder with a content"),
    "two names": (Packed(local_name=b"other.py"), "disagree about 'model.py'"),
    "two sizes": (Packed(local_size=4), "disagree about 'model.py'"),
    "beyond 4 GB": (Packed(size=0xFFFFFFFF), "Zip64"),
    "too large": (Packed(size=50 * MB + 1), "would unpack to"),
    "outside the file": (Packed(at=10_000), "ends too early"),
    "in the list of contents": (Packed(packed_size=60, size=60, method=0), "shares its content"),
}


@pytest.mark.parametrize(("file", "message"), LIES.values(), ids=LIES)
def test_one_file_that_lies(file: Packed, message: str, tmp_path: Path, home: Path) -> None:
    refuse(by_hand(tmp_path / "a.zip", Packed(name=b"fine.py"), file), home, message)


def test_a_password(tmp_path: Path, home: Path) -> None:
    path = as_zip(tmp_path / "a.zip")
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = content.find(mark)
        content[at + place] |= 1
    path.write_bytes(content)
    refuse(path, home, "is encrypted")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not a zip file"),
        (b"hello", "it is not a zip file"),
        (b"\x1f\x8b\x08\x00 a tar", "but a gzip file"),
        (b"7z\xbc\xaf\x27\x1c", "but a 7z file"),
        (b"PK\5\6" + bytes(18), "there are no files"),
        (b"PK\5\6" + bytes(10), "it is not a zip file"),
        (b"PK\5\6" + b"\xff" * 16 + bytes(2), "it lists 65,535 files"),
        (b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 1, 1, 2**31, 0, 0), "2,147,483,648 bytes"),
        (b"PK\5\6" + struct.pack("<4H2LH", 1, 0, 1, 1, 0, 0, 0), "one part of several"),
        (b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 1, 1, 0, 0, 0), "list of contents is damaged"),
    ],
)
def test_no_zip_file_at_all(content: bytes, message: str, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    refuse(path, home, message)


def test_every_piece_of_a_zip_file_is_too_short(tmp_path: Path, home: Path) -> None:
    whole = as_zip(tmp_path / "whole.zip", {"a.py": b"pass", "b.py": b"x" * 100}).read_bytes()
    for length in range(len(whole)):
        path = tmp_path / "a.zip"
        path.write_bytes(whole[:length])
        refuse(path, home, "")
    for other in (whole + b"x", b"x" + whole):
        path.write_bytes(other)
        refuse(path, home, "")


def test_two_lists_of_contents(tmp_path: Path, home: Path) -> None:
    second = b"PK\5\6" + bytes(18)
    refuse(by_hand(tmp_path / "a.zip", Packed(), comment=second), home, "two lists of contents")
    refuse(by_hand(tmp_path / "b.zip", Packed(), number=2), home, "list of contents is damaged")
    refuse(by_hand(tmp_path / "c.zip", Packed(), Packed(name=b"b"), number=1), home, "does not have the length")


def overlapping(path: Path) -> Path:
    """One content, listed many times."""
    one = Packed(name=b"a.py", content=bytes(MB), packed=deflate(bytes(MB)))
    return by_hand(path, one, *[replace(one, at=0)] * 90)


def nested_headers(path: Path) -> Path:
    """Fifield's: each file's content has in it the header of the next one."""
    inner = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, zlib.crc32(b"x"), 1, 1, 1, 0) + b"b" + b"x"
    return by_hand(path, Packed(name=b"a", method=0, content=inner), Packed(name=b"b", method=0, content=b"x", at=31))


def in_the_extra_field(path: Path) -> Path:
    """The same, where few look: a whole file between the header of another and its content."""
    hidden = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, zlib.crc32(b"x"), 1, 1, 1, 0) + b"b" + b"x"
    return by_hand(path, Packed(name=b"a", local_extra=hidden), Packed(name=b"b", method=0, content=b"x", at=31))


def many(path: Path) -> Path:
    return by_hand(path, *[Packed(name=b"%d" % n, method=0, content=b"") for n in range(20_000)], number=0xFFFF)


def many_said_to_be_few(path: Path) -> Path:
    return by_hand(path, *[Packed(name=b"%d" % n, method=0, content=b"") for n in range(20_000)], number=3)


def bomb(path: Path) -> Path:
    return by_hand(path, *[Packed(name=b"%d" % n, packed=BOMB, size=10 * MB) for n in range(9)])


def within_the_limits(path: Path) -> Path:
    """Not refused by its ratio, so it is unpacked up to the end, where the checksum is wrong."""
    noise = Packed(name=b"noise", content=random.Random(0).randbytes(MB))
    return by_hand(path, noise, Packed(packed=deflate(bytes(49 * MB)), size=49 * MB, crc=1))


BOMBS = {
    overlapping: "shares its content",
    nested_headers: "shares its content",
    in_the_extra_field: "shares its content",
    many: "at most 10,000 are looked at",
    many_said_to_be_few: "does not have the length that it says",
    bomb: "would unpack to 90,000,000",
    within_the_limits: "checksum",
}

BOUNDED = """
import resource, sys, time
from pathlib import Path
from matbench_lite.event import take
from matbench_lite.errors import ArrivalError
before = resource.getrusage(resource.RUSAGE_SELF)
try:
    take(sys.argv[1], Path(sys.argv[2]))
except ArrivalError as error:
    after = resource.getrusage(resource.RUSAGE_SELF)
    print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print((after.ru_maxrss - before.ru_maxrss) / 1e3)
    print(error)
"""


@pytest.mark.parametrize("make", BOMBS)
def test_bombs_in_bounded_time_and_memory(make, tmp_path: Path, home: Path) -> None:
    """In a process that may have 10 s of the processor and 500 MB of addresses."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (500 * MB, 500 * MB))

    path = make(tmp_path / "a.zip")
    ended = subprocess.run(
        [sys.executable, "-c", BOUNDED, str(path), str(home / "target")],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert BOMBS[make] in ended.stdout, ended.stderr
    seconds, megabytes = map(float, ended.stdout.split()[:2])
    assert seconds < 5  # of the processor: they take a tenth of one
    assert megabytes < 120  # one file of the largest size, unpacked and on its way out of the airlock
    assert not list(home.iterdir())


def attempt(content: bytes) -> None:
    """Whatever it is, it arrives as plain files below the target, or is refused."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "home").mkdir()
        (place / "a.zip").write_bytes(content)
        try:
            taken = take(place / "a.zip", place / "home" / "target")
        except ArrivalError:
            assert not list((place / "home").iterdir())
        else:
            found = {path for path in (place / "home").rglob("*") if not path.is_dir() or path.is_symlink()}
            assert found == {place / "home" / "target" / name for name in taken.files}
            assert all(stat.S_ISREG(path.lstat().st_mode) for path in found)
        assert sorted(path.name for path in place.iterdir()) == ["a.zip", "home"]


@given(st.binary(max_size=300))
def test_random_bytes(content: bytes) -> None:
    attempt(content)
    if len(content) >= 46:
        attempt(content + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 1, 1, 46, len(content) - 46, 0))


with tempfile.TemporaryDirectory() as _folder:
    WHOLE = as_zip(Path(_folder) / "a.zip", {**FILES, "../up.py": b"x"}).read_bytes()
    FINE = as_zip(Path(_folder) / "a.zip").read_bytes()


CHANGES = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=6)


@given(st.sampled_from([WHOLE, FINE]), CHANGES)
def test_changed_bytes(whole: bytes, changes: list[tuple[float, int]]) -> None:
    content = bytearray(whole)
    for place, value in changes:
        content[int(place * len(content))] = value
    attempt(bytes(content))
