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
from matbench_lite.judge.datasets.dataset import Dataset, Rows, Truth
from matbench_lite.judge.datasets.formulas import KnownFormula
from matbench_lite.judge.datasets.making import assembled, make_dataset
from matbench_lite.judge.properties.spec import PropertySpec

if TYPE_CHECKING:
    import pandas as pd

PUBLIC, HIDDEN, TRUTH = "datasets.json", "hidden", "truth.json"
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
        >>> from matbench_lite.judge.datasets import FORMULAS
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = write_datasets(FORMULAS[:1], Path(folder))
        ...     sorted(path.name for path in Path(folder).iterdir())
        ['datasets.json', 'hall_petch.csv', 'hidden']
    """
    made = [(known, make_dataset(known, seed=seed)) for known in formulas]
    public = {"datasets": {known.name: _public(known, dataset) for known, dataset in made}}
    truth = {
        "seed": seed,
        "datasets": {
            known.name: {
                "title": dataset.title,
                "truth": asdict(dataset.truth),
                "property": asdict(dataset.property_spec),
            }
            for known, dataset in made
            if dataset.truth is not None
        },
    }
    try:
        for _, dataset in made:
            _write(folder / f"{dataset.name}.csv", _table(dataset.train))
            hidden = [("test", dataset.test), ("beyond", dataset.beyond)]
            _write(folder / HIDDEN / f"{dataset.name}.csv", _stacked(hidden))
        for path, document in ((folder / PUBLIC, public), (folder / HIDDEN / TRUTH, truth)):
            write_bytes(path, json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise JudgingError(f"{folder} cannot be written: {error.strerror}", fix="choose another --output") from error
    return [dataset for _, dataset in made]


def load_datasets(folder: Path, names: Sequence[str] = ()) -> list[Dataset]:
    """Read synthetic sets, with what is hidden.

    Args:
        folder: Where `write_datasets` has written them.
        names: Which ones; all by default.

    Raises:
        JudgingError: If a file is missing or damaged.
        UnknownNameError: If there is no set of a name.
    """
    public = _read(folder / PUBLIC)["datasets"]
    hidden = _read(folder / HIDDEN / TRUTH)["datasets"]
    for name in names:
        if name not in public:
            raise unknown_name("dataset", name, public, where=f" in {folder}")
    return [_loaded(folder, name, public[name], hidden.get(name)) for name in names or public]


def dataset_names(folder: Path) -> tuple[str, ...]:
    """Names of the synthetic sets in a folder, without reading their rows.

    Raises:
        JudgingError: If there are none.
    """
    return tuple(_read(folder / PUBLIC)["datasets"])


def _loaded(folder: Path, name: str, about: dict[str, Any], hidden: dict[str, Any] | None) -> Dataset:
    try:
        if hidden is None:
            raise KeyError(name)
        target = about["target"]
        train = _split(_frame(folder / f"{name}.csv"), target)
        rows = _frame(folder / HIDDEN / f"{name}.csv")
        parts = {str(part): _split(table.drop(columns=_PART), target) for part, table in rows.groupby(_PART)}
        truth, wanted = hidden["truth"], hidden["property"]
        ranges = {feature: (low, high) for feature, (low, high) in truth["ranges"].items()}
        return assembled(
            name=name,
            title=hidden["title"],
            target=target,
            unit=about["unit"],
            train=train,
            test=parts["test"],
            beyond=parts.get("beyond"),
            truth=Truth(
                formula=truth["formula"],
                relevant=tuple(truth["relevant"]),
                irrelevant=tuple(truth["irrelevant"]),
                noise=truth["noise"],
                ranges=ranges,
            ),
            property_spec=PropertySpec(**{**wanted, "features": tuple(wanted["features"])}),
        )
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise JudgingError(
            f"the dataset {name} in {folder} is incomplete or damaged: {type(error).__name__}: {error}",
            fix="make it again with `mbl judge datasets`",
        ) from error


def _public(known: KnownFormula, dataset: Dataset) -> dict[str, Any]:
    described: dict[str, Any] = {**known.relevant, **known.irrelevant, **known.decoys}
    return {
        "target": known.target,
        "unit": known.unit,
        "rows": len(dataset.train.y),
        "features": {name: {"unit": described[name].unit, "about": described[name].about} for name in dataset.features},
    }


def _table(rows: Rows) -> pd.DataFrame:
    return rows.X.assign(**{str(rows.y.name): rows.y})


def _split(table: pd.DataFrame, target: str) -> Rows:
    numbers = table.astype("float64").reset_index(drop=True)
    return Rows(numbers.drop(columns=target), numbers[target])


def _stacked(parts: list[tuple[str, Rows | None]]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([_table(rows).assign(**{_PART: part}) for part, rows in parts if rows is not None])


def _write(path: Path, table: pd.DataFrame) -> None:
    write_bytes(path, table.to_csv(index=False).encode())


def _frame(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(path, float_precision="round_trip")


def _read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
    except OSError as error:
        raise JudgingError(
            f"{path} cannot be read: {error.strerror}", fix="make the datasets with `mbl judge datasets`"
        ) from error
    except ValueError as error:
        raise JudgingError(f"{path} is damaged: {error}", fix="make the datasets again") from error
    if not isinstance(document, dict) or not isinstance(document.get("datasets"), dict):
        raise JudgingError(f"{path} has no datasets", fix="make the datasets again with `mbl judge datasets`")
    return document
