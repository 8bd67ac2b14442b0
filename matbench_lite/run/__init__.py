"""From a model to an entry: the estimator contract, features, baselines, training on every fold."""

from matbench_lite.run.blend import Blend, blend_runs, load_bagged
from matbench_lite.run.fitting import Predicted, fit_predict
from matbench_lite.run.inputs import model_inputs
from matbench_lite.run.model import BASELINES, Model, load_model
from matbench_lite.run.official_test import OfficialTestUse, official_test_uses
from matbench_lite.run.plan import Plan, RunResult, Step
from matbench_lite.run.runner import run_model
from matbench_lite.run.seeds import derived_seed
from matbench_lite.run.trial import rescore, try_model
from matbench_lite.run.trial_record import InnerResult, Trial, TrialScores, TrialSettings

__all__ = [
    "BASELINES",
    "Blend",
    "InnerResult",
    "Model",
    "OfficialTestUse",
    "Plan",
    "Predicted",
    "RunResult",
    "Step",
    "Trial",
    "TrialScores",
    "TrialSettings",
    "blend_runs",
    "derived_seed",
    "fit_predict",
    "load_bagged",
    "load_model",
    "model_inputs",
    "official_test_uses",
    "rescore",
    "run_model",
    "try_model",
]
