"""A task: what is measured, on which rows, in which folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from matbench_lite import data
from matbench_lite.errors import DataFormatError, UnknownNameError
from matbench_lite.tasks.folds import IN_NO_FOLD, Split, folds_digest, load_folds

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.tasks.splits import Marks, Scheme

Input = Literal["structure", "composition", "table"]
Kind = Literal["regression", "classification"]
Scoring = Literal["regression", "classification", "multiclass"]
"""Which metrics a task has: those of numbers, of two classes, or of more."""

DEFAULT_SCATTER = 2.0
"""By how much the folds of a task scatter beyond their rows, where nobody has measured it."""


@dataclass(frozen=True, kw_only=True)
class OriginalFile:
    """The published dataset file of a task: its name, its sha256, and addresses that have served it, newest first."""

    name: str
    sha256: str
    urls: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Where the data of a user's own task lies: one CSV or Parquet file and its columns.

    Without a column of ids, rows are numbered from 1; the input are formulas or structures as text, or `columns`.

    Args:
        structure_format: How structures are written: pymatgen's JSON, CIF or POSCAR.
        part: Column that says "train" or "test" of every row: one fold, given instead of drawn.
        fold: Column with the fold that tests a row; nothing for a row that is always trained on.
        group: Column with groups of rows that stay together.
        time: Column with numbers or dates: each fold is tested on what comes after all that it is trained on.
        repeats: Columns that say "train", "test" or nothing of every row, one per repeat.
        cluster: Column with clusters of rows that are no independent witnesses, e.g. one material measured many times;
            without it, every row is one of its own.
    """

    path: Path
    id: str | None
    input: str
    target: str
    columns: tuple[str, ...] = ()
    structure_format: Literal["json", "cif", "poscar"] = "json"
    spacegroup: str | None = None
    part: str | None = None
    fold: str | None = None
    group: str | None = None
    time: str | None = None
    repeats: tuple[str, ...] = ()
    cluster: str | None = None


