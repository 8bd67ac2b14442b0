"""Simplifying formulas in a process of its own, with a time limit: a hostile formula costs seconds only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matbench_lite.judge.expression.formula_tree import DECIMALS, Node

SECONDS = 5.0
"""How much of the processor's time one formula may take, s."""
# The system ends a process that takes more than that. The clock is for one that does nothing at all: on a busy machine
# a second of the processor's time can take long.
_PATIENCE = 20.0
_START = 60.0  # s; also for importing sympy
_PACKAGE_HOME = str(Path(__file__).parents[3])


@dataclass(frozen=True, kw_only=True)
class Simplified:
    """A formula as it is counted.

    Args:
        components: Number of nodes.
        text: The formula for people.
        tree: The formula as nested lists, see `Node.nested`.
        features: Features that are left in it.
        vanished: How many constants were rounded to 0.
        notes: What a reader should know.
    """

    components: int
    text: str
    tree: Any
    features: tuple[str, ...]
    vanished: int = 0
    notes: tuple[str, ...] = ()


class Simplifier:
    """Simplifies formulas, each in limited time and memory; what was asked before is remembered.

    Args:
        seconds: How much of the processor's time one formula may take, s.

    Examples:
        >>> from matbench_lite.judge.expression import parse
        >>> with Simplifier() as simplifier:
        ...     found = simplifier.simplify(parse("x1/x1 + 2*x2 - 0.5*x2"))
        >>> found.text, found.components, found.features
        ('1.5*x2 + 1', 5, ('x2',))
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._known: dict[str, list[dict[str, Any]]] = {}

    def simplify(self, tree: Node, positive: Collection[str] = (), *, decimals: int | None = DECIMALS) -> Simplified:
        """A formula simplified, its constants rounded first; as it is, where that takes too long.

        Args:
            tree: The formula.
            positive: Features that are always above 0: sqrt(x**2) is x for them.
            decimals: Constants are rounded to so many decimals; None: they stay. See `harmless_decimals`.
        """
        answers = self._ask({"tree": tree.nested, "positive": sorted(positive), "decimals": decimals}, answers=2)
        described = [answer for answer in answers if "tree" in answer]
        if not described:
            note = f"sympy could not read it in {self._seconds:g} s; counted as it was written"
            return Simplified(
                components=tree.size, text="", tree=tree.nested, features=tuple(sorted(tree.features)), notes=(note,)
            )
        best = described[-1]
        notes = []
        if len(described) < 2:
            notes.append(f"not simplified within {self._seconds:g} s; counted unsimplified")
        if decimals is not None and not best["rounded"]:
            notes.append("constants not rounded: rounding would leave no formula")
        found = {name: best[name] for name in ("components", "text", "tree", "vanished")}
        return Simplified(**found, features=tuple(best["features"]), notes=tuple(notes))

    def equivalent(self, tree: Node, truth: Node, positive: Collection[str] = ()) -> bool | None:
        """Whether two formulas differ by a constant or a constant factor; None if that was not decided in time."""
        request = {"tree": tree.nested, "truth": truth.nested, "positive": sorted(positive)}
        answer = self._ask(request, answers=1)
        return bool(answer[0]["equivalent"]) if answer and "equivalent" in answer[0] else None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    stream and stream.close()
            self._process = None

    def __enter__(self) -> Simplifier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: dict[str, Any], *, answers: int) -> list[dict[str, Any]]:
        """Up to so many answers; fewer if time or memory ran out, after which a new process is begun."""
        line = json.dumps({**request, "seconds": self._seconds})
        if line not in self._known:
            process = self._process = self._process or self._start()
            found = self._known[line] = _exchange(process, line, answers, _PATIENCE * self._seconds + _START)
            if process.poll() is not None or (len(found) < answers and "failed" not in (found or [{}])[-1]):
                self.close()
        return self._known[line]

    def _start(self) -> subprocess.Popen[str]:
        path = os.pathsep.join(filter(None, (_PACKAGE_HOME, os.environ.get("PYTHONPATH"))))
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "matbench_lite.judge.expression.formula_algebra"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        # The first formula must not pay for the import of sympy.
        _exchange(process, '{"tree": 1, "positive": [], "decimals": 3, "seconds": 60}', 2, _START)
        return process


def _exchange(process: subprocess.Popen[str], line: str, number: int, seconds: float) -> list[dict[str, Any]]:
    """Up to so many answers to a request; fewer if it fails, or if the process dies or is ended after some seconds."""
    assert process.stdin is not None
    assert process.stdout is not None
    answers: list[dict[str, Any]] = []
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        while len(answers) < number and (answer := process.stdout.readline()).endswith("\n"):
            answers.append(json.loads(answer))
            if "failed" in answers[-1]:
                break
    except OSError:
        pass  # it has died: what it said before counts
    finally:
        timer.cancel()
    return answers
