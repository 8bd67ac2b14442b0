"""`MatbenchTask`: one task with Matbench's Python API, on top of our `Submission`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.matbench.matbench_decoder import decode_task
from matbench_lite.matbench.matbench_form import (
    BENCHMARK,
    METRICS,
    AttributeDict,
    MatbenchError,
    MatbenchTypeError,
    check_task,
    fold_key,
    known_task,
    logger,
    show_messages,
    task_info,
    task_metadata,
)
from matbench_lite.matbench.matbench_results import fold_document, record_folds, task_document, true_scores
from matbench_lite.metrics import summarise
from matbench_lite.submission import RecordedFold, Submission

if TYPE_CHECKING:
    import pandas as pd

As = Literal["tuple", "df"]

_STATISTICS = ("mean", "max", "min", "std")


class MatbenchTask:
    """One task of Matbench: its data fold by fold, recording, scores.

    With `autoload` the data is loaded now; otherwise `load` does it. A `MatbenchError` if there is no such task or
    benchmark.

    Examples:
        >>> task = MatbenchTask("matbench_steels", autoload=False)
        >>> task.metadata.unit, task.folds, task.is_recorded[0]
        ('MPa', [0, 1, 2, 3, 4], False)
    """

    def __init__(self, dataset_name: str, autoload: bool = True, benchmark: str = BENCHMARK) -> None:
        if benchmark != BENCHMARK:
            raise MatbenchError(f"there is no benchmark {benchmark!r}", fix=f"use {BENCHMARK!r}")
        show_messages()
        self._task = known_task(dataset_name)
        self._submission = Submission(BENCHMARK, algorithm=dataset_name)
        self._results: dict[str, AttributeDict] = {}
        self.benchmark_name = BENCHMARK
        self.dataset_name = dataset_name
        self.metadata = task_metadata(self._task)
        self.info = task_info(self._task)
        self.folds_nums = list(self._task.folds)
        self.folds_keys = [fold_key(fold) for fold in self.folds_nums]
        self.folds_map = dict(zip(self.folds_nums, self.folds_keys, strict=True))
        self.folds = self.folds_nums
        self.df: pd.DataFrame | None = None
        if autoload:
            self.load()

    @cached_property
    def validation(self) -> AttributeDict:
        """Row ids of every fold: `validation.fold_0.train`, `validation.fold_0.test`."""
        ids = {
            fold_key(fold): {"train": self._task.train_ids(fold).tolist(), "test": self._task.test_ids(fold).tolist()}
            for fold in self.folds
        }
        return AttributeDict(ids)

    def load(self) -> None:
        """Put the inputs and targets into `df`, by row id; fetched if they are not on this machine."""
        import pandas as pd

        if self.df is not None:
            logger.info("Dataset %s already loaded; not reloading dataset.", self.dataset_name)
            return
        logger.info("Loading dataset '%s'...", self.dataset_name)
        # Ours are built each time they are looked at; here they are objects in memory, as in Matbench.
        inputs = pd.Series(self._task.inputs.to_list(), dtype=object).array
        columns = {self._task.input: inputs, self._task.target: self._task.target_values}
        self.df = pd.DataFrame(columns, index=self._task.ids.rename("mbid"))
        logger.info("Dataset '%s' loaded.", self.dataset_name)

    def get_info(self) -> None:
        """Log what is known of the data."""
        logger.info(self.info)

    def get_train_and_val_data(self, fold_number: int, as_type: As = "tuple") -> Any:
        """The training part of a fold, of data that is loaded: all tuning has to be done inside of it.

        "tuple" gives inputs and targets as two Series, "df" a frame.
        """
        frame = self._loaded().iloc[self._task.train_rows(fold_number)]
        return self._as(frame, as_type)

    def get_test_data(self, fold_number: int, as_type: As = "tuple", include_target: bool = False) -> Any:
        """The test part of a fold, of data that is loaded, as "tuple" or "df"; with the targets if asked for."""
        frame = self._loaded().iloc[self._task.test_rows(fold_number)]
        if include_target:
            return self._as(frame, as_type)
        return self._as(frame, as_type)[0] if as_type == "tuple" else self._as(frame, as_type)[[self._task.input]]

    def record(
        self,
        fold_number: int,
        predictions: Any,
        ci: Any = None,
        std: Any = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """Record the predictions for the test part of a fold; one that is recorded already stays as it is.

        They are in the order of `get_test_data`, or a Series indexed by the row ids: numbers in the unit of the target;
        for classification booleans, or probabilities of true. `ci` has the lower and upper end of a 95 % interval per
        row, `std` a standard deviation, in the unit of the target; one of the two may be given. `params` are those of
        the model.
        """
        if self._submission.is_recorded(self.dataset_name, fold_number):
            logger.error("Fold number %s already recorded! Aborting record...", fold_number)
            return
        if ci is not None and std is not None:
            raise MatbenchError("both ci and std are given", fix="give one of them")
        if not isinstance(params, Mapping | None):
            raise MatbenchTypeError(f"params is a {type(params).__name__}", fix="give a dictionary")
        self._submission.record(
            self.dataset_name,
            fold_number,
            self._by_position(fold_number, predictions),
            std=std if std is None else np.asarray(std),
            interval=ci if ci is None else np.asarray(ci),
            params=params,
        )
        logger.info("Recorded fold %s-%s successfully.", self.dataset_name, fold_number)

    @property
    def is_recorded(self) -> dict[int, bool]:
        """Which folds are recorded."""
        return {fold: self._submission.is_recorded(self.dataset_name, fold) for fold in self.folds}

    @property
    def all_folds_recorded(self) -> bool:
        """Whether all folds are recorded."""
        return all(self.is_recorded.values())

    @property
    def results(self) -> AttributeDict:
        """Everything recorded, e.g. `results.fold_0.data`, `.parameters`, `.scores`, `.uncertainty`.

        The targets must be on this machine: they are needed for the scores.
        """
        for fold, held in self._recorded.items():
            if fold_key(fold) not in self._results:
                content = fold_document(self._task, fold, held)
                content["scores"] = true_scores(self._task, fold, held.predictions)
                self._results[fold_key(fold)] = AttributeDict(content)
        return AttributeDict({name: self._results.get(name, {"data": {}}) for name in self.folds_keys})

    @property
    def scores(self) -> AttributeDict:
        """Mean, max, min and std over the folds of every metric, e.g. `scores.mae.mean`; all folds must be recorded."""
        self._require_all_folds("score")
        folds = [true_scores(self._task, fold, held.predictions) for fold, held in self._recorded.items()]
        summaries = {name: summarise([scores[name] for scores in folds]) for name in METRICS[self._task.kind]}
        return AttributeDict({name: {op: getattr(of, op) for op in _STATISTICS} for name, of in summaries.items()})

    def validate(self) -> None:
        """Check that all folds are recorded; everything else is checked when a fold is recorded or read."""
        self._require_all_folds("validate")

    @property
    def has_polymorphs(self) -> bool:
        """Whether two rows have the same reduced formula, in data that is loaded."""
        self._loaded()
        return bool(self._task.targets["formula"].duplicated().any())

    def as_dict(self) -> dict[str, Any]:
        """The task as Matbench writes it: plain data, with the scores that Matbench computes."""
        return task_document(self._task, self._recorded)

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> MatbenchTask:
        """The inverse of `as_dict`; all folds must be there, and all rows, with predictions of the right type."""
        return cls._from_results(check_task(d).name, d["results"])

    @classmethod
    def _from_results(cls, name: str, results: Mapping[str, Any]) -> MatbenchTask:
        task = cls(name, autoload=False)
        record_folds(task._submission, task._task, results)
        return task

    def to_file(self, filename: str | PathLike[str]) -> None:
        """Write the task as plain JSON, whatever the name."""
        write_bytes(Path(filename), json.dumps(self.as_dict()).encode())
        logger.info("Successfully wrote MatbenchTask to file '%s'.", filename)

    @classmethod
    def from_file(cls, filename: str | PathLike[str]) -> MatbenchTask:
        """Read what `to_file` wrote, gzipped or not."""
        content = decode_task(Path(filename))
        return cls._from_results(content["dataset_name"], content["results"])

    def __repr__(self) -> str:
        keys = ("input_type", "mad", "frac_true", "n_samples", "target", "task_type", "unit")
        about = "".join(f"\n  {key}={self.metadata[key]}," for key in keys if key in self.metadata)
        return f"MatbenchTask(\n  dataset_name={self.dataset_name},\n  version=0.1,{about}\n)"

    @property
    def _recorded(self) -> dict[int, RecordedFold]:
        return self._submission.recorded(self.dataset_name)

    def _by_position(self, fold: int, predictions: Any) -> Any:
        """A Series counts by its index only if that holds the row ids; any other index is ignored, as in Matbench."""
        import pandas as pd

        if isinstance(predictions, pd.Series) and set(predictions.index) != set(self._task.test_ids(fold)):
            return predictions.to_numpy()
        return predictions

    def _loaded(self) -> pd.DataFrame:
        if self.df is None:
            raise MatbenchError(f"the data of {self.dataset_name} is not loaded", fix="call load() first")
        return self.df

    def _require_all_folds(self, verb: str) -> None:
        if missing := [fold for fold, done in self.is_recorded.items() if not done]:
            raise MatbenchError(f"cannot {verb} {self.dataset_name}: folds {missing} are not recorded")

    def _as(self, frame: pd.DataFrame, as_type: As) -> Any:
        if as_type == "df":
            return frame
        if as_type == "tuple":
            return frame[self._task.input], frame[self._task.target]
        raise MatbenchError(f"as_type is {as_type!r}", fix="use 'tuple' or 'df'")
