"""Models of an evaluation: the contract, the files they are in, and scikit-learn's estimators as such."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from matbench_lite.data import class_names
from matbench_lite.errors import EvaluationError, MatbenchLiteError
from matbench_lite.evaluate.evaluation_file import Code
from matbench_lite.evaluate.evaluation_loader import (
    CodeFailedError,
    digest_with_imports,
    find_class,
    instantiate,
    load_module,
    python_files,
)
from matbench_lite.evaluate.items import Item, Row, unnest
from matbench_lite.tasks import Task
from matbench_lite.train import Named, fit_predict, load_model, model_inputs, predict_rows

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.train import Model as Estimators


_UNCHANGING = frozenset({str, int, float, bool, type(None)})


def _cannot_change(value: object) -> bool:
    return type(value) in _UNCHANGING or (type(value) is tuple and _UNCHANGING.issuperset(map(type, value)))


class Model:
    """A model that learns from groups and rows, and predicts one row at a time.

    Override what the model needs; only `predict` must be there. Every hook runs on a copy that lives for one group.
    `supported_domains` and `supported_response_types` are what it works on; None for any.

    Examples:
        >>> class GroupMean(Model):
        ...     def __init__(self):
        ...         super().__init__("group mean")
        ...         self.seen = [0.0]
        ...     def predict(self, item, **columns):
        ...         return sum(self.seen) / len(self.seen)
        ...     def adapt(self, item, target, **columns):
        ...         self.seen.append(target)
        >>> GroupMean().name
        'group mean'
    """

    def __init__(
        self,
        name: str = "",
        supported_domains: Sequence[str] | None = None,
        supported_response_types: Sequence[str] | None = None,
    ) -> None:
        self.name = name or type(self).__name__
        self.supported_domains = None if supported_domains is None else tuple(supported_domains)
        self.supported_response_types = None if supported_response_types is None else tuple(supported_response_types)
        self.evaluation_type: str | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        # A copy for every group, in loo-coverage for every row: the general way takes three times as long.
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        state: Any = self.__getstate__()
        if hasattr(copied, "__setstate__"):
            copied.__setstate__(copy.deepcopy(state, memo))
            return copied
        for part in state if type(state) is tuple else (state,):  # attributes, and those that are slots
            for name, value in (part or {}).items():
                object.__setattr__(copied, name, value if _cannot_change(value) else copy.deepcopy(value, memo))
        return copied

    def setup_environment(self, evaluation_type: str) -> None:
        """Learn the setting: `prediction`, `adaption`, `coverage` or `loo-coverage`."""
        self.evaluation_type = evaluation_type

    def pre_train(self, dataset: list[list[Row]]) -> None:
        """Learn from groups: a list of groups, each a list of rows.

        With `corresponding_data`, these are all groups but the one that will be predicted.
        """

    def pre_train_person(self, dataset: list[Row]) -> None:
        """Learn from rows of the group that will be predicted. By default, `adapt` to one after the other."""
        if type(self).adapt is Model.adapt:
            return  # it learns nothing
        for row in dataset:
            others = {name: value for name, value in row.items() if name not in ("item", "response")}
            self.adapt(row["item"], row["response"], **others)

    def pre_person_background(self, dataset: list[Row]) -> None:
        """Learn from rows of the same group in other domains."""

    def start_participant(self, **about: Any) -> None:
        """Begin a group; its identifier is the keyword `id`."""

    def predict(self, item: Item, **columns: Any) -> Any:
        """Answer an item.

        `columns` are all others of the row that are not targets.
        """
        raise NotImplementedError(f"{type(self).__name__} has no predict(item, **columns)")

    def adapt(self, item: Item, target: Any, **columns: Any) -> None:
        """Learn the answer to an item that was just predicted.

        `columns` are all others of the row, targets of other evaluations included.
        """

    def end_participant(self, identifier: Any, model_log: dict[str, Any], **about: Any) -> None:
        """End a group. Whatever is put into `model_log` is in the report."""


@dataclass(frozen=True, kw_only=True)
class Candidate(Named):
    """A model that can be made: its name in the results, and the digest of code and arguments.

    `estimators` is what it is made from where its code has no subclass of `Model`: a file with `get_estimator`, or a
    baseline. `problem` says why it cannot be made after all.
    """

    code: Code
    estimators: Estimators | None = None
    problem: str | None = None

    def make(self) -> Any:
        """A new one."""
        if self.estimators is not None:
            return EstimatorModel(self.estimators)
        return instantiate(self.code, cast("type[Any]", find_class(self.code, Model)))


def load_candidate(code: Code) -> Candidate:
    """Load the code of a model and make one of it, to see that it can be made.

    A file with a subclass of `Model` is taken as it is; a baseline, or a file with `get_estimator`, is adapted. One
    whose code raises must not lose the others.
    """
    try:
        kind = find_class(code, Model)
        if kind is None:
            return _estimator(code)
        first = instantiate(code, kind)
    except CodeFailedError as error:
        return Candidate(name=code.override_name or Path(code.filename).stem, code=code, problem=str(error))
    name = code.override_name or str(getattr(first, "name", "") or kind.__name__)
    digest = _digest(digest_with_imports(python_files(code.path)), kind.__name__, code)
    return Candidate(name=name, code=code, sha256=digest)


def _estimator(code: Code) -> Candidate:
    if code.path is not None and not any(
        hasattr(load_module(file, code.key), "get_estimator") for file in python_files(code.path)
    ):
        raise EvaluationError(
            f"{code.key}: {code.filename} has neither a subclass of matbench_lite.evaluate.Model nor get_estimator",
            fix="define one of them",
        )
    for key, value in (("classname", code.classname), ("args", dict(code.args) or None)):
        if value is not None:
            raise EvaluationError(
                f"{code.key}/{key}: {value!r} is not allowed: {code.filename} has get_estimator, not a class",
                fix="leave it out",
            )
    try:
        model = load_model(code.path or code.filename)
    except MatbenchLiteError as error:
        raise EvaluationError(f"{code.key}: {error.message}", fix=error.fix) from error
    digest = _digest(model.sha256, "get_estimator", code)
    return Candidate(name=code.override_name or model.name, code=code, estimators=model, sha256=digest)


def uniquely_named(candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[str]]:
    """The models, none with the name of another, and a note for each whose name had to be changed."""
    named: dict[str, Candidate] = {}
    notes = []
    for candidate in candidates:
        name = candidate.name
        while name in named:
            name += "'"
        if name != candidate.name:
            notes.append(f"two models are called {candidate.name!r}; the later one is {name!r} in the results")
        named[name] = replace(candidate, name=name)
    return [*named.values()], notes


def _digest(source: str, kind: str, code: Code) -> str:
    text = json.dumps([source, kind, dict(code.args)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


FEWEST = 5
"""With fewer rows, or one class alone, the mean or the most frequent answer is predicted instead of training."""


@dataclass
class _Seen:
    """The rows of one domain that were seen, and what was trained on them."""

    items: list[Item] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    trained: tuple[Any, Task] | None = None


class EstimatorModel(Model):
    """A scikit-learn estimator that is trained on all rows seen so far, whenever a prediction is asked for.

    Rows of different domains are different tasks and are kept apart. Background data are not used.
    """

    def __init__(self, model: Estimators) -> None:
        super().__init__(model.name)
        self.threads = 1
        self._model = model
        self._seen: dict[str, _Seen] = {}

    def __deepcopy__(self, memo: object) -> EstimatorModel:
        copied = EstimatorModel(self._model)
        copied.name, copied.evaluation_type, copied.threads = self.name, self.evaluation_type, self.threads
        for domain, seen in self._seen.items():
            # A trained estimator is never trained again, so copies share it.
            copied._seen[domain] = _Seen(seen.items.copy(), seen.answers.copy(), seen.trained)
        return copied

    def pre_train(self, dataset: list[list[Row]]) -> None:
        """Keep the rows for the training to come."""
        for rows in dataset:
            for row in rows:
                self.adapt(row["item"], row["response"])

    def adapt(self, item: Item, target: Any, **columns: Any) -> None:  # noqa: ARG002 - other columns are no input
        """Keep one row more."""
        seen = self._seen.setdefault(item.domain, _Seen())
        seen.items.append(item)
        seen.answers.append(unnest(target))
        seen.trained = None

    def predict(self, item: Item, **columns: Any) -> Any:  # noqa: ARG002 - other columns are no input
        """Train if something new was seen, and predict."""
        return self.predict_many([item])[0]

    def predict_many(self, items: Sequence[Item]) -> list[Any]:
        """The same for many items, between which nothing is learned."""
        by_domain: dict[str, list[Item]] = {}
        for item in items:
            by_domain.setdefault(item.domain, []).append(item)
        answers = {domain: iter(self._answers(domain, some)) for domain, some in by_domain.items()}
        return [next(answers[item.domain]) for item in items]

    def _answers(self, domain: str, items: Sequence[Item]) -> list[Any]:
        seen = self._seen.get(domain, _Seen())
        task = _task(items[0], seen.answers)
        X = self._inputs(items, task)
        if len(seen.items) < FEWEST or (task.kind == "classification" and len(set(seen.answers)) == 1):
            return [_constant(seen.answers, task)] * len(items)
        if seen.trained is None:
            seen.trained = self._train(seen, task), task
        estimator, task = seen.trained
        values = predict_rows(estimator, task, X).values
        if values.ndim == 2:
            values = values.argmax(axis=1)
        elif task.kind == "classification" and values.dtype.kind in "bf":
            values = values > 0.5
        elif task.classes:
            return list(values.tolist())
        return list(class_names(task, values).tolist())

    def _train(self, seen: _Seen, task: Task) -> Any:
        import pandas as pd

        estimator = self._model.estimator(task)
        X = self._inputs(seen.items, task)
        kind: type = float if task.kind == "regression" else object if task.classes else bool
        y = pd.Series(seen.answers, index=X.index, name="target", dtype=kind)
        # The engine has seeded Python's generator for this piece of work.
        fit_predict(estimator, task, X, y, [], seed=random.getrandbits(32), threads=self.threads)
        return estimator

    def _inputs(self, items: Sequence[Item], task: Task) -> pd.Series:
        import pandas as pd

        positions = [item.origin.position for item in items if item.origin is not None]
        if len(positions) == len(items):
            return model_inputs(self._model, task, np.array(positions))
        return pd.Series([item.task_str for item in items], name="composition")


def _task(item: Item, answers: Sequence[Any]) -> Task:
    """The task of the registry, or for data from a file one that says what an estimator must know."""
    if item.origin is not None:
        return item.origin.task
    if any(not isinstance(answer, bool | int | float) for answer in answers):
        raise EvaluationError(
            f"a model with get_estimator learns numbers or true and false, not {answers[0]!r}",
            fix="write a subclass of matbench_lite.evaluate.Model",
        )
    return Task(
        benchmark="evaluation",
        name=item.domain,
        input="composition",
        kind="classification" if answers and all(isinstance(answer, bool) for answer in answers) else "regression",
        target="response",
        unit="",
        rows=max(1, len(answers)),
        description="Rows of an evaluation file.",
        references=(),
        n_folds=1,
        seed=0,
    )


def _constant(answers: Sequence[Any], task: Task) -> Any:
    """What is predicted with too little to train on: 0, false or the first class of nothing."""
    if task.classes:
        return max(task.classes, key=answers.count)
    if task.kind == "classification":
        return sum(answers) * 2 > len(answers)
    return sum(answers) / len(answers) if answers else 0.0
