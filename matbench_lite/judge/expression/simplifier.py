"""Simplifying formulas in limited time and memory: a hostile formula costs seconds only."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from matbench_lite.airlock import Limits, inside
from matbench_lite.errors import AirlockError
from matbench_lite.judge.expression.formula_tree import DECIMALS, Node

SECONDS = 5.0
"""How much of the processor's time one formula may take, s."""
_START = 60.0  # s, for importing sympy


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
    """Simplifies formulas, each in limited time (`seconds` of the processor); what was asked before is remembered.

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

        Features that are `positive` are always above 0: sqrt(x**2) is x for them. Constants are rounded to so many
        `decimals`, or stay (None); see `harmless_decimals`.
        """
        about = (tree.nested, sorted(positive), decimals)
        given = self._ask("described", *about, False)
        if given is None:
            note = f"sympy could not read it in {self._seconds:g} s; counted as it was written"
            features = tuple(sorted(tree.features))
            return Simplified(components=tree.size, text="", tree=tree.nested, features=features, notes=(note,))
        shorter = self._ask("described", *about, True)
        late = [] if shorter else [f"not simplified within {self._seconds:g} s; counted unsimplified"]
        found = shorter or given
        return Simplified(**found | {"features": tuple(found["features"]), "notes": (*late, *found["notes"])})

    def equivalent(self, tree: Node, truth: Node, positive: Collection[str] = ()) -> bool | None:
        """Whether two formulas differ by a constant or a constant factor; None if that was not decided in time."""
        found: bool | None = self._ask("equivalent", tree.nested, truth.nested, sorted(positive))
        return found

    def _ask(self, *question: Any) -> Any:
        """What a function of `formula_algebra` answers; None if time or memory ran out, or it is too much for sympy."""
        request = json.dumps(question)
        if request not in self._known:
            found = None
            with suppress(AirlockError):
                # No formula pays for the import of sympy.
                for asked, seconds in (("[]", _START), (request, self._seconds)):
                    found = json.loads(inside(answer, asked, limits=Limits(seconds=seconds, megabytes=2000)).content)
            self._known[request] = found
        return self._known[request]


def answer(request: str, _: Sequence[memoryview]) -> tuple[str, dict[str, Any]]:
    """A decoder: the name of a question and what it is about, as JSON; the answer as JSON.

    Formulas are nested more deeply than messages of the airlock may be.
    """
    from matbench_lite.judge.expression import formula_algebra

    asked = json.loads(request)
    return json.dumps(getattr(formula_algebra, asked[0])(*asked[1:]) if asked else None), {}
