"""Train one estimator on some rows and predict others: one thread, fixed seeds, and predictions that are checked."""

from __future__ import annotations

import hashlib
import inspect
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.data import class_names
from matbench_lite.errors import MatbenchLiteError, ModelError, raising
from matbench_lite.metrics import shape_of
from matbench_lite.submission import class_numbers, unfit_probabilities

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task

_ROUNDING = 1e-9  # a sum of rounded probabilities may be this far outside [0, 1]
_THREADS = frozenset({"n_jobs", "nthread", "num_threads", "thread_count"})


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """What an estimator predicts for some rows, in their order.

    Values are numbers in the unit of the target, probabilities of true (float64), or labels (bool); of more than two
    classes, an array of shape (rows, classes) with the probability of each, or the names of classes.
    """

    values: NDArray[Any]
    std: NDArray[np.float64] | None = None


def fit_predict(
    estimator: Any,
    task: Task,
    X_train: pd.Series | pd.DataFrame,
    y_train: pd.Series,
    X_tests: Sequence[pd.Series | pd.DataFrame],
    *,
    seed: int = 0,
    where: str = "",
    threads: int = 1,
    step: Callable[[], None] = lambda: None,
) -> list[Predicted]:
    """Train an estimator and predict one or more sets of rows.

    It runs with so many threads, with `n_jobs` of them wherever it has it, and with all seeds set: with one thread, the
    same call gives the same predictions in every process. It is trained in place. `seed` is below 2**32, see
    `derived_seed`; `where` says which fold, for messages; `step` is called when it is trained, and after each set of
    rows. Of classes come probabilities where it has `predict_proba`, of numbers standard deviations where `predict`
    takes `return_std`.

    Raises:
        ModelError: If the estimator raises, or predicts something else than one finite number or label per row.

    Examples:
        >>> from sklearn.dummy import DummyRegressor
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> X, y = task.train_data(0)
        >>> estimator = DummyRegressor()
        >>> predicted, = fit_predict(estimator, task, X, y, [task.test_inputs(0)])
        >>> predicted.values.shape, predicted.std, predict_rows(estimator, task, X).values.shape
        ((100,), None, (400,))
    """
    place = f"{task.name} {where}".strip()
    with _model_at_work(place, threads):
        settle(estimator, seed, threads)
        seed_everything(seed)
        estimator.fit(X_train, y_train)
        step()
        predicted = []
        for X in X_tests:
            predicted.append(checked_predictions(*_predict(estimator, task, X), X, task, place))
            step()
    return predicted


def predict_rows(estimator: Any, task: Task, X: pd.Series | pd.DataFrame) -> Predicted:
    """What an estimator that `fit_predict` has trained predicts for some rows; takes and raises what that does."""
    with _model_at_work(task.name):
        return checked_predictions(*_predict(estimator, task, X), X, task, task.name)


@contextmanager
def _model_at_work(place: str, threads: int = 1) -> Iterator[None]:
    """So many threads for the model, and whatever it raises as an error of ours."""
    from threadpoolctl import threadpool_limits

    try:
        with threadpool_limits(limits=threads):
            yield
    except MatbenchLiteError:
        raise
    except (Exception, SystemExit) as error:
        raise ModelError(
            f"{place}: the model raised {type(error).__name__}: {error}", fix="correct the model; see the log"
        ) from error


def _predict(estimator: Any, task: Task, X: pd.Series | pd.DataFrame) -> tuple[Any, Any]:
    if task.kind == "classification" and hasattr(estimator, "predict_proba"):
        return _probabilities(estimator, task, X), None
    if task.kind == "regression" and _gives_std(estimator):
        values, std = estimator.predict(X, return_std=True)
        return values, std
    return estimator.predict(X), None


