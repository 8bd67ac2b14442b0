"""Downloads from servers that fail: the right file or a clear error, never a bad file."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import matbench_lite
from matbench_lite.data.download import DownloadPolicy, download, mirror_urls
from matbench_lite.errors import DownloadError

from ..waiting import wait_until

# By path: pytest's import mode "importlib" leaves the tests' folder off sys.path.
_spec = importlib.util.spec_from_file_location("bad_server", Path(__file__).with_name("bad_server.py"))
assert _spec is not None
assert _spec.loader is not None
bad_server = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bad_server)

NAME = "a.json.gz"
CONTENT = gzip.compress(random.Random(18012019).randbytes(400_000), mtime=0)
HALF = len(CONTENT) // 2
SHA256 = hashlib.sha256(CONTENT).hexdigest()
QUICK = DownloadPolicy(attempts=3, backoff=0.01, connect_timeout=5, read_timeout=5)

# Downloads argv[1] from argv[2:].
CHILD = f"""
import sys
from pathlib import Path
from matbench_lite.data.download import download
download({NAME!r}, sys.argv[2:], sha256={SHA256!r}, folder=Path(sys.argv[1]))
"""


@pytest.fixture(autouse=True)
def _no_proxy_and_no_mirrors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("MATBENCH_LITE_MIRRORS", raising=False)


@pytest.fixture
def server() -> Iterator[bad_server.BadServer]:
    with bad_server.BadServer(CONTENT) as running:
        yield running


def fetch(
    server: bad_server.BadServer, folder: Path, *behaviours: str, policy: DownloadPolicy = QUICK, sha256: str = SHA256
) -> bytes:
    urls = [server.url(f"{behaviour}/{NAME}") for behaviour in behaviours]
    return download(NAME, urls, sha256=sha256, folder=folder, policy=policy).read_bytes()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def child(folder: Path, *urls: str, first: str = "") -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(matbench_lite.__file__).parents[1])}
    command = [sys.executable, "-c", first + CHILD, str(folder), *urls]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_good_server_is_asked_once_and_only_the_file_stays(server, tmp_path, capfd):
    folder = tmp_path / "made" / "for it"
    assert fetch(server, folder, "good") == CONTENT
    assert server.ranges() == [None]
    assert names(folder) == {NAME}
    assert capfd.readouterr() == ("", "")


def test_the_file_has_the_permissions_that_the_umask_gives(server, tmp_path):
    (tmp_path / "beside").touch()
    fetch(server, tmp_path, "good")
    copy = download("b", [(tmp_path / NAME).as_uri()], sha256=SHA256, folder=tmp_path)
    expected = (tmp_path / "beside").stat().st_mode
    assert (tmp_path / NAME).stat().st_mode == copy.stat().st_mode == expected


def test_a_file_that_is_there_needs_no_request(server, tmp_path):
    (tmp_path / NAME).write_bytes(CONTENT)
    assert fetch(server, tmp_path, "good", sha256=SHA256.upper()) == CONTENT
    assert server.log == []


def test_a_file_with_other_bytes_is_replaced(server, tmp_path):
    (tmp_path / NAME).write_bytes(b"old")
    assert fetch(server, tmp_path, "good") == CONTENT


@pytest.mark.parametrize("behaviour", ["unavailable-twice", "no-answer-twice", "busy-until-a-date-once"])
def test_an_outage_that_passes_is_waited_for(server, tmp_path, behaviour):
    assert fetch(server, tmp_path, behaviour) == CONTENT


def test_waits_grow(server, tmp_path):
    fetch(server, tmp_path, "unavailable-twice", policy=DownloadPolicy(backoff=0.1))
    first, second, third = (request.time for request in server.log)
    assert second - first >= 0.1
    assert third - second >= 0.2


def test_retry_after_is_honoured(server, tmp_path):
    fetch(server, tmp_path, "busy-once")
    first, second = (request.time for request in server.log)
    assert second - first >= 1


def test_retry_after_is_honoured_up_to_a_limit(server, tmp_path):
    fetch(server, tmp_path, "busy-for-an-hour-once", policy=DownloadPolicy(backoff=0.01, longest_wait=0.2))
    first, second = (request.time for request in server.log)
    assert 0.2 <= second - first < 5


@pytest.mark.parametrize("behaviour", ["cut", "cut-without-etag", "cut-chunk"])
def test_a_cut_download_goes_on_where_it_stopped(server, tmp_path, behaviour):
    assert fetch(server, tmp_path, behaviour) == CONTENT
    assert server.ranges() == [None, f"bytes={HALF}-"]
    assert names(tmp_path) == {NAME}


def test_a_server_that_sends_everything_again_restarts_the_file(server, tmp_path):
    assert fetch(server, tmp_path, "cut-then-no-ranges") == CONTENT
    assert server.ranges() == [None, f"bytes={HALF}-"]


def test_a_part_that_does_not_fit_is_not_joined(server, tmp_path):
    assert fetch(server, tmp_path, "cut-then-from-elsewhere") == CONTENT
    assert server.ranges() == [None, f"bytes={HALF}-", None]


def test_a_part_that_does_not_fit_is_known_before_it_is_read(server, tmp_path):
    with pytest.raises(DownloadError, match="another part of the file than the one asked for"):
        fetch(server, tmp_path, "cut-then-from-elsewhere", policy=DownloadPolicy(attempts=2, backoff=0.01))
    assert names(tmp_path) == set()


def test_the_next_address_goes_on_where_one_stopped(server, tmp_path):
    assert fetch(server, tmp_path, "cut-always", "good") == CONTENT
    assert server.ranges()[-1] == f"bytes={HALF}-"


def test_wrong_bytes_of_one_address_do_not_spoil_those_of_the_next(server, tmp_path):
    assert fetch(server, tmp_path, "cut-always-wrong", "good") == CONTENT
    assert server.ranges()[-2:] == [f"bytes={HALF}-", None]


def test_joined_bytes_that_are_wrong_are_fetched_once_more_in_full(server, tmp_path):
    assert fetch(server, tmp_path, "cut-wrong-bytes") == CONTENT
    assert server.ranges() == [None, f"bytes={HALF}-", None]


def test_a_short_body_of_unknown_length_is_fetched_once_more(server, tmp_path):
    assert fetch(server, tmp_path, "cut-without-length") == CONTENT
    assert server.ranges() == [None, None]


def test_a_line_that_is_cut_again_and_again_gets_the_file_through(server, tmp_path):
    policy = DownloadPolicy(attempts=2, backoff=0.001, progress_bytes=1000)
    assert fetch(server, tmp_path, "choppy", policy=policy) == CONTENT
    assert len(server.log) == 8


def test_attempts_without_progress_end(server, tmp_path):
    with pytest.raises(DownloadError, match=rf"cut off.*gave up after 3 attempts(.|\n)*{HALF} bytes are kept"):
        fetch(server, tmp_path, "cut-always")
    assert server.ranges() == [None, f"bytes={HALF}-", f"bytes={HALF}-"]
    assert names(tmp_path) == {f"{NAME}.part"}


@pytest.mark.parametrize(
    ("behaviour", "policy"),
    [
        ("drip", DownloadPolicy(backoff=0.01, read_timeout=5, stall_seconds=0.3, stall_bytes=len(CONTENT))),
        ("hold", DownloadPolicy(backoff=0.01, read_timeout=0.3)),
    ],
)
def test_a_server_that_stalls_is_asked_again(server, tmp_path, behaviour, policy):
    assert fetch(server, tmp_path, behaviour, policy=policy) == CONTENT
    first, *others = server.ranges()  # on a busy machine an answer may be late more than once
    assert first is None
    assert others
    for rest in others:
        assert HALF <= int(rest.removeprefix("bytes=").removesuffix("-")) < len(CONTENT)


@pytest.mark.parametrize("behaviour", ["missing", "forbidden", "gone", "circle", "moved-to-ftp", "wrong", "page"])
def test_an_address_without_the_file_is_left_at_once_for_the_next(server, tmp_path, behaviour):
    assert fetch(server, tmp_path, behaviour, "good") == CONTENT
    places = [request.path.split("/")[1] for request in server.log]
    assert places == [behaviour] * (11 if behaviour == "circle" else 1) + ["good"]


def test_a_redirect_is_followed(server, tmp_path):
    assert fetch(server, tmp_path, "moved") == CONTENT


def test_an_encoding_that_the_server_claims_is_not_undone(server, tmp_path):
    assert fetch(server, tmp_path, "encoded") == CONTENT
    assert server.log[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("wrong", f"wrong bytes: {len(CONTENT)} bytes of application/gzip"),
        ("page", "wrong bytes: 26 bytes of text/html; charset=utf-8"),
        ("missing", "404 Not Found"),
        ("circle", "more than 10 redirects"),
        ("unavailable", r"503 Service Unavailable \(gave up after 3 attempts\)"),
        ("no-answer", "no answer: Remote end closed connection without response"),
    ],
)
def test_when_every_address_fails_each_is_named_with_its_reason(server, tmp_path, behaviour, reason):
    with pytest.raises(DownloadError, match=rf"{server.url(behaviour)}/{NAME}: {reason}") as caught:
        fetch(server, tmp_path, "gone", behaviour)
    assert f"{server.url('gone')}/{NAME}: 410 Gone" in str(caught.value)
    assert "--mirror or MATBENCH_LITE_MIRRORS" in caught.value.fix
    assert "`mbl data add PATH`" in caught.value.fix
    assert names(tmp_path) == set()


def test_a_host_that_is_not_there_is_named_without_the_password(tmp_path):
    with pytest.raises(DownloadError, match=r"http://127\.0\.0\.1:9/x: no answer: Connection refused") as caught:
        download(NAME, ["http://me:secret@127.0.0.1:9/x"], sha256=SHA256, folder=tmp_path, policy=QUICK)
    assert "secret" not in str(caught.value)


def test_a_finished_part_of_an_earlier_process_is_used(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(CONTENT)
    assert fetch(server, tmp_path, "good") == CONTENT
    assert server.ranges() == [f"bytes={len(CONTENT)}-"]


@pytest.mark.parametrize("part", [CONTENT + b"more", b"who knows"])
def test_a_part_of_something_else_is_dropped(server, tmp_path, part):
    (tmp_path / f"{NAME}.part").write_bytes(part)
    assert fetch(server, tmp_path, "good") == CONTENT
    assert server.ranges() == [f"bytes={len(part)}-", None]


def test_a_killed_download_is_resumed_by_the_next_process(server, tmp_path):
    url, part = server.url(f"hold/{NAME}"), tmp_path / f"{NAME}.part"
    with child(tmp_path, url) as process:
        wait_until(lambda: part.exists() and part.stat().st_size > HALF // 2)
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / NAME).exists()
    there = part.stat().st_size
    assert fetch(server, tmp_path, "hold") == CONTENT
    assert server.ranges() == [None, f"bytes={there}-"]
    assert names(tmp_path) == {NAME}


def test_a_full_disk_ends_the_download_at_once(server, tmp_path):
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({HALF}, {HALF}))\n"
    with child(tmp_path, server.url(f"good/{NAME}"), server.url("missing/x"), first=limit) as process:
        _, errors = process.communicate()
    assert f"DownloadError: {NAME} cannot be kept in {tmp_path}: [Errno 27] File too large" in errors
    assert len(server.log) == 1


def test_a_folder_that_cannot_be_made_is_an_error_of_the_user(server, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DownloadError, match="cannot be kept in"):
        fetch(server, tmp_path / "file" / "folder", "good")


@pytest.mark.parametrize("name", ["../a", "a/b", "", "..", "/a"])
def test_a_name_cannot_leave_the_folder(tmp_path, name):
    with pytest.raises(DownloadError, match="is not the name of a file"):
        download(name, ["http://127.0.0.1:9/x"], sha256=SHA256, folder=tmp_path)


def test_no_address_at_all_is_said(tmp_path):
    with pytest.raises(DownloadError, match="no address is known for a"):
        download(NAME, [], sha256=SHA256, folder=tmp_path)


@pytest.mark.parametrize("url", ["ftp://host/a", "s3://host/a", "a.json.gz", "http://[host/a"])
def test_only_http_https_and_file_are_supported(tmp_path, url):
    with pytest.raises(DownloadError, match="use http, https or file"):
        download(NAME, [url], sha256=SHA256, folder=tmp_path)


HARMLESS = sorted(set(bad_server.BEHAVIOURS) - {"busy-once", "drip", "hold"})


@settings(max_examples=40)
@given(behaviours=st.lists(st.sampled_from(HARMLESS), min_size=1, max_size=4), runs=st.integers(1, 2))
def test_the_right_file_or_an_error_but_never_a_bad_file(server, behaviours, runs):
    server.log.clear()
    policy = DownloadPolicy(attempts=3, backoff=0.001, longest_wait=0.01, progress_bytes=1000)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            problem = None
            try:
                assert fetch(server, Path(folder), *behaviours, policy=policy) == CONTENT
            except DownloadError as error:
                problem = error
            if problem is None:
                assert names(Path(folder)) == {NAME}
            else:
                assert "good" not in behaviours
                assert problem.message.count("http://127.0.0.1") == len(behaviours)
                assert NAME not in names(Path(folder))


def test_a_shared_disk_is_a_mirror(server, tmp_path):
    disk = tmp_path / "lab disk"
    disk.mkdir()
    (disk / NAME).write_bytes(CONTENT)
    urls = mirror_urls(NAME, [server.url(f"good/{NAME}")], [str(tmp_path / "not mounted"), str(disk)])
    folder = tmp_path / "folder"
    assert download(NAME, urls, sha256=SHA256, folder=folder).read_bytes() == CONTENT
    assert server.log == []
    assert names(folder) == {NAME}


def test_wrong_bytes_on_a_shared_disk_are_refused(server, tmp_path):
    (tmp_path / NAME).write_bytes(b"wrong")
    folder = tmp_path / "folder"
    urls = [*mirror_urls(NAME, [], [str(tmp_path), f"file://host{tmp_path}"]), tmp_path.as_uri()]
    with pytest.raises(DownloadError, match=r"wrong bytes: 5 bytes(.|\n)*has no host(.|\n)*Is a directory"):
        download(NAME, urls, sha256=SHA256, folder=folder)
    assert names(folder) == set()


def test_a_copy_leaves_no_part_of_an_earlier_download_behind(server, tmp_path):
    with pytest.raises(DownloadError):
        fetch(server, tmp_path / "folder", "cut-always")
    (tmp_path / NAME).write_bytes(CONTENT)
    download(NAME, [(tmp_path / NAME).as_uri()], sha256=SHA256, folder=tmp_path / "folder")
    assert names(tmp_path / "folder") == {NAME}


def test_mirrors_are_tried_in_order_option_environment_published(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near").mkdir()
    monkeypatch.setenv("MATBENCH_LITE_MIRRORS", "https://env/1/, https://env/2?name={file}&x={y}\n https://option")
    urls = mirror_urls(
        "a b.gz", ["https://published/p/a.gz"], ["https://option/", "near", "file:///lab", "/l/{file}.x"]
    )
    assert urls == [
        "https://option/a%20b.gz",
        (tmp_path / "near" / "a b.gz").as_uri(),
        "file:///lab/a%20b.gz",
        "file:///l/a%20b.gz.x",
        "https://env/1/a%20b.gz",
        "https://env/2?name=a%20b.gz&x={y}",
        "https://published/p/a.gz",
    ]


@pytest.mark.parametrize("mirror", ["ftp://host/x", "localhost:8000/x", "doi:10.1/x", "http://[x"])
def test_a_mirror_that_cannot_be_used_is_named_with_what_can(tmp_path, mirror):
    with pytest.raises(DownloadError) as caught:
        download(NAME, mirror_urls(NAME, [], [mirror]), sha256=SHA256, folder=tmp_path)
    assert mirror in caught.value.message
    assert "http" in caught.value.fix
    assert "file" in caught.value.fix