@dataclass(frozen=True, kw_only=True)
class Task:
    """One property to predict, with its fixed folds.

    A plain record: everything that needs the data itself is looked up in `matbench_lite.data` when asked for. What it
    has of digests is the registry's, of the rows in file order.

    Attributes:
        unit: Unit of the target; "" for classification.
        references: BibTeX entries of the data.
        seed: Seed of the shuffle that made the folds.
        classes: Names of the classes, texts or whole numbers in a fixed order; none for true and false.
        test_share: Share of the rows that each fold tests, where folds are repeated draws.
        mean_absolute_deviation: Mean of |y - mean(y)| in the target's unit (regression).
        fraction_true: Share of true rows (classification as true and false).
        fold_scatter: By how much the folds scatter beyond their rows (c), 1 or more: a constant of the task, so that no
            entry can move it.
        id_prefix: Row ids are the prefix, a dash and the 1-based row; None if ids come from a table.
        inputs_sha256: Digest over the compositions, or of the packaged file of structures, where the registry knows it.
        original: The published file, for tasks of Matbench.
        table: Where a user's own data lies.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("matbench_v0.1")["matbench_steels"]
        >>> task.kind, task.unit, task.rows, list(task.folds)
        ('regression', 'MPa', 312, [0, 1, 2, 3, 4])
        >>> list(task.test_ids(0)[:2])
        ['mb-steels-003', 'mb-steels-005']
    """

    benchmark: str
    name: str
    input: Input
    kind: Kind
    target: str
    unit: str
    rows: int
    description: str
    references: tuple[str, ...]
    n_folds: int
    seed: int
    classes: tuple[str, ...] | tuple[int, ...] = ()
    test_share: float | None = None
    mean_absolute_deviation: float | None = None
    fraction_true: float | None = None
    fold_scatter: float = DEFAULT_SCATTER
    id_prefix: str | None = None
    folds_sha256: str | None = None
    targets_sha256: str | None = None
    targets_quick_sha256: str | None = None
    formulas_sha256: str | None = None
    spacegroups_sha256: str | None = None
    inputs_sha256: str | None = None
    original: OriginalFile | None = None
    table: Table | None = None

    @property
    def folds(self) -> range:
        """The fold numbers, 0 to n_folds - 1."""
        return range(self.n_folds)

    @cached_property
    def ids(self) -> pd.Index:
        """Row ids, in file order."""
        import pandas as pd

        if self.table is not None:
            return self.own_data.ids
        width = len(str(self.rows))
        return pd.Index([f"{self.id_prefix}-{row:0{width}d}" for row in range(1, self.rows + 1)], name="id")

    @property
    def scored_as(self) -> Scoring:
        """Which metrics it has; `kind`, but for more than two classes."""
        return "multiclass" if len(self.classes) > 2 else self.kind

    @property
    def has_given_parts(self) -> bool:
        """Whether its data says which rows are to train on and which to test on: then there is one fold."""
        return self.table is not None and self.table.part is not None

    @property
    def scheme(self) -> Scheme:
        """How its rows are shared out into folds; with given parts, the rows to train on when a model is tried."""
        named: dict[Scheme, object] = {"shuffled": self.test_share}
        if self.table is not None:
            named |= {"fold": self.table.fold, "group": self.table.group, "time": self.table.time}
            named |= {"repeats": self.table.repeats}
        return next((scheme for scheme, column in named.items() if column), "drawn")

    @property
    def trains_on_the_rest(self) -> bool:
        """Whether a fold trains on all rows that it does not test: no row is tested twice, and none left out."""
        return self.has_given_parts or self.scheme in ("drawn", "fold", "group")

    @property
    def tests_rows_once(self) -> bool:
        """Whether no row is in the test parts of two folds."""
        return self.trains_on_the_rest or self.scheme == "time"

    @property
    def is_partition(self) -> bool:
        """Whether every row is tested in exactly one fold, by a model trained on all others: what boards need."""
        if self.table is None:
            return True
        return self.n_folds > 1 and self.trains_on_the_rest and bool(self.fold_of_rows.max() < self.n_folds)

    @property
    def own_data(self) -> data.TableRows:
        """What the file of a user's own task says."""
        return data.table_rows(self)

    @property
    def marks(self) -> Marks:
        """What columns of its data say of the folds."""
        from matbench_lite.tasks.splits import Marks

        return Marks() if self.table is None else self.own_data.marks

    @cached_property
    def fold_of_rows(self) -> NDArray[np.uint8]:
        """The fold in whose test part each row is, in file order; 255 for a row that is in none.

        A `DataFormatError` if a row is in the test parts of several folds.
        """
        import numpy as np

        if self.table is None:
            return load_folds(self)
        assignment = np.full(len(self.ids), IN_NO_FOLD, dtype=np.uint8)
        for fold, split in enumerate(self._splits):
            if (assignment[split.test] != IN_NO_FOLD).any():
                message = f"rows of {self.name} are in the test parts of several folds"
                raise DataFormatError(message, fix="ask for the rows of one fold: task.test_rows(fold)")
            assignment[split.test] = fold
        assignment.flags.writeable = False
        return assignment

    @cached_property
    def _splits(self) -> list[Split]:
        """Kept: scores and checks ask for the rows of a fold again and again."""
        import numpy as np

        if self.table is None:
            shipped = load_folds(self)
            splits = [Split(np.flatnonzero(shipped != fold), np.flatnonzero(shipped == fold)) for fold in self.folds]
        elif (is_test := self.marks.is_test) is not None:
            splits = [Split(np.flatnonzero(~is_test), np.flatnonzero(is_test))]
        else:
            from matbench_lite.tasks.splits import split_rows

            splits = split_rows(self, np.arange(len(self.ids)), n_folds=self.n_folds, seed=self.seed)
        for split in splits:
            split.test.flags.writeable = False
        return splits

    @cached_property
    def computed_folds_digest(self) -> str:
        """What `folds_sha256` is to be, from the rows of the folds."""
        from matbench_lite.tasks.splits import splits_digest

        if self.trains_on_the_rest:
            return folds_digest(self.fold_of_rows)
        return splits_digest(len(self.ids), self._splits)

    @property
    def tested_rows(self) -> int:
        """Number of predictions that all folds ask for; more than there are rows where test parts overlap."""
        return self.rows if self.trains_on_the_rest else sum(len(self.test_rows(fold)) for fold in self.folds)

    def test_rows(self, fold: int) -> NDArray[np.intp]:
        """Positions of the test rows of `fold`, in file order; not to be written to."""
        return self._splits[self._known(fold)].test

    def train_rows(self, fold: int) -> NDArray[np.intp]:
        """Positions of the training rows of `fold`, in file order."""
        return self._splits[self._known(fold)].train.copy()

    def test_ids(self, fold: int) -> pd.Index:
        """Row ids of the test part of `fold`: the order in which predictions are recorded."""
        return self.ids[self.test_rows(fold)]

    def train_ids(self, fold: int) -> pd.Index:
        """Row ids of the training part of `fold`."""
        return self.ids[self.train_rows(fold)]

    @property
    def targets(self) -> pd.DataFrame:
        """Every row's `target` and, but for tables, its reduced `formula`; its `spacegroup` where known.

        Indexed by row id. A class is given by its name.
        """
        return data.load_targets(self)

    @property
    def clusters(self) -> NDArray[np.intp]:
        """The cluster of every row, numbered from 0, in file order: rows of one are no independent witnesses.

        Rows of one chemical system; of one reduced formula, where one system has more than a tenth of the rows; of a
        user's own data what its column says, else each row by itself.
        """
        return data.load_clusters(self)

    @property
    def target_values(self) -> NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp]:
        """The targets alone, as an array in file order.

        Of two classes, whether a row is of the second; of more, the numbers of the classes.
        """
        return data.load_target_values(self)

    def test_targets(self, fold: int) -> pd.Series:
        """The true values of the test part of `fold`, indexed by row id."""
        return self.targets["target"].iloc[self.test_rows(fold)]

    @property
    def inputs(self) -> pd.Series | pd.DataFrame:
        """Every row's formula string or structure, built on access, or its columns of a table; indexed by row id."""
        return data.load_inputs(self)

    def train_data(self, fold: int) -> tuple[pd.Series | pd.DataFrame, pd.Series]:
        """Inputs and targets of the training part of `fold`, by row id.

        A `DataMissingError` if the inputs are not on this machine and cannot be fetched.
        """
        rows = self.train_rows(fold)
        return self.inputs.iloc[rows], self.targets["target"].iloc[rows]

    def test_inputs(self, fold: int) -> pd.Series | pd.DataFrame:
        """Inputs of the test part of `fold`, indexed by row id; raises what `train_data` does."""
        return self.inputs.iloc[self.test_rows(fold)]

    def _known(self, fold: int) -> int:
        if fold not in self.folds:
            raise UnknownNameError(f"{self.name} has no fold {fold!r}", fix=f"use one of 0 to {self.n_folds - 1}")
        return fold
