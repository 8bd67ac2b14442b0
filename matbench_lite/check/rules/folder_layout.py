"""The files of an entry: names, kinds and contents, and nothing that could run by being opened.

The kind is told by what is in a file: names can lie, contents are harder to dress up.
"""

from __future__ import annotations

import io
import os
import pickletools
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

import orjson

from matbench_lite.airlock import inside
from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.check.rules.card import deceiving_characters
from matbench_lite.errors import AirlockError
from matbench_lite.submission import Finding, Rule
from matbench_lite.text import is_device_name

MAX_SLUG = 60
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_MAX_FILE_NAME = 100
_MAX_SEEN = 500
_WORK = (".run", "__pycache__")  # of `mbl run`, and of Python; ignored by git

NAME = RULES["MBL101"]
FOLDER = RULES["MBL105"]
HIDDEN = RULES["MBL106"]
FILE_NAME = RULES["MBL107"]


def is_slug(name: str) -> bool:
    """Whether an entry's folder may have this name.

    Examples:
        >>> is_slug("my-forest"), is_slug("My forest"), is_slug("con")
        (True, False, False)
    """
    return bool(_SLUG.fullmatch(name)) and len(name) <= MAX_SLUG and not is_device_name(name)


def check_folder(material: Material) -> Iterator[Finding]:
    """The folder's own name, folders and hidden files in it, and the names of its files."""
    slug = material.slug
    if not is_slug(slug):
        yield NAME.found(f"the folder is called {slug[:100]!r}")
    if material.folder.is_symlink():
        yield NAME.found(f"{slug[:100]} is a link to another folder", fix="put the folder itself there")
    with os.scandir(material.folder) as found:
        items = sorted(islice(found, _MAX_SEEN), key=lambda item: item.name)
    for item in items:
        if item.name in _WORK and not material.committed:
            continue
        if item.name.startswith("."):
            kind = "folder" if item.is_dir(follow_symlinks=False) else "file"
            yield HIDDEN.found(f"there is the hidden {kind} {item.name[:100]!r}", file=item.name)
        elif item.is_dir(follow_symlinks=False):
            yield FOLDER.found(f"there is the folder {item.name[:100]!r}", file=item.name)
    names = {item.name for item in items if not item.name.startswith(".") and item.name not in _WORK}
    files = (material.examined.document or {}).get("files")
    yield from _names(names | set(islice(files, _MAX_SEEN) if isinstance(files, dict) else ()))


def _names(names: set[str]) -> Iterator[Finding]:
    """Names on disk, and those that submission.json lists."""
    taken: dict[str, str] = {}
    for name in sorted(names):
        if not _FILE_NAME.fullmatch(name) or len(name) > _MAX_FILE_NAME or is_device_name(name):
            yield FILE_NAME.found(f"the name {name[:100]!r} is not safe", file=name[:100])
        elif name.lower() in taken:
            yield FILE_NAME.found(f"{taken[name.lower()]} and {name} differ in case only", file=name)
        taken[name.lower()] = name


Kind = Literal["text", "other encoding", "image", "pickle", "executable", "archive", "binary", "web page"]

_PICKLE_HEADER = re.compile(rb"\x80[\x02-\x05]")
_EXECUTABLES = (  # 0xcafebabe is Java, and Mach-O for several processors
    b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe", b"\x00asm", b"dex\n",
)  # fmt: skip
_ARCHIVES = (  # the last line is zlib, as joblib writes it
    b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!",
    b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"LZIP",
    b"x\x01", b"x\x5e", b"x\x9c", b"x\xda",
)  # fmt: skip
_IMAGES = {b"\x89PNG\r\n\x1a\n": (".png",), b"\xff\xd8\xff": (".jpg", ".jpeg")}
_TAR = (257, b"ustar")
_SUFFIXES_OF: dict[Kind, str] = {
    "pickle": "pkl pickle joblib pt pth ckpt dill npy npz",
    "executable": "exe dll so dylib pyc pyd class jar com bat msi",
    "archive": "zip gz tar tgz bz2 xz 7z rar zst whl egg",
    "binary": "h5 hdf5 onnx safetensors pb parquet feather db sqlite",
    "web page": "html htm xhtml svg js mjs css",
}
_BY_SUFFIX = {f".{suffix}": kind for kind, suffixes in _SUFFIXES_OF.items() for suffix in suffixes.split()}
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_MAX_OPCODES = 200_000


def file_kind(name: str, content: bytes) -> Kind:
    """The kind of a file: what its content is, else what its name says.

    Nothing is unpickled or unpacked; pickles of the oldest protocol, which are text, are told by their opcodes.
    """
    suffix = f".{name.rpartition('.')[2].lower()}"
    by_content = _by_content(suffix, content)
    return by_content if by_content != "text" else _BY_SUFFIX.get(suffix, "text")


