"""Fetching published data: download, check, add to the store, remove the download.

The sha256 of a file is known before it is fetched and is all the proof there is: its bytes may come in parts, to
several processes and from several addresses. Where parts do not make up the file, it is fetched once more in full.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import url2pathname

from filelock import FileLock

from matbench_lite._version import __version__
from matbench_lite.atomic import move_into_place
from matbench_lite.data.local_files import add_original
from matbench_lite.data.store import Holding, Part, data_directory, file_sha256, holdings, is_stored, unwritable
from matbench_lite.data.verification import is_verified
from matbench_lite.errors import DataError, DownloadError
from matbench_lite.progress import progress

# requests takes longer to import than most commands that need no download take to run: it is imported where it is used.
if TYPE_CHECKING:
    import requests

    from matbench_lite.tasks import Task

VARIABLE = "MATBENCH_LITE_MIRRORS"
_BLOCK = 2**18
_MAX_REDIRECTS = 10
# Too early, too many, or timed out: the client errors that time heals.
_PASSING = frozenset({408, 425, 429})
_FIX = (
    f"check the network, give another address with --mirror or {VARIABLE}, "
    "or add a file you have with `mbl data add PATH`"
)


@dataclass(frozen=True)
class DownloadPolicy:
    """How patient a download is; all times in seconds.

    An address is given up after so many failed attempts in a row; one that brought `progress_bytes` new bytes starts
    the row anew: a line that is cut every few hundred megabytes still gets a large file through. The first wait is
    `backoff`, doubled after each further failure, and none exceeds `longest_wait`, whatever the server's `Retry-After`
    says. In `stall_seconds` at least `stall_bytes` must come; fewer is a failed attempt.
    """

    attempts: int = 5
    progress_bytes: int = 2**20
    backoff: float = 0.5
    longest_wait: float = 60.0
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    stall_seconds: float = 60.0
    stall_bytes: int = 2**16


DEFAULT_POLICY = DownloadPolicy()


class AddressFailedError(Exception):
    """This address does not give the file, now or after another attempt; the message says why."""


class AttemptFailedError(Exception):
    """This attempt failed, another one may not; `asked` is how many seconds the server asked to wait."""

    def __init__(self, reason: str, *, asked: float = 0.0) -> None:
        super().__init__(reason)
        self.asked = asked


def fetch(
    task: Task,
    *,
    targets_only: bool = False,
    mirrors: Sequence[str] = (),
    again: bool = False,
    policy: DownloadPolicy = DEFAULT_POLICY,
) -> dict[Part, Holding]:
    """Fetch the published file of a task and add it to the store, and say what the store holds of the task then.

    With `targets_only` only the targets are kept: enough to score, review and rank. The mirrors are addresses to try
    before the published ones, see `mirror_urls`. `again` fetches what is there already. A `DataError` if the store
    cannot be written, a `DownloadError` if no address gave the right file.
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


def download(
    file_name: str, urls: Sequence[str], *, sha256: str, folder: Path, policy: DownloadPolicy = DEFAULT_POLICY
) -> Path:
    """Fetch `file_name` into `folder` from the first of `urls` that gives bytes of this sha256, and give its path.

    A file that is there already is returned without a request. An interrupted download goes on where it stopped, also
    in a later process or at another address; one process at a time may be at it. Bytes with another checksum never get
    the file's name: until it is finished, it is called `<file_name>.part`. If no address gives the right bytes, or the
    folder cannot be written, it is a `DownloadError`.
    """
    if Path(file_name).name != file_name or file_name in ("", ".."):
        raise DownloadError(f"{file_name!r} is not the name of a file", fix="give a name without a folder")
    if not urls:
        raise DownloadError(f"no address is known for {file_name}", fix=_FIX)
    is_local = {url: _scheme(url) == "file" for url in urls}
    target, part = folder / file_name, folder / f"{file_name}.part"
    reasons = [f"{file_name} could not be fetched:"]
    try:
        if target.exists() and file_sha256(target) == sha256.lower():
            return target
        folder.mkdir(parents=True, exist_ok=True)
        for url in urls:
            try:
                (_copy if is_local[url] else _receive)(url, part, sha256, policy)
                move_into_place(part, target)
                return target
            except AddressFailedError as error:
                reasons.append(f"  {_without_password(url)}: {error}")
        if size := _size(part):
            reasons.append(f"{size} bytes are kept, the next try goes on from there")
        else:
            part.unlink(missing_ok=True)
            reasons.append(f"nothing is kept, the right file has the sha256 {sha256}")
    except OSError as error:
        fix = "free some space there, or choose a folder that you may write"
        raise DownloadError(f"{file_name} cannot be kept in {folder}: {error}", fix=fix) from error
    raise DownloadError("\n".join(reasons), fix=_FIX)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _copy(url: str, part: Path, sha256: str, _: DownloadPolicy) -> None:
    """Copy the file at `url`; while it is not known to be the right one, bytes of a download stay where they are."""
    address = urlsplit(url)
    if address.netloc not in ("", "localhost"):
        raise AddressFailedError(f"a file address has no host, here {address.netloc!r}: write file:///folder")
    source = Path(url2pathname(address.path))
    try:
        _check(source, sha256)
    except OSError as error:
        raise AddressFailedError(error.strerror or str(error)) from error
    shutil.copyfile(source, part)
    _check(part, sha256)


