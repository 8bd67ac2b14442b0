"""Fetching a published file: the right bytes under its name, or an error that says what each address did."""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from matbench_lite.data.download.mirrors import VARIABLE, check_scheme, without_password
from matbench_lite.data.download.partial import Partial
from matbench_lite.data.download.policy import AddressFailedError, DownloadPolicy
from matbench_lite.errors import DownloadError

__all__ = ["DEFAULT_POLICY", "DownloadPolicy", "download"]

DEFAULT_POLICY = DownloadPolicy()

_FIX = (
    f"check the network, give another address with --mirror or {VARIABLE}, "
    "or add a file you have with `mbl data add PATH`"
)


def download(
    file_name: str, urls: Sequence[str], *, sha256: str, folder: Path, policy: DownloadPolicy = DEFAULT_POLICY
) -> Path:
    """Fetch `file_name` from the first of `urls` that gives the right bytes.

    A file that is there already is returned without a request. An interrupted download goes on where it stopped, also
    in a later process; several processes may ask for the same file, one fetches it. Bytes with another checksum never
    get the file's name.

    Args:
        file_name: Name of the file in `folder`.
        urls: Addresses with the scheme http, https or file, tried in this order; see `mirror_urls`.
        sha256: Checksum of the right bytes, 64 hexadecimal digits.
        folder: Where the file is kept; made if need be. While a download is not finished it also holds
            `<file_name>.part`, `<file_name>.part.json` and `<file_name>.fetch`; an empty `<file_name>.lock` stays.
        policy: How patient to be with each address.

    Returns:
        The path of the file, `folder / file_name`.

    Raises:
        DownloadError: No address gave the right bytes, or the folder cannot be written.

    Examples:
        >>> import hashlib, tempfile
        >>> sha256 = hashlib.sha256(b"the right bytes").hexdigest()
        >>> with tempfile.TemporaryDirectory() as name:
        ...     disk, folder = Path(name) / "disk", Path(name) / "folder"
        ...     disk.mkdir()
        ...     _ = (disk / "a.txt").write_bytes(b"the right bytes")
        ...     urls = [(disk / name).as_uri() for name in ("missing.txt", "a.txt")]
        ...     download("a.txt", urls, sha256=sha256, folder=folder).read_bytes()
        b'the right bytes'
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
            from filelock import FileLock

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
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == sha256.lower()
    except FileNotFoundError:
        return False


def _fetch_from_first(urls: Sequence[str], target: Path, sha256: str, policy: DownloadPolicy) -> None:
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
        kept = f"{partial.size} bytes are kept, the next try goes on from there"
    else:
        partial.discard()
        kept = f"nothing is kept, the right file has the sha256 {sha256}"
    raise DownloadError("\n".join([f"{target.name} could not be fetched:", *reasons, kept]), fix=_FIX)


def _fetch(url: str, target: Path, sha256: str, partial: Partial, policy: DownloadPolicy) -> None:
    """Fetch `url` to `target`; when joined bytes turn out wrong, once more from the start."""
    # Imported here: requests takes longer to import than most commands that need no download take to run.
    import pooch

    from matbench_lite.data.download.copy import FileDownloader
    from matbench_lite.data.download.http import HttpDownloader

    for resume in (True, False):
        downloader: FileDownloader | HttpDownloader
        if check_scheme(url) == "file":
            downloader = FileDownloader(label=target.name)
        else:
            downloader = HttpDownloader(partial, label=target.name, policy=policy, resume=resume)
        try:
            with _quiet(pooch.get_logger()), _scratch_folder(target) as scratch:
                checked = pooch.retrieve(
                    url, f"sha256:{sha256}", fname=target.name, path=scratch, downloader=downloader
                )
                Path(checked).replace(target)
        except ValueError as error:
            # pooch's word for another checksum; it has deleted the bytes.
            if not (resume and downloader.doubtful):
                raise AddressFailedError(f"wrong bytes: {downloader.received}, with another sha256") from error
        else:
            return


@contextmanager
def _scratch_folder(target: Path) -> Iterator[Path]:
    """Give a folder for pooch's temporary files: their names are random, and a killed process leaves them behind."""
    # Absolute, because pooch expands a "~" at the start.
    scratch = target.with_name(f"{target.name}.fetch").absolute()
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Hide what pooch reports below a warning, and leave its logger as the user had it."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
