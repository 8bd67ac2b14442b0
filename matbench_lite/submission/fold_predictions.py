"""The predictions of one fold: checked once, when they come in, and plain arrays from then on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from matbench_lite.metrics import SUM_TOLERANCE
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_rules import Rule
from matbench_lite.tasks import MAX_CLASSES

if TYPE_CHECKING:
    from numpy.typing import NDArray

PredictionType = Literal["value", "label", "probability"]
CLASS_COLUMNS = tuple(f"probability_{number}" for number in range(MAX_CLASSES))
"""A column for the probability of each class, where there are more than two."""
COLUMNS = ("prediction", "std", "lower", "upper", *CLASS_COLUMNS)
"""What is stored per row, in the order in which it is hashed."""
MAX_PREDICTION = 1e100
"""Beyond it, squared errors overflow."""
FACTS = ("params", "seconds", "peak_memory_mb")
"""What a recorded fold has beside its predictions."""
Arrays = Mapping[str, "NDArray[Any]"]
"""The recorded columns of a fold by name."""


class FoldPredictions:
    """Predictions of one fold in the order of `task.test_ids(fold)`, one per test row.

    The type is numbers ("value"), true/false ("label") or the probability of true ("probability"); of more than two
    classes, labels, or the probabilities of all. Predictions are float64, in the unit of the target; labels are 0 and
    1, of more than two classes their numbers; with probabilities, that of the most probable class. The standard
    deviation, both ends of a 95 % interval, float32, and the probability of each class, float64, are there if they were
    recorded.
    """

    def __init__(
        self,
        *,
        type: PredictionType,
        prediction: NDArray[np.float64],
        std: NDArray[np.float32] | None = None,
        lower: NDArray[np.float32] | None = None,
        upper: NDArray[np.float32] | None = None,
        **probabilities: NDArray[np.float64] | None,
    ) -> None:
        columns = {"prediction": prediction, "std": std, "lower": lower, "upper": upper, **probabilities}
        self.type = type
        self.arrays: Arrays = {name: array for name, array in columns.items() if array is not None}

    @classmethod
    def stored(cls, type: PredictionType, sha256: str, arrays: Arrays) -> FoldPredictions:
        """Predictions that lie on disk, by their digest: arrays that are read when they are looked at."""
        predictions = cls.__new__(cls)
        predictions.type, predictions.arrays = type, arrays
        predictions.__dict__["sha256"] = sha256
        return predictions

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

    @property
    def probabilities(self) -> NDArray[np.float64] | None:
        """The probability of every class, in an array of shape (rows, classes), if there are more than two."""
        return stacked(self.arrays)

    @cached_property
    def sha256(self) -> str:
        """Digest over the little-endian bytes of the recorded columns: the identity of these predictions."""
        digest = hashlib.sha256()
        update_digest(digest, self)
        return digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class RecordedFold:
    """One recorded fold: predictions, parameters of the model as plain JSON, time and memory if they were measured.

    `stated` are scores that the entry's file states, as files of version 1 do; None where there are none.
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


def fold_as_dict(fold: int, held: RecordedFold) -> dict[str, Any]:
    """Everything that is known of a recorded fold but its scores, which are computed."""
    return {
        "fold": fold,
        "type": held.predictions.type,
        **held.facts,
        **{name: array.tolist() for name, array in held.predictions.arrays.items()},
    }


def class_columns(matrix: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The columns of an array of probabilities, shape (rows, classes), by the names under which they are stored.

    Examples:
        >>> {name: column.tolist() for name, column in class_columns(np.array([[0.75, 0.25], [0.5, 0.5]])).items()}
        {'probability_0': [0.75, 0.5], 'probability_1': [0.25, 0.5]}
    """
    return {name: np.ascontiguousarray(column) for name, column in zip(CLASS_COLUMNS, matrix.T, strict=False)}


def stacked(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.float64] | None:
    """The inverse of `class_columns`; None if there are no probabilities of classes."""
    found = [columns[name] for name in CLASS_COLUMNS if name in columns]
    return np.column_stack(found) if found else None


def unfit_probabilities(matrix: NDArray[np.float64]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """What is wrong with probabilities of classes, shape (rows, classes), in words, and of which rows.

    Examples:
        >>> list(unfit_probabilities(np.array([[0.5, 0.25, 0.25], [0.5, 0.5, 0.5]])))
        [('not 1 in sum', array([False,  True]))]
    """
    with np.errstate(invalid="ignore"):
        outside = ~((matrix.min(axis=1) >= 0) & (matrix.max(axis=1) <= 1))
        if outside.any():
            yield "outside [0, 1]", outside
        elif (off := ~(np.abs(matrix.sum(axis=1) - 1) <= SUM_TOLERANCE)).any():
            yield "not 1 in sum", off


def unsound_values(fold: FoldPredictions, classes: int = 0) -> list[tuple[Rule, str, Any]]:
    """Everything that is wrong with the values of a fold: the rule, in words, and for every row whether it is bad.

    `classes` is how many there are, 0 where they have no names.
    """
    unfit = _not_classes(fold, classes) if classes > 2 else _out_of_range(fold)
    return list(_not_finite(fold)) or [*unfit, *_uncertainty(fold)]


def _not_classes(fold: FoldPredictions, classes: int) -> Iterator[tuple[Rule, str, Any]]:
    p, matrix = fold.prediction, fold.probabilities
    other = (p < 0) | (p >= classes) | (p != np.floor(p))
    if other.any():
        yield rules.OUT_OF_RANGE, f"has numbers of classes other than 0 to {classes - 1}", other
    if (matrix is None) == (fold.type == "probability") or (matrix is not None and matrix.shape[1] != classes):
        yield rules.PREDICTION_TYPE, f"has not the probabilities of {classes} classes that its type asks for", ()
    elif matrix is not None:
        for problem, rows in unfit_probabilities(matrix):
            yield rules.OUT_OF_RANGE, f"has probabilities {problem}", rows
        wrong = matrix.argmax(axis=1) != p
        if wrong.any():
            yield rules.OUT_OF_RANGE, "has predictions that are not its most probable class", wrong


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
