"""The root folder of a sandbox: built from nothing, with what is needed put into it."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matbench_lite.event.sandbox import kernel

SCRATCH = "/scratch"
"""The folder that code in a sandbox can write: `home`, `tmp` (also /tmp) and `shm` (also /dev/shm)."""
_DEVICES = ("null", "full", "random", "urandom")  # not zero: mapped as shared, it is memory that belongs to no process
_DEVICE_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_INODES_PER_MB = 64


def enter_new_root(plan: Mapping[str, Any]) -> None:
    """Replace the root folder of this mount namespace; the old one is gone for every process in it.

    Args:
        plan: With `binds`, `links` and `masks` as in `Places`, `disk_mb`, and the `user` who gets the scratch folder.
    """
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    # A first move makes the machine's files a folder, /old, beside the new root; so nothing that is mounted on the
    # way can hide what is still to be bound.
    kernel.mount("tmpfs", "/tmp", "tmpfs", flags, "size=1m,mode=755")
    Path("/tmp/old").mkdir()
    Path("/tmp/new").mkdir()
    kernel.pivot_root("/tmp", "/tmp/old")
    os.chdir("/")
    kernel.mount("tmpfs", "/new", "tmpfs", flags, "size=4m,mode=755")
    # First what covers whole folders: Python itself may lie below /tmp, and is put in over it.
    _make_scratch(plan)
    _put_in(plan)
    _make_devices()
    _write_names(plan["user"])
    Path("/new/proc").mkdir()
    kernel.mount("proc", "/new/proc", "proc", flags | kernel.MS_NOEXEC)
    kernel.mount("none", "/new", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | flags)
    os.chdir("/new")
    kernel.pivot_root(".", ".")
    # The old root now lies over the new one, at the same place.
    kernel.detach(".")
    os.chdir(SCRATCH)
    socket.sethostname("sandbox")


def _put_in(plan: Mapping[str, Any]) -> None:
    for source, name in plan["binds"]:
        _bind(f"/old{source}", f"/new{name}")
        kernel.make_read_only(f"/new{name}")
    for path in plan["masks"]:
        if Path(f"/new{path}").is_dir():
            kernel.mount("tmpfs", f"/new{path}", "tmpfs", kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV)
    for text, path in plan["links"]:
        _link(text, path)


def _bind(source: str, target: str) -> None:
    place = Path(target)
    if Path(source).is_dir():
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)


def _link(text: str, path: str) -> None:
    place = Path(f"/new{path}")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(text)


def _make_devices() -> None:
    for name in _DEVICES:
        _bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for name, text in _DEVICE_LINKS.items():
        _link(text, f"/dev/{name}")


def _make_scratch(plan: Mapping[str, Any]) -> None:
    """One file system of limited size for all that may be written: home, temporary files, shared memory."""
    size, user = plan["disk_mb"], plan["user"]
    scratch = Path(f"/new{SCRATCH}")
    scratch.mkdir()
    options = f"size={size}m,nr_inodes={max(4096, size * _INODES_PER_MB)},mode=700"
    kernel.mount("tmpfs", str(scratch), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    os.chown(scratch, user, user)
    for name in ("home", "tmp", "shm"):
        (scratch / name).mkdir(mode=0o700)
        os.chown(scratch / name, user, user)
    _bind(str(scratch / "tmp"), "/new/tmp")
    _bind(str(scratch / "shm"), "/new/dev/shm")


def _write_names(user: int) -> None:
    """The one user that there is, for programs that ask for a name."""
    folder = Path("/new/etc")
    folder.mkdir(exist_ok=True)
    (folder / "passwd").write_text(f"sandbox:x:{user}:{user}::{SCRATCH}/home:/bin/sh\n")
    (folder / "group").write_text(f"sandbox:x:{user}:\n")
    (folder / "nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n")
    (folder / "hosts").write_text("127.0.0.1 localhost sandbox\n")