def _probabilities(estimator: Any, task: Task, X: pd.Series | pd.DataFrame) -> Any:
    """The probability of every class in the order of the task; that of the second, or of true, if there are two."""
    probabilities = np.asarray(estimator.predict_proba(X))
    known = getattr(estimator, "classes_", None if task.classes else (False, True))
    if probabilities.ndim == 2 and known is not None:
        if task.classes:
            numbers, unknown = class_numbers(task, np.asarray(known))
        else:
            numbers, unknown = np.array([int(bool(label)) for label in known]), np.zeros(len(known), dtype=bool)
        if unknown.any() or len(numbers) != probabilities.shape[1]:
            names = task.classes or ("False", "True")
            given, wanted = (", ".join(map(str, some))[:200] for some in (known, names))
            raise ModelError(
                f"{type(estimator).__name__} has {probabilities.shape[1]} columns of probabilities, of the classes "
                f"{given}; those of {task.name} are {wanted}",
                fix="give predict_proba a column for each of classes_, and train on the labels as they are",
            )
        # A class without a row to train on has no column.
        matrix = np.zeros((len(probabilities), len(task.classes) or 2))
        matrix[:, numbers] = probabilities
        probabilities = matrix
    two = probabilities.ndim == 2 and probabilities.shape[1] == 2 and len(task.classes) in (0, 2)
    return probabilities[:, 1] if two else probabilities


def _gives_std(estimator: Any) -> bool:
    """Whether `predict` takes `return_std`; a pipeline hands it to its last step."""
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return "return_std" in inspect.signature(estimator.predict).parameters


def checked_predictions(values: Any, std: Any, X: pd.Series | pd.DataFrame, task: Task, place: str) -> Predicted:
    """What somebody predicts for some rows, if it is one finite number or label per row.

    Values are numbers, probabilities of true or of every class, or labels, of the rows of `X`; `place` is which task
    and fold, for messages.

    Raises:
        ModelError: If it is something else.

    Examples:
        >>> import pandas as pd
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> checked_predictions([1, 2], None, pd.Series(["NaCl", "GaAs"]), task, "fold 0").values
        array([1., 2.])
    """
    if len(task.classes) > 2 and len(shape_of(values)) == 2:
        return Predicted(values=_matrix(values, X, task, place))
    if task.classes and (len(task.classes) > 2 or np.asarray(values).dtype.kind not in "bf"):
        return Predicted(values=_named(values, X, task, place))
    array = _numbers(values, X, place, "predictions")
    if task.kind == "regression":
        if array.dtype == bool:
            raise ModelError(f"{place}: predictions are booleans, the target is a number", fix=f"predict {task.target}")
        deviations = None if std is None else _numbers(std, X, place, "standard deviations").astype(np.float64)
        if deviations is not None and not deviations.any():
            deviations = None  # zero for every row: DummyRegressor and its like, which say nothing
        return Predicted(values=array.astype(np.float64), std=deviations)
    if array.dtype.kind in "iu" and np.isin(array, (0, 1)).all():
        array = array.astype(bool)
    if array.dtype == bool:
        return Predicted(values=array)
    _refuse((array < -_ROUNDING) | (array > 1 + _ROUNDING), array, X, f"{place}: predictions", "outside [0, 1]")
    return Predicted(values=np.clip(array.astype(np.float64), 0.0, 1.0))


def _matrix(values: Any, X: pd.Series | pd.DataFrame, task: Task, place: str) -> NDArray[np.float64]:
    """The probability of every class of every row."""
    array = _array(values, X, place, "predictions", len(task.classes))
    if array.dtype.kind not in "biuf":
        raise ModelError(f"{place}: probabilities are {array.dtype}", fix="return numbers")
    matrix = array.astype(np.float64)
    near = (matrix < 0) & (matrix >= -_ROUNDING) | (matrix > 1) & (matrix <= 1 + _ROUNDING)
    matrix[near] = matrix[near].round()
    sums = matrix.sum(axis=1)
    what = f"{place}: sums of probabilities"
    _refuse(~np.isfinite(sums), sums, X, what, "NaN or infinite")
    for problem, rows in unfit_probabilities(matrix):
        _refuse(rows, sums, X, what, f"of probabilities {problem}")
    return matrix


