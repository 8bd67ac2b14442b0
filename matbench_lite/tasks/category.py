"""The category rule: general-purpose or task-specific, and whether an entry requires structure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from matbench_lite.tasks.benchmark import Benchmark


@dataclass(frozen=True, kw_only=True)
class Category:
    """What kind of entry it is, and the rule that applied, in words.

    Two properties say that it covers the structure tasks, or the regression tasks, and nothing else.
    """

    general_purpose: bool
    requires_structure: bool
    regression_only: bool
    reason: str

    @property
    def name(self) -> str:
        """Either "general-purpose" or "task-specific"."""
        return "general-purpose" if self.general_purpose else "task-specific"

    def __str__(self) -> str:
        chips = [self.name]
        chips += ["requires-structure"] * self.requires_structure
        chips += ["regression only"] * self.regression_only
        return ", ".join(chips)


def categorise(benchmark: Benchmark, recorded: Collection[str], *, single_configuration: bool | None) -> Category:
    """Classify an entry by the tasks it has recorded in full and by what it declares.

    Without a declaration (None) of one human-chosen configuration for all tasks, only the tasks decide; the review asks
    for it.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> bench = load_benchmark("matbench_v0.1")
        >>> structure = [task.name for task in bench.select(input="structure")]
        >>> print(categorise(bench, structure, single_configuration=True))
        general-purpose, requires-structure
        >>> categorise(bench, structure, single_configuration=True).reason
        'all 9 structure tasks, nothing else'
    """
    everything = set(benchmark.names)
    groups = {
        "": everything,
        "regression ": {task.name for task in benchmark.select(kind="regression")},
        "structure ": {task.name for task in benchmark.select(input="structure")},
    }
    done = set(recorded) & everything
    covered = next((label for label, names in groups.items() if names and done >= names), None)
    if covered is None:
        reason = f"{len(done)} of {len(everything)} tasks, neither all regression nor all structure tasks"
        return Category(general_purpose=False, requires_structure=False, regression_only=False, reason=reason)

    more = len(done) - len(groups[covered])
    reason = f"all {len(groups[covered])} {covered}tasks" if len(groups[covered]) > 1 else f"the only {covered}task"
    if more:
        reason += f" and {more} more"
    elif done != everything:
        reason += ", nothing else"
    if single_configuration is False:
        reason += ", but configured by hand for each task"
    return Category(
        general_purpose=single_configuration is not False,
        requires_structure=done == groups["structure "],
        regression_only=done == groups["regression "],
        reason=reason,
    )
