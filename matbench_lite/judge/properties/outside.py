"""Properties that come from elsewhere: another evaluation of the same models, or the organiser's own function."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from matbench_lite.errors import JudgingError
from matbench_lite.judge.properties.case import Case
from matbench_lite.judge.properties.spec import PropertySpec


def evaluation(case: Case, spec: PropertySpec) -> float:
    """The score of an algorithm in an evaluation (`mbl evaluate FILE --json`), e.g. with whole groups left out.

    Raises:
        JudgingError: If the file cannot be read, or the algorithm is not in it.
    """
    models = _models(spec.path)
    number = spec.name or "mean_groups"
    try:
        value = float(models[case.algorithm][number])
    except (KeyError, TypeError, ValueError) as error:
        raise JudgingError(
            f"{spec.path} has no {number!r} of a model {case.algorithm!r}", fix=f"it has {', '.join(sorted(models))}"
        ) from error
    return value if spec.larger_is_better else 0.0 - value


def function(case: Case, spec: PropertySpec) -> float:
    """What the organiser's own function says of a case; the file is executed.

    Raises:
        JudgingError: If the file has no such function, or it fails, or does not return a number.
    """
    name = spec.name or "measure"
    own = _function(spec.path, name)
    try:
        value = float(own(case))
    except Exception as error:
        raise JudgingError(
            f"{name} of {spec.path} raised {type(error).__name__} for {case.algorithm} on {case.dataset.name}: {error}",
            fix="correct the function",
        ) from error
    if math.isinf(value):
        raise JudgingError(f"{name} of {spec.path} returned {value}", fix="return a finite number")
    return value


@lru_cache(maxsize=8)
def _models(path: str) -> dict[str, Any]:
    try:
        models = json.loads(Path(path).read_bytes())["models"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JudgingError(
            f"{path} is not the result of an evaluation: {error}", fix="use `mbl evaluate --json`"
        ) from error
    if not isinstance(models, dict):
        raise JudgingError(f"{path} is not the result of an evaluation", fix="use `mbl evaluate --json`")
    return models


@lru_cache(maxsize=8)
def _function(path: str, name: str) -> Callable[[Case], Any]:
    import runpy

    try:
        own = runpy.run_path(path).get(name)
    except Exception as error:
        raise JudgingError(f"{path} failed with {type(error).__name__}: {error}", fix="correct the file") from error
    if not callable(own):
        raise JudgingError(f"{path} has no function {name}", fix=f"define {name}(case) that returns a number")
    function: Callable[[Case], Any] = own
    return function
