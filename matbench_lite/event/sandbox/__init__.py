"""Training of submitted code: in a process that sees its own data and nothing else, within limits.

Everything is imported when it is first used: the process that builds the sandbox starts with this package, and must be
small and quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matbench_lite.event.sandbox.fitting import Fitted, fit_contained
    from matbench_lite.event.sandbox.isolation import isolation_problem
    from matbench_lite.event.sandbox.limits import Limits
    from matbench_lite.event.sandbox.places import visible_folders
    from matbench_lite.event.sandbox.protocol import STAGES

_HOMES = {
    "STAGES": "protocol",
    "Fitted": "fitting",
    "Limits": "limits",
    "fit_contained": "fitting",
    "isolation_problem": "isolation",
    "visible_folders": "places",
}

__all__ = ["STAGES", "Fitted", "Limits", "fit_contained", "isolation_problem", "visible_folders"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
