"""The same random numbers for the same work, whoever does it."""

from __future__ import annotations

import hashlib
import random
import sys
from typing import Any

import numpy as np


def derived_seed(seed: int, *place: object) -> int:
    """A seed for one piece of work, stable across processes, machines and versions.

    Args:
        seed: The seed that the user chose.
        place: What tells this piece of work from others, e.g. the task's name and the fold.

    Returns:
        A number below 2**32.

    Examples:
        >>> derived_seed(0, "mini_gap", 0) == derived_seed(0, "mini_gap", 0) != derived_seed(0, "mini_gap", 1)
        True
    """
    text = "\0".join(map(str, (seed, *place)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def seed_everything(seed: int) -> None:
    """Seed Python's and numpy's global generators, and torch's if the model has loaded it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what scikit-learn falls back on
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


def settle(estimator: Any, seed: int) -> None:
    """Give an estimator one thread and a seed wherever it, or a part of it, leaves them open.

    A `random_state` that the model has set stays; every `n_jobs` (and its names elsewhere) becomes 1.
    """
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        return
    params = estimator.get_params(deep=True)
    changes: dict[str, Any] = {}
    for name, value in params.items():
        prefix, _, own = name.rpartition("__")
        owner = params.get(prefix) if prefix else estimator
        if own in _THREADS:
            # None is one thread to scikit-learn, which warns if some of its models are told so; all of them elsewhere.
            if value is not None or not type(owner).__module__.startswith("sklearn."):
                changes[name] = 1
        elif own == "random_state" and value is None:
            changes[name] = seed
    if changes:
        estimator.set_params(**changes)


_THREADS = frozenset({"n_jobs", "nthread", "num_threads", "thread_count"})
