"""A dictionary whose keys are attributes too, as Matbench's results, scores and metadata have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class AttributeDict(dict[str, Any]):
    """A dictionary with attribute access at every level.

    A name that is not there is an error; in Matbench it makes an empty dictionary of that name.

    Examples:
        >>> scores = AttributeDict({"mae": {"mean": 0.5}})
        >>> scores.mae.mean == scores["mae"]["mean"]
        True
    """

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        for key, value in (content or {}).items():
            self[key] = value

    def __setitem__(self, key: str, value: Any) -> None:
        nested = isinstance(value, dict) and not isinstance(value, AttributeDict)
        super().__setitem__(key, AttributeDict(value) if nested else value)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(list(self)[:20])
            raise AttributeError(f"there is no {name!r}: use one of {known}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value
