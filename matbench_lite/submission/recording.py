"""Recording: what a user hands in for a fold is checked, brought into the form that is stored, and kept.

A checkpoint is a folder with `checkpoint.json`, who and what, and `folds.jsonl`, a line per recorded fold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.atomic import add_lines, whole_lines, write_bytes
from matbench_lite.data import class_names, label_text
from matbench_lite.errors import EntryError, RecordError, UnknownNameError, raising
from matbench_lite.metrics import shape_of
from matbench_lite.submission.entry_document import canonical_bytes, parse
from matbench_lite.submission.fold_predictions import (
    CLASS_COLUMNS,
    MAX_PREDICTION,
    FoldPredictions,
    PredictionType,
    RecordedFold,
    class_columns,
    fold_as_dict,
    stacked,
    unfit_probabilities,
)
from matbench_lite.tasks import Benchmark, Task

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray


def check_predictions(
    task: Task,
    fold: int,
    predictions: ArrayLike | pd.Series | pd.DataFrame,
    *,
    std: ArrayLike | pd.Series | None = None,
    interval: tuple[ArrayLike, ArrayLike] | ArrayLike | None = None,
) -> FoldPredictions:
    """Check what a user hands in for one fold, as `Submission.record` says, and bring it into the stored form.

    Labels may be the integers 0 and 1, where classes have no names; a std is above 0. A RecordError names the task, the
    fold, the first offending rows and what to do.
    """
    at = _Place(task, fold)
    if task.kind == "classification" and (std is not None or interval is not None):
        raise at.error("std and interval are for regression", "a probability says how sure the model is")
    shape = shape_of(predictions)
    if len(shape) == 2 and shape[1] > 1 and len(task.classes) > 1:  # a column for every class
        return _frozen(_of_classes(at, predictions))
    values = at.aligned(predictions, "predictions")
    if task.classes and (len(task.classes) > 2 or values.dtype.kind not in "bf"):
        return _frozen(_of_labels(at, values))
    kind = _prediction_type(at, values)
    prediction = at.numbers(values, "predictions").astype(np.float64, copy=True)
    at.refuse(~np.isfinite(prediction), prediction, "predictions", "NaN or infinite", "predict a number for every row")
    too_large = np.abs(prediction) > MAX_PREDICTION
    at.refuse(too_large, prediction, "predictions", "too large to score", f"stay within ±{MAX_PREDICTION:g}")
    if kind != "value":
        outside = (prediction < 0) | (prediction > 1)
        at.refuse(outside, prediction, "predictions", "outside [0, 1]", "give labels or probabilities of true")
    deviations = None if std is None else _deviations(at, std)
    lower, upper = (None, None) if interval is None else _interval(at, interval, prediction)
    return _frozen(FoldPredictions(type=kind, prediction=prediction, std=deviations, lower=lower, upper=upper))


def _frozen(checked: FoldPredictions) -> FoldPredictions:
    for array in checked.arrays.values():
        array.flags.writeable = False
    return checked


def _of_classes(at: _Place, values: Any) -> FoldPredictions:
    """What an array with a column for every class says; a frame may have them in any order."""
    task = at.task
    if hasattr(values, "detach"):  # a torch tensor, perhaps on a GPU and part of a graph
        values = values.detach().cpu()
    names = list(map(str, getattr(values, "columns", task.classes)))
    if np.shape(values)[1] != len(task.classes) or sorted(names) != sorted(map(str, task.classes)):
        raise at.error(
            f"predictions have {np.shape(values)[1]} columns, there are {len(task.classes)} classes",
            f"give the probability of each class, in the order of task.classes: {', '.join(map(str, task.classes))}",
        )
    matrix = np.empty((at.size, len(task.classes)))
    for number, name in enumerate(task.classes):
        place = names.index(str(name))
        column = values.iloc[:, place] if hasattr(values, "iloc") else np.asarray(values)[:, place]
        matrix[:, number] = at.numbers(at.aligned(column, "predictions"), "predictions")
    sums = matrix.sum(axis=1)
    at.refuse(~np.isfinite(sums), sums, "predictions", "NaN or infinite", "predict a number for every class")
    for problem, rows in unfit_probabilities(matrix):
        at.refuse(rows, sums, "sums of probabilities", problem, "give probabilities from 0 to 1 that add up to 1")
    if len(task.classes) == 2:
        return FoldPredictions(type="probability", prediction=matrix[:, 1].copy())
    largest = matrix.argmax(axis=1).astype(np.float64)
    return FoldPredictions(type="probability", **{"prediction": largest, **class_columns(matrix)})


def _of_labels(at: _Place, values: NDArray[Any]) -> FoldPredictions:
    """What names of classes say; the second of two is true."""
    numbers, unknown = class_numbers(at.task, values)
    if unknown.any():
        row = int(unknown.argmax())
        raise at.error(
            f"{unknown.sum()} predictions are no class ({at.task.test_ids(at.fold)[row]}: {str(values[row])[:100]!r})",
            f"give one of {', '.join(map(str, at.task.classes))}, or the probability of each class",
        )
    return FoldPredictions(type="label", prediction=numbers.astype(np.float64))


def class_numbers(task: Task, labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The number of each label's class, and whether it is none of the task's classes; whole numbers may be floats.

    Examples:
        >>> from dataclasses import replace
        >>> from matbench_lite import load_benchmark
        >>> task = replace(load_benchmark("mini")["mini_gap"], kind="classification", classes=("bcc", "fcc", "hcp"))
        >>> class_numbers(task, np.array(["fcc", "bcc", "fc"]))
        (array([ 1,  0, -1]), array([False, False,  True]))
    """
    place = {str(name): number for number, name in enumerate(task.classes)}
    numbers = np.array([place.get(label_text(label), -1) for label in labels.tolist()], dtype=np.intp)
    return numbers, numbers < 0


