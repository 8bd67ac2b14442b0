"""Evaluation settings: how does a model do in a family that it has never seen, and how fast does it learn?

One JSON file says it all: a setting (`prediction`, `adaption`, `coverage`, `loo-coverage`), data, models. The base
classes here are what models, comparators and encoders are made from.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matbench_lite.evaluate.comparators import COMPARATORS, Comparator
    from matbench_lite.evaluate.encoders import ResponseEncoder, TaskEncoder
    from matbench_lite.evaluate.evaluating import evaluate
    from matbench_lite.evaluate.item import Item
    from matbench_lite.evaluate.model import Model
    from matbench_lite.evaluate.reading import parse_evaluation, read_evaluation
    from matbench_lite.evaluate.results import ModelResult, Results, Scores
    from matbench_lite.evaluate.saving import save_results
    from matbench_lite.evaluate.schema import SCHEMA_FILE
    from matbench_lite.evaluate.specification import Evaluation
    from matbench_lite.evaluate.tuples import convert_to_basic_types, tuple_to_string, unnest

_HOMES = {
    "COMPARATORS": "comparators",
    "Comparator": "comparators",
    "Evaluation": "specification",
    "Item": "item",
    "Model": "model",
    "ModelResult": "results",
    "ResponseEncoder": "encoders",
    "Results": "results",
    "SCHEMA_FILE": "schema",
    "Scores": "results",
    "TaskEncoder": "encoders",
    "convert_to_basic_types": "tuples",
    "evaluate": "evaluating",
    "parse_evaluation": "reading",
    "read_evaluation": "reading",
    "save_results": "saving",
    "tuple_to_string": "tuples",
    "unnest": "tuples",
}

__all__ = [
    "COMPARATORS",
    "SCHEMA_FILE",
    "Comparator",
    "Evaluation",
    "Item",
    "Model",
    "ModelResult",
    "ResponseEncoder",
    "Results",
    "Scores",
    "TaskEncoder",
    "convert_to_basic_types",
    "evaluate",
    "parse_evaluation",
    "read_evaluation",
    "save_results",
    "tuple_to_string",
    "unnest",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
