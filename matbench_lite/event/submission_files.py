"""The files that strangers send: `submission.toml` says who sends what, `predictions.csv` has predictions.

Where predictions are asked for, any program can write them:

```
fold,part,id,prediction
0,valid,row-017,1.25        a row that inner fold 0 holds out, by the model of fold 0
0,test,row-203,0.75         a private test row, by the same model
```

Rows may come in any order. A column `std` may be there for regression. Of classes with names, `prediction` is a name;
for more than two, a column for each (`probability of bcc`) may take its place.
"""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.atomic import replacing
from matbench_lite.cleaner import brief
from matbench_lite.documents import toml_document
from matbench_lite.errors import EventError
from matbench_lite.event.event_settings import Event
from matbench_lite.submission import MAX_PREDICTION, unfit_probabilities
from matbench_lite.train import InnerFold, RowPredictions, inner_folds

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.submission import PredictionType
    from matbench_lite.tasks import Kind, Task

PREDICTIONS_FILE = "predictions.csv"
_COLUMNS = ("fold", "part", "id", "prediction")
_OF_CLASS = "probability of "
_LABELS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
_SHOWN = 3
_FIX = "make it with `mbl event pack`, or see the kit's README for the columns"
PARTS = ("valid", "test")
"""What a submission predicts: rows that an inner fold holds out, and the private test rows."""
PartPredictions = Mapping[str, RowPredictions]
"""What the model of one inner fold predicts, by part."""
ABOUT_FILE = "submission.toml"
_MOST_BYTES = 100_000
_LONGEST = {"participant": 80, "title": 200, "description": 5000}
PLACEHOLDER = "Your name or that of your team"
"""What the kit's file has in the place of a name."""


def event_folds(event: Event, task: Task) -> tuple[InnerFold, ...]:
    """The inner folds of an event in its public or private data: those of `mbl try`."""
    return inner_folds(task, 0, n_folds=event.inner_folds, seed=event.seed)


def write_predictions(
    path: Path,
    ids: Mapping[str, pd.Index],
    folds: Sequence[PartPredictions],
    classes: tuple[str, ...] | tuple[int, ...] = (),
) -> None:
    """Write the predictions of all inner folds; `ids` of each part are in the order in which predictions count rows."""
    import pandas as pd

    frames = []
    for (number, fold), part in product(enumerate(folds), PARTS):
        predicted = fold[part]
        columns = {"fold": number, "part": part, "id": ids[part][predicted.rows]}
        if predicted.type == "probability" and predicted.prediction.ndim == 2:
            columns |= {f"{_OF_CLASS}{name}": predicted.prediction[:, at] for at, name in enumerate(classes)}
        elif predicted.type == "label":
            said = predicted.scorable().prediction
            columns["prediction"] = np.array(classes, object)[said.astype(int)] if classes else said > 0.5
        else:
            columns["prediction"] = predicted.prediction
        frames.append(pd.DataFrame(columns if predicted.std is None else {**columns, "std": predicted.std}))
    with replacing(path) as temporary:
        pd.concat(frames).to_csv(temporary, index=False, lineterminator="\n")


def read_predictions(
    path: Path,
    kind: Kind,
    folds: Sequence[InnerFold],
    valid_ids: pd.Index,
    test_ids: pd.Index,
    classes: tuple[str, ...] | tuple[int, ...] = (),
) -> tuple[PartPredictions, ...]:
    """Read what a stranger sent: one per inner fold, which holds out rows of `valid_ids`; `test` counts `test_ids`.

    `classes` are the names of the classes, if they have any.

    An `EventError` if the file is not such a table, a row is missing, unknown or there twice, or a prediction is not a
    usable number.
    """
    frame = _read(path, classes if len(classes) > 2 else ())
    kind_of, values = _of_classes(frame, classes) if classes else _values(frame["prediction"], kind)
    std = _std(frame, kind)
    numbers, parts = frame["fold"], frame["part"]
    known = {str(fold.number) for fold in folds}
    _refuse(numbers, ~numbers.isin(known), f"not one of 0 to {len(folds) - 1}", fix=_FIX)
    _refuse(parts, ~parts.isin(PARTS), "neither valid nor test", fix=_FIX)
    test = np.arange(len(test_ids), dtype=np.intp)

    def rows(number: int, part: str, ids: pd.Index, wanted: NDArray[np.intp]) -> RowPredictions:
        here = np.flatnonzero((numbers == str(number)) & (parts == part))
        at = here[_places(frame["id"].iloc[here], ids[wanted], f"fold {number}, {part}")]
        own = None if std is None else std[at]
        return RowPredictions(rows=wanted, prediction=values[at], type=kind_of, std=own)

    return tuple(
        {"valid": rows(fold.number, "valid", valid_ids, fold.valid), "test": rows(fold.number, "test", test_ids, test)}
        for fold in folds
    )


def _read(path: Path, classes: Sequence[str | int]) -> pd.DataFrame:
    import pandas as pd

    try:
        with warnings.catch_warnings():
            # Of a row with more values than the header has columns, pandas would only warn.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(path, dtype=str, keep_default_na=False, index_col=False)
    except FileNotFoundError as error:
        raise EventError(f"there is no {PREDICTIONS_FILE}", fix=_FIX) from error
    except (ValueError, OSError, pd.errors.ParserWarning) as error:
        raise EventError(f"{PREDICTIONS_FILE} cannot be read: {brief(str(error), 300)}", fix=_FIX) from error
    of_classes = [f"{_OF_CLASS}{name}" for name in classes]
    alternatives = [_COLUMNS, (*_COLUMNS[:-1], *of_classes)] if classes else [_COLUMNS]
    usable = any(set(names) <= set(frame.columns) for names in alternatives)
    if not usable or not frame.columns.is_unique:
        found = ", ".join(brief(str(name), 50) for name in frame.columns[:10])
        fix = f"it needs {' or '.join(', '.join(names) for names in alternatives)}, each once"
        raise EventError(f"{PREDICTIONS_FILE} has the columns {found}", fix=fix)
    return frame


