"""Fetching published data: download, check, add to the store, remove the download."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import url2pathname

from filelock import FileLock

from matbench_lite.atomic import move_into_place
from matbench_lite.data.local_files import add_original
from matbench_lite.data.store import Holding, Part, data_directory, file_sha256, holdings, is_stored, unwritable
from matbench_lite.data.verification import is_verified
from matbench_lite.errors import DataError, DownloadError
from matbench_lite.progress import progress

if TYPE_CHECKING:
    from matbench_lite.data.http_download import Partial
    from matbench_lite.tasks import Task

_BLOCK = 2**20
SCHEMES = ("http", "https", "file")
VARIABLE = "MATBENCH_LITE_MIRRORS"


@dataclass(frozen=True)
class DownloadPolicy:
    """How patient a download is.

    Args:
        attempts: Failed attempts in a row after which an address is given up.
        progress_bytes: An attempt that brought at least this many new bytes starts the row anew: a line that is cut
            every few hundred megabytes still gets a large file through.
        backoff: Seconds to wait after the first failure; doubled after each further one.
        longest_wait: Seconds that no wait exceeds, whatever the server's `Retry-After` says.
        connect_timeout: Seconds until a connection must be there.
        read_timeout: Seconds within which the next bytes must come.
        stall_seconds: Seconds over which the speed is judged.
        stall_bytes: Bytes that must come in `stall_seconds`; fewer is a failed attempt.
    """

    attempts: int = 5
    progress_bytes: int = 2**20
    backoff: float = 0.5
    longest_wait: float = 60.0
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    stall_seconds: float = 60.0
    stall_bytes: int = 2**16

    def wait(self, failures: int, *, asked: float = 0.0) -> float:
        """Give the seconds to wait after `failures` in a row, when the server asked for `asked` seconds."""
        return min(max(self.backoff * 2.0 ** (failures - 1), asked), self.longest_wait)


class AddressFailedError(Exception):
    """This address does not give the file, now or after another attempt; the message says why."""


DEFAULT_POLICY = DownloadPolicy()


def fetch(
    task: Task,
    *,
    targets_only: bool = False,
    mirrors: Sequence[str] = (),
    again: bool = False,
    policy: DownloadPolicy = DEFAULT_POLICY,
) -> dict[Part, Holding]:
    """Fetch the published file of a task and add it to the store.

    Args:
        task: The task.
        targets_only: Whether to keep only the targets: enough to score, review and rank.
        mirrors: Addresses to try before the published ones; see `mirror_urls`.
        again: Whether to fetch what is there already.
        policy: How patient to be.

    Returns:
        What the store holds of the task now.

    Raises:
        DataError: If the store cannot be written.
        DownloadError: If no address gave the right file.
    """
    wanted: tuple[Part, ...] = ("targets",) if targets_only else ("targets", "inputs")
    parts = holdings(task)
    if not is_stored(task) or (not again and _has(task, parts, wanted)):
        return parts
    if task.original is None:
        raise DownloadError(f"no published file is known for {task.name}", fix="add your own with `mbl data add PATH`")
    urls = mirror_urls(task.original.name, task.original.urls, mirrors)
    # One process at a time: another one would find the download removed while it reads it, or fetch it again.
    folder = data_directory() / "downloads"
    with _only_process(task, folder):
        parts = holdings(task)
        if not again and _has(task, parts, wanted):
            return parts
        path = download(task.original.name, urls, sha256=task.original.sha256, folder=folder, policy=policy)
        parts = add_original(path, task, targets_only=targets_only)
        path.unlink(missing_ok=True)
        return parts


def _has(task: Task, parts: dict[Part, Holding], wanted: tuple[Part, ...]) -> bool:
    """Whether all wanted parts are here, and proven to be the published ones: what is damaged is fetched again."""
    try:
        return all(part in parts and is_verified(task, part, parts[part]) for part in wanted)
    except (DataError, OSError):
        return False


def _only_process(task: Task, folder: Path) -> AbstractContextManager[object]:
    """Give the folder for downloads to one process at a time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{task.name}.lock").acquire()
    except OSError as error:
        raise unwritable(error) from error


_FIX = (
    f"check the network, give another address with --mirror or {VARIABLE}, "
    "or add a file you have with `mbl data add PATH`"
)


def download(
    file_name: str, urls: Sequence[str], *, sha256: str, folder: Path, policy: DownloadPolicy = DEFAULT_POLICY
) -> Path:
    """Fetch `file_name` into `folder` from the first of `urls` that gives bytes of this sha256, and give its path.

    A file that is there already is returned without a request. An interrupted download goes on where it stopped, also
    in a later process; several processes may ask for the same file, one fetches it. Bytes with another checksum never
    get the file's name. While it is not finished, the folder also holds `<file_name>.part`, `<file_name>.part.json` or
    `<file_name>.copy`; an empty `<file_name>.lock` stays. If no address gives the
    right bytes, or the folder cannot be written, it is a `DownloadError`.
    """
    if Path(file_name).name != file_name or file_name in ("", ".."):
        raise DownloadError(f"{file_name!r} is not the name of a file", fix="give a name without a folder")
    if not urls:
        raise DownloadError(f"no address is known for {file_name}", fix=_FIX)
    for url in urls:
        check_scheme(url)
    target = folder / file_name
    try:
        if not _has_sha256(target, sha256):
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(folder / f"{file_name}.lock"):
                # Another process may have fetched it while this one waited.
                if not _has_sha256(target, sha256):
                    _fetch_from_first(urls, target, sha256, policy)
    except OSError as error:
        fix = "free some space there, or choose a folder that you may write"
        raise DownloadError(f"{file_name} cannot be kept in {folder}: {error}", fix=fix) from error
    return target


