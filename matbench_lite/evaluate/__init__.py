"""Evaluation settings: how does a model do in a family that it has never seen, and how fast does it learn?

One JSON file says it all: a setting (`prediction`, `adaption`, `coverage`, `loo-coverage`), data, models. The base
classes here are what models, comparators and encoders are made from.

`file` is the evaluation file, `data` its rows and who is shown which of them; `models`, `scoring` and `encoders` are
what it names; `running` takes models through groups, `results` counts, `output` writes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matbench_lite.evaluate.data.item import Item
    from matbench_lite.evaluate.data.tuples import convert_to_basic_types, tuple_to_string, unnest
    from matbench_lite.evaluate.encoders import ResponseEncoder, TaskEncoder
    from matbench_lite.evaluate.file.reading import parse_evaluation, read_evaluation
    from matbench_lite.evaluate.file.schema import SCHEMA_FILE
    from matbench_lite.evaluate.file.specification import Evaluation
    from matbench_lite.evaluate.models.model import Model
    from matbench_lite.evaluate.output.saving import save_results
    from matbench_lite.evaluate.results.figures import ModelResult, Results, Scores
    from matbench_lite.evaluate.running.evaluating import evaluate
    from matbench_lite.evaluate.scoring.comparators import COMPARATORS, Comparator

_HOMES = {
    "COMPARATORS": "scoring.comparators",
    "Comparator": "scoring.comparators",
    "Evaluation": "file.specification",
    "Item": "data.item",
    "Model": "models.model",
    "ModelResult": "results.figures",
    "ResponseEncoder": "encoders",
    "Results": "results.figures",
    "SCHEMA_FILE": "file.schema",
    "Scores": "results.figures",
    "TaskEncoder": "encoders",
    "convert_to_basic_types": "data.tuples",
    "evaluate": "running.evaluating",
    "parse_evaluation": "file.reading",
    "read_evaluation": "file.reading",
    "save_results": "output.saving",
    "tuple_to_string": "data.tuples",
    "unnest": "data.tuples",
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