def _named(values: Any, X: pd.Series | pd.DataFrame, task: Task, place: str) -> NDArray[Any]:
    """Labels as the names of classes; of two classes, whether it is the second."""
    array = _array(values, X, place, "predictions")
    numbers, unknown = class_numbers(task, array)
    if unknown.any():
        row = int(unknown.argmax())
        shown = f"{X.index[row]}: {str(array[row])[:100]!r}"
        raise ModelError(
            f"{place}: {unknown.sum()} of {len(X)} predictions are no class ({shown})",
            fix=f"return one of {', '.join(map(str, task.classes))[:200]}, or give the model predict_proba",
        )
    return numbers == 1 if len(task.classes) == 2 else class_names(task, numbers)


def _array(values: Any, X: pd.Series | pd.DataFrame, place: str, what: str, *columns: int) -> NDArray[Any]:
    """The values as an array, in the order of the rows of X: one per row, or so many columns of them."""
    if hasattr(values, "detach"):  # a torch tensor, perhaps on a GPU
        values = values.detach().cpu()
    index = getattr(values, "index", None)
    if index is not None and hasattr(values, "reindex") and len(index) == len(X) and set(index) == set(X.index):
        values = values.reindex(X.index)
    message, wrong = f"{place}: {what} cannot be made an array", (ValueError, TypeError)
    with raising(ModelError, message, fix="return one number per row", on=wrong):
        array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (len(X), *columns):
        fix = "return a column for each of task.classes, in their order" if columns else "return one per row"
        raise ModelError(f"{place}: {what} have shape {array.shape}, there are {len(X)} rows", fix=fix)
    return array


def _numbers(values: Any, X: pd.Series | pd.DataFrame, place: str, what: str) -> NDArray[Any]:
    """The values as an array with one finite number or boolean per row of X."""
    array = _array(values, X, place, what)
    if array.dtype == object and all(isinstance(value, bool | np.bool_) for value in array):
        array = array.astype(bool)
    elif array.dtype == object and all(isinstance(value, int | float | np.number) for value in array):
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise ModelError(f"{place}: {what} are {array.dtype}, for example {array.tolist()[0]!r}", fix="return numbers")
    _refuse(~np.isfinite(array), array, X, f"{place}: {what}", "NaN or infinite")
    return array


def _refuse(bad: NDArray[np.bool_], array: NDArray[Any], X: pd.Series | pd.DataFrame, what: str, problem: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ModelError(
            f"{what} of {bad.sum()} of {len(bad)} rows are {problem} ({X.index[first]}: {array[first]})",
            fix="predict a usable number for every row",
        )


def derived_seed(seed: int, *place: object) -> int:
    """A seed for one piece of work, stable across processes, machines and versions.

    It is below 2**32; `place` tells this piece from others, e.g. the task's name and the fold.

    Examples:
        >>> derived_seed(0, "mini_gap", 0) == derived_seed(0, "mini_gap", 0) != derived_seed(0, "mini_gap", 1)
        True
    """
    text = "\0".join(map(str, (seed, *place)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def seed_everything(seed: int) -> None:
    """Seed Python's and numpy's global generators, and torch's if the model has loaded it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what scikit-learn falls back on
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


def settle(estimator: Any, seed: int, threads: int = 1) -> None:
    """Give an estimator its threads and a seed wherever it, or a part of it, leaves them open.

    A `random_state` that the model has set stays; every `n_jobs` (and its names elsewhere) becomes `threads`.
    """
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        return
    params = estimator.get_params(deep=True)
    changes: dict[str, Any] = {}
    for name, value in params.items():
        prefix, _, own = name.rpartition("__")
        owner = params.get(prefix) if prefix else estimator
        if own in _THREADS:
            # None is one thread to scikit-learn, which warns if some of its models are told so; all of them elsewhere.
            if threads > 1 or value is not None or not type(owner).__module__.startswith("sklearn."):
                changes[name] = threads
        elif own == "random_state" and value is None:
            changes[name] = seed
    if changes:
        estimator.set_params(**changes)
