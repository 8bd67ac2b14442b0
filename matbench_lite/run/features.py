"""The features of `matbench_lite.train.features`, for the code of entries that was written when they were here."""

from __future__ import annotations

from matbench_lite.train import magpie_features, structure_features

__all__ = ["magpie_features", "structure_features"]
