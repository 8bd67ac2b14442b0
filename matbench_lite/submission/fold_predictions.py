"""The predictions of one fold: checked once, when they come in, and plain arrays from then on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from matbench_lite.errors import RecordError
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_rules import Rule
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

PredictionType = Literal["value", "label", "probability"]
COLUMNS = ("prediction", "std", "lower", "upper")
"""What is stored per row, in the order in which it is hashed."""
MAX_PREDICTION = 1e100
"""Beyond it, squared errors overflow."""


FACTS = ("params", "seconds", "peak_memory_mb")
"""What a recorded fold has beside its predictions."""
Arrays = Mapping[str, "NDArray[Any]"]
"""The recorded columns of a fold by name."""


class FoldPredictions:
    """Predictions of one fold in the order of `task.test_ids(fold)`.

    Args:
        type: Numbers ("value"), true/false ("label") or the probability of true ("probability").
        prediction: One per test row, float64, in the unit of the target; labels are 0 and 1.
        std: Standard deviation of each prediction, float32, if recorded.
        lower: Lower end of a 95 % interval, float32, if recorded.
        upper: Upper end, if recorded.
    """

    def __init__(
        self,
        *,
        type: PredictionType,
        prediction: NDArray[np.float64],
        std: NDArray[np.float32] | None = None,
        lower: NDArray[np.float32] | None = None,
        upper: NDArray[np.float32] | None = None,
    ) -> None:
        columns = {"prediction": prediction, "std": std, "lower": lower, "upper": upper}
        self.type = type
        self._arrays: Arrays | None = {name: array for name, array in columns.items() if array is not None}
        self._read: Callable[[], Arrays] | None = None

    @classmethod
    def stored(cls, type: PredictionType, sha256: str, read: Callable[[], Arrays]) -> FoldPredictions:
        """Predictions that lie on disk, by their digest: read when they are looked at, every time."""
        predictions = cls.__new__(cls)
        predictions.type = type
        predictions._arrays, predictions._read = None, read
        predictions.__dict__["sha256"] = sha256
        return predictions

    @property
    def arrays(self) -> Arrays:
        """The recorded columns by name."""
        if self._arrays is not None:
            return self._arrays
        assert self._read is not None
        return self._read()

    @property
    def prediction(self) -> NDArray[np.float64]:
        """One per test row."""
        return self.arrays["prediction"]

    @property
    def std(self) -> NDArray[np.float32] | None:
        """Standard deviation of each prediction, if recorded."""
        return self.arrays.get("std")

    @property
    def lower(self) -> NDArray[np.float32] | None:
        """Lower end of a 95 % interval, if recorded."""
        return self.arrays.get("lower")

    @property
    def upper(self) -> NDArray[np.float32] | None:
        """Upper end of it."""
        return self.arrays.get("upper")

    @cached_property
    def sha256(self) -> str:
        """Digest over the little-endian bytes of the recorded columns: the identity of these predictions."""
        digest = hashlib.sha256()
        update_digest(digest, self)
        return digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class RecordedFold:
    """One recorded fold.

    Args:
        predictions: The predictions.
        params: Parameters of the model in this fold, as plain JSON.
        seconds: Wall time of the measured block, if there was one.
        peak_memory_mb: Most memory the process had in that block, MB.
        stated: Scores that the entry's file states, as files of version 1 do; None where there are none.
    """

    predictions: FoldPredictions
    params: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    peak_memory_mb: float | None = None
    stated: Mapping[str, float | None] | None = None

    @classmethod
    def of(cls, predictions: FoldPredictions, fields: Mapping[str, Any]) -> RecordedFold:
        """A fold with what a document says of it beside the predictions."""
        known = {name: fields[name] for name in (*FACTS, "stated") if name in fields}
        return cls(predictions=predictions, **known)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of it beside the predictions."""
        return {name: getattr(self, name) for name in FACTS}


def update_digest(digest: Any, fold: FoldPredictions) -> None:
    """Feed a fold to a running digest, each column behind its name: no two recordings can be confused."""
    for name, array in fold.arrays.items():
        digest.update(f"{name}:{len(array)}:".encode())
        digest.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes())