def _values(column: pd.Series, kind: Kind) -> tuple[PredictionType, NDArray[np.float64]]:
    """The predictions as numbers, and what they are."""
    if kind == "classification":
        labels = column.str.lower().map(_LABELS)
        if labels.notna().all():
            return "label", labels.to_numpy(dtype=np.float64)
    values = _numbers(column)
    _refuse(column, ~np.isfinite(values), "not a finite number")
    _refuse(column, np.abs(values) > MAX_PREDICTION, f"beyond ±{MAX_PREDICTION:g}")
    if kind == "classification":
        _refuse(column, (values < 0) | (values > 1), "neither true or false nor a probability from 0 to 1")
        return "probability", values
    return "value", values


def _of_classes(
    frame: pd.DataFrame, classes: tuple[str, ...] | tuple[int, ...]
) -> tuple[PredictionType, NDArray[np.float64]]:
    """The same of classes with names: of two, labels and probabilities of the second; of more, a column for each."""
    of_classes = [f"{_OF_CLASS}{name}" for name in classes]
    if len(classes) > 2 and set(of_classes) <= set(frame.columns):
        matrix = np.column_stack([_numbers(frame[name]) for name in of_classes])
        for name, column in zip(of_classes, matrix.T, strict=True):
            _refuse(frame[name], ~np.isfinite(column), "not a finite number")
        for problem, bad in unfit_probabilities(matrix):
            _refuse(frame[of_classes[0]], bad, f"in a row of probabilities {problem}")
        return "probability", matrix
    column = frame["prediction"]
    numbers = column.map({str(name): number for number, name in enumerate(classes)})
    if len(classes) == 2 and numbers.isna().all():
        return _values(column, "classification")
    _refuse(column, numbers.isna(), f"not one of {brief(', '.join(map(str, classes)), 200)}")
    codes = numbers.to_numpy().astype(np.intp)
    return "label", codes.astype(np.float64) if len(classes) == 2 else np.eye(len(classes))[codes]


def _std(frame: pd.DataFrame, kind: Kind) -> NDArray[np.float64] | None:
    if "std" not in frame.columns or kind == "classification":
        return None
    values = _numbers(frame["std"])
    _refuse(frame["std"], ~(np.isfinite(values) & (values > 0)), "not a number above 0")
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
    import pandas as pd

    index = pd.Index(ids)
    if not index.is_unique:
        raise EventError(f"{where}: {_some(index[index.duplicated()])} there twice", fix="give every row once")
    places = index.get_indexer(wanted)
    if (places < 0).any():
        message = f"{(places < 0).sum()} of {len(wanted)} rows are missing, {_some(wanted[places < 0])}"
        raise EventError(f"{where}: {message}", fix="predict every row of the part")
    if len(index) > len(wanted):
        message = f"{len(index) - len(wanted)} rows do not belong there, {_some(index.difference(wanted))}"
        raise EventError(f"{where}: {message}", fix="a fold validates the rows that it holds out, and no others")
    found: NDArray[np.intp] = places
    return found


def _refuse(column: pd.Series, bad: Any, problem: str, *, fix: str = "give a usable number for every row") -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        value = repr(column.iloc[first][:50])
        message = f"{PREDICTIONS_FILE}, line {first + 2}: {column.name} is {value}, {problem} ({bad.sum()} such)"
        raise EventError(message, fix=fix)


def _some(ids: pd.Index) -> str:
    shown = ", ".join(repr(str(each)[:50]) for each in ids[:_SHOWN])
    return f"{shown}, …" if len(ids) > _SHOWN else shown


@dataclass(frozen=True, kw_only=True)
class About:
    """What a submission says of itself: who sends it ("" if it does not say), what it is in a line, and more of it."""

    participant: str = ""
    title: str = ""
    description: str = ""


def read_about(folder: Path) -> About:
    """What `submission.toml` in a folder says, if there is one; an `EventError` names every mistake in it."""
    file = folder / ABOUT_FILE
    if not file.is_file():
        return About()
    with toml_document(file, EventError, most_bytes=_MOST_BYTES) as top:
        texts = {name: " ".join(top.take(name, str, "").split()) for name in _LONGEST}
        top.close()
        for name, longest in _LONGEST.items():
            if len(texts[name]) > longest:
                top.complain(name, f"is longer than {longest} characters")
            if not texts[name].isprintable():
                top.complain(name, "has characters that cannot be shown")
    if texts["participant"] == PLACEHOLDER:
        texts["participant"] = ""
    return About(**texts)


def named(participant: str) -> str:
    """The participant's name; an `EventError` if it is empty, too long, or cannot be shown."""
    name = " ".join(participant.split())
    if not name or len(name) > _LONGEST["participant"] or not name.isprintable() or not identity(name):
        raise EventError(
            f"{participant!r} is no name of a participant",
            fix=f"write `participant` into {ABOUT_FILE}, or say --participant",
        )
    return name


def identity(name: str) -> str:
    """What two ways to write one name have in common: no case, no spaces, no punctuation."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in plain if each.isalnum())
