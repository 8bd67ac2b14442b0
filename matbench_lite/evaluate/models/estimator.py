"""Baselines and `get_estimator` files as models of an evaluation: trained on all rows that they have seen."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.data.item import Item, Row
from matbench_lite.evaluate.data.tuples import unnest
from matbench_lite.evaluate.models.model import Model
from matbench_lite.run import fit_predict, model_inputs
from matbench_lite.run.fitting import predict_rows
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.run import Model as Estimators

FEWEST = 5
"""With fewer rows, or one class alone, the mean or the most frequent answer is predicted instead of training."""


@dataclass
class _Seen:
    """The rows of one domain that were seen, and what was trained on them."""

    items: list[Item] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    trained: tuple[Any, Task] | None = None

    def copied(self) -> _Seen:
        # A trained estimator is never trained again, so copies share it.
        return _Seen(items=self.items.copy(), answers=self.answers.copy(), trained=self.trained)


class EstimatorModel(Model):
    """A scikit-learn estimator that is trained on all rows seen so far, whenever a prediction is asked for.

    Rows of different domains are different tasks and are kept apart. Background data are not used.

    Args:
        model: Where estimators come from, see `matbench_lite.run.load_model`.
    """

    def __init__(self, model: Estimators) -> None:
        super().__init__(model.name)
        self._model = model
        self._seen: dict[str, _Seen] = {}

    def __deepcopy__(self, memo: object) -> EstimatorModel:
        copied = EstimatorModel(self._model)
        copied.name, copied.evaluation_type = self.name, self.evaluation_type
        copied._seen = {domain: seen.copied() for domain, seen in self._seen.items()}
        return copied

    def pre_train(self, dataset: list[list[Row]]) -> None:
        """Keep the rows for the training to come."""
        for rows in dataset:
            for row in rows:
                self._keep(row["item"], row["response"])

    def adapt(self, item: Item, target: Any, **columns: Any) -> None:  # noqa: ARG002 - other columns are no input
        """Keep one row more."""
        self._keep(item, target)

    def predict(self, item: Item, **columns: Any) -> Any:  # noqa: ARG002 - other columns are no input
        """Train if something new was seen, and predict."""
        return self.predict_many([item])[0]

    def predict_many(self, items: Sequence[Item]) -> list[Any]:
        """The same for many items, between which nothing is learned."""
        answers: dict[int, Any] = {}
        for domain in dict.fromkeys(item.domain for item in items):
            numbers = [number for number, item in enumerate(items) if item.domain == domain]
            answers |= zip(numbers, self._answers(domain, [items[number] for number in numbers]), strict=True)
        return [answers[number] for number in range(len(items))]

    def _keep(self, item: Item, answer: Any) -> None:
        seen = self._seen.setdefault(item.domain, _Seen())
        seen.items.append(item)
        seen.answers.append(unnest(answer))
        seen.trained = None

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
        return list((values > 0.5 if task.kind == "classification" else values).tolist())

    def _train(self, seen: _Seen, task: Task) -> Any:
        import pandas as pd

        estimator = self._model.estimator(task)
        X = self._inputs(seen.items, task)
        kind = float if task.kind == "regression" else bool
        y = pd.Series(seen.answers, index=X.index, name="target", dtype=kind)
        # The engine has seeded Python's generator for this piece of work.
        fit_predict(estimator, task, X, y, [], seed=random.getrandbits(32))
        return estimator

    def _inputs(self, items: Sequence[Item], task: Task) -> pd.Series:
        import numpy as np
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
    """What is predicted with too little to train on: 0 or false of nothing."""
    if task.kind == "classification":
        return sum(answers) * 2 > len(answers)
    return sum(answers) / len(answers) if answers else 0.0
