"""Models of an evaluation file, ready to be made: where they come from, what they are called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matbench_lite.errors import EvaluationError, MatbenchLiteError
from matbench_lite.evaluate.file.loading import find_class, instantiate, load_module, python_files, source_digest
from matbench_lite.evaluate.file.specification import Code
from matbench_lite.evaluate.models.estimator import EstimatorModel
from matbench_lite.evaluate.models.model import Model
from matbench_lite.run import load_model


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A model that can be made.

    Args:
        name: Its name in the results.
        make: Makes a new, untrained model.
        folder: Where its code lies; None for a baseline.
        digest: Digest of its code and arguments.
    """

    name: str
    make: Callable[[], Any]
    folder: Path | None
    digest: str


def load_candidate(code: Code) -> Candidate:
    """Load the code of a model and make one of it, to see that it can be made.

    A file with a subclass of `Model` is taken as it is; a baseline, or a file with `get_estimator`, is adapted.

    Raises:
        EvaluationError: If there is no model in it, or it fails.
    """
    if code.path is None:
        return _estimator(code, code.stated)
    kind = find_class(code, Model)
    if kind is None:
        files = python_files(code.path)
        if any(hasattr(load_module(file, code.key), "get_estimator") for file in files):
            return _estimator(code, code.path)
        raise EvaluationError(
            f"{code.key}: {code.stated} has neither a subclass of matbench_lite.evaluate.Model nor get_estimator",
            fix="define one of them",
        )
    first = instantiate(code, kind)
    return Candidate(
        name=code.name or str(getattr(first, "name", "") or kind.__name__),
        make=lambda: instantiate(code, kind),
        folder=code.path,
        digest=_digest(source_digest(python_files(code.path)), kind.__name__, code),
    )


def _estimator(code: Code, name_or_path: str | Path) -> Candidate:
    for key, value in (("classname", code.classname), ("args", dict(code.args) or None)):
        if value is not None:
            raise EvaluationError(
                f"{code.key}/{key}: {value!r} is not allowed: {code.stated} has get_estimator, not a class",
                fix="leave it out",
            )
    try:
        model = load_model(name_or_path)
    except MatbenchLiteError as error:
        raise EvaluationError(f"{code.key}: {error.message}", fix=error.fix) from error
    return Candidate(
        name=code.name or model.name,
        make=lambda: EstimatorModel(model),
        folder=code.path,
        digest=_digest(model.sha256, "get_estimator", code),
    )


def unique_names(candidates: list[Candidate]) -> tuple[list[str], list[str]]:
    """Names for the results, none of them twice, and a note for each that had to be changed."""
    names: list[str] = []
    notes = []
    for candidate in candidates:
        name = candidate.name
        while name in names:
            name += "'"
        if name != candidate.name:
            notes.append(f"two models are called {candidate.name!r}; the later one is {name!r} in the results")
        names.append(name)
    return names, notes


def _digest(source: str, kind: str, code: Code) -> str:
    text = json.dumps([source, kind, dict(code.args)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
