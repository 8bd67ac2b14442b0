"""Matbench results made up here: right in form, with the hash that Matbench would have written."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import add

collect_ignore_glob = ["scripts/*"]

Document = dict[str, Any]
METRICS = {
    "regression": ("mae", "mape", "max_error", "rmse"),
    "classification": ("accuracy", "balanced_accuracy", "f1", "rocauc"),
}


def reference_hash(document: Document) -> str:
    """Matbench's hash, said in the shortest way: an oracle for ours."""

    def ordered(value):
        return {key: ordered(value[key]) for key in sorted(value)} if isinstance(value, dict) else value

    rest = {key: value for key, value in document.items() if key != "hash"}
    return hashlib.sha256(json.dumps(ordered(rest)).encode()).hexdigest()


def made_up_task(name: str, predict: Callable[[np.random.Generator, int], list]) -> Document:
    task = load_benchmark("matbench_v0.1")[name]
    rng = np.random.default_rng(0)
    return {
        "@class": "MatbenchTask",
        "@module": "matbench.task",
        "benchmark_name": "matbench_v0.1",
        "dataset_name": name,
        "results": {
            f"fold_{fold}": {
                "data": dict(zip(task.test_ids(fold), predict(rng, len(task.test_ids(fold))), strict=True)),
                "parameters": {"depth": 3},
                "scores": dict.fromkeys(METRICS[task.kind], 0.5),
            }
            for fold in task.folds
        },
    }


def rehashed(document: Document) -> Document:
    return {**document, "hash": reference_hash(document)}


@pytest.fixture
def document() -> Document:
    """Steels with numbers, glass with booleans, expt_is_metal with probabilities; of Matbench 0.5, no uncertainty."""
    return rehashed(
        {
            "@module": "matbench.bench",
            "@class": "MatbenchBenchmark",
            "version": "0.5",
            "tasks": {
                "matbench_steels": made_up_task(
                    "matbench_steels", lambda rng, n: (1000 + 500 * rng.random(n)).tolist()
                ),
                "matbench_glass": made_up_task("matbench_glass", lambda rng, n: (rng.random(n) > 0.5).tolist()),
                "matbench_expt_is_metal": made_up_task("matbench_expt_is_metal", lambda rng, n: rng.random(n).tolist()),
            },
            "user_metadata": {"tree_type": "entropy", "configuration": [{"b": 1, "a": [1e-05, 1e16]}]},
            "benchmark_name": "matbench_v0.1",
            "datestamp": "2022.06.28 19:36.19",
        }
    )


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a result as Matbench's entries are: gzipped, as `results.json.gz`, with the hash of what it says now."""

    def write(document: Document, *, packed: bool = True, folder: str = "an_entry", rehash: bool = True) -> Path:
        path = tmp_path / folder / "results.json.gz"
        path.parent.mkdir(exist_ok=True)
        content = json.dumps(rehashed(document) if rehash else document).encode()
        path.write_bytes(gzip.compress(content, 1) if packed else content)
        return path

    return write


@pytest.fixture(scope="session")
def made_up_store(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A store with made-up targets and compositions of the three tasks: unverified, and said to be so."""

    def build(folder: Path) -> None:
        rng = np.random.default_rng(1)
        files = []
        for name in ("matbench_steels", "matbench_glass", "matbench_expt_is_metal"):
            task = load_benchmark("matbench_v0.1")[name]
            values = 1000 + 500 * rng.random(task.rows) if task.kind == "regression" else rng.random(task.rows) > 0.4
            compositions = [f"Fe{number}C" for number in range(1, task.rows)] + ["Fe1C"]
            frame = pd.DataFrame({"mbid": task.ids, "target": values, "composition": compositions})
            files.append(folder / f"{name}.parquet")
            frame.to_parquet(files[-1])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MATBENCH_LITE_DATA", str(folder / "store"))
            for added in add(files, load_benchmark("matbench_v0.1"), allow_unverified=True):
                assert added.error is None

    return once("matbench-made-up", build) / "store"


@pytest.fixture
def targets(made_up_store: Path, data_directory: Path) -> None:
    """Those of `made_up_store` in the store of the test."""
    shutil.copytree(made_up_store, data_directory, dirs_exist_ok=True)
