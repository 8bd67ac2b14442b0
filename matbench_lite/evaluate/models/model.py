"""The base class of models that are asked one row at a time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from matbench_lite.evaluate.data.item import Item, Row

_UNCHANGING = frozenset({str, int, float, bool, type(None)})


def _cannot_change(value: object) -> bool:
    return type(value) in _UNCHANGING or (type(value) is tuple and _UNCHANGING.issuperset(map(type, value)))


class Model:
    """A model that learns from groups and rows, and predicts one row at a time.

    Override what the model needs; only `predict` must be there. Every hook runs on a copy that lives for one group.

    Args:
        name: Name in the results; the name of the class if empty.
        supported_domains: Domains that it works on; None for any.
        supported_response_types: Response types that it can give; None for any.

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
        if type(state) is dict and not hasattr(copied, "__setstate__"):
            own = copied.__dict__
            for name, value in state.items():
                own[name] = value if _cannot_change(value) else copy.deepcopy(value, memo)
            return copied
        state = copy.deepcopy(state, memo)
        if hasattr(copied, "__setstate__"):
            copied.__setstate__(state)
        else:
            for part in state:  # attributes, and those that are slots
                for name, value in (part or {}).items():
                    setattr(copied, name, value)
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

        Args:
            item: The question.
            columns: All other columns of the row that are not targets.
        """
        raise NotImplementedError(f"{type(self).__name__} has no predict(item, **columns)")

    def adapt(self, item: Item, target: Any, **columns: Any) -> None:
        """Learn the answer to an item that was just predicted.

        Args:
            item: The question.
            target: The true answer.
            columns: All other columns of the row, targets of other evaluations included.
        """

    def end_participant(self, identifier: Any, model_log: dict[str, Any], **about: Any) -> None:
        """End a group. Whatever is put into `model_log` is in the report."""
