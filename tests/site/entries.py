"""Entries to make a site from, and what the checks might say of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from matbench_lite import Benchmark, Submission
from matbench_lite.check import Checked, Finding


def record(
    benchmark: Benchmark,
    noise: float,
    *,
    tasks: Sequence[str] | None = None,
    seed: int = 0,
    uncertain: bool = False,
    created: str | None = "2024-05-01T00:00:00+00:00",
    **about,
) -> Submission:
    """An entry that is off by `noise` standard deviations of the target."""
    usual = {"authors": ["A. Name"], "description": "The truth, and noise.", "external_data": False}
    entry = Submission(benchmark, **{"algorithm": f"Noise {noise:g}", "single_configuration": True, **usual, **about})
    rng = np.random.default_rng(seed)
    for task in benchmark.select(names=tasks):
        for fold in task.folds:
            truth = task.target_values[task.test_rows(fold)]
            error = rng.normal(size=len(truth))
            if task.kind == "classification":
                entry.record(task.name, fold, 1 / (1 + np.exp(-(2 * truth - 1 + 2 * noise * error))))
            else:
                std = noise * task.target_values.std()
                more = {"std": np.full(len(truth), std)} if uncertain else {}
                entry.record(task.name, fold, truth + std * error, **more)
    entry.created = created
    entry.provenance = {"python": "3.11", "hardware": {"cpu": "A processor", "cores": 2, "gpus": []}}
    return entry


def checked(slug: str, folder: Path, entry: Submission, *findings: Finding) -> Checked:
    """What the checks might say of an entry."""
    return Checked(
        slug=slug,
        folder=folder,
        findings=findings,
        not_run={},
        submission=entry,
        verified={task.name: True for task in entry.tasks},
        digest=None,
        size=0,
    )
