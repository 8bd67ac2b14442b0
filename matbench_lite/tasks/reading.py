"""Reading a benchmark from TOML: the built-in ones and a user's own have the same shape."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from matbench_lite.errors import BenchmarkFileError, MatbenchLiteError
from matbench_lite.tasks.benchmark import Benchmark
from matbench_lite.tasks.digests import folds_digest, targets_digest
from matbench_lite.tasks.task import Input, Kind, OriginalFile, Table, Task
from matbench_lite.tasks.toml_table import TomlTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_FOLDS = 5
DEFAULT_SEED = 18012019
MAX_FOLDS = 255  # one byte per row

_HERE = Path(__file__).parent


def read_benchmark(path: Path) -> Benchmark:
    """Read a benchmark file and check all of it.

    A user's file says for every task where its data lies; that data is opened here, so that a wrong column or a
    missing target is known before any model is trained.

    Raises:
        BenchmarkFileError: With every mistake found, each with its place in the file.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BenchmarkFileError(f"{path} is not a TOML file: {error}", fix="correct the line that it names") from error

    problems: list[str] = []
    top = TomlTable(content, "", problems)
    name = top.take("name", str)
    folds = TomlTable(top.take("folds", dict, {}), "folds.", problems)
    defaults = _Defaults(
        benchmark=name,
        n_folds=folds.take("splits", int, DEFAULT_FOLDS),
        seed=folds.take("seed", int, DEFAULT_SEED),
        folder=path.parent,
        built_in=path.parent == _HERE,
    )
    folds.close()
    if not 2 <= defaults.n_folds <= MAX_FOLDS:
        problems.append(f"folds.splits: {defaults.n_folds} is not between 2 and {MAX_FOLDS}")
    sections = top.take("tasks", list)
    tasks = [_task(TomlTable(section, f"tasks[{i}].", problems), defaults) for i, section in enumerate(sections)]
    benchmark = Benchmark(
        name=name,
        title=top.take("title", str, name),
        description=top.take("description", str, ""),
        references=top.texts("references"),
        tasks=tuple(tasks),
    )
    top.close()
    if not tasks:
        problems.append("tasks: there are none; add a [[tasks]] section")
    for repeated in {name for name in benchmark.names if benchmark.names.count(name) > 1}:
        problems.append(f"tasks: the name {repeated!r} is used more than once")
    if problems:
        raise _mistakes(path, problems)
    if defaults.built_in:
        return benchmark
    return replace(benchmark, tasks=tuple(_with_data(path, task) for task in benchmark.tasks))


@dataclass(frozen=True, kw_only=True)
class _Defaults:
    """What all tasks of one file share."""

    benchmark: str
    n_folds: int
    seed: int
    folder: Path
    built_in: bool


def _task(section: TomlTable, defaults: _Defaults) -> Task:
    kind: Kind = section.choice("kind", get_args(Kind))
    original = section.section("original")
    table = section.section("data")
    if table is None and not defaults.built_in:
        section.complain("data", "is missing; say where the data lies: path, id, input, target")
    task = Task(
        benchmark=defaults.benchmark,
        name=section.take("name", str),
        input=section.choice("input", get_args(Input)),
        kind=kind,
        target=section.take("target", str),
        unit=section.take("unit", str) if kind == "regression" else "",
        rows=section.take("rows", int) if defaults.built_in else section.optional("rows", int) or 0,
        description=section.take("description", str, ""),
        references=section.texts("references"),
        n_folds=defaults.n_folds,
        seed=defaults.seed,
        mean_absolute_deviation=section.optional("mean_absolute_deviation", float),
        fraction_true=section.optional("fraction_true", float),
        id_prefix=section.optional("id_prefix", str) if defaults.built_in else None,
        folds_sha256=section.optional("folds_sha256", str),
        targets_sha256=section.optional("targets_sha256", str),
        inputs_sha256=section.optional("inputs_sha256", str),
        original=_original(original) if original else None,
        table=_table(table, defaults.folder) if table else None,
    )
    section.close()
    return task


def _original(section: TomlTable) -> OriginalFile:
    original = OriginalFile(
        name=section.take("name", str), sha256=section.take("sha256", str), urls=section.texts("urls")
    )
    section.close()
    return original


def _table(section: TomlTable, folder: Path) -> Table:
    table = Table(
        path=folder / section.take("path", str),
        id=section.take("id", str),
        input=section.take("input", str),
        target=section.take("target", str),
        structure_format=section.choice("structure_format", ("json", "cif", "poscar"), "json"),
        spacegroup=section.optional("spacegroup", str),
    )
    section.close()
    return table


def _with_data(path: Path, task: Task) -> Task:
    """Open the data of a user's task, fill in what only the data knows, and check what the file claims."""
    try:
        values = task.target_values
        _check_enough_rows(task, values)
        facts: dict[str, Any] = {
            "rows": len(values),
            "folds_sha256": folds_digest(task.fold_of_rows),
            "targets_sha256": targets_digest(task.ids, values),
        }
    except MatbenchLiteError as error:
        raise BenchmarkFileError(f"{path}: task {task.name!r}: {error.message}", fix=error.fix) from error
    for key, actual in facts.items():
        claimed = getattr(task, key)
        if claimed and claimed != actual:
            raise BenchmarkFileError(
                f"{path}: task {task.name!r}: {key} is {claimed!r} but the data has {actual!r}",
                fix="the data was changed since the file was written: restore it, or give the benchmark a new name",
            )
    if task.kind == "regression":
        return replace(task, **facts, mean_absolute_deviation=float(abs(values - values.mean()).mean()))
    return replace(task, **facts, fraction_true=float(values.mean()))


def _check_enough_rows(task: Task, values: NDArray[Any]) -> None:
    smallest = len(values)
    if task.kind == "classification":
        smallest = min(int(values.sum()), len(values) - int(values.sum()))
    if smallest < task.n_folds:
        of_what = "rows" if task.kind == "regression" else "rows of the rarer class"
        raise BenchmarkFileError(
            f"{smallest} {of_what} are too few for {task.n_folds} folds", fix="add rows or lower folds.splits"
        )


def _mistakes(path: Path, problems: list[str]) -> BenchmarkFileError:
    count = f"{len(problems)} mistake{'s' if len(problems) > 1 else ''}"
    return BenchmarkFileError(f"{path} has {count}:\n  " + "\n  ".join(problems))
