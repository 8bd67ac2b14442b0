"""A benchmark: a named, versioned list of tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from matbench_lite.errors import unknown_name
from matbench_lite.tasks.task import Input, Kind, Task


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A named, versioned list of tasks, in a fixed order.

    Args:
        name: Name of the benchmark, e.g. "matbench_v0.1".
        title: Name for people.
        description: What it is, in a few sentences.
        references: BibTeX entries of the benchmark itself.
        tasks: Its tasks.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> bench = load_benchmark("matbench_v0.1")
        >>> len(bench), bench["matbench_glass"].kind
        (13, 'classification')
        >>> [task.name for task in bench.select(input="composition", kind="regression")]
        ['matbench_steels', 'matbench_expt_gap']
    """

    name: str
    title: str
    description: str
    references: tuple[str, ...]
    tasks: tuple[Task, ...] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tasks, in registry order."""
        return tuple(task.name for task in self.tasks)

    def select(
        self, *, input: Input | None = None, kind: Kind | None = None, names: Iterable[str] | None = None
    ) -> tuple[Task, ...]:
        """Tasks of one input, one kind, or with the given names; in registry order.

        Raises:
            UnknownNameError: If a name is not in this benchmark.
        """
        wanted = None if names is None else {self[name].name for name in names}
        return tuple(
            task
            for task in self.tasks
            if input in (None, task.input) and kind in (None, task.kind) and (wanted is None or task.name in wanted)
        )

    def __getitem__(self, name: str) -> Task:
        for task in self.tasks:
            if task.name == name:
                return task
        raise unknown_name("task", name, self.names, where=f" in {self.name}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)
