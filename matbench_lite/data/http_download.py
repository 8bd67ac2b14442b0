"""Fetching over HTTP from servers that fail: retried, resumed where it left off, never decoded."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import requests
import urllib3

from matbench_lite._version import __version__
from matbench_lite.atomic import write_bytes
from matbench_lite.data.download import AddressFailedError, DownloadPolicy, without_password
from matbench_lite.progress import progress

_BLOCK = 2**18
_MAX_REDIRECTS = 10
# Too early, too many, or timed out: the client errors that time heals.
_PASSING = frozenset({408, 425, 429})


class AttemptFailedError(Exception):
    """This attempt failed, another one may not; `asked` is how many seconds the server asked to wait."""

    def __init__(self, reason: str, *, asked: float = 0.0) -> None:
        super().__init__(reason)
        self.asked = asked


class HttpDownload:
    """Fetches a file into a `Partial`, which may have bytes of an earlier process; `label` is for the progress bar.

    Without `resume`, every attempt starts from zero; urllib3's `Retry` would begin anew where a body was cut off.

    Attributes:
        doubtful: Whether wrong bytes may be right at a second try from the start: bytes were joined, or the server
            did not say how many there are.
        content_type: What the server calls its answer, for a message.
    """

    def __init__(self, partial: Partial, *, label: str, policy: DownloadPolicy, resume: bool) -> None:
        self._partial = partial
        self._label = label
        self._policy = policy
        self._resume = resume
        self.doubtful = False
        self.content_type = ""

    def fetch(self, url: str) -> None:
        """Fetch all bytes of `url`; if it is given up (`AddressFailedError`), bytes that can be resumed are kept."""
        failures = 0
        most = self._partial.size if self._partial.validator(without_password(url)) else 0
        with requests.Session() as session:
            session.max_redirects = _MAX_REDIRECTS
            while True:
                try:
                    self._attempt(session, url)
                    return
                except AttemptFailedError as error:
                    failure = error
                # Measured against the most there ever was: a server that always starts anew makes no progress.
                failures = 1 if self._partial.size - most >= self._policy.progress_bytes else failures + 1
                most = max(most, self._partial.size)
                if failures >= self._policy.attempts:
                    raise AddressFailedError(f"{failure} (gave up after {failures} attempts)") from failure
                time.sleep(self._policy.wait(failures, asked=failure.asked))

    def _attempt(self, session: requests.Session, url: str) -> None:
        origin = without_password(url)
        validator = self._partial.validator(origin) if self._resume else None
        offset = self._partial.size if validator else 0
        # Identity: the files are gzip themselves, and a range of an encoded body would be a range of other bytes.
        headers = {"Accept-Encoding": "identity", "User-Agent": f"matbench-lite/{__version__}"}
        if validator:
            headers |= {"Range": f"bytes={offset}-", "If-Range": validator}
        with self._open(session, url, headers) as response:
            status = response.status_code
            if status == 416 and validator:
                # Nothing lies beyond what is here: it is all of the file, or a wrong one. The checksum tells.
                self.doubtful = True
                return
            if status == 206 and validator and _continues(response, offset, validator):
                self.doubtful = True
            elif status == 206:
                self._partial.discard()
                raise AttemptFailedError("the server sent another part of the file than the one asked for")
            elif status == 200:
                offset = 0
                self._partial.restart(origin, _validator(response))
            elif status in _PASSING or status >= 500:
                raise AttemptFailedError(f"{status} {response.reason}", asked=_retry_after(response))
            else:
                raise AddressFailedError(f"{status} {response.reason}")
            self._receive(response, offset)

    def _open(self, session: requests.Session, url: str, headers: dict[str, str]) -> requests.Response:
        timeout = (self._policy.connect_timeout, self._policy.read_timeout)
        try:
            return session.get(url, headers=headers, stream=True, timeout=timeout)
        except requests.TooManyRedirects as error:
            raise AddressFailedError(f"more than {_MAX_REDIRECTS} redirects") from error
        except requests.exceptions.SSLError as error:
            raise AddressFailedError(f"no secure connection: {_root(error)}") from error
        except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
            raise AttemptFailedError(f"no answer: {_root(error)}") from error
        except requests.RequestException as error:
            raise AddressFailedError(str(error)) from error

    def _receive(self, response: requests.Response, offset: int) -> None:
        declared = response.headers.get("Content-Length", "")
        length = int(declared) if declared.isdecimal() and "Transfer-Encoding" not in response.headers else None
        total = None if length is None else offset + length
        self.doubtful = self.doubtful or total is None
        # An error page with status 200 is known by its content type.
        kind, encoding = (response.headers.get(f"Content-{name}", "") for name in ("Type", "Encoding"))
        self.content_type = (f" of {kind}" if kind else "") + (f", encoded as {encoding}" if encoding else "")
        with self._partial.path.open("ab") as stream, progress(self._label, total, unit="bytes") as advance:
            advance(offset)
            for block in self._blocks(response):
                stream.write(block)
                advance(len(block))
        # urllib3 raises on a short body by default; counted here too, so that this does not hang on its settings.
        if total is not None and self._partial.size < total:
            raise AttemptFailedError(f"cut off after {self._partial.size} of {total} bytes")

    def _blocks(self, response: requests.Response) -> Iterator[bytes]:
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
            if seconds >= self._policy.stall_seconds:
                if received < self._policy.stall_bytes:
                    raise AttemptFailedError(f"too slow: {received} bytes in {seconds:.1f} s")
                since, received = time.monotonic(), 0


def _validator(response: requests.Response) -> str | None:
    """Give what `If-Range` may hold: a weak ETag promises the same meaning, not the same bytes."""
    etag = response.headers.get("ETag", "")
    validator: str | None = etag if etag.startswith('"') else response.headers.get("Last-Modified")
    return validator


def _continues(response: requests.Response, offset: int, validator: str) -> bool:
    """Tell whether the body goes on at `offset` of the same version: not every server heeds `If-Range`."""
    header = "ETag" if validator.startswith('"') else "Last-Modified"
    same_version = response.headers.get(header, validator) == validator
    return same_version and bool(re.match(rf"bytes {offset}-", response.headers.get("Content-Range", "")))


def _retry_after(response: requests.Response) -> float:
    """Give the seconds that the server asks to wait, as a number or until a date; 0 if it does not."""
    try:
        return urllib3.Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    except urllib3.exceptions.InvalidHeader:
        return 0.0


def _root(error: BaseException) -> str:
    """Give the words of the first cause; those of requests and urllib3 name their own objects."""
    # Not __context__: it would lead on to whatever the caller was handling.
    while inner := error.__cause__ or next((part for part in error.args if isinstance(part, BaseException)), None):
        error = inner
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


class Partial:
    """`<target>.part`, and beside it `<target>.part.json` with the address and the validator of its bytes.

    The second file is there only while the first can be resumed: bytes that came without a validator (a strong ETag
    or a Last-Modified date) could be joined with bytes of another version of the file, so they are never resumed.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f"{target.name}.part")
        self._origin = target.with_name(f"{target.name}.part.json")

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def resumable(self) -> bool:
        """Whether a later download from the same address can go on with these bytes."""
        return self.size > 0 and self._origin.exists()

    def validator(self, url: str) -> str | None:
        """Give what the server called this version of the file; None where the bytes must not be resumed from `url`."""
        try:
            origin = json.loads(self._origin.read_text(encoding="utf-8"))
            validator = origin["validator"] if origin["url"] == url and self.size else None
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None
        return validator if isinstance(validator, str) else None

    def restart(self, url: str, validator: str | None) -> None:
        """Begin with no bytes; `validator` is None where the server gives none."""
        # In this order a crash never leaves old bytes beside a new validator, or the reverse.
        self._origin.unlink(missing_ok=True)
        self.path.write_bytes(b"")
        if validator is not None:
            write_bytes(self._origin, json.dumps({"url": url, "validator": validator}).encode())

    def discard(self) -> None:
        """Delete the bytes and what is known about them."""
        self._origin.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