class _Place:
    """Where we are, for messages: every complaint names the task, the fold and the row ids."""

    def __init__(self, task: Task, fold: int) -> None:
        self.task = task
        self.fold = fold
        self.size = len(task.test_rows(fold))

    def error(self, message: str, fix: str) -> RecordError:
        return RecordError(f"{self.task.name} fold {self.fold}: {message}", fix=fix)

    def aligned(self, values: Any, what: str) -> NDArray[Any]:
        """The values in fold order, one per test row."""
        if hasattr(values, "index") and hasattr(values, "reindex"):
            values = self._by_row_id(values, what)
        if hasattr(values, "detach"):  # a torch tensor, perhaps on a GPU and part of a graph
            values = values.detach().cpu()
        if not hasattr(values, "__len__"):
            raise self.error(f"{what} are {type(values).__name__}, not a list or array", "give one value per test row")
        try:
            array = np.asarray(values)
        except (ValueError, TypeError) as error:
            raise self.error(f"{what} cannot be made an array: {error}", "give one number per test row") from error
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]  # many neural networks return a column
        if array.shape != (self.size,):
            raise self.error(
                f"{what} have shape {array.shape}, the fold has {self.size} test rows",
                "give one value per row of task.test_inputs(fold)",
            )
        return array

    def _by_row_id(self, series: Any, what: str) -> Any:
        ids = self.task.test_ids(self.fold)
        if series.index.equals(ids):
            return series.to_numpy()
        if not series.index.is_unique:
            repeated = series.index[series.index.duplicated()][0]
            raise self.error(f"{what} have the row id {repeated!r} more than once", "give each test row once")
        missing = ids.difference(series.index, sort=False)
        extra = series.index.difference(ids, sort=False)
        if len(missing) or len(extra):
            raise self.error(
                f"{what} are indexed by other rows: {len(missing)} missing {_some(missing)}, "
                f"{len(extra)} unknown {_some(extra)}",
                "index the Series by row id, or pass .to_numpy() if it is in the order of task.test_ids(fold)",
            )
        return series.reindex(ids).to_numpy()

    def numbers(self, values: NDArray[Any], what: str) -> NDArray[Any]:
        """The values, if they are numbers or booleans; objects are taken if every one of them is a number."""
        if values.dtype.kind in "biuf":
            return values
        if values.dtype == object and all(isinstance(v, int | float | np.number | np.bool_) for v in values):
            return values.astype(np.float64)
        raise self.error(f"{what} are {values.dtype}, for example {values[0]!r}", "give numbers")

    def refuse(self, bad: NDArray[np.bool_], values: NDArray[Any], what: str, problem: str, fix: str) -> None:
        """Raise if any row is bad, showing which."""
        if bad.any():
            rows = self.task.test_ids(self.fold)[bad]
            shown = ", ".join(f"{row}: {value:g}" for row, value in zip(rows[:3], values[bad][:3], strict=True))
            more = f" and {bad.sum() - 3} more" if bad.sum() > 3 else ""
            raise self.error(f"{bad.sum()} {what} are {problem} ({shown}{more})", fix)


def _prediction_type(at: _Place, values: NDArray[Any]) -> PredictionType:
    boolean = values.dtype == bool or (values.dtype == object and all(isinstance(v, bool | np.bool_) for v in values))
    if at.task.kind == "regression":
        if boolean:
            raise at.error("predictions are booleans, the target is a number", f"predict {at.task.target}")
        return "value"
    if boolean or values.dtype.kind in "iu":
        return "label"
    return "probability"


def _deviations(at: _Place, std: Any) -> NDArray[np.float32]:
    wide = at.numbers(at.aligned(std, "std"), "std").astype(np.float64)
    at.refuse(~np.isfinite(wide), wide, "std", "NaN or infinite", "give a positive number for every row")
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    at.refuse(wide <= 0, wide, "std", "not above 0", "give a positive number for every row")
    unstorable = (narrow == 0) | np.isinf(narrow)
    at.refuse(unstorable, wide, "std", "too small or too large to store", "give numbers between 1e-37 and 3e38")
    return narrow


