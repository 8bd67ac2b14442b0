"""From a model to an entry: the estimator contract, features, baselines, training on every fold.

Everything is imported when it is first used: a process that trains one model needs a small part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.train.bagging import RowPredictions, bag
    from matbench_lite.train.driver import Step, drive
    from matbench_lite.train.entry_run import gather, run_model
    from matbench_lite.train.estimators import (
        Predicted,
        checked_predictions,
        derived_seed,
        fit_predict,
        predict_rows,
        seed_everything,
    )
    from matbench_lite.train.features import (
        MAGPIE_NAMES,
        STRUCTURE_NAMES,
        element_amounts,
        magpie_array,
        magpie_features,
        structure_array,
        structure_features,
    )
    from matbench_lite.train.jobs import Job, Outcome, PieceRecord, Protocol, Split, data_digest
    from matbench_lite.train.journal import Journal, Log
    from matbench_lite.train.model_file import (
        BASELINES,
        MODEL_FILE,
        Model,
        about_model,
        execute_file,
        load_model,
        model_inputs,
        source_digest,
    )
    from matbench_lite.train.prediction_table import Comparison, compare_tables, predictions_table
    from matbench_lite.train.protocols import (
        DEFAULT_INNER_FOLDS,
        MAX_INNER_FOLDS,
        Folds,
        InnerFold,
        LocalTest,
        inner_folds,
        inner_seed,
    )
    from matbench_lite.train.run_plan import Plan, RunResult, default_output
    from matbench_lite.train.runners import Backend, Contained, Here, Processes, Runner, one_thread, runner
    from matbench_lite.train.sandbox import Limits, isolation_problem, visible_folders
    from matbench_lite.train.trial import rescore, try_model
    from matbench_lite.train.trial_blend import Blend, blend_runs, load_bagged
    from matbench_lite.train.trial_record import (
        BAGGED_PARTS,
        InnerResult,
        Trial,
        TrialSettings,
        mean_metrics,
        score_part,
        trial_journal,
        tried_tasks,
    )

__all__ = [
    "BAGGED_PARTS", "BASELINES", "DEFAULT_INNER_FOLDS", "MAGPIE_NAMES", "MAX_INNER_FOLDS", "MODEL_FILE",
    "STRUCTURE_NAMES", "Backend", "Blend", "Comparison", "Contained", "Folds", "Here", "InnerFold", "InnerResult",
    "Job", "Journal", "Limits", "LocalTest", "Log", "Model", "Outcome", "PieceRecord", "Plan", "Predicted", "Processes",
    "Protocol", "RowPredictions", "RunResult", "Runner", "Split", "Step", "Trial", "TrialSettings", "about_model",
    "bag", "blend_runs", "checked_predictions", "compare_tables", "data_digest", "default_output", "derived_seed",
    "drive", "element_amounts", "execute_file", "fit_predict", "gather", "inner_folds", "inner_seed",
    "isolation_problem", "load_bagged", "load_model", "magpie_array", "magpie_features", "mean_metrics", "model_inputs",
    "one_thread", "predict_rows", "predictions_table", "rescore", "run_model", "runner", "score_part",
    "seed_everything", "source_digest", "structure_array", "structure_features", "trial_journal", "tried_tasks",
    "try_model", "visible_folders",
]  # fmt: skip

__getattr__ = lazy(__name__)
