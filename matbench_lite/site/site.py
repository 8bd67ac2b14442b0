"""Everything that pages are made from: entries, what the checks say of them, and their boards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path

from matbench_lite.board import GeneralBoard, GeneralRow, Results, TaskBoard, TaskRow, general_board, task_board
from matbench_lite.check import Checked
from matbench_lite.derived import key, sources_digest
from matbench_lite.site import addresses
from matbench_lite.site.page_files import File, hashed, script_with
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Benchmark
from matbench_lite.view import short_name

_PACKAGE = Path(__file__).parent.parent
_GUIDE_FILES = (".md", ".png", ".svg", ".webp", ".py", ".toml", ".json", ".csv")
"""Pages, their pictures, and the files that they speak of."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """What every publisher gets: the results of entries without errors, what was checked of all, hand-written pages."""

    benchmark: Benchmark
    results: Results
    checked: Mapping[str, Checked]
    docs: Path | None = None
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())

    @cached_property
    def general(self) -> GeneralBoard:
        """The general-purpose board, on the tasks that every such entry has."""
        return general_board(self.results)

    @cached_property
    def ranks(self) -> dict[str, GeneralRow]:
        """The row of each general-purpose entry on that board."""
        return {row.slug: row for row in self.general.rows}

    @cached_property
    def boards(self) -> dict[str, TaskBoard]:
        """The board of every task."""
        return {task.name: task_board(self.results, task) for task in self.benchmark}

    @cached_property
    def places(self) -> dict[str, dict[str, TaskRow]]:
        """The row of each entry on the board of each task."""
        return {name: {row.slug: row for row in board.rows} for name, board in self.boards.items()}

    @cached_property
    def uncertain(self) -> dict[str, frozenset[str]]:
        """The tasks for which each entry recorded how sure it is."""
        return {
            slug: frozenset(task.name for task in entry.tasks if _has_uncertainty(entry.recorded(task.name)))
            for slug, entry in self.results.entries.items()
        }

    @cached_property
    def bibtex(self) -> File:
        """The references of all entries, as a script: pages that are opened from a folder can load nothing else."""
        references = {slug: "\n\n".join(entry.references) for slug, entry in self.results.entries.items()}
        known = {slug: text for slug, text in references.items() if text}
        return hashed("bibtex.js", script_with("mblBibtex", known))

    @property
    def with_errors(self) -> dict[str, Checked]:
        """The entries that stay off the boards."""
        return {slug: checked for slug, checked in self.checked.items() if not checked.ok}

    @cached_property
    def guides(self) -> dict[str, Path]:
        """The hand-written pages, and the files that belong to them, by their name under the folder of such pages."""
        if self.docs is None:
            return {}
        found = sorted(path for path in self.docs.rglob("*") if path.suffix in _GUIDE_FILES)
        return {path.relative_to(self.docs).as_posix(): path for path in found}

    def guide(self, name: str) -> str | None:
        """The address of a hand-written page; None where there is none."""
        return f"{addresses.GUIDE}/{name.removesuffix('.md')}.html" if name in self.guides else None

    def short(self, task: str) -> str:
        """The name of a task without what all names of the benchmark begin with."""
        return short_name(self.benchmark, task)


@cache
def code_version() -> str:
    """What pages follow from beside the data: changes with any source or template that can change a page."""
    templates = sorted(path for room in ("site", "view") for path in (_PACKAGE / room).rglob("*.j2"))
    files = hashlib.sha256(b"\0".join(path.read_bytes() for path in templates)).hexdigest()
    return key(sources_digest("matbench_lite.site.build"), files)


def _has_uncertainty(recorded: Mapping[int, RecordedFold]) -> bool:
    return all({"std", "lower"} & set(held.predictions.arrays) for held in recorded.values())