def _interval(
    at: _Place, interval: Any, prediction: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    ends: Sequence[Any]
    if isinstance(interval, tuple) and len(interval) == 2:
        ends = interval
    else:
        array = np.asarray(interval)
        if array.ndim != 2 or array.shape[1] != 2:
            raise at.error(
                f"interval has shape {array.shape}",
                "give a pair (lower, upper) of arrays, or one array of shape (n, 2)",
            )
        ends = (array[:, 0], array[:, 1])
    lower, upper = (
        at.numbers(at.aligned(end, name), name).astype(np.float64)
        for name, end in zip(("lower ends", "upper ends"), ends, strict=True)
    )
    for name, end in (("lower ends", lower), ("upper ends", upper)):
        at.refuse(~np.isfinite(end), end, name, "NaN or infinite", "give a number for every row")
        too_large = np.abs(end) > np.finfo(np.float32).max
        at.refuse(too_large, end, name, "too large to store", "give numbers below 3e38")
    at.refuse(lower > prediction, lower, "lower ends", "above the prediction", "lower <= prediction <= upper")
    at.refuse(upper < prediction, upper, "upper ends", "below the prediction", "lower <= prediction <= upper")
    # float32 is rounded outwards: the stored interval still contains the prediction.
    return _rounded(lower, -np.inf), _rounded(upper, np.inf)


def _rounded(values: NDArray[np.float64], towards: float) -> NDArray[np.float32]:
    narrow = values.astype(np.float32)
    inside = narrow > values if towards < 0 else narrow < values
    narrow[inside] = np.nextafter(narrow[inside], np.float32(towards))
    return narrow


def _some(ids: pd.Index) -> str:
    return f"({', '.join(map(str, ids[:2]))}{', …' if len(ids) > 2 else ''})" if len(ids) else ""


def fold_from_dict(task: Task, fields: Mapping[str, Any]) -> tuple[int, RecordedFold]:
    """The inverse of `fold_as_dict`; the predictions are checked as when they are recorded."""
    interval = (fields["lower"], fields["upper"]) if "lower" in fields else None
    values = stacked({name: np.asarray(fields[name]) for name in CLASS_COLUMNS if name in fields})
    if values is None:
        values = np.asarray(fields["prediction"])
        if len(task.classes) > 2:
            values = class_names(task, values)
    checked = check_predictions(task, fields["fold"], values, std=fields.get("std"), interval=interval)
    # Labels are kept as 0.0 and 1.0, which alone would be taken for probabilities.
    predictions = FoldPredictions(type=fields["type"], **checked.arrays)
    return fields["fold"], RecordedFold.of(predictions, fields)


class Checkpoint:
    """The folder that a submission keeps its recorded folds in while it runs: a run that dies loses none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._header, self._folds = folder / "checkpoint.json", folder / "folds.jsonl"

    def exists(self) -> bool:
        """Whether a submission was begun here."""
        return self._header.is_file()

    def begin(self, header: Mapping[str, Any]) -> None:
        """Note who and what; the folds follow."""
        with self._writing():
            write_bytes(self._header, canonical_bytes(header))

    def keep(self, task: str, fold: int, recorded: RecordedFold) -> None:
        """Put one fold on disk; it is safe when this returns."""
        with self._writing():
            add_lines(self._folds, [json.dumps({"task": task, **fold_as_dict(fold, recorded)}).encode()])

    def _writing(self) -> AbstractContextManager[None]:
        fix = "free some space, or choose another folder; what is recorded is still in memory: save it"
        return raising(EntryError, f"the checkpoint {self.folder} cannot be written", fix=fix)

    def header(self) -> dict[str, Any]:
        """What `begin` noted; an `EntryError` if there is no checkpoint here, or it cannot be read."""
        if not self.exists():
            raise EntryError(
                f"there is no checkpoint in {self.folder}", fix="start with Submission(…, checkpoint=PATH)"
            )
        return parse(self._header.read_bytes(), str(self._header))

    def folds(self, benchmark: Benchmark) -> Iterator[tuple[str, int, RecordedFold]]:
        """Every fold that was kept whole; an `EntryError` if one is none of the benchmark's."""
        for line in whole_lines(self._folds) if self._folds.is_file() else []:
            fields = json.loads(line)
            try:
                yield fields["task"], *fold_from_dict(benchmark[fields["task"]], fields)
            except (RecordError, UnknownNameError) as error:
                raise EntryError(
                    f"{self.folder} has a fold that {benchmark.name} has not, or not any more: {error.message}",
                    fix="go on with the benchmark that it was begun with, or choose another folder",
                ) from error
