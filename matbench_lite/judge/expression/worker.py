"""A process that simplifies formulas and can be killed at any time: `python -m matbench_lite.judge.expression.worker`.

Requests come as lines of JSON on standard input, answers leave as lines of JSON on standard output. Nothing but
numbers, names of features and of a few functions is in them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any

MEMORY = 2 * 1024**3
"""Bytes that the process may have."""


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit("RLIMIT_AS", MEMORY)
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests,), daemon=True).start()
    while True:
        request = requests.get()
        try:
            with _limited(request["seconds"]):
                _answer(request)
        except _OutOfTimeError:
            _send({"failed": "time"})
        except Exception as error:  # whatever sympy makes of a strange formula: RecursionError, TypeError, …
            _send({"failed": type(error).__name__})


class _OutOfTimeError(BaseException):
    """Not an `Exception`: sympy catches those in many places and goes on."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Stop the block after so much time of the processor: what others do on the machine must not change a count."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise _OutOfTimeError

    # What does not listen, a long sum in C for example, is ended by the system a little later.
    _limit("RLIMIT_CPU", int(time.process_time() + 2 * seconds) + 2)
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _answer(request: dict[str, Any]) -> None:
    from matbench_lite.judge.expression import algebra

    tree, positive = request["tree"], request["positive"]
    if "truth" in request:
        _send({"equivalent": algebra.equivalent(tree, request["truth"], positive)})
        return
    given = algebra.symbolic(tree, positive, decimals=request["decimals"])
    facts = {"rounded": given.rounded, "vanished": given.vanished}
    # First what is certain: it counts where simplifying takes too long.
    _send({**facts, **_described(given.expression)})
    _send({**facts, **_described(algebra.simplified(given.expression))})


def _described(expression: Any) -> dict[str, Any]:
    from matbench_lite.judge.expression import algebra

    return {
        "components": algebra.components(expression),
        "tree": algebra.plain(expression),
        "text": algebra.text(expression),
        "features": sorted(symbol.name for symbol in expression.free_symbols),
    }


def _send(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _receive(requests: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    # Nobody is there to take an answer.
    os._exit(0)


def _limit(what: str, value: int) -> None:
    """Ask the system to end the process beyond a limit, where it can do that."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, what)
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


if __name__ == "__main__":
    main()
