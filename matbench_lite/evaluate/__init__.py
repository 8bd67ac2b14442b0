"""Evaluation settings: how does a model do in a family that it has never seen, and how fast does it learn?

One JSON file says it all: a setting (`prediction`, `adaption`, `coverage`, `loo-coverage`), data, models. The base
classes here are what models, comparators and encoders are made from.

`evaluation_file` is the file, `evaluation_rows` its rows, `group_plan` who is shown which of them; `evaluated_models`,
`comparators` and `encoders` are what it names; `evaluation_protocol` takes them through groups, `evaluation_run`
one after the other, `evaluation_results` counts; `saved_results` writes that to disk, with a page to read.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.evaluate.comparators import COMPARATORS as COMPARATORS, Comparator as Comparator
    from matbench_lite.evaluate.encoders import ResponseEncoder as ResponseEncoder, TaskEncoder as TaskEncoder
    from matbench_lite.evaluate.evaluated_models import Model as Model
    from matbench_lite.evaluate.evaluation_file import SCHEMA_FILE as SCHEMA_FILE, Evaluation as Evaluation
    from matbench_lite.evaluate.evaluation_loader import Named as Named, named_outside as named_outside
    from matbench_lite.evaluate.evaluation_reader import (
        parse_evaluation as parse_evaluation, read_evaluation as read_evaluation,
    )
    from matbench_lite.evaluate.evaluation_results import (
        ModelResult as ModelResult, Results as Results, Scores as Scores, rank_texts as rank_texts,
    )
    from matbench_lite.evaluate.evaluation_run import evaluate as evaluate
    from matbench_lite.evaluate.items import (
        Item as Item, convert_to_basic_types as convert_to_basic_types, tuple_to_string as tuple_to_string,
        unnest as unnest,
    )
    from matbench_lite.evaluate.saved_results import (
        as_document as as_document, as_page as as_page, model_columns as model_columns,
        model_headline as model_headline, rounded as rounded, save_results as save_results,
    )
    from matbench_lite.evaluate.scorers import Scorer as Scorer
else:
    __getattr__, __dir__ = lazy(__name__)