def _has_sha256(path: Path, sha256: str) -> bool:
    try:
        return file_sha256(path) == sha256.lower()
    except FileNotFoundError:
        return False


def _fetch_from_first(urls: Sequence[str], target: Path, sha256: str, policy: DownloadPolicy) -> None:
    # Imported here: requests takes longer to import than most commands that need no download take to run.
    from matbench_lite.data.http_download import Partial

    partial = Partial(target)
    reasons = []
    for url in urls:
        try:
            _fetch(url, target, sha256, partial, policy)
        except AddressFailedError as error:
            reasons.append(f"  {without_password(url)}: {error}")
        else:
            partial.discard()
            return
    if partial.resumable:
        remaining = f"{partial.size} bytes are kept, the next try goes on from there"
    else:
        partial.discard()
        remaining = f"nothing is kept, the right file has the sha256 {sha256}"
    raise DownloadError("\n".join([f"{target.name} could not be fetched:", *reasons, remaining]), fix=_FIX)


def _fetch(url: str, target: Path, sha256: str, partial: Partial, policy: DownloadPolicy) -> None:
    """Fetch `url` to `target`; when joined bytes turn out wrong, once more from the start."""
    if check_scheme(url) == "file":
        _copy(url, target, sha256)
        return
    from matbench_lite.data.http_download import HttpDownload

    for resume in (True, False):
        download = HttpDownload(partial, label=target.name, policy=policy, resume=resume)
        download.fetch(url)
        if _has_sha256(partial.path, sha256):
            move_into_place(partial.path, target)
            return
        received = f"{partial.size} bytes{download.content_type}"
        partial.discard()
        if not download.doubtful:
            break
    raise _wrong_bytes(received)


def _wrong_bytes(received: str) -> AddressFailedError:
    return AddressFailedError(f"wrong bytes: {received}, with another sha256")


def _copy(url: str, target: Path, sha256: str) -> None:
    """Copy the file at `url`; bytes of an unfinished download stay where they are."""
    address = urlsplit(url)
    if address.netloc not in ("", "localhost"):
        raise AddressFailedError(f"a file address has no host, here {address.netloc!r}: write file:///folder")
    # Always the same name: what a killed process leaves is replaced by the next.
    copy = target.with_name(f"{target.name}.copy")
    try:
        with copy.open("wb") as stream:
            for block in _blocks(Path(url2pathname(address.path)), target.name):
                stream.write(block)
        if not _has_sha256(copy, sha256):
            raise _wrong_bytes(f"{copy.stat().st_size} bytes")
        move_into_place(copy, target)
    finally:
        copy.unlink(missing_ok=True)


def _blocks(source: Path, label: str) -> Iterator[bytes]:
    try:
        with source.open("rb") as stream, progress(label, source.stat().st_size, unit="bytes") as advance:
            while block := stream.read(_BLOCK):
                yield block
                advance(len(block))
    except OSError as error:
        raise AddressFailedError(error.strerror or str(error)) from error


def mirror_urls(file_name: str, published: Sequence[str], mirrors: Sequence[str] = ()) -> list[str]:
    """The addresses of `file_name`, each once, in the order in which they are to be tried.

    First come the mirrors, then those of the environment variable `MATBENCH_LITE_MIRRORS`, separated by spaces or
    commas, then the published addresses. A mirror is the address of a folder (`https://host/folder`), an address with
    `{file}` in the place of the file's name (`https://host/get?name={file}`), or a folder on this machine
    (`/lab/matbench`); anything else is a `DownloadError`.
    """
    from_environment = re.split(r"[\s,]+", os.environ.get(VARIABLE, ""))
    mirrored = [_in_mirror(file_name, mirror) for mirror in (*mirrors, *from_environment) if mirror]
    for url in published:
        check_scheme(url)
    return list(dict.fromkeys((*mirrored, *published)))


def check_scheme(url: str) -> str:
    """The scheme of `url`; a `DownloadError` if it is not supported."""
    fix = "use http, https or file, or the path of a folder on this machine"
    try:
        scheme = urlsplit(url).scheme
    except ValueError as error:
        raise DownloadError(f"{url} is not an address: {error}", fix=fix) from error
    if scheme not in SCHEMES:
        raise DownloadError(f"{without_password(url)} has the scheme {scheme!r}", fix=fix)
    return scheme


def without_password(url: str) -> str:
    """The address as it may be shown and stored: without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


def _in_mirror(file_name: str, mirror: str) -> str:
    # Replaced, not formatted: an address may hold other braces.
    template = mirror if "{file}" in mirror else f"{mirror.rstrip('/')}/{{file}}"
    if "://" in mirror:
        check_scheme(mirror)
        return template.replace("{file}", quote(file_name))
    path = Path(template.replace("{file}", file_name)).expanduser()
    # A disk that is not mounted now fails later, with its name; "host:8000/folder" is no folder and never will be.
    if not path.is_absolute() and not path.parent.is_dir():
        fix = "give an address that starts with http://, https:// or file://, or a folder that exists"
        raise DownloadError(f"the mirror {mirror!r} is neither an address nor a folder here", fix=fix)
    return path.absolute().as_uri()
