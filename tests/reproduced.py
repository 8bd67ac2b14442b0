"""What `mbl reproduce` might have found on a fold."""

from __future__ import annotations

from matbench_lite.submission import ReproducedFold

FOLD = ReproducedFold(
    task="mini_gap",
    fold=0,
    date="2026-11-18",
    verdict="equal",
    identical=True,
    metric="mae",
    score=0.25,
    recorded_score=0.25,
    spread=1e-5,
    largest_difference=0.0,
    mean_difference=0.0,
    mean_error=0.25,
    nearer=0.5,
    code_bits=0.5,
    seed=0,
    seconds=1.5,
    versions=("python 3.11.7", "numpy 2.4.6"),
)
