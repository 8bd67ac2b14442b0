"""Synthetic sets on disk: what algorithms may see, and beside it, in a folder of its own, what they may not.

```
<folder>/
  datasets.json      names, targets, features with their units: public
  <name>.csv         rows to learn from: public
  hidden/
    truth.json       seed, titles, formulas, noise, irrelevant features, properties
    <name>.csv       rows to be judged on, with true values
```
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import JudgingError, unknown_name
from matbench_lite.judge.judge_dataset import Dataset, Rows, Truth, make_dataset, table_task
from matbench_lite.judge.known_formulas import KnownFormula
from matbench_lite.judge.properties import PropertySpec

if TYPE_CHECKING:
    import pandas as pd


PUBLIC, HIDDEN = Path("datasets.json"), Path("hidden")
TRUTH = HIDDEN / "truth.json"
_PART = "part"


def write_datasets(formulas: Iterable[KnownFormula], folder: Path, *, seed: int = 0) -> list[Dataset]:
    """Make synthetic sets and write them.

    Args:
        formulas: What to make them from.
        folder: Where to write; `folder/hidden` is for the organiser alone.
        seed: The same seed gives the same files.

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
    try:
        for dataset in made:
            hidden = [("test", dataset.test), ("beyond", dataset.beyond)]
            stacked = pd.concat([_table(rows).assign(**{_PART: part}) for part, rows in hidden if rows is not None])
            for place, table in ((folder, _table(dataset.train)), (folder / HIDDEN, stacked)):
                write_bytes(place / f"{dataset.name}.csv", table.to_csv(index=False).encode())
        documents = {PUBLIC: {"datasets": public}, TRUTH: {"seed": seed, "datasets": truth}}
        for file, document in documents.items():
            write_bytes(folder / file, json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise JudgingError(f"{folder} cannot be written: {error.strerror}", fix="choose another --output") from error
    return made


def load_datasets(folder: Path, names: Sequence[str] = ()) -> list[Dataset]:
    """Read synthetic sets that `write_datasets` has written, with what is hidden; all of them by default."""
    public, hidden = _read(folder / PUBLIC), _read(folder / TRUTH)
    for name in names:
        if name not in public:
            raise unknown_name("dataset", name, public, where=f" in {folder}")
    return [_loaded(folder, name, public[name], hidden.get(name)) for name in names or public]


def dataset_names(folder: Path) -> tuple[str, ...]:
    """Names of the synthetic sets in a folder, without reading their rows."""
    return tuple(_read(folder / PUBLIC))


def _loaded(folder: Path, name: str, about: dict[str, Any], hidden: dict[str, Any] | None) -> Dataset:
    import pandas as pd

    try:
        if hidden is None:
            raise KeyError(name)
        target = about["target"]
        places = (folder, folder / HIDDEN)
        train, rows = (pd.read_csv(place / f"{name}.csv", float_precision="round_trip") for place in places)
        parts = {str(part): _split(table[train.columns], target) for part, table in rows.groupby(_PART)}
        truth, wanted = hidden["truth"], hidden["property"]
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
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise JudgingError(
            f"the dataset {name} in {folder} is incomplete or damaged: {type(error).__name__}: {error}",
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
    try:
        return dict(json.loads(path.read_bytes())["datasets"])
    except OSError as error:
        raise JudgingError(f"{path} cannot be read: {error.strerror}", fix=fix) from error
    except (KeyError, TypeError) as error:
        raise JudgingError(f"{path} has no datasets", fix=fix) from error
    except ValueError as error:
        raise JudgingError(f"{path} is damaged: {error}", fix=fix) from error
