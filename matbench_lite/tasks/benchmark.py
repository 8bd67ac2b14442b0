"""A benchmark, a named and versioned list of tasks; read from TOML, the built-in ones as a user's own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from matbench_lite.documents import TomlTable, is_there, toml_document
from matbench_lite.errors import BenchmarkFileError, MatbenchLiteError, unknown_name
from matbench_lite.tasks.folds import IN_NO_FOLD, MAX_FOLDS, targets_digest
from matbench_lite.tasks.task import DEFAULT_SCATTER, Input, Kind, OriginalFile, Table, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A named, versioned list of tasks, in a fixed order; the references are BibTeX entries of the benchmark itself.

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
        """Tasks of one input, one kind, or with the given names, which all must be known; in registry order."""
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


DEFAULT_FOLDS = 5
DEFAULT_SEED = 18012019
MAX_SEED = 2**32 - 1  # what scikit-learn takes

MAX_CLASSES = 100
"""The most that a task may have."""
BUILT_IN = ("matbench_v0.1", "mini")
"""Names of the benchmarks that come with the package."""

_HERE = Path(__file__).parent
_DIGESTS = ("folds_sha256", "targets_sha256", "formulas_sha256", "spacegroups_sha256", "inputs_sha256")


def read_benchmark(path: Path) -> Benchmark:
    """Read a benchmark file and check all of it; the error names every mistake, each with its place in the file.

    A user's file says for every task where its data lies; that data is opened here, so that a wrong column, a missing
    target or a bad formula is known before any model is trained. Structures are parsed when they are first used.
    """
    with toml_document(path, BenchmarkFileError, fix="give the path of an existing TOML file") as top:
        built_in = path.parent == _HERE
        name = top.name()
        if name in BUILT_IN and not built_in:
            top.complain("name", f"{name!r} is the name of a built-in benchmark; choose another")
        folds = TomlTable(top.take("folds", dict, {}), "folds.", top.problems)
        n_folds, seed = folds.take("splits", int, DEFAULT_FOLDS), folds.take("seed", int, DEFAULT_SEED)
        if not 2 <= n_folds <= MAX_FOLDS:
            folds.complain("splits", f"{n_folds} is not between 2 and {MAX_FOLDS}")
        if not 0 <= seed <= MAX_SEED:
            folds.complain("seed", f"{seed} is not between 0 and {MAX_SEED}")
        test_share = folds.optional("test_share", float)
        if test_share is not None and not 0 < test_share < 1:
            folds.complain("test_share", f"{test_share} is not between 0 and 1")
        folds.close()
        noted = len(top.problems)
        listed = top.take("tasks", list, [])
        sections = [TomlTable(section, f"tasks[{i}].", top.problems) for i, section in enumerate(listed)]
        if not listed and len(top.problems) == noted:
            top.complain("tasks", "there are none; add a [[tasks]] section")
        folder = None if built_in else path.parent
        drawn = {"n_folds": n_folds, "seed": seed, "test_share": test_share}
        tasks = [_task(section, name, folder, drawn) for section in sections]
        for position, task in enumerate(tasks):
            if task.name and task.name in [earlier.name for earlier in tasks[:position]]:
                sections[position].complain("name", f"{task.name!r} is used more than once")
        benchmark = Benchmark(
            name=name,
            title=top.take("title", str, name),
            description=top.take("description", str, ""),
            references=top.texts("references"),
            tasks=tuple(tasks),
        )
        top.close()
        if not top.problems and not built_in:
            known = [_with_data(section, task) for section, task in zip(sections, tasks, strict=True)]
            benchmark = replace(benchmark, tasks=tuple(known))
    return benchmark


def _task(section: TomlTable, benchmark: str, folder: Path | None, drawn: Mapping[str, Any]) -> Task:
    """A task, whose data lies below the folder of a user's file; None: a built-in one, whose data is in the store.

    `drawn` says how folds are drawn, unless the data has a column that says what the folds are.
    """
    kind, given_input = section.choice("kind", get_args(Kind)), section.choice("input", get_args(Input))
    original = section.section("original") if folder is None else None
    table = section.section("data")
    if table is None and folder is not None:
        section.complain("data", "is missing; say where the data lies: path, id, input, target")
    own_table = _table(table, folder, given_input) if table and folder else None
    if own_table:  # how many folds it gives itself, as far as that is known before it is read
        given = own_table.fold or own_table.group or own_table.time or own_table.repeats
        share = None if given else drawn["test_share"]
        n_folds = 1 if own_table.part else len(own_table.repeats) or drawn["n_folds"]
        drawn = {**drawn, "test_share": share, "n_folds": n_folds}
    digests = _DIGESTS if folder is not None else (*_DIGESTS, "id_prefix", "targets_quick_sha256")
    stated: dict[str, Any] = {name: section.optional(name, str) for name in digests}
    task = Task(
        benchmark=benchmark,
        name=section.name(),
        input=given_input,
        kind=kind,
        target=section.take("target", str),
        unit=section.take("unit", str) if kind == "regression" else "",
        rows=section.take("rows", int) if folder is None else section.optional("rows", int) or 0,
        description=section.take("description", str, ""),
        references=section.texts("references"),
        **drawn,
        **stated,
        classes=_classes(section, kind) if folder is not None else (),
        mean_absolute_deviation=section.optional("mean_absolute_deviation", float),
        fraction_true=section.optional("fraction_true", float),
        fold_scatter=_fold_scatter(section),
        original=_original(original) if original else None,
        table=own_table,
    )
    section.close()
    return task


def _original(section: TomlTable) -> OriginalFile:
    original = OriginalFile(
        name=section.take("name", str), sha256=section.take("sha256", str), urls=section.texts("urls")
    )
    section.close()
    return original


def _table(section: TomlTable, folder: Path, given_input: Input) -> Table:
    of_materials = given_input != "table"
    table = Table(
        path=section.located("path", section.take("path", str), folder),
        id=section.take("id", str),
        input=section.take("input", str) if of_materials else "",
        target=section.take("target", str),
        columns=() if of_materials else section.texts("columns"),
        structure_format=section.choice("structure_format", ("json", "cif", "poscar"), "json"),
        spacegroup=section.optional("spacegroup", str) if of_materials else None,
        repeats=section.texts("repeats"),
        **{name: section.optional(name, str) for name in ("part", "fold", "group", "time", "cluster")},
    )
    given = [name for name in ("fold", "group", "time", "repeats") if getattr(table, name)]
    if len(given) > 1:
        section.complain(given[1], f"the folds follow from {given[0]} already; give one of the two")
    if not of_materials:
        if not table.columns:
            section.complain("columns", "is missing; name the columns that a model gets")
        own = {table.id, table.target, table.part, table.fold, *table.repeats}
        for position, name in enumerate(table.columns):
            if name in own:
                section.complain("columns", f"{name!r} is no input: it has another part to play")
            elif name in table.columns[:position]:
                section.complain("columns", f"{name!r} is named twice")
    section.close()
    return table


def _fold_scatter(section: TomlTable) -> float:
    value = section.take("fold_scatter", float, DEFAULT_SCATTER)
    if not (math.isfinite(value) and value >= 1):
        section.complain("fold_scatter", f"{value} is not a number of 1 or more")
        return DEFAULT_SCATTER
    return value


def _classes(section: TomlTable, kind: Kind) -> tuple[str, ...] | tuple[int, ...]:
    """The names of the classes, where the file gives them; all texts or all whole numbers."""

    def names(value: Any) -> bool:
        if not isinstance(value, list) or len({type(each) for each in value}) != 1:
            return False
        return 2 <= len(set(value)) == len(value) <= MAX_CLASSES and type(value[0]) in (str, int)

    what = f"a list of 2 to {MAX_CLASSES} texts or whole numbers, each once; true and false need none"
    given = section.allowed("classes", names, what)
    if given and kind == "regression":
        section.complain("classes", "is for classification")
    return tuple(given or ())


def _with_data(section: TomlTable, task: Task) -> Task:
    """Open the data of a user's task, fill in what only the data knows, and check what the file claims."""
    # Without the claim about its targets: that one is compared here, with the others.
    unclaimed = replace(task, targets_sha256=None)
    try:
        data = unclaimed.own_data
        unclaimed = replace(unclaimed, classes=data.classes, n_folds=_number_of_folds(unclaimed))
        values = data.target_values
        _check_enough_rows(unclaimed, values)
        facts: dict[str, Any] = {
            "rows": len(values),
            "folds_sha256": unclaimed.computed_folds_digest,
            "targets_sha256": targets_digest(unclaimed.ids, values, data.classes),
        }
        if task.input != "structure":
            # Structures take too long to parse each time that somebody only wants to score; formulas do not.
            _ = unclaimed.targets
            facts["inputs_sha256"] = data.inputs_digest
    except MatbenchLiteError as error:
        section.complain("data", f"{task.name}: {error}")
        return task
    for key, actual in facts.items():
        claimed = getattr(task, key)
        if claimed and claimed != actual:
            section.complain(key, f"{claimed!r}, but the data has {actual!r}: restore it, or give a new benchmark name")
    known = replace(unclaimed, **facts)
    if task.kind == "regression":
        return replace(known, mean_absolute_deviation=float(abs(values - values.mean()).mean()))
    return known if data.classes else replace(known, fraction_true=float(values.mean()))


