"""Submissions arrive as folders, zip files and branches: the same files, the same digest."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sending import FILES, Packed, as_branch, as_folder, as_zip, by_hand, git

from matbench_lite.errors import ArrivalError
from matbench_lite.event import ArrivalLimits, Taken, take
from matbench_lite.event.arrival_files import caseless, check_part, is_junk


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def three_ways(place: Path, files: dict[str, bytes]) -> list[Taken]:
    (place / "home").mkdir(exist_ok=True)
    folder = take(as_folder(place / "folder", files), place / "home" / "folder")
    archive = take(as_zip(place / "a.zip", files, around="around/"), place / "home" / "zip")
    branch = take(as_branch(place / "clone", files), place / "home" / "git", branch="mine")
    return [folder, archive, branch]


def test_the_same_files_arrive_by_all_three_ways(tmp_path: Path) -> None:
    taken = three_ways(tmp_path, dict(FILES))
    assert [one.kind for one in taken] == ["folder", "zip", "git"]
    for one in taken:
        assert content_of(tmp_path / "home" / one.kind) == FILES
        assert one.files == tuple(sorted(FILES))
        assert one.size == sum(map(len, FILES.values()))
    assert len({one.sha256 for one in taken}) == 1
    assert [one.commit for one in taken] == [None, None, git(tmp_path / "clone", "rev-parse", "mine")]
    assert sorted(path.name for path in (tmp_path / "home").iterdir()) == ["folder", "git", "zip"]


def test_the_digest_is_that_of_the_lines_of_sha256sum(tmp_path: Path) -> None:
    taken = take(as_folder(tmp_path / "folder"), tmp_path / "target")
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(FILES.items())]
    assert taken.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()


PART = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=8)


@st.composite
def harmless(draw: st.DrawFn) -> dict[str, bytes]:
    """Any files that no system minds."""
    found = {}
    for parts in draw(st.lists(st.lists(PART, min_size=1, max_size=3), max_size=5)):
        name = [unicodedata.normalize("NFC", part) for part in parts]
        try:
            for part in name:
                check_part(part, part)
        except ArrivalError:
            continue
        if not any(is_junk(part) or part in (".", "..") or "\\" in part for part in name):
            found["/".join(name)] = draw(st.binary(max_size=200))
    kept: dict[str, bytes] = {}
    taken: set[str] = set()
    for name, content in found.items():
        key = caseless(name)
        parents = {caseless("/".join(name.split("/")[:n])) for n in range(1, name.count("/") + 1)}
        spelled = {"/".join(name.split("/")[:n]) for n in range(1, name.count("/") + 1)}
        others = {"/".join(other.split("/")[:n]) for other in kept for n in range(1, other.count("/") + 2)}
        clash = {caseless(other) for other in others - spelled}
        if key not in taken and not (parents | {key}) & clash and name not in others:
            kept[name] = content
            taken.add(key)
    # One file that lies in no folder: none is around all of them.
    return {name: content for name, content in kept.items() if name.split("/")[0] != "top"} | {"top": b"x"}


@settings(max_examples=8)
@given(harmless())
def test_any_harmless_files_arrive_unchanged_by_all_three_ways(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        taken = three_ways(Path(folder), files)
        assert len({one.sha256 for one in taken}) == 1
        for one in taken:
            assert content_of(Path(folder, "home", one.kind)) == files


def test_what_arrives_are_new_plain_files(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "folder")
    (folder / "model.py").chmod(0o4777)
    os.utime(folder / "model.py", (0, 0))
    os.link(folder / "model.py", tmp_path / "outside.py")
    before = os.umask(0o077)
    try:
        take(folder, tmp_path / "target")
    finally:
        os.umask(before)
    about = (tmp_path / "target" / "model.py").stat()
    assert (about.st_mode, about.st_nlink) == (0o100644, 1)
    assert about.st_mtime > time.time() - 100
    assert {path.stat().st_mode for path in (tmp_path / "target").rglob("*") if path.is_dir()} == {0o40755}
    assert (tmp_path / "target").stat().st_mode == 0o40755


def test_folders_around_all_files_are_left_out_however_they_come(tmp_path: Path) -> None:
    files = {f"x/y/{name}": content for name, content in FILES.items()}
    folder = take(as_folder(tmp_path / "folder", files), tmp_path / "1")
    archive = take(as_zip(tmp_path / "a.zip", files), tmp_path / "2")
    branch = take(as_branch(tmp_path / "clone", files), tmp_path / "3", branch="mine")
    within = take(tmp_path / "clone", tmp_path / "4", branch="mine", path="x/y")
    assert {one.files for one in (folder, archive, branch, within)} == {tuple(sorted(FILES))}
    assert len({one.sha256 for one in (folder, archive, branch, within)}) == 1


JUNK = {
    "__MACOSX/sent/._model.py": b"x",
    "sent/.DS_Store": b"x",
    "sent/data/__pycache__/a.pyc": b"x",
    "sent/.ipynb_checkpoints/a.ipynb": b"x",
    "sent/.run/a": b"x",
    "sent/.venv/bin/python": b"x",
    "sent/.Venv/lib": b"x",
    "sent/b.pyc": b"x",
}


def test_junk_is_left_out_however_it_comes(tmp_path: Path) -> None:
    files = {f"sent/{name}": content for name, content in FILES.items()} | JUNK
    folder = as_folder(tmp_path / "folder", files)
    (folder / "sent" / ".venv" / "lib64").symlink_to("/etc")
    as_folder(folder / "sent" / ".git", {"config": b"x"})
    taken = [
        take(folder, tmp_path / "1"),
        take(as_zip(tmp_path / "a.zip", {**files, "sent/.git/config": b"x"}), tmp_path / "2"),
        take(as_branch(tmp_path / "clone", files), tmp_path / "3", branch="mine"),
    ]
    left_out = {
        *("__MACOSX/", "sent/.DS_Store", "sent/.Venv/", "sent/.ipynb_checkpoints/", "sent/.run/", "sent/.venv/"),
        *("sent/b.pyc", "sent/data/__pycache__/"),
    }
    assert [set(one.left_out) for one in taken] == [left_out | {"sent/.git/"}, left_out | {"sent/.git/"}, left_out]
    assert {one.files for one in taken} == {tuple(sorted(FILES))}
    assert len({one.sha256 for one in taken}) == 1


def test_names_are_composed(tmp_path: Path) -> None:
    apart = take(as_zip(tmp_path / "a.zip", {"e\u0301.py": b"", "b.py": b""}), tmp_path / "1")
    whole = take(as_zip(tmp_path / "b.zip", {"é.py": b"", "b.py": b""}), tmp_path / "2")
    assert apart.files == whole.files == ("b.py", "é.py")
    assert apart.sha256 == whole.sha256


def test_a_zip_from_a_mac_has_names_in_utf8_without_saying_so(tmp_path: Path) -> None:
    taken = take(by_hand(tmp_path / "a.zip", Packed(name="é.py".encode())), tmp_path / "1")
    assert taken.files == ("é.py",)


@pytest.mark.skipif(not shutil.which("zip"), reason="no zip")
def test_what_zip_writes_to_a_pipe(tmp_path: Path) -> None:
    as_folder(tmp_path / "sent")
    piped = subprocess.run(["zip", "-qr", "-", "sent"], cwd=tmp_path, check=True, stdout=subprocess.PIPE).stdout
    (tmp_path / "a.zip").write_bytes(piped)
    take(tmp_path / "a.zip", tmp_path / "target")
    assert content_of(tmp_path / "target") == FILES


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_large_files_and_streamed_archives(method: int, tmp_path: Path) -> None:
    content = random.Random(0).randbytes(3_000_000) + bytes(5_000_000)
    with (tmp_path / "a.zip").open("wb") as stream:
        stream.seekable = lambda: False  # type: ignore[method-assign]
        with zipfile.ZipFile(stream, "w", method) as archive:
            archive.mkdir("sent") if hasattr(archive, "mkdir") else None
            with archive.open("sent/large", "w", force_zip64=True) as file:
                file.write(content)
            archive.writestr("sent/nested.zip", b"PK")
    taken = take(tmp_path / "a.zip", tmp_path / "target")
    assert taken.files == ("large", "nested.zip")
    assert (tmp_path / "target" / "large").read_bytes() == content


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("gone", {}, "it is not there"),
        ("gone", {"branch": "mine"}, "it is not there"),
        ("nul\0", {}, "it is not there"),
        ("x" * 5000, {}, "it is not there"),
        ("https://example.org/a.git", {}, "no branch is given"),
        ("gone", {"path": "a"}, "no branch"),
        ("link", {}, "it is a symbolic link"),
        ("pipe", {}, "neither a file nor a folder"),
        ("empty", {}, "there are no files in it"),
    ],
)
def test_what_is_not_there(source, options, message, tmp_path: Path, home: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("empty").mkdir()
    Path("link").symlink_to("empty")
    with pytest.raises(ArrivalError, match=message) as refused:
        take(source, home / "target", **options)
    assert refused.value.fix
    assert not list(home.iterdir())


def test_a_target_that_is_there_is_not_touched(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "folder")
    (tmp_path / "target").mkdir()
    with pytest.raises(ArrivalError, match="exists already"):
        take(folder, tmp_path / "target")
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(ArrivalError, match="exists already"):
        take(folder, tmp_path / "link")
    with pytest.raises(ArrivalError, match="there is no folder"):
        take(folder, tmp_path / "no" / "target")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link", "target"]


def test_of_two_at_once_one_arrives(tmp_path: Path, home: Path) -> None:
    folder = as_folder(tmp_path / "folder")
    results: list[object] = []

    def one() -> None:
        try:
            results.append(take(folder, home / "target"))
        except ArrivalError as error:
            results.append(error.message)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(result, Taken) for result in results) == 1, results
    assert content_of(home / "target") == FILES
    assert [path.name for path in home.iterdir()] == ["target"]


def test_limits_are_numbers_above_zero() -> None:
    for wrong in (0, -1, float("nan"), float("inf"), "5"):
        with pytest.raises(ArrivalError, match="the limit total_mb"):
            ArrivalLimits(total_mb=wrong)
