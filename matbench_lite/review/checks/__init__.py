"""The checks: one module per concern, each with its rules and one function that yields findings. All always run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from matbench_lite.review.checks import (
    completeness,
    contents,
    declarations,
    folder,
    notebooks,
    reading,
    scores,
    submittable,
    text,
)
from matbench_lite.review.checks.honesty import (
    constant,
    equal_targets,
    external_data,
    fold_scores,
    hand_tuning,
    near_duplicate,
)
from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule

_MODULES = (
    folder,
    reading,
    contents,
    notebooks,
    submittable,
    text,
    completeness,
    scores,
    equal_targets,
    fold_scores,
    constant,
    near_duplicate,
    external_data,
    hand_tuning,
    declarations,
)

CHECKS: tuple[Callable[[Material], Iterator[Finding]], ...] = tuple(module.check for module in _MODULES)
ENTRY_RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)