def _by_content(suffix: str, content: bytes) -> Kind:
    # What torch writes is a ZIP file whose first members include `data.pkl`.
    torch = content.startswith(b"PK\x03\x04") and b"data.pkl" in content
    if torch or _PICKLE_HEADER.match(content) or _is_pickle(content):
        return "pickle"
    if _is_text(content):
        return "text"
    if content.startswith(_EXECUTABLES):
        return "executable"
    if content.startswith(_ARCHIVES) or content[_TAR[0] :].startswith(_TAR[1]):
        return "archive"
    if any(content.startswith(magic) and suffix in suffixes for magic, suffixes in _IMAGES.items()):
        return "image"
    # Text in another encoding has hardly a control character, anything else is full of them.
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "other encoding" if wide or not _CONTROL.search(content) else "binary"


def _is_text(content: bytes) -> bool:
    if _CONTROL.search(content):
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_pickle(content: bytes) -> bool:
    """Whether the whole content is a sequence of pickle opcodes, to the last; nothing is executed."""
    body = content.rstrip(b"\r\n")
    if not body.endswith(b".") or len(body) < 3:
        return False
    stream = io.BytesIO(body)
    try:
        for number, _ in enumerate(pickletools.genops(stream)):
            if number > _MAX_OPCODES:
                return True  # nothing but a pickle gets this far
    except Exception:  # whatever pickletools makes of text that is none
        return False
    return stream.tell() == len(body)


PICKLE = RULES["MBL108"]
EXECUTABLE = RULES["MBL109"]
ARCHIVE = RULES["MBL110"]
ENCODING = RULES["MBL111"]
DECEIVING = RULES["MBL112"]
WEB_PAGE = RULES["MBL115"]

_BY_KIND: dict[Kind, tuple[Rule, str]] = {
    "pickle": (PICKLE, "a pickle or a file of Python objects"),
    "executable": (EXECUTABLE, "a program"),
    "archive": (ARCHIVE, "an archive"),
    "binary": (ARCHIVE, "binary"),
    "other encoding": (ENCODING, "text, but not in UTF-8"),
    "web page": (WEB_PAGE, "a web page, a script for one, or an SVG picture"),
}


def check_contents(material: Material) -> Iterator[Finding]:
    """The kind of every file, by content and by name."""
    for name, content in material.examined.files.items():
        kind = file_kind(name, content)
        if kind in _BY_KIND:
            rule, words = _BY_KIND[kind]
            yield rule.found(f"{name} is {words}", file=name)
        elif kind == "text" and (found := deceiving_characters(content.decode())):
            yield DECEIVING.found(f"{name} has {', '.join(found)}", file=name)
        if kind != "executable" and content.startswith(b"#!") and _may_execute(material, name):
            yield EXECUTABLE.found(f"{name} is a script that may be executed", file=name)


def _may_execute(material: Material, name: str) -> bool:
    try:
        return bool((material.folder / name).lstat().st_mode & stat.S_IXUSR)
    except OSError:
        return False


MAX_OUTPUTS = 250_000
"""Bytes of all outputs of one notebook: a few tables and a small plot."""

OUTPUTS = RULES["MBL113"]
NOT_A_NOTEBOOK = RULES["MBL114"]


def check_notebooks(material: Material) -> Iterator[Finding]:
    """Every notebook of the entry."""
    for name, content in material.examined.files.items():
        if not name.lower().endswith(".ipynb"):
            continue
        size = _output_size(content)
        if size is None:
            yield NOT_A_NOTEBOOK.found(f"{name} is not a Jupyter notebook", file=name)
        elif size > MAX_OUTPUTS:
            yield OUTPUTS.found(
                f"the outputs in {name} take {size:,} bytes, at most {MAX_OUTPUTS:,} are allowed",
                file=name,
                evidence={"output bytes": size},
            )


def _output_size(content: bytes) -> int | None:
    """How many bytes the outputs of a notebook take; None if it is none."""
    try:
        size = inside(notebook_decoder, None, content).content
    except AirlockError:
        return None
    return size if isinstance(size, int) else None


def notebook_decoder(_: None, blobs: Sequence[memoryview]) -> tuple[int | None, Mapping[str, Any]]:
    """In the airlock: the size of the outputs in a notebook."""
    try:
        notebook = orjson.loads(blobs[0])
    except orjson.JSONDecodeError:  # too deep included
        return None, {}
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return None, {}
    return sum(len(orjson.dumps(cell["outputs"])) for cell in cells if cell.get("outputs")), {}
