"""A task: what is measured, on which rows, in which folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from matbench_lite.errors import UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

Input = Literal["structure", "composition"]
Kind = Literal["regression", "classification"]


@dataclass(frozen=True, kw_only=True)
class OriginalFile:
    """The published dataset file of a task: its name, its sha256, and addresses that have served it, newest first."""

    name: str
    sha256: str
    urls: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Where the data of a user's own task lies: one CSV or Parquet file and its columns.

    Args:
        path: The file.
        id: Column with the row ids; without one, rows are numbered from 1.
        input: Column with formulas, or structures as text.
        target: Column with the target.
        structure_format: How structures are written: pymatgen's JSON, CIF or POSCAR.
        spacegroup: Column with space-group numbers, if there is one.
        part: Column that says "train" or "test" of every row: one fold, given instead of drawn.
    """

    path: Path
    id: str | None
    input: str
    target: str
    structure_format: Literal["json", "cif", "poscar"] = "json"
    spacegroup: str | None = None
    part: str | None = None


@dataclass(frozen=True, kw_only=True)
class Task:
    """One property to predict, with its fixed folds.

    A plain record: everything that needs the data itself is looked up in `matbench_lite.data` when asked for.

    Args:
        benchmark: Name of the benchmark it belongs to.
        name: Name of the task, unique in the benchmark.
        input: What a model sees: a crystal structure or a composition.
        kind: Whether the target is a number or true/false.
        target: Name of the target.
        unit: Unit of the target; "" for classification.
        rows: Number of rows.
        description: What the target is and where it comes from.
        references: BibTeX entries of the data.
        n_folds: Number of folds.
        seed: Seed of the shuffle that made the folds.
        mean_absolute_deviation: Mean of |y - mean(y)| in the target's unit (regression).
        fraction_true: Share of true rows (classification).
        id_prefix: Row ids are the prefix, a dash and the 1-based row; None if ids come from a table.
        folds_sha256: sha256 of the fold number of every row, one byte each.
        targets_sha256: Targets digest, see `matbench_lite.data.targets_digest`.
        targets_quick_sha256: The same of the targets alone, as integers: quick to compute where there are many rows.
        formulas_sha256: Digest over the reduced formulas.
        spacegroups_sha256: Digest over the space groups, where the published targets state them.
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
    mean_absolute_deviation: float | None = None
    fraction_true: float | None = None
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
            from matbench_lite.data import table_rows

            return table_rows(self).ids
        width = len(str(self.rows))
        return pd.Index([f"{self.id_prefix}-{row:0{width}d}" for row in range(1, self.rows + 1)], name="id")

    @property
    def has_given_parts(self) -> bool:
        """Whether its data says which rows are to train on and which to test on: then there is one fold."""
        return self.table is not None and self.table.part is not None

    @cached_property
    def fold_of_rows(self) -> NDArray[np.uint8]:
        """The fold in whose test part each row is, in file order; 255 for a row that is in none."""
        from matbench_lite.tasks.folds import IN_NO_FOLD, assign_folds, load_folds

        if self.table is None:
            return load_folds(self)
        if self.has_given_parts:
            import numpy as np

            from matbench_lite.data import table_rows

            is_test = table_rows(self).is_test
            assert is_test is not None, f"{self.name} has no column of parts"
            assignment = np.where(is_test, np.uint8(0), np.uint8(IN_NO_FOLD))
            assignment.flags.writeable = False
            return assignment
        return assign_folds(self.kind, self.target_values, n_folds=self.n_folds, seed=self.seed)

    def test_rows(self, fold: int) -> NDArray[np.intp]:
        """Positions of the test rows of `fold`, in file order; not to be written to."""
        return self._rows_of_folds[self._known(fold)]

    @cached_property
    def _rows_of_folds(self) -> tuple[NDArray[np.intp], ...]:
        """Kept: scores and checks ask for them again and again."""
        import numpy as np

        rows = tuple(np.flatnonzero(self.fold_of_rows == fold) for fold in self.folds)
        for array in rows:
            array.flags.writeable = False
        return rows

    def train_rows(self, fold: int) -> NDArray[np.intp]:
        """Positions of the training rows of `fold`, in file order."""
        import numpy as np

        return np.flatnonzero(self.fold_of_rows != self._known(fold))

    def test_ids(self, fold: int) -> pd.Index:
        """Row ids of the test part of `fold`: the order in which predictions are recorded."""
        return self.ids[self.test_rows(fold)]

    def train_ids(self, fold: int) -> pd.Index:
        """Row ids of the training part of `fold`."""
        return self.ids[self.train_rows(fold)]

    @property
    def targets(self) -> pd.DataFrame:
        """Every row's `target` and reduced `formula`, and its `spacegroup` where known, indexed by row id."""
        from matbench_lite.data import load_targets

        return load_targets(self)

    @property
    def target_values(self) -> NDArray[np.float64] | NDArray[np.bool_]:
        """The targets alone, as an array in file order."""
        from matbench_lite.data import load_target_values

        return load_target_values(self)

    def test_targets(self, fold: int) -> pd.Series:
        """The true values of the test part of `fold`, indexed by row id."""
        return self.targets["target"].iloc[self.test_rows(fold)]

    @property
    def inputs(self) -> pd.Series:
        """Every row's formula string or structure, indexed by row id; structures are built on access."""
        from matbench_lite.data import load_inputs

        return load_inputs(self)

    def train_data(self, fold: int) -> tuple[pd.Series, pd.Series]:
        """Inputs and targets of the training part of `fold`, indexed by row id.

        Raises:
            DataMissingError: If the inputs are not on this machine and cannot be fetched.
        """
        rows = self.train_rows(fold)
        return self.inputs.iloc[rows], self.targets["target"].iloc[rows]

    def test_inputs(self, fold: int) -> pd.Series:
        """Inputs of the test part of `fold`, indexed by row id; raises what `train_data` does."""
        return self.inputs.iloc[self.test_rows(fold)]

    def _known(self, fold: int) -> int:
        if fold not in self.folds:
            raise UnknownNameError(f"{self.name} has no fold {fold!r}", fix=f"use one of 0 to {self.n_folds - 1}")
        return fold
