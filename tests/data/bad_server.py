"""An HTTP server that fails in the ways that servers fail; the first part of a path says how.

`/cut/a.json.gz` is the file behind a server that cuts the first answer at half. Every behaviour is told how many
requests for the same path came before, so two paths (`/cut/1/a.json.gz`, `/cut/2/a.json.gz`) are two servers.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

ETAG = '"v1"'
DATE = "Fri, 18 Jan 2019 00:00:00 GMT"


class Request(NamedTuple):
    """A request as the server saw it; `time` in seconds of the monotonic clock."""

    path: str
    headers: dict[str, str]
    time: float


class BadServer(ThreadingHTTPServer):
    """Serves `content` badly on a free port of 127.0.0.1 until the `with` block ends.

    `log` holds the requests; answers of `hold` and `silent` stop at half until `gate` is set.
    """

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.content = content
        self.log: list[Request] = []
        self.gate = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def url(self, place: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{place}"

    def ranges(self) -> list[str | None]:
        return [request.headers.get("Range") for request in self.log]

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients that hang up, or are killed, are what the tests are about."""


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BadServer

    def do_GET(self) -> None:
        earlier = Counter(request.path for request in self.server.log)[self.path]
        self.server.log.append(Request(self.path, dict(self.headers), time.monotonic()))
        self.close_connection = True
        BEHAVIOURS[self.path.split("/")[1]](self, earlier)

    def log_message(self, *_: object) -> None:
        """Keep standard error clean."""

    def head(self, status: int, **headers: object) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Connection", "close")
        self.end_headers()

    def start(self) -> int:
        """Give the offset that a request for the rest asks for; 0 for all of it."""
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(match[1]) if match else 0

    def file(self, *, upto: int | None = None, **headers: object) -> None:
        """Answer as a good server does, but declare all and stop at the byte `upto`."""
        content, start = self.server.content, self.start()
        if start >= len(content):
            self.head(416, Content_Range=f"bytes */{len(content)}", Content_Length=0)
            return
        if start:
            headers = {"Content_Range": f"bytes {start}-{len(content) - 1}/{len(content)}", **headers}
        headers = {"ETag": ETAG, "Content_Type": "application/gzip", **headers}
        self.head(206 if start else 200, Content_Length=len(content) - start, **headers)
        self.wfile.write(content[start:upto])


Behaviour = Callable[[_Answer, int], None]


def _half(answer: _Answer) -> int:
    return len(answer.server.content) // 2


def _first_fails(first: Behaviour, *, times: int = 1, then: Behaviour = lambda answer, _: answer.file()) -> Behaviour:
    return lambda answer, earlier: first(answer, earlier) if earlier < times else then(answer, earlier)


def _status(status: int, **headers: object) -> Behaviour:
    return lambda answer, _: answer.head(status, Content_Length=0, **headers)


def _body(content: bytes, **headers: object) -> Behaviour:
    def behave(answer: _Answer, _: int) -> None:
        answer.head(200, Content_Length=len(content), **headers)
        answer.wfile.write(content)

    return behave


def _cut(answer: _Answer, _: int) -> None:
    answer.file(upto=_half(answer))


def _cut_without_etag(answer: _Answer, _: int) -> None:
    answer.file(upto=_half(answer), ETag='W/"v1"')


def _cut_without_length(answer: _Answer, _: int) -> None:
    answer.head(200)
    answer.wfile.write(answer.server.content[: _half(answer)])


def _cut_chunk(answer: _Answer, _: int) -> None:
    answer.head(200, ETag=ETAG, Transfer_Encoding="chunked")
    answer.wfile.write(b"%x\r\n" % len(answer.server.content) + answer.server.content[: _half(answer)])


def _cut_wrong_bytes(answer: _Answer, _: int) -> None:
    content = answer.server.content
    answer.head(200, Content_Length=len(content), ETag=ETAG)
    answer.wfile.write(content[::-1][: _half(answer)])


def _no_ranges(answer: _Answer, _: int) -> None:
    _body(answer.server.content, ETag=ETAG)(answer, 0)


def _from_elsewhere(answer: _Answer, _: int) -> None:
    if answer.start():
        answer.head(206, Content_Range="bytes 1-2/3", Content_Length=2, ETag=ETAG)
        answer.wfile.write(b"xx")
    else:
        answer.file()


def _choppy(answer: _Answer, _: int) -> None:
    answer.file(upto=answer.start() + len(answer.server.content) // 8 + 1)


def _drip(answer: _Answer, _: int) -> None:
    answer.file(upto=_half(answer))
    for offset in range(_half(answer), len(answer.server.content)):
        answer.wfile.write(answer.server.content[offset : offset + 1])
        if answer.server.gate.wait(0.01):
            return


def _hold(answer: _Answer, _: int) -> None:
    answer.file(upto=_half(answer))
    answer.wfile.flush()
    answer.server.gate.wait(30)
    answer.wfile.write(answer.server.content[_half(answer) :])


def _redirect(place: str) -> Behaviour:
    return lambda answer, _: answer.head(302, Location=answer.server.url(place), Content_Length=0)


BEHAVIOURS: dict[str, Behaviour] = {
    "good": lambda answer, _: answer.file(),
    "unavailable-twice": _first_fails(_status(503), times=2),
    "unavailable": _status(503),
    "no-answer-twice": _first_fails(lambda *_: None, times=2),
    "no-answer": lambda *_: None,
    "busy-once": _first_fails(_status(429, Retry_After=1)),
    "busy-for-an-hour-once": _first_fails(_status(503, Retry_After=3600)),
    "busy-until-a-date-once": _first_fails(_status(503, Retry_After=DATE)),
    "forbidden": _status(403),
    "missing": _status(404),
    "gone": _status(410),
    "cut": _first_fails(_cut),
    "cut-always": lambda answer, _: answer.file(upto=_half(answer)),
    "cut-then-no-ranges": _first_fails(_cut, then=_no_ranges),
    "cut-without-etag": _first_fails(_cut_without_etag),
    "cut-without-length": _first_fails(_cut_without_length),
    "cut-chunk": _first_fails(_cut_chunk),
    "cut-then-from-elsewhere": _first_fails(_cut, then=_from_elsewhere),
    "cut-wrong-bytes": _first_fails(_cut_wrong_bytes),
    "cut-always-wrong": _cut_wrong_bytes,
    "choppy": _choppy,
    "wrong": lambda answer, _: _body(answer.server.content[::-1], Content_Type="application/gzip")(answer, 0),
    "page": _body(b"<html>Please log in</html>", Content_Type="text/html; charset=utf-8"),
    "encoded": lambda answer, _: answer.file(Content_Encoding="gzip"),
    "drip": _first_fails(_drip),
    "hold": _first_fails(_hold),
    "moved": _redirect("good/a.json.gz"),
    "moved-to-ftp": _status(302, Location="ftp://127.0.0.1/a.json.gz"),
    "circle": _redirect("circle/a.json.gz"),
}
