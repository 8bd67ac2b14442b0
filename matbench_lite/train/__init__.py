"""From a model to an entry: the estimator contract, features, baselines, training on every fold.

Everything is imported when it is first used: a process that trains one model needs a small part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.train.backends import outcomes
    from matbench_lite.train.bagging import RowPredictions, bag, from_npz, to_npz
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
        structure_array,
    )
    from matbench_lite.train.jobs import Backend, Job, Journal, Outcome, Plan, RunResult, Step
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
    from matbench_lite.train.runner import run_model
    from matbench_lite.train.sandbox import STAGES, Limits, fit_contained, isolation_problem, visible_folders
    from matbench_lite.train.trial import inner_seed, rescore, row_predictions, trial_folder, try_model
    from matbench_lite.train.trial_blend import Blend, blend_runs, load_bagged
    from matbench_lite.train.trial_files import default_output, tried_tasks
    from matbench_lite.train.trial_record import (
        BAGGED_PARTS,
        DEFAULT_INNER_FOLDS,
        MAX_INNER_FOLDS,
        InnerFold,
        InnerResult,
        Trial,
        TrialSettings,
        inner_folds,
        mean_metrics,
        score_part,
    )

__all__ = [
    "BAGGED_PARTS", "BASELINES", "DEFAULT_INNER_FOLDS", "MAGPIE_NAMES", "MAX_INNER_FOLDS", "MODEL_FILE", "STAGES",
    "STRUCTURE_NAMES", "Backend", "Blend", "InnerFold", "InnerResult", "Job", "Journal", "Limits", "Model", "Outcome",
    "Plan", "Predicted", "RowPredictions", "RunResult", "Step", "Trial", "TrialSettings", "about_model", "bag",
    "blend_runs", "checked_predictions", "default_output", "derived_seed", "element_amounts", "execute_file",
    "fit_contained", "fit_predict", "from_npz", "inner_folds", "inner_seed", "isolation_problem", "load_bagged",
    "load_model", "magpie_array", "mean_metrics", "model_inputs", "outcomes", "predict_rows", "rescore",
    "row_predictions", "run_model", "score_part", "seed_everything", "source_digest", "structure_array", "to_npz",
    "trial_folder", "tried_tasks", "try_model", "visible_folders",
]  # fmt: skip

__getattr__ = lazy(
    __name__,
    {
        "backends": "outcomes",
        "bagging": "RowPredictions bag from_npz to_npz",
        "estimators": "Predicted checked_predictions derived_seed fit_predict predict_rows seed_everything",
        "features": "MAGPIE_NAMES STRUCTURE_NAMES element_amounts magpie_array structure_array",
        "jobs": "Backend Job Journal Outcome Plan RunResult Step",
        "model_file": "BASELINES MODEL_FILE Model about_model execute_file load_model model_inputs source_digest",
        "runner": "run_model",
        "sandbox": "STAGES Limits fit_contained isolation_problem visible_folders",
        "trial": "inner_seed rescore row_predictions trial_folder try_model",
        "trial_blend": "Blend blend_runs load_bagged",
        "trial_files": "default_output tried_tasks",
        "trial_record": "BAGGED_PARTS DEFAULT_INNER_FOLDS MAX_INNER_FOLDS InnerFold InnerResult Trial "
        "TrialSettings inner_folds mean_metrics score_part",
    },
)
