"""What of the machine a sandbox shows: what Python needs to start, and nothing else."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import matbench_lite
from matbench_lite.errors import IsolationError

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
    "/etc/ld.so.cache", "/etc/alternatives",
)  # fmt: skip
_PACKAGE = Path(matbench_lite.__file__).parent
_INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, kw_only=True)
class Places:
    """What is put into the root folder of a sandbox, all of it read-only.

    Args:
        binds: Files and folders of the machine: where they are, and the same as named in the sandbox.
        links: Symbolic links: what they say, and their path.
        masks: Folders that are shown empty.
    """

    binds: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    masks: tuple[str, ...]


def package_home() -> Path:
    """The folder from which `matbench_lite` is imported."""
    return _PACKAGE.parent


def extra_paths() -> list[str]:
    """Folders of installed packages that Python would not find with an empty environment: those of the user."""
    found = [path for path in sys.path if Path(path).name in _INSTALLED and Path(path).is_dir()]
    return [path for path in found if not _is_below(Path(path), _prefixes())]


def visible_folders() -> tuple[Path, ...]:
    """Files and folders of this machine that code in a sandbox can read.

    Nothing private may lie in one of them.

    Raises:
        IsolationError: If Python is installed in a folder that holds other things as well.

    Examples:
        >>> Path("/usr") in visible_folders(), Path.home() in visible_folders()
        (True, False)
    """
    return tuple(sorted({Path(source) for source, _ in sandbox_places().binds}))


def sandbox_places() -> Places:
    """What to put into the root folder of a sandbox.

    Raises:
        IsolationError: If Python is installed in a folder that holds other things as well.
    """
    binds: dict[str, str] = {}
    links: dict[str, str] = {}
    for path in _SYSTEM:
        # On most systems /bin and /lib are links into /usr; made anew they stay what they are.
        if Path(path).is_symlink() and not path.startswith("/etc"):
            links[path] = str(Path(path).readlink())
        elif Path(path).exists():
            binds[path] = os.path.realpath(path)
    for folder in (*_prefixes(), *map(Path, extra_paths()), _PACKAGE):
        _refuse_too_much(folder)
        # Under both names: some paths inside are resolved, others are not.
        for name in (str(folder), os.path.realpath(folder)):
            binds[name] = os.path.realpath(folder)
    for link in _links_to_python():
        if not _is_below(link, [*map(Path, binds), *map(Path, links)]):
            links[str(link)] = str(link.readlink())
    # The embedded benchmark ships with its targets: they may be what an event asks for.
    masks = sorted({str(_PACKAGE / "data" / "mini"), os.path.realpath(_PACKAGE / "data" / "mini")})
    ordered = sorted(binds, key=lambda name: (name.count("/"), name))
    return Places(
        binds=tuple((binds[name], name) for name in ordered),
        links=tuple((text, path) for path, text in links.items()),
        masks=tuple(masks),
    )


def _prefixes() -> list[Path]:
    return sorted({Path(prefix) for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)})


def _links_to_python() -> list[Path]:
    """The links from the interpreter's name to its file: `venv/bin/python`, what that points to, and so on."""
    found: list[Path] = []
    path = Path(sys.executable)
    while path.is_symlink() and len(found) < 40:
        found.append(path)
        path = Path(os.path.normpath(path.parent / path.readlink()))
    return found


def _is_below(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _refuse_too_much(folder: Path) -> None:
    real = Path(os.path.realpath(folder))
    if real == Path("/") or Path.home().resolve().is_relative_to(real):
        raise IsolationError(
            f"Python is installed in {folder}, which holds more than Python", fix="use a virtual environment"
        )
