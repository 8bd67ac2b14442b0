"""Where a file may be fetched from: the user's mirrors first, then the published addresses."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from matbench_lite.errors import DownloadError

SCHEMES = ("http", "https", "file")
VARIABLE = "MATBENCH_LITE_MIRRORS"


def mirror_urls(file_name: str, published: Sequence[str], mirrors: Sequence[str] = ()) -> list[str]:
    """List the addresses of `file_name`, in the order in which they are to be tried.

    A mirror is the address of a folder (`https://host/folder`), an address with `{file}` in the place of the file's
    name (`https://host/get?name={file}`), or a folder on this machine (`/lab/matbench`).

    Args:
        file_name: Name of the file, without a folder.
        published: Full addresses, tried last.
        mirrors: Tried first; then those of the environment variable `MATBENCH_LITE_MIRRORS`, which are separated by
            spaces or commas.

    Returns:
        Addresses with the scheme http, https or file, each once.

    Raises:
        DownloadError: A mirror or address that is none of these.

    Examples:
        >>> mirror_urls("a.json.gz", ["https://published.org/x/a.json.gz"], ["https://host/folder", "/lab"])
        ['https://host/folder/a.json.gz', 'file:///lab/a.json.gz', 'https://published.org/x/a.json.gz']
        >>> mirror_urls("a.json.gz", [], ["ftp://host/folder"])
        Traceback (most recent call last):
        ...
        matbench_lite.errors.DownloadError: ftp://host/folder has the scheme 'ftp'; use http, https or file, ...
    """
    from_environment = re.split(r"[\s,]+", os.environ.get(VARIABLE, ""))
    mirrored = [_in_mirror(file_name, mirror) for mirror in (*mirrors, *from_environment) if mirror]
    for url in published:
        check_scheme(url)
    return list(dict.fromkeys((*mirrored, *published)))


def check_scheme(url: str) -> str:
    """Give the scheme of `url`.

    Raises:
        DownloadError: It is not supported.
    """
    fix = "use http, https or file, or the path of a folder on this machine"
    try:
        scheme = urlsplit(url).scheme
    except ValueError as error:
        raise DownloadError(f"{url} is not an address: {error}", fix=fix) from error
    if scheme not in SCHEMES:
        raise DownloadError(f"{without_password(url)} has the scheme {scheme!r}", fix=fix)
    return scheme


def without_password(url: str) -> str:
    """Give `url` as it may be shown and stored: without user name and password.

    Examples:
        >>> without_password("https://me:secret@host:8080/a.json.gz")
        'https://host:8080/a.json.gz'
    """
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