def _check(path: Path, sha256: str, kind: str = "") -> None:
    if file_sha256(path) != sha256.lower():
        raise AddressFailedError(f"wrong bytes: {path.stat().st_size} bytes{kind}, with another sha256")


def _receive(url: str, part: Path, sha256: str, policy: DownloadPolicy) -> None:
    """Get the bytes of `url` that `part` lacks; if it is given up, those that came stay there."""
    for is_last in (False, True):
        doubtful, kind = _attempts(url, part, policy)
        try:
            _check(part, sha256, kind)
            return
        except AddressFailedError:
            part.unlink()
            if is_last or not doubtful:
                raise


def _attempts(url: str, part: Path, policy: DownloadPolicy) -> tuple[bool, str]:
    """Try until all bytes are there; urllib3's `Retry` would begin anew where a body was cut off."""
    import requests

    failures, most = 0, _size(part)
    with requests.Session() as session:
        session.max_redirects = _MAX_REDIRECTS
        while True:
            try:
                return _attempt(session, url, part, policy)
            except AttemptFailedError as error:
                failure = error
            # Measured against the most there ever was: a server that always starts anew makes no progress.
            failures = 1 if _size(part) - most >= policy.progress_bytes else failures + 1
            most = max(most, _size(part))
            if failures >= policy.attempts:
                raise AddressFailedError(f"{failure} (gave up after {failures} attempts)") from failure
            time.sleep(min(max(policy.backoff * 2.0 ** (failures - 1), failure.asked), policy.longest_wait))


