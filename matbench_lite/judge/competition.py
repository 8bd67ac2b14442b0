"""The competition file (TOML): which rules, which datasets, which properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from matbench_lite.documents import TomlTable, toml_document
from matbench_lite.errors import JudgingError
from matbench_lite.judge.dataset_folder import dataset_names, load_datasets
from matbench_lite.judge.judge_dataset import FEATURE_SETS, Dataset, task_dataset
from matbench_lite.judge.judge_rules import MIN_ACCURACY, QUALIFY, RULE_SETS, TIES, Rules
from matbench_lite.judge.properties import KINDS, PropertySpec
from matbench_lite.tasks import load_benchmark


@dataclass(frozen=True, kw_only=True)
class TaskSource:
    """A task of the real-world track.

    Args:
        name: Name of the task.
        benchmark: Name of its benchmark, or the path of a TOML file.
        features: Which features, see `task_dataset`; None for the usual ones.
    """

    name: str
    benchmark: str = "matbench_v0.1"
    features: str | None = None


@dataclass(frozen=True, kw_only=True)
class Competition:
    """What is judged, and how.

    Args:
        title: Title of the competition.
        rules: The rules.
        runs: Runs per algorithm and dataset.
        seed: Seed of all that is random in the runs.
        algorithms: Algorithms that should take part; one that does not show up is judged as missing.
        folder: Folder of synthetic sets, if there are some.
        names: Which of them; all by default.
        tasks: Tasks of the real-world track.
        properties: Properties by dataset, instead of the datasets' own.
    """

    title: str = "Judging"
    rules: Rules = RULE_SETS["draft"]
    runs: int = 10
    seed: int = 0
    algorithms: tuple[str, ...] = ()
    folder: Path | None = None
    names: tuple[str, ...] = ()
    tasks: tuple[TaskSource, ...] = ()
    properties: Mapping[str, PropertySpec] = field(default_factory=dict)

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """Names of the datasets; empty if the file chooses rules alone."""
        synthetic = () if self.folder is None else self.names or dataset_names(self.folder)
        return (*synthetic, *(source.name for source in self.tasks))

    def datasets(self) -> list[Dataset]:
        """Every dataset, with the property that it is judged by.

        Raises:
            JudgingError: If there is none, or a property is given for a dataset that is not there.
        """
        found = [] if self.folder is None else load_datasets(self.folder, self.names)
        found += [task_dataset(load_benchmark(one.benchmark)[one.name], features=one.features) for one in self.tasks]
        names = [dataset.name for dataset in found]
        if not found:
            fix = "make some with `mbl judge datasets`, or name tasks"
            raise JudgingError("there are no datasets to judge on", fix=fix)
        if len(set(names)) < len(names):
            raise JudgingError("two datasets have the same name", fix="leave one of them out")
        if unknown := set(self.properties) - set(names):
            raise JudgingError(
                f"there is a property for {', '.join(sorted(unknown))}, but no such dataset",
                fix=f"the datasets are {', '.join(names)}",
            )
        return [
            replace(dataset, property_spec=self.properties.get(dataset.name, dataset.property_spec))
            for dataset in found
        ]


def read_competition(path: Path) -> Competition:
    r"""Read a competition file.

    Raises:
        JudgingError: With every mistake found, each with its place in the file.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "rules.toml"
        ...     _ = file.write_text('rules = "final"\nties = "average"\n')
        ...     read_competition(file).rules.text
        'final, version 1; ties: average; minimal accuracy: off'
    """
    with toml_document(path, JudgingError, fix="give the path of a TOML file") as top:
        competition = Competition(
            title=top.take("title", str, Competition.title),
            rules=_rules(top),
            runs=top.take("runs", int, Competition.runs),
            seed=top.take("seed", int, Competition.seed),
            algorithms=top.texts("algorithms"),
            tasks=_tasks(top, path.parent),
            properties=_properties(top, path.parent),
        )
        if competition.runs < 1:
            top.complain("runs", f"{competition.runs} is not 1 or more")
        if (section := top.section("datasets")) is not None:
            folder = path.parent / section.take("folder", str)
            competition = replace(competition, folder=folder, names=section.texts("names"))
            section.close()
        top.close()
    return competition


def _rules(top: TomlTable) -> Rules:
    base = RULE_SETS[top.choice("rules", tuple(RULE_SETS), "draft")]
    version = top.take("version", int, base.version)
    if version != base.version:
        top.complain("version", f"{version}, but {base.name} is at version {base.version} here")
    return replace(
        base,
        ties=top.choice("ties", TIES, base.ties),
        min_accuracy=top.choice("min_accuracy", MIN_ACCURACY, base.min_accuracy),
        qualify=top.choice("qualify", QUALIFY, base.qualify),
    )


def _tasks(top: TomlTable, home: Path) -> tuple[TaskSource, ...]:
    sources = []
    for place, content in enumerate(top.take("tasks", list, [])):
        section = TomlTable(content, f"tasks[{place}].", top.problems)
        name, benchmark = section.name(), section.take("benchmark", str, TaskSource.benchmark)
        features = section.choice("features", (*FEATURE_SETS, ""), "")
        benchmark = str(home / benchmark) if benchmark.endswith(".toml") else benchmark
        sources.append(TaskSource(name=name, benchmark=benchmark, features=features or None))
        section.close()
    return tuple(sources)


def _properties(top: TomlTable, home: Path) -> dict[str, PropertySpec]:
    found: dict[str, PropertySpec] = {}
    for dataset, content in top.take("properties", dict, {}).items():
        section = TomlTable(content, f"properties.{dataset}.", top.problems)
        path = section.take("path", str, "")
        found[str(dataset)] = PropertySpec(
            kind=section.choice("kind", KINDS),
            features=section.texts("features"),
            formula=section.take("formula", str, ""),
            low=section.optional("low", float),
            high=section.optional("high", float),
            path=str(home / path) if path else "",
            name=section.take("name", str, ""),
        )
        section.close()
    return found
