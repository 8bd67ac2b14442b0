"""The competition file (TOML): which rules, which datasets, which properties; and synthetic sets on disk.

```
<folder>/
  datasets.json      names, targets, features with their units: public
  <name>.csv         rows to learn from: public
  hidden/            what algorithms may not see
    truth.json       seed, titles, formulas, noise, irrelevant features, properties
    <name>.csv       rows to be judged on, with true values
```
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.atomic import write_bytes
from matbench_lite.data import read_table
from matbench_lite.documents import TomlTable, is_name, read_json, toml_document
from matbench_lite.errors import DataFormatError, JudgingError, raising, unknown_name
from matbench_lite.judge.judge_dataset import (
    FEATURE_SETS,
    Dataset,
    KnownFormula,
    Rows,
    Truth,
    make_dataset,
    table_task,
    task_dataset,
)
from matbench_lite.judge.judge_rules import MIN_ACCURACY, QUALIFY, RULE_SETS, TIES, Rules
from matbench_lite.judge.properties import KINDS, PropertySpec
from matbench_lite.tasks import load_benchmark

if TYPE_CHECKING:
    import pandas as pd


PUBLIC, HIDDEN = Path("datasets.json"), Path("hidden")
TRUTH = HIDDEN / "truth.json"
_PART = "part"


def write_datasets(formulas: Iterable[KnownFormula], folder: Path, *, seed: int = 0) -> list[Dataset]:
    """Make synthetic sets and write them.

    The same seed gives the same files; `folder/hidden` is for the organiser alone.

    Raises:
        JudgingError: If the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.judge import FORMULAS
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = write_datasets(FORMULAS[:1], Path(folder))
        ...     sorted(path.name for path in Path(folder).iterdir())
        ['datasets.json', 'hall_petch.csv', 'hidden']
    """
    import pandas as pd

    made, public, truth = [], {}, {}
    for known in formulas:
        dataset = make_dataset(known, seed=seed)
        assert dataset.truth is not None
        made.append(dataset)
        described: dict[str, Any] = {**known.relevant, **known.irrelevant, **known.decoys}
        features = {name: {"unit": described[name].unit, "about": described[name].about} for name in dataset.features}
        public[known.name] = {"target": known.target, "unit": known.unit, "rows": known.rows, "features": features}
        about = {"truth": asdict(dataset.truth), "property": asdict(dataset.property_spec)}
        truth[known.name] = {"title": dataset.title, **about}
    with raising(JudgingError, f"{folder} cannot be written", fix="choose another --output"):
        for dataset in made:
            hidden = [("test", dataset.test), ("beyond", dataset.beyond)]
            stacked = pd.concat([_table(rows).assign(**{_PART: part}) for part, rows in hidden if rows is not None])
            for place, table in ((folder, _table(dataset.train)), (folder / HIDDEN, stacked)):
                write_bytes(place / f"{dataset.name}.csv", table.to_csv(index=False).encode())
        documents = {PUBLIC: {"datasets": public}, TRUTH: {"seed": seed, "datasets": truth}}
        for file, document in documents.items():
            write_bytes(folder / file, json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n")
    return made


def load_datasets(folder: Path, names: Sequence[str] = ()) -> list[Dataset]:
    """Read synthetic sets that `write_datasets` has written, with what is hidden; all of them by default."""
    public, hidden = _read(folder / PUBLIC), _read(folder / TRUTH)
    for name in names:
        if name not in public:
            raise unknown_name("dataset", name, public, where=f" in {folder}")
    return [_loaded(folder, name, public[name], hidden) for name in names or public]


def _loaded(folder: Path, name: str, about: dict[str, Any], all_hidden: dict[str, Any]) -> Dataset:
    try:
        hidden, target = all_hidden[name], about["target"]
        places = (folder, folder / HIDDEN)
        train, rows = (read_table(place / f"{name}.csv", float_precision="round_trip") for place in places)
        parts = {str(part): _split(table[train.columns], target) for part, table in rows.groupby(_PART)}
        truth, wanted = hidden["truth"], hidden["property"]
        if wanted["path"]:  # only a competition file, which people write, names files to be read or run
            raise ValueError(f"its property names the file {wanted['path']!r:.200}")
        ranges = {feature: (low, high) for feature, (low, high) in truth["ranges"].items()}
        features = {part: tuple(truth[part]) for part in ("relevant", "irrelevant")}
        return Dataset(
            name=name,
            title=hidden["title"],
            task=table_task(name, target, about["unit"], len(train)),
            train=_split(train, target),
            test=parts["test"],
            beyond=parts.get("beyond"),
            truth=Truth(formula=truth["formula"], noise=truth["noise"], ranges=ranges, **features),
            property_spec=PropertySpec(**{**wanted, "features": tuple(wanted["features"])}),
        )
    except (KeyError, TypeError, ValueError, AttributeError, DataFormatError) as error:
        raise JudgingError(
            f"the dataset {name} in {folder} is incomplete or damaged: {type(error).__name__}: {error!s:.300}",
            fix="make it again with `mbl judge datasets`",
        ) from error


def _table(rows: Rows) -> pd.DataFrame:
    return rows.X.assign(**{str(rows.y.name): rows.y})


def _split(table: pd.DataFrame, target: str) -> Rows:
    numbers = table.astype("float64").reset_index(drop=True)
    return Rows(numbers.drop(columns=target), numbers[target])


def _read(path: Path) -> dict[str, Any]:
    """The datasets that a file describes, by name."""
    fix = "make the datasets with `mbl judge datasets`"
    with raising(JudgingError, f"{path} cannot be read", fix=fix, on=(OSError, ValueError)):
        document = read_json(path)
    if not isinstance(document, dict) or not isinstance(document.get("datasets"), dict):
        raise JudgingError(f"{path} has no datasets", fix=fix)
    # A name is that of a file, too.
    if wrong := [name for name in document["datasets"] if not is_name(name)]:
        raise JudgingError(f"{path} has a dataset named {wrong[0]!r:.200}", fix=fix)
    return dict(document["datasets"])


@dataclass(frozen=True, kw_only=True)
class TaskSource:
    """A task of the real-world track.

    The benchmark is its name, or the path of a TOML file; `features` are those of `task_dataset`, None for the usual
    ones.
    """

    name: str
    benchmark: str = "matbench_v0.1"
    features: str | None = None


@dataclass(frozen=True, kw_only=True)
class Competition:
    """What is judged, and how.

    So many `runs` per algorithm and dataset, with the `seed` of all that is random in them. An algorithm that should
    take part and does not show up is judged as missing. Synthetic sets are those of the `folder`, or some `names` of
    them; `tasks` are the real-world track; `properties` by dataset replace the datasets' own.
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
        synthetic = () if self.folder is None else self.names or _read(self.folder / PUBLIC)
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
            folder = section.located("folder", section.take("folder", str), path.parent)
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
        if benchmark.endswith(".toml"):
            benchmark = str(section.located("benchmark", benchmark, home))
        features = section.choice("features", (*FEATURE_SETS, ""), "")
        sources.append(TaskSource(name=name, benchmark=benchmark, features=features or None))
        section.close()
    return tuple(sources)


def _properties(top: TomlTable, home: Path) -> dict[str, PropertySpec]:
    found: dict[str, PropertySpec] = {}
    for dataset, content in top.take("properties", dict, {}).items():
        section = TomlTable(content, f"properties.{dataset}.", top.problems)
        kind, path = section.choice("kind", KINDS), section.take("path", str, "")
        if kind in ("evaluation", "function") and not path:
            section.complain("path", "is missing; give a file")
        found[str(dataset)] = PropertySpec(
            kind=kind,
            features=section.texts("features"),
            formula=section.take("formula", str, ""),
            low=section.optional("low", float),
            high=section.optional("high", float),
            path=str(section.located("path", path, home)) if path else "",
            name=section.take("name", str, ""),
        )
        section.close()
    return found
