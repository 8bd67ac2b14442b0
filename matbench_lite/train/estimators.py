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

from matbench_lite.errors import MatbenchLiteError, ModelError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task

_ROUNDING = 1e-9  # a sum of rounded probabilities may be this far outside [0, 1]
_THREADS = frozenset({"n_jobs", "nthread", "num_threads", "thread_count"})


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """What an estimator predicts for some rows, in their order.

    Args:
        values: Numbers in the unit of the target, probabilities of true (float64), or labels (bool).
        std: Standard deviation of each value, where the estimator gives it.
    """

    values: NDArray[np.float64] | NDArray[np.bool_]
    std: NDArray[np.float64] | None = None


def fit_predict(
    estimator: Any,
    task: Task,
    X_train: pd.Series,
    y_train: pd.Series,
    X_tests: Sequence[pd.Series],
    *,
    seed: int = 0,
    where: str = "",
    threads: int = 1,
    step: Callable[[], None] = lambda: None,
) -> list[Predicted]:
    """Train an estimator and predict one or more sets of rows.

    It runs with so many threads, with `n_jobs` of them wherever it has it, and with all seeds set: with one thread, the
    same call gives the same predictions in every process.

    Args:
        estimator: A new estimator; it is trained in place.
        task: The task, for the kind of target and for messages.
        X_train: Formulas or structures.
        y_train: Targets of the same rows.
        X_tests: Sets of rows to predict.
        seed: Seed for everything random, below 2**32; see `derived_seed`.
        where: Which fold, for messages, e.g. "fold 3".
        threads: Threads that it may use.
        step: Called when it is trained, and after each set of rows.

    Returns:
        One `Predicted` per set. Classification: probabilities where the estimator has `predict_proba`. Regression:
        with `std` where `predict` takes `return_std`.

    Raises:
        ModelError: If the estimator raises, or predicts something else than one finite number or label per row.

    Examples:
        >>> from sklearn.dummy import DummyRegressor
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> X, y = task.train_data(0)
        >>> predicted, = fit_predict(DummyRegressor(), task, X, y, [task.test_inputs(0)])
        >>> predicted.values.shape, predicted.std
        ((100,), None)
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


def predict_rows(estimator: Any, task: Task, X: pd.Series, *, where: str = "") -> Predicted:
    """What an estimator that `fit_predict` has trained predicts for some rows.

    Takes and raises what `fit_predict` does.

    Examples:
        >>> from sklearn.dummy import DummyRegressor
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> estimator = DummyRegressor()
        >>> _ = fit_predict(estimator, task, *task.train_data(0), [])
        >>> predict_rows(estimator, task, task.test_inputs(0)).values.shape
        (100,)
    """
    place = f"{task.name} {where}".strip()
    with _model_at_work(place):
        return checked_predictions(*_predict(estimator, task, X), X, task, place)


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


def _predict(estimator: Any, task: Task, X: pd.Series) -> tuple[Any, Any]:
    if task.kind == "classification" and hasattr(estimator, "predict_proba"):
        return _probability_of_true(estimator, X), None
    if task.kind == "regression" and _gives_std(estimator):
        values, std = estimator.predict(X, return_std=True)
        return values, std
    return estimator.predict(X), None


def _probability_of_true(estimator: Any, X: pd.Series) -> Any:
    probabilities = np.asarray(estimator.predict_proba(X))
    if probabilities.ndim == 1:
        return probabilities
    classes = [bool(label) for label in getattr(estimator, "classes_", (False, True))]
    # A training part with one class alone gives one column.
    return probabilities[:, classes.index(True)] if True in classes else np.zeros(len(probabilities))


def _gives_std(estimator: Any) -> bool:
    """Whether `predict` takes `return_std`; a pipeline hands it to its last step."""
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return "return_std" in inspect.signature(estimator.predict).parameters


def checked_predictions(values: Any, std: Any, X: pd.Series, task: Task, place: str) -> Predicted:
    """What somebody predicts for some rows, if it is one finite number or label per row.

    Args:
        values: Numbers, probabilities of true, or labels.
        std: Standard deviations of numbers, or None.
        X: The rows.
        task: The task, for the kind of target.
        place: Which task and fold, for messages.

    Raises:
        ModelError: If it is something else.

    Examples:
        >>> import pandas as pd
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> checked_predictions([1, 2], None, pd.Series(["NaCl", "GaAs"]), task, "fold 0").values
        array([1., 2.])
    """
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


def _numbers(values: Any, X: pd.Series, place: str, what: str) -> NDArray[Any]:
    """The values as an array with one finite number or boolean per row of X."""
    if hasattr(values, "detach"):  # a torch tensor, perhaps on a GPU
        values = values.detach().cpu()
    index = getattr(values, "index", None)
    if index is not None and hasattr(values, "reindex") and len(index) == len(X) and set(index) == set(X.index):
        values = values.reindex(X.index)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ModelError(
            f"{place}: {what} cannot be made an array: {error}", fix="return one number per row"
        ) from error
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (len(X),):
        raise ModelError(f"{place}: {what} have shape {array.shape}, there are {len(X)} rows", fix="return one per row")
    if array.dtype == object and all(isinstance(value, bool | np.bool_) for value in array):
        array = array.astype(bool)
    elif array.dtype == object and all(isinstance(value, int | float | np.number) for value in array):
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise ModelError(f"{place}: {what} are {array.dtype}, for example {array.tolist()[0]!r}", fix="return numbers")
    _refuse(~np.isfinite(array), array, X, f"{place}: {what}", "NaN or infinite")
    return array


def _refuse(bad: NDArray[np.bool_], array: NDArray[Any], X: pd.Series, what: str, problem: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ModelError(
            f"{what} of {bad.sum()} of {len(bad)} rows are {problem} ({X.index[first]}: {array[first]})",
            fix="predict a usable number for every row",
        )


def derived_seed(seed: int, *place: object) -> int:
    """A seed for one piece of work, stable across processes, machines and versions.

    Args:
        seed: The seed that the user chose.
        place: What tells this piece of work from others, e.g. the task's name and the fold.

    Returns:
        A number below 2**32.

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
