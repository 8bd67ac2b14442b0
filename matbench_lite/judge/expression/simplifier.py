"""Simplifying formulas in limited time and memory: a hostile formula costs seconds only."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from matbench_lite.airlock import Limits, inside
from matbench_lite.errors import AirlockError
from matbench_lite.judge.expression.formula_algebra import answer
from matbench_lite.judge.expression.formula_tree import DECIMALS, Node

SECONDS = 5.0
"""How much of the processor's time one formula may take, s."""
_MEGABYTES = 2000
_SPARE = 5  # s, for importing sympy; what does not stop in time, a long sum in C for example, is ended a little later


@dataclass(frozen=True, kw_only=True)
class Simplified:
    """A formula as it is counted: its number of nodes, its text, its tree (`Node.nested`), the features left in it.

    `vanished` is how many constants were rounded to 0, `notes` what a reader should know.
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
        >>> found = Simplifier().simplify(parse("x1/x1 + 2*x2 - 0.5*x2"))
        >>> found.text, found.components, found.features
        ('1.5*x2 + 1', 5, ('x2',))
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._known: dict[str, Any] = {}

    def simplify(self, tree: Node, positive: Collection[str] = (), *, decimals: int | None = DECIMALS) -> Simplified:
        """A formula simplified, its constants rounded first; as it is, where that takes too long.

        Args:
            tree: The formula.
            positive: Features that are always above 0: sqrt(x**2) is x for them.
            decimals: Constants are rounded to so many decimals; None: they stay. See `harmless_decimals`.
        """
        given = self._ask("described", tree.nested, sorted(positive), decimals, False)
        if given is None:
            note = f"sympy could not read it in {self._seconds:g} s; counted as it was written"
            return Simplified(
                components=tree.size, text="", tree=tree.nested, features=tuple(sorted(tree.features)), notes=(note,)
            )
        shorter = self._ask("described", tree.nested, sorted(positive), decimals, True)
        best = shorter or given
        notes = []
        if shorter is None:
            notes.append(f"not simplified within {self._seconds:g} s; counted unsimplified")
        if decimals is not None and not best["rounded"]:
            notes.append("constants not rounded: rounding would leave no formula")
        found = {name: best[name] for name in ("components", "text", "tree", "vanished")}
        return Simplified(**found, features=tuple(best["features"]), notes=tuple(notes))

    def equivalent(self, tree: Node, truth: Node, positive: Collection[str] = ()) -> bool | None:
        """Whether two formulas differ by a constant or a constant factor; None if that was not decided in time."""
        found: bool | None = self._ask("equivalent", tree.nested, truth.nested, sorted(positive))
        return found

    def _ask(self, question: str, *about: Any) -> Any:
        """What `formula_algebra` answers; None if time or memory ran out."""
        request = json.dumps({"question": question, "about": about, "seconds": self._seconds})
        if request not in self._known:
            limits = Limits(seconds=2 * self._seconds + _SPARE, megabytes=_MEGABYTES)
            try:
                self._known[request] = json.loads(inside(answer, request, limits=limits).content)
            except AirlockError:
                self._known[request] = None
        return self._known[request]