def _number_of_folds(task: Task) -> int:
    """A column of folds has as many as it has."""
    folds = task.marks.folds
    if task.scheme != "fold" or task.has_given_parts or folds is None:
        return task.n_folds
    return len(set(folds[folds != IN_NO_FOLD].tolist()))


def _check_enough_rows(task: Task, values: NDArray[Any]) -> None:
    """Where folds are drawn, each must get rows, of every class that there is."""
    smallest, fewest = len(values), 1
    if task.kind == "classification":
        counts = Counter(values.tolist())
        smallest = min(counts.values()) if len(counts) > 1 else 0
    if task.scheme in ("drawn", "shuffled"):
        fewest = 2 if task.scheme == "shuffled" and not task.has_given_parts else task.n_folds
    if smallest < fewest:
        of_what = "rows" if task.kind == "regression" else "rows of the rarer class"
        raise BenchmarkFileError(
            f"{smallest} {of_what} are too few for {task.n_folds} folds", fix="add rows or lower folds.splits"
        )


def load_benchmark(name: str | Path) -> Benchmark:
    """Load a benchmark: a built-in one by name, a user's own by the path of its TOML file.

    An `UnknownNameError` if there is neither; a `BenchmarkFileError` names all mistakes of the file.

    Examples:
        >>> load_benchmark("mini")["mini_gap"].unit
        'eV'
    """
    if str(name) in BUILT_IN:
        return _built_in(str(name))
    path = Path(name)
    if path.suffix == ".toml":
        if not is_there(path):
            raise BenchmarkFileError(f"there is no file {path}", fix="give the path of an existing TOML file")
        return read_benchmark(path)
    raise unknown_name("benchmark", str(name), [*BUILT_IN, "the path of a .toml file"])


@cache
def _built_in(name: str) -> Benchmark:
    return read_benchmark(_HERE / f"{name}.toml")
