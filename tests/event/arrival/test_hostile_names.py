"""Names that are a trap are refused, however they come."""

from __future__ import annotations

from pathlib import Path

import pytest
from sending import Packed, as_folder, as_tree, by_hand

from matbench_lite.errors import ArrivalError
from matbench_lite.event import ArrivalLimits, take

TRAPS = {
    "upwards": ("../x.py", "leads out"),
    "upwards inside": ("a/../../x.py", "leads out"),
    "upwards in junk": ("__MACOSX/../../x.py", "leads out"),
    "absolute": ("/etc/x", "absolute"),
    "drive": ("C:/x", "absolute"),
    "share": ("//host/x", "absolute"),
    "backslash": ("..\\x.py", "backslash"),
    "null": ("model.py\0.txt", "null"),
    "dot": ("./x.py", "empty part"),
    "empty part": ("a//x.py", "empty part"),
    "nothing": ("", "empty part"),
    "line": ("a\nb", "cannot be seen, U+000A"),
    "escape": ("\x1b[2J", "cannot be seen, U+001B"),
    "delete": ("a\x7f", "cannot be seen, U+007F"),
    "other way": ("model\u202eyp.exe", "cannot be seen, U+202E"),
    "no width": ("mo\u200bdel.py", "cannot be seen, U+200B"),
    "mark": ("\ufeffmodel.py", "cannot be seen, U+FEFF"),
    "filler": ("\u3164.py", "cannot be seen, U+3164"),
    "wide blank": ("a\u00a0b", "cannot be seen, U+00A0"),
    "line separator": ("a\u2028b", "cannot be seen, U+2028"),
    "device": ("con", "keeps for a device"),
    "device with ending": ("a/Aux.py", "keeps for a device"),
    "stream": ("a.py:x", "Windows does not allow"),
    "star": ("a*", "Windows does not allow"),
    "dot at the end": ("model.py.", "ends with a dot"),
    "blank at the end": ("a /x.py", "ends with a blank"),
    "blank at the start": (" x.py", "begins or ends with a blank"),
    "very long": ("x" * 5000, "5,000 characters"),
    "too long": ("é" * 101, "202 bytes, at most 200"),
}
TWO = {
    "case": (("model.py", "Model.py"), "are one name"),
    "case of a folder": (("a/x", "A/y"), "are one name"),
    "composed": (("é.py", "e\u0301.py"), "are one name"),
    "composed folder": (("é/x", "e\u0301/y"), "are one name"),
    "sharp s": (("straße", "STRASSE"), "are one name"),
    "file and folder": (("a", "a/x"), "both a file and a folder"),
    "folder and file": (("a/x", "a"), "both a file and a folder"),
    "file and folder by case": (("a", "A/x"), "are one name"),
}


def refuse(source: Path, home: Path, message: str, **options: object) -> str:
    """Nothing is written, and the message says what, where and what to do."""
    around = sorted(home.parent.iterdir())
    with pytest.raises(ArrivalError) as refused:
        take(source, home / "target", **options)
    assert message in refused.value.message
    assert source.name in refused.value.message
    assert refused.value.fix
    assert len(str(refused.value)) < 700
    assert str(refused.value).isprintable()
    assert not list(home.iterdir())
    assert sorted(home.parent.iterdir()) == around
    return str(refused.value)


@pytest.mark.parametrize(("name", "message"), TRAPS.values(), ids=TRAPS)
def test_in_a_zip_file(name: str, message: str, tmp_path: Path, home: Path) -> None:
    files = [Packed(name=b"fine.py"), Packed(name=name.encode())]
    refuse(by_hand(tmp_path / "a.zip", *files), home, message)


@pytest.mark.parametrize(
    "trap", [key for key, (name, _) in TRAPS.items() if "/" not in name and "\0" not in name and 0 < len(name) < 250]
)
def test_in_a_folder(trap: str, tmp_path: Path, home: Path) -> None:
    name, message = TRAPS[trap]
    refuse(as_folder(tmp_path / "folder", {"fine.py": b"", name: b""}), home, message)


@pytest.mark.parametrize(
    "trap", ["upwards", "absolute", "drive", "backslash", "line", "other way", "device", "too long"]
)
def test_on_a_branch(trap: str, tmp_path: Path, home: Path) -> None:
    name, message = TRAPS[trap]
    tree = as_tree(tmp_path / "clone", [("100644", b"fine.py", ""), ("100644", name.encode(), "")])
    refuse(tree, home, message, branch="mine")


@pytest.mark.parametrize("name", ["..", ".", "a/../../x"])
def test_a_tree_of_git_that_leads_out(name: str, tmp_path: Path, home: Path) -> None:
    tree = as_tree(tmp_path / "clone", [("100644", name.encode(), "")])
    refuse(tree, home, "leads out" if ".." in name else "empty part", branch="mine")


@pytest.mark.parametrize(("names", "message"), TWO.values(), ids=TWO)
def test_two_that_are_one(names: tuple[str, str], message: str, tmp_path: Path, home: Path) -> None:
    refuse(by_hand(tmp_path / "a.zip", *[Packed(name=name.encode()) for name in names]), home, message)
    if "both" not in message:
        refuse(as_folder(tmp_path / "folder", dict.fromkeys(names, b"")), home, message)


def test_the_same_twice(tmp_path: Path, home: Path) -> None:
    refuse(by_hand(tmp_path / "a.zip", Packed(), Packed()), home, "'model.py' is there twice")
    tree = as_tree(tmp_path / "clone", [("100644", b"model.py", "a"), ("100644", b"model.py", "b")])
    refuse(tree, home, "'model.py' is there twice", branch="mine")


def test_names_that_are_not_utf8(tmp_path: Path, home: Path) -> None:
    name = "modèle.py".encode("cp850")
    refuse(by_hand(tmp_path / "a.zip", Packed(name=name)), home, "is not UTF-8")
    refuse(by_hand(tmp_path / "b.zip", Packed(name=name, flags=1 << 11)), home, "is not UTF-8")
    refuse(as_tree(tmp_path / "clone", [("100644", name, "")]), home, "is not UTF-8", branch="mine")
    (tmp_path / "folder").mkdir()
    with open(bytes(tmp_path / "folder") + b"/" + name, "wb"):  # noqa: PTH123
        pass
    refuse(tmp_path / "folder", home, "is not UTF-8")


def test_amounts(tmp_path: Path, home: Path) -> None:
    files = {f"{n}.py": b"x" * 1000 for n in range(20)}
    folder = as_folder(tmp_path / "folder", files)
    refuse(folder, home, "20 files, at most 10", limits=ArrivalLimits(files=10))
    refuse(folder, home, "'0.py' has 1,000 bytes, at most 900", limits=ArrivalLimits(file_mb=0.0009))
    refuse(folder, home, "the files have 20,000 bytes, at most 19,000", limits=ArrivalLimits(total_mb=0.019))
    refuse(
        as_folder(tmp_path / "deep", {"a/b/c/d/e/f": b"", "a/x": b""}),
        home,
        "5 levels deep, at most 4",
        limits=ArrivalLimits(depth=4),
    )
    refuse(as_folder(tmp_path / "chain", {"a/" * 60 + "x": b""}), home, "lies too deep")
    assert take(folder, home / "target", limits=ArrivalLimits(files=20, total_mb=0.02, file_mb=0.001)).size == 20_000