def _attempt(session: requests.Session, url: str, part: Path, policy: DownloadPolicy) -> tuple[bool, str]:
    """Get the bytes that are lacking.

    Says whether wrong bytes may be right at a second try from the start (they were joined, or the server did not say
    how many there are), and what the server calls its answer: an error page with status 200 is known by that.
    """
    offset = _size(part)
    # Identity: the files are gzip themselves, and a range of an encoded body would be a range of other bytes.
    headers = {"Accept-Encoding": "identity", "User-Agent": f"matbench-lite/{__version__}"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    with _opened(session, url, headers, policy) as response:
        status = response.status_code
        if status == 416 and offset:
            # Nothing lies beyond what is here: it is all of the file, or a wrong one. The checksum tells.
            return True, ""
        if status in _PASSING or status >= 500:
            raise AttemptFailedError(f"{status} {response.reason}", asked=_retry_after(response))
        if status == 206 and not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            part.unlink(missing_ok=True)
            raise AttemptFailedError("the server sent another part of the file than the one asked for")
        if status not in (200, 206):
            raise AddressFailedError(f"{status} {response.reason}")
        offset = offset if status == 206 else 0
        declared = response.headers.get("Content-Length", "")
        is_known = declared.isdecimal() and "Transfer-Encoding" not in response.headers
        total = offset + int(declared) if is_known else None
        with part.open("ab" if offset else "wb") as stream, progress(part.stem, total, unit="bytes") as advance:
            advance(offset)
            for block in _blocks(response, policy):
                stream.write(block)
                advance(len(block))
        # urllib3 raises on a short body by default; counted here too, so that this does not hang on its settings.
        if total is not None and _size(part) < total:
            raise AttemptFailedError(f"cut off after {_size(part)} of {total} bytes")
        kind, encoding = (response.headers.get(f"Content-{name}", "") for name in ("Type", "Encoding"))
        return offset > 0 or total is None, f" of {kind}" * bool(kind) + f", encoded as {encoding}" * bool(encoding)


def _opened(session: requests.Session, url: str, headers: dict[str, str], policy: DownloadPolicy) -> requests.Response:
    import requests
    import urllib3

    try:
        timeout = (policy.connect_timeout, policy.read_timeout)
        return session.get(url, headers=headers, stream=True, timeout=timeout)
    except requests.TooManyRedirects as error:
        raise AddressFailedError(f"more than {_MAX_REDIRECTS} redirects") from error
    except requests.exceptions.SSLError as error:
        raise AddressFailedError(f"no secure connection: {_root(error)}") from error
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
        raise AttemptFailedError(f"no answer: {_root(error)}") from error
    except requests.RequestException as error:
        raise AddressFailedError(str(error)) from error


def _blocks(response: requests.Response, policy: DownloadPolicy) -> Iterator[bytes]:
    import urllib3

    since, received = time.monotonic(), 0
    while True:
        try:
            # read1 gives what is there; read would wait for a full block and never see how slow the server is.
            block: bytes = response.raw.read1(_BLOCK, decode_content=False)
        except urllib3.exceptions.HTTPError as error:
            raise AttemptFailedError(f"cut off: {_root(error)}") from error
        if not block:
            return
        yield block
        received += len(block)
        seconds = time.monotonic() - since
        if seconds >= policy.stall_seconds:
            if received < policy.stall_bytes:
                raise AttemptFailedError(f"too slow: {received} bytes in {seconds:.1f} s")
            since, received = time.monotonic(), 0


def _retry_after(response: requests.Response) -> float:
    """The seconds that the server asks to wait, as a number or until a date; 0 if it does not."""
    import urllib3

    try:
        return urllib3.Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    except urllib3.exceptions.InvalidHeader:
        return 0.0


def _root(error: BaseException) -> str:
    """The words of the first cause; those of requests and urllib3 name their own objects."""
    # Not __context__: it would lead on to whatever the caller was handling.
    while inner := error.__cause__ or next((part for part in error.args if isinstance(part, BaseException)), None):
        error = inner
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def mirror_urls(file_name: str, published: Sequence[str], mirrors: Sequence[str] = ()) -> list[str]:
    """The addresses of `file_name`, each once, in the order in which they are to be tried.

    First come the mirrors, then those of the environment variable `MATBENCH_LITE_MIRRORS`, separated by spaces or
    commas, then the published addresses. A mirror is the address of a folder (`https://host/folder`), an address with
    `{file}` in the place of the file's name (`https://host/get?name={file}`), or a folder on this machine
    (`/lab/matbench`); anything else is a `DownloadError`.
    """
    from_environment = re.split(r"[\s,]+", os.environ.get(VARIABLE, ""))
    mirrored = [_in_mirror(file_name, mirror) for mirror in (*mirrors, *from_environment) if mirror]
    return list(dict.fromkeys((*mirrored, *published)))


def _in_mirror(file_name: str, mirror: str) -> str:
    # Replaced, not formatted: an address may hold other braces.
    template = mirror if "{file}" in mirror else f"{mirror.rstrip('/')}/{{file}}"
    if "://" in mirror:
        return template.replace("{file}", quote(file_name))
    path = Path(template.replace("{file}", file_name)).expanduser()
    # A disk that is not mounted now fails later, with its name; "host:8000/folder" is no folder and never will be.
    if not path.is_absolute() and not path.parent.is_dir():
        fix = "give an address that starts with http://, https:// or file://, or a folder that exists"
        raise DownloadError(f"the mirror {mirror!r} is neither an address nor a folder here", fix=fix)
    return path.absolute().as_uri()


def _scheme(url: str) -> str:
    """The scheme of `url`; a `DownloadError` if it is not supported."""
    fix = "use http, https or file, or the path of a folder on this machine"
    try:
        scheme = urlsplit(url).scheme
    except ValueError as error:
        raise DownloadError(f"{url} is not an address: {error}", fix=fix) from error
    if scheme not in ("http", "https", "file"):
        raise DownloadError(f"{_without_password(url)} has the scheme {scheme!r}", fix=fix)
    return scheme


def _without_password(url: str) -> str:
    """The address as it may be shown: without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url
