"""Evaluation settings: how does a model do in a family that it has never seen, and how fast does it learn?

One JSON file says it all: a setting (`prediction`, `adaption`, `coverage`, `loo-coverage`), data, models. The base
classes here are what models, comparators and encoders are made from.

`evaluation_file` is the file, `evaluation_rows` its rows, `group_plan` who is shown which of them; `evaluated_models`,
`comparators` and `encoders` are what it names; `evaluation_run` takes models through groups, `evaluation_results`
counts; `saved_results` writes that to disk, with a page to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.evaluate.comparators import COMPARATORS, Comparator
    from matbench_lite.evaluate.encoders import ResponseEncoder, TaskEncoder
    from matbench_lite.evaluate.evaluated_models import Model
    from matbench_lite.evaluate.evaluation_file import SCHEMA_FILE, Evaluation
    from matbench_lite.evaluate.evaluation_reader import parse_evaluation, read_evaluation
    from matbench_lite.evaluate.evaluation_results import ModelResult, Results, Scores, rank_texts
    from matbench_lite.evaluate.evaluation_run import evaluate
    from matbench_lite.evaluate.items import Item, convert_to_basic_types, tuple_to_string, unnest
    from matbench_lite.evaluate.saved_results import as_document, as_page, rounded, save_results
    from matbench_lite.evaluate.scorers import Scorer

__all__ = [
    "COMPARATORS", "SCHEMA_FILE", "Comparator", "Evaluation", "Item", "Model", "ModelResult", "ResponseEncoder",
    "Results", "Scorer", "Scores", "TaskEncoder", "as_document", "as_page", "convert_to_basic_types", "evaluate",
    "parse_evaluation", "rank_texts", "read_evaluation", "rounded", "save_results", "tuple_to_string", "unnest",
]  # fmt: skip

__getattr__ = lazy(__name__)
