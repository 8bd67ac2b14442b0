"""`predictions.csv`: what participants send where predictions are asked for; any program can write it.

```
fold,part,id,prediction
0,valid,row-017,1.25        a row that inner fold 0 holds out, by the model of fold 0
0,test,row-203,0.75         a private test row, by the same model
```

Rows may come in any order. A column `std` may be there for regression.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.atomic import replacing
from matbench_lite.errors import EventError
from matbench_lite.event.folds import PARTS, FoldPredicted
from matbench_lite.run.bagging import RowPredictions
from matbench_lite.submission import MAX_PREDICTION

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.run.inner import InnerFold
    from matbench_lite.submission import PredictionType
    from matbench_lite.tasks import Kind

PREDICTIONS_FILE = "predictions.csv"
_COLUMNS = ("fold", "part", "id", "prediction")
_LABELS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
_SHOWN = 3
_FIX = "make it with `mbl event pack`, or see the kit's README for the columns"


def write_predictions(path: Path, ids: Mapping[str, pd.Index], folds: Sequence[FoldPredicted]) -> None:
    """Write the predictions of all inner folds.

    Args:
        path: The file.
        ids: Row ids by part, in the order in which predictions count their rows.
        folds: The predictions.
    """
    import pandas as pd

    frames = []
    for fold in folds:
        for part in PARTS:
            predicted: RowPredictions = getattr(fold, part)
            values = predicted.prediction
            columns: dict[str, Any] = {
                "fold": fold.number,
                "part": part,
                "id": ids[part][predicted.rows],
                "prediction": values > 0.5 if predicted.type == "label" else values,
            }
            if predicted.std is not None:
                columns["std"] = predicted.std
            frames.append(pd.DataFrame(columns))
    with replacing(path) as temporary:
        pd.concat(frames).to_csv(temporary, index=False, lineterminator="\n")


def read_predictions(
    path: Path, kind: Kind, folds: Sequence[InnerFold], valid_ids: pd.Index, test_ids: pd.Index
) -> tuple[FoldPredicted, ...]:
    """Read what a stranger sent, and see that it is complete.

    Args:
        path: The file.
        kind: Kind of the task.
        folds: The inner folds.
        valid_ids: Row ids of the data that inner folds hold out.
        test_ids: Row ids of the private test rows.

    Returns:
        One per inner fold; the rows of `test` count from 0 in `test_ids`.

    Raises:
        EventError: If the file is not such a table, a row is missing, unknown or there twice, or a prediction is not
            a usable number.
    """
    frame = _read(path)
    kind_of, values = _values(frame["prediction"], kind)
    std = _std(frame, kind)
    numbers, parts = frame["fold"], frame["part"]
    known = {str(fold.number) for fold in folds}
    _refuse(frame, ~numbers.isin(known), f"fold is not one of 0 to {len(folds) - 1}")
    _refuse(frame, ~parts.isin(PARTS), "part is neither valid nor test")
    predicted = []
    for fold in folds:
        rows = {}
        for part, ids, wanted in (
            ("valid", valid_ids, fold.valid),
            ("test", test_ids, np.arange(len(test_ids), dtype=np.intp)),
        ):
            here = np.flatnonzero((numbers == str(fold.number)) & (parts == part))
            at = here[_places(frame["id"].iloc[here], ids[wanted], f"fold {fold.number}, {part}")]
            rows[part] = RowPredictions(
                rows=wanted, prediction=values[at], type=kind_of, std=None if std is None else std[at]
            )
        predicted.append(FoldPredicted(number=fold.number, **rows))
    return tuple(predicted)


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        with warnings.catch_warnings():
            # Of a row with more values than the header has columns, pandas would only warn.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(path, dtype=str, keep_default_na=False, index_col=False)
    except FileNotFoundError as error:
        raise EventError(f"there is no {PREDICTIONS_FILE}", fix=_FIX) from error
    except (ValueError, OSError, pd.errors.ParserWarning) as error:
        raise EventError(f"{PREDICTIONS_FILE} cannot be read: {error}", fix=_FIX) from error
    missing = [name for name in _COLUMNS if name not in frame.columns]
    if missing or not frame.columns.is_unique:
        found = ", ".join(map(str, frame.columns[:10]))
        raise EventError(
            f"{PREDICTIONS_FILE} has the columns {found}", fix=f"it needs {', '.join(_COLUMNS)}, each once"
        )
    return frame


def _values(column: pd.Series, kind: Kind) -> tuple[PredictionType, NDArray[np.float64]]:
    """The predictions as numbers, and what they are."""
    if kind == "classification":
        labels = column.str.lower().map(_LABELS)
        if labels.notna().all():
            return "label", labels.to_numpy(dtype=np.float64)
    values = _numbers(column)
    _refuse_values(column, ~np.isfinite(values), "not a finite number")
    _refuse_values(column, np.abs(values) > MAX_PREDICTION, f"beyond ±{MAX_PREDICTION:g}")
    if kind == "classification":
        _refuse_values(column, (values < 0) | (values > 1), "neither true or false nor a probability from 0 to 1")
        return "probability", values
    return "value", values


def _std(frame: pd.DataFrame, kind: Kind) -> NDArray[np.float64] | None:
    if "std" not in frame.columns or kind == "classification":
        return None
    values = _numbers(frame["std"])
    _refuse_values(frame["std"], ~(np.isfinite(values) & (values > 0)), "not a number above 0")
    return values


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    import pandas as pd

    # One by one and exactly: pandas' own reader may be off by the last digit.
    try:
        return np.array([float(text) for text in column], dtype=np.float64)
    except ValueError:
        numbers: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
        return numbers


def _places(ids: pd.Series, wanted: pd.Index, where: str) -> NDArray[np.intp]:
    """Where each wanted id is."""
    import pandas as pd

    index = pd.Index(ids)
    if not index.is_unique:
        raise EventError(f"{where}: {_some(index[index.duplicated()])} there twice", fix="give every row once")
    places = index.get_indexer(wanted)
    if (places < 0).any():
        raise EventError(
            f"{where}: {(places < 0).sum()} of {len(wanted)} rows are missing, {_some(wanted[places < 0])}",
            fix="predict every row of the part",
        )
    if len(index) > len(wanted):
        raise EventError(
            f"{where}: {len(index) - len(wanted)} rows do not belong there, {_some(index.difference(wanted))}",
            fix="a fold validates the rows that it holds out, and no others",
        )
    found: NDArray[np.intp] = places
    return found


def _refuse(frame: pd.DataFrame, bad: pd.Series, problem: str) -> None:
    if bad.any():
        line = int(bad.to_numpy().nonzero()[0][0]) + 2
        raise EventError(f"{PREDICTIONS_FILE}, line {line}: {problem} ({bad.sum()} such of {len(frame)})", fix=_FIX)


def _refuse_values(column: pd.Series, bad: NDArray[np.bool_], problem: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        shown = repr(column.iloc[first][:50])
        raise EventError(
            f"{PREDICTIONS_FILE}, line {first + 2}: {column.name} is {shown}, {problem} ({bad.sum()} such)",
            fix="give a usable number for every row",
        )


def _some(ids: pd.Index) -> str:
    shown = ", ".join(repr(str(each)[:50]) for each in ids[:_SHOWN])
    return f"{shown}, …" if len(ids) > _SHOWN else shown
