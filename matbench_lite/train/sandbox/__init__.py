"""Training of submitted code: in a process that sees its own data and nothing else, within limits.

Everything is imported when it is first used: the process that builds the sandbox starts with this package, and must be
small and quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.train.sandbox.contained_fit import Fitted, fit_contained
    from matbench_lite.train.sandbox.isolation import isolation_problem, visible_folders
    from matbench_lite.train.sandbox.protocol import STAGES, Limits

__all__ = ["STAGES", "Fitted", "Limits", "fit_contained", "isolation_problem", "visible_folders"]

__getattr__ = lazy(__name__)
