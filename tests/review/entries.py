"""Entries for the tests of the checks: a sound one, and forging: what somebody who knows the format can do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite import Submission, load_benchmark
from matbench_lite.submission import Finding
from matbench_lite.submission.entry_document import CARD, canonical_bytes, digest
from matbench_lite.submission.examination import decode_predictions
from matbench_lite.submission.fold_predictions import COLUMNS, FoldPredictions
from matbench_lite.submission.predictions_parquet import values_sha256

MODEL = '"""A model."""\n\n\ndef get_estimator():\n    return None\n'
NOTEBOOK = {"cells": [{"cell_type": "code", "source": ["1 + 1"], "outputs": [{"text": "2"}]}], "nbformat": 4}


def sound_submission(**arguments: Any) -> Submission:
    """Every task of `mini`: values with std, values with an interval, labels and probabilities; no finding at all."""
    bench = load_benchmark("mini")
    header = {
        "algorithm": "Test forest",
        "authors": ["A. Name", "B. Name <b@example.org>"],
        "description": "A forest for tests.",
        "requirements": ["numpy<3"],
        "single_configuration": True,
        "external_data": False,
    }
    sub = Submission(bench, **(header | arguments))
    rng = np.random.default_rng(0)
    for task in bench:
        for fold in task.folds:
            truth = task.test_targets(fold).to_numpy()
            if task.kind == "classification":
                right = rng.random(len(truth)) > 0.2
                labels = np.where(right, truth, ~truth)
                values = (
                    labels if task.name == "mini_is_stable" else np.where(labels, 0.9, 0.1) * rng.random(len(truth))
                )
                sub.record(task.name, fold, values, params={"trees": 100})
                continue
            scale = float(task.mean_absolute_deviation or 1.0)
            values = truth + rng.normal(size=len(truth)) * scale / 2
            more: dict[str, Any] = {}
            if task.name == "mini_gap":
                more["std"] = rng.random(len(truth)) + 0.1
            if task.name == "mini_n":
                more["interval"] = (values - scale, values + scale)
            sub.record(task.name, fold, values, params={"trees": 100}, **more)
    sub.provenance = {"python": "3.11"}
    return sub


def save_sound_entry(folder: Path, **arguments: Any) -> Path:
    """The sound entry on disk: code, a notebook and a README beside it."""
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(MODEL)
    (folder / "explore.ipynb").write_text(json.dumps(NOTEBOOK))
    (folder / "README.md").write_text("# A forest\n\nIt is for tests.\n")
    return sound_submission(**arguments).save(folder)


def document(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "submission.json").read_bytes())


def forge(folder: Path, change: Callable[[dict[str, Any]], Any] | None = None, **changes: Any) -> None:
    """Change submission.json, what is of the card there, and make its digest right again."""
    content = document(folder)
    card = content.get("card", content)
    for key, value in changes.items():
        (card if key in CARD else content)[key] = value
    if change is not None:
        change(content)
    content["digest"] = digest(content)
    (folder / "submission.json").write_bytes(canonical_bytes(content))


def add_file(folder: Path, name: str, content: bytes) -> None:
    """Add a file and list it."""
    (folder / name).write_bytes(content)
    forge(folder, lambda d: d["files"].update({name: hashlib.sha256(content).hexdigest()}))


def read_table(folder: Path) -> pa.Table:
    return pq.read_table(folder / "predictions.parquet")


def forge_table(folder: Path, table: pa.Table, *, values: bool = False, **options: Any) -> None:
    """Replace the predictions and make the checksum of the file right again; with `values`, every digest of them."""
    pq.write_table(table, folder / "predictions.parquet", **({"store_schema": False} | options))
    forge_content(folder, (folder / "predictions.parquet").read_bytes())
    if values:
        forge(folder, lambda d: _forge_values(d, table))


def forge_content(folder: Path, content: bytes) -> None:
    (folder / "predictions.parquet").write_bytes(content)
    forge(folder, predictions_sha256=hashlib.sha256(content).hexdigest())


@cache
def deadly(content: bytes) -> bytes:
    """A `predictions.parquet` with one byte of its footer changed, which makes pyarrow abort."""
    footer = int.from_bytes(content[-8:-4], "little")
    for place in range(len(content) - 8 - footer, len(content) - 8):
        changed = bytearray(content)
        changed[place] ^= 2  # optional to required, among others
        problems: list[Finding] = []
        decode_predictions(load_benchmark("matbench_v0.1"), bytes(changed), {}, problems.append)
        if any(problem.code == "MBL119" for problem in problems):
            return bytes(changed)
    raise AssertionError("no byte of the footer makes this version of pyarrow abort")


def _forge_values(content: dict[str, Any], table: pa.Table) -> None:
    frame = table.to_pandas()
    bench = load_benchmark(content["benchmark"])
    folds: dict[str, dict[int, FoldPredictions]] = {}
    for (name, fold), rows in frame.groupby(["task", "fold"], sort=False, observed=True):
        columns = {c: rows[c].to_numpy() for c in COLUMNS if c in rows and rows[c].notna().any()}
        made = FoldPredictions(type=content["tasks"][name]["predictions"], **columns)
        folds.setdefault(name, {})[fold] = made
        for stated in content["tasks"][name]["folds"]:
            if stated["fold"] == fold:
                stated["values_sha256"] = made.sha256
    content["values_sha256"] = values_sha256(bench, folds)


def changed(table: pa.Table, column: str, change: Callable[[np.ndarray], Any]) -> pa.Table:
    """The table with another column."""
    empty = table[column].is_null().to_numpy()
    values = table[column].to_numpy(zero_copy_only=False).copy()
    new = change(values)
    values = values if new is None else new
    if empty.any():  # still empty where nothing was put
        empty &= np.isnan(values)
    array = pa.array(values, table[column].type, mask=empty)
    return table.set_column(table.column_names.index(column), column, array)


def where(table: pa.Table, task: str, fold: int) -> np.ndarray:
    """Positions of the rows of one fold."""
    return np.flatnonzero((table["task"].to_numpy(zero_copy_only=False) == task) & (table["fold"].to_numpy() == fold))


def put_prediction(folder: Path, rows: Any, value: float) -> pa.Table:
    """The entry's table with other predictions in some rows."""
    return changed(read_table(folder), "prediction", lambda values: values.__setitem__(rows, value))