def check_predictions(
    task: Task,
    fold: int,
    predictions: ArrayLike | pd.Series,
    *,
    std: ArrayLike | pd.Series | None = None,
    interval: tuple[ArrayLike, ArrayLike] | ArrayLike | None = None,
) -> FoldPredictions:
    """Check what a user hands in for one fold, as `Submission.record` says, and bring it into the stored form.

    Labels may be the integers 0 and 1; a std is above 0. A RecordError names the task, the fold, the first offending
    rows and what to do.
    """
    at = _Place(task, fold)
    values = at.aligned(predictions, "predictions")
    kind = _prediction_type(at, values)
    prediction = at.numbers(values, "predictions").astype(np.float64, copy=True)
    at.refuse(~np.isfinite(prediction), prediction, "predictions", "NaN or infinite", "predict a number for every row")
    too_large = np.abs(prediction) > MAX_PREDICTION
    at.refuse(too_large, prediction, "predictions", "too large to score", f"stay within ±{MAX_PREDICTION:g}")
    if kind != "value":
        outside = (prediction < 0) | (prediction > 1)
        at.refuse(outside, prediction, "predictions", "outside [0, 1]", "give labels or probabilities of true")
    if task.kind == "classification" and (std is not None or interval is not None):
        raise at.error("std and interval are for regression", "a probability says how sure the model is")
    deviations = None if std is None else _deviations(at, std)
    lower, upper = (None, None) if interval is None else _interval(at, interval, prediction)
    checked = FoldPredictions(type=kind, prediction=prediction, std=deviations, lower=lower, upper=upper)
    for array in checked.arrays.values():
        array.flags.writeable = False
    return checked


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


def fold_as_dict(fold: int, held: RecordedFold) -> dict[str, Any]:
    """Everything that is known of a recorded fold but its scores, which are computed."""
    return {
        "fold": fold,
        "type": held.predictions.type,
        **held.facts,
        **{name: array.tolist() for name, array in held.predictions.arrays.items()},
    }


def fold_from_dict(task: Task, fields: Mapping[str, Any]) -> tuple[int, RecordedFold]:
    """The inverse of `fold_as_dict`; the predictions are checked as when they are recorded."""
    interval = (fields["lower"], fields["upper"]) if "lower" in fields else None
    checked = check_predictions(task, fields["fold"], fields["prediction"], std=fields.get("std"), interval=interval)
    # Labels are kept as 0.0 and 1.0, which alone would be taken for probabilities.
    predictions = FoldPredictions(type=fields["type"], **checked.arrays)
    return fields["fold"], RecordedFold.of(predictions, fields)


def unsound_values(fold: FoldPredictions) -> list[tuple[Rule, str, Any]]:
    """Everything that is wrong with the values of a fold: the rule, in words, and for every row whether it is bad."""
    return list(_not_finite(fold)) or [*_out_of_range(fold), *_uncertainty(fold)]


def _not_finite(fold: FoldPredictions) -> Iterator[tuple[Rule, str, Any]]:
    for column, array in fold.arrays.items():
        finite = np.isfinite(array)
        if not finite.all():
            yield rules.NOT_FINITE, f"has NaN or infinity in {column}", ~finite


def _out_of_range(fold: FoldPredictions) -> Iterator[tuple[Rule, str, Any]]:
    p = fold.prediction
    low, high = p.min(), p.max()  # two numbers tell of nearly every fold that all is well
    if max(-low, high) > MAX_PREDICTION:
        yield rules.OUT_OF_RANGE, "has predictions too large to score", np.abs(p) > MAX_PREDICTION
    elif fold.type == "label":
        other = (p != 0) & (p != 1)
        if other.any():
            yield rules.OUT_OF_RANGE, "has labels other than 0 and 1", other
    elif fold.type == "probability" and (low < 0 or high > 1):
        yield rules.OUT_OF_RANGE, "has probabilities outside [0, 1]", (p < 0) | (p > 1)


def _uncertainty(fold: FoldPredictions) -> Iterator[tuple[Rule, str, Any]]:
    p, std, lower, upper = fold.prediction, fold.std, fold.lower, fold.upper
    if std is not None and (std <= 0).any():
        yield rules.UNCERTAINTY, "has a std that is not above 0", std <= 0
    if (lower is None) != (upper is None):
        yield rules.UNCERTAINTY, "has one end of an interval only", ()
    elif lower is not None and upper is not None:
        outside = (lower > p) | (upper < p)
        if outside.any():
            yield rules.UNCERTAINTY, "has a prediction outside its own interval", outside
