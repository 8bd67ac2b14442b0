"""From a model to an entry: the estimator contract, features, baselines, training on every fold.

Everything is imported when it is first used: a process that trains one model needs a small part of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = {
    "BASELINES": "model",
    "Blend": "blend",
    "InnerResult": "trial_record",
    "Model": "model",
    "OfficialTestUse": "official_test",
    "Plan": "plan",
    "Predicted": "fitting",
    "RunResult": "plan",
    "Step": "plan",
    "Trial": "trial_record",
    "TrialScores": "trial_record",
    "TrialSettings": "trial_record",
    "blend_runs": "blend",
    "derived_seed": "seeds",
    "fit_predict": "fitting",
    "load_bagged": "blend",
    "load_model": "model",
    "model_inputs": "inputs",
    "official_test_uses": "official_test",
    "rescore": "trial",
    "run_model": "runner",
    "try_model": "trial",
}

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


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
