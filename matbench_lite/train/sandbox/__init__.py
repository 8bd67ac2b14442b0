"""Training of submitted code: in a process that sees its own data and nothing else, within limits.

Everything is imported when it is first used: the process that builds the sandbox starts with this package, and must be
small and quick.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.train.sandbox.contained_fit import fit_contained as fit_contained
    from matbench_lite.train.sandbox.isolation import (
        isolation_problem as isolation_problem, require_isolation as require_isolation,
        visible_folders as visible_folders,
    )
    from matbench_lite.train.sandbox.protocol import STAGES as STAGES, Limits as Limits
else:
    __getattr__, __dir__ = lazy(__name__)
