"""What can be wrong with an entry on disk. The reader stops at the first problem, the checks collect them all.

Both read with the same functions: each is given `complain` and calls it with every problem it meets. The reader's
`complain` raises, so nothing after it runs; that of the checks returns, and the function goes on with what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from matbench_lite.errors import EntryError

ProblemKind = Literal[
    "missing file",
    "not a file",
    "unreadable",
    "too large",
    "too many files",
    "encoding",
    "not JSON",
    "repeated key",
    "schema version",
    "out of form",
    "digest",
    "not canonical",
    "benchmark",
    "unknown task",
    "other folds",
    "missing listed",
    "not listed",
    "changed file",
    "changed predictions",
    "not Parquet",
    "unpacked size",
    "columns",
    "order",
    "row count",
    "missing fold",
    "not finite",
    "range",
    "uncertainty",
    "prediction type",
    "values digest",
    "deadly",
]

AGAIN = "save the entry again, or restore the file"
"""What helps against most of them."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong.

    Args:
        kind: Which of the things that can be wrong.
        message: What was found and where, with the values.
        fix: What to do.
        file: Name of the file in the entry's folder.
        task: Name of the task.
        fold: Number of the fold.
        rows: Positions of the first bad rows in the test part of the fold.
        row_count: How many rows are bad.
    """

    kind: ProblemKind
    message: str
    fix: str = AGAIN
    file: str | None = None
    task: str | None = None
    fold: int | None = None
    rows: tuple[int, ...] = ()
    row_count: int = 0


Complain = Callable[[Problem], None]
"""Takes a problem; may raise."""


def refuse(problem: Problem, folder: Path | None = None) -> None:
    """The reader's way to complain.

    Args:
        problem: What is wrong.
        folder: The entry's folder, for the message.

    Raises:
        EntryError: Always.
    """
    raise EntryError(f"{folder}: {problem.message}" if folder else problem.message, fix=problem.fix)
