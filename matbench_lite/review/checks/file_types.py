"""What kind of file it is, by what is in it: names can lie, contents are harder to dress up."""

from __future__ import annotations

import io
import pickletools
import re
from typing import Literal

Kind = Literal["text", "other encoding", "image", "pickle", "executable", "archive", "binary", "web page"]

_PICKLE_HEADER = re.compile(rb"\x80[\x02-\x05]")
_EXECUTABLES = (
    b"\x7fELF",
    b"MZ",
    b"\xca\xfe\xba\xbe",  # Java, and Mach-O for several processors
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\x00asm",
    b"dex\n",
)
_ARCHIVES = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"LZIP",
    b"x\x01",
    b"x\x5e",
    b"x\x9c",
    b"x\xda",  # zlib, as joblib writes it
)
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
    r"""The kind of a file: what its content is, else what its name says.

    Nothing is unpickled or unpacked; pickles of the oldest protocol, which are text, are told by their opcodes.

    Examples:
        >>> import pickle
        >>> [file_kind("notes.txt", pickle.dumps({"a": 1}, protocol)) for protocol in (0, 1, 5)]
        ['pickle', 'pickle', 'pickle']
        >>> file_kind("model.py", b"print(1)\n"), file_kind("model.py", b"\x7fELF\x02"), file_kind("a.zip", b"text")
        ('text', 'executable', 'archive')
    """
    suffix = f".{name.rpartition('.')[2].lower()}"
    by_content = _by_content(suffix, content)
    return by_content if by_content != "text" else _BY_SUFFIX.get(suffix, "text")


def _by_content(suffix: str, content: bytes) -> Kind:
    if _PICKLE_HEADER.match(content) or _is_torch_file(content) or _is_pickle(content):
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


def _is_torch_file(content: bytes) -> bool:
    """What torch writes: a ZIP file whose first members include `data.pkl`."""
    return content.startswith(b"PK\x03\x04") and b"data.pkl" in content


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
