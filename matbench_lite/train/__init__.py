"""From a model to an entry: the estimator contract, features, baselines, training on every fold.

Everything is imported when it is first used: a process that trains one model needs a small part of it.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.train.bagging import RowPredictions as RowPredictions, bag as bag
    from matbench_lite.train.driver import Step as Step, drive as drive
    from matbench_lite.train.entry_run import gather as gather, run_model as run_model
    from matbench_lite.train.estimators import (
        Predicted as Predicted, checked_predictions as checked_predictions, derived_seed as derived_seed,
        fit_predict as fit_predict, predict_rows as predict_rows, seed_everything as seed_everything,
    )
    from matbench_lite.train.features import (
        MAGPIE_NAMES as MAGPIE_NAMES, STRUCTURE_NAMES as STRUCTURE_NAMES, magpie_array as magpie_array,
        magpie_features as magpie_features, structure_array as structure_array,
        structure_features as structure_features,
    )
    from matbench_lite.train.jobs import (
        Job as Job, Outcome as Outcome, PieceRecord as PieceRecord, Protocol as Protocol, Resources as Resources,
        Split as Split, data_digest as data_digest,
    )
    from matbench_lite.train.journal import Journal as Journal, Log as Log
    from matbench_lite.train.model_file import (
        BASELINES as BASELINES, MODEL_FILE as MODEL_FILE, Model as Model, Named as Named, about_model as about_model,
        gives_estimators as gives_estimators, importing_from as importing_from, load_file as load_file,
        load_model as load_model, model_inputs as model_inputs, source_digest as source_digest,
        submitted_model as submitted_model,
    )
    from matbench_lite.train.prediction_table import (
        ONLY_GROUPS as ONLY_GROUPS, Comparison as Comparison, RankedModel as RankedModel,
        compare_tables as compare_tables, predictions_table as predictions_table, ranking as ranking,
    )
    from matbench_lite.train.protocols import (
        DEFAULT_INNER_FOLDS as DEFAULT_INNER_FOLDS, MAX_INNER_FOLDS as MAX_INNER_FOLDS, Folds as Folds,
        InnerFold as InnerFold, LocalTest as LocalTest, inner_folds as inner_folds,
    )
    from matbench_lite.train.reproduction import FEW_BITS as FEW_BITS, reproduce as reproduce
    from matbench_lite.train.run_plan import Plan as Plan, RunResult as RunResult, default_output as default_output
    from matbench_lite.train.runners import (
        Contained as Contained, Here as Here, Processes as Processes, Runner as Runner, runner as runner,
    )
    from matbench_lite.train.sandbox import (
        STAGES as STAGES, Limits as Limits, isolation_problem as isolation_problem,
        require_isolation as require_isolation, visible_folders as visible_folders,
    )
    from matbench_lite.train.trial import (
        Blend as Blend, blend_runs as blend_runs, load_bagged as load_bagged, rescore as rescore,
        try_model as try_model,
    )
    from matbench_lite.train.trial_record import (
        BAGGED_PARTS as BAGGED_PARTS, InnerResult as InnerResult, Trial as Trial, TrialSettings as TrialSettings,
        mean_metrics as mean_metrics, score_part as score_part, trial_journal as trial_journal,
        tried_tasks as tried_tasks,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
