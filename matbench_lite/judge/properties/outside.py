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
    """The score of an algorithm in an evaluation (`mbl evaluate`), e.g. with whole groups left out; errors negative.

    Returns:
        The score; NaN for a model that failed there.

    Raises:
        JudgingError: If the file cannot be read, or the algorithm is not in it.
    """
    models, lower_is_better = _scores(spec.path)
    number = spec.name or "mean_groups"
    found = models.get(case.algorithm, {})
    if "error" in found:
        return math.nan
    try:
        value = float(found[number])
    except (KeyError, TypeError, ValueError) as error:
        raise JudgingError(
            f"{spec.path} has no {number!r} of a model {case.algorithm!r}", fix=f"it has {', '.join(sorted(models))}"
        ) from error
    return 0.0 - value if lower_is_better else value


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
def _scores(path: str) -> tuple[dict[str, dict[str, Any]], bool]:
    """The numbers of each model, and whether small ones are good."""
    try:
        document = json.loads(Path(path).read_bytes())
        models = {str(name): dict(numbers) for name, numbers in document["models"].items()}
        return models, bool(document.get("lower_is_better", True))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise JudgingError(
            f"{path} is not the result of an evaluation: {error}", fix="give the scores.json of `mbl evaluate`"
        ) from error


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
