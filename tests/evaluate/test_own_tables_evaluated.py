"""Evaluations on a user's own table, of numbers, of two classes with names, and of three."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from matbench_lite import load_benchmark
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate import evaluate, parse_evaluation
from matbench_lite.evaluate.group_plan import make_plan

TOML = """
name = "ours"
[[tasks]]
name = "{target}"
input = "table"
kind = "{kind}"
target = "{target}"
{unit}
[tasks.data]
path = "data.csv"
id = "id"
target = "{target}"
columns = ["x", "z"]
"""
MODEL = """
from sklearn.linear_model import LinearRegression, LogisticRegression

input = "table"


def get_estimator(task):
    return LinearRegression() if task.kind == "regression" else LogisticRegression()
"""


def write(folder: Path, target: str, *, name: str = "hcp", **document: Any) -> Path:
    rows, random = np.arange(80), np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"r{row}" for row in rows], "x": random.normal(rows % 3), "z": random.normal(size=80)})
    frame["phase"] = np.array(["bcc", "fcc", name])[rows % 3]
    frame["magnetic"] = np.where(frame["x"] > 1, "yes", "no")
    frame["energy"] = frame["x"] * 2
    frame["lab"] = rows % 4
    frame.to_csv(folder / "data.csv", index=False)
    number = target == "energy"
    kind, unit = ("regression", 'unit = "eV"') if number else ("classification", "")
    (folder / "ours.toml").write_text(TOML.format(target=target, kind=kind, unit=unit))
    (folder / "model.py").write_text(MODEL)
    source = {"task": target, "benchmark": "ours.toml", "group_by": "lab"}
    content = {"type": "prediction", "data.test": source, "data.pre_train": source, "corresponding_data": True}
    (folder / "run.json").write_text(json.dumps(content | {"models": ["model.py"]} | document))
    return folder / "run.json"


@pytest.mark.parametrize("target", ["phase", "magnetic"])
def test_each_group_is_predicted_by_a_model_of_all_others(tmp_path: Path, target: str) -> None:
    results = evaluate(write(tmp_path, target))
    (model,) = results.models.values()
    assert model.error is None
    task = load_benchmark(tmp_path / "ours.toml")[target]
    X, y, labs = task.inputs, task.targets["target"], np.arange(80) % 4
    right = 0
    for lab in range(4):
        fitted = LogisticRegression().fit(X[labs != lab], y[labs != lab])
        right += int((fitted.predict(X[labs == lab]) == y[labs == lab]).sum())
    assert sum(scored.score for row in model.rows for scored in row) == right > 40


def test_numbers_of_a_table_are_predicted(tmp_path: Path) -> None:
    results = evaluate(write(tmp_path, "energy"))
    (model,) = results.models.values()
    assert model.error is None
    assert max(scored.score for row in model.rows for scored in row) == pytest.approx(0, abs=1e-9)


def test_a_family_of_materials_is_none_of_a_table(tmp_path: Path) -> None:
    source = {"task": "phase", "benchmark": "ours.toml", "group_by": "anion"}
    with pytest.raises(EvaluationError, match="'anion' needs materials, phase has columns of a table"):
        evaluate(write(tmp_path, "phase", **{"data.test": source}))


def test_a_class_that_would_part_a_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="phase has the class 'hcp/fcc'"):
        evaluate(write(tmp_path, "phase", name="hcp/fcc"))


def test_changed_structures_are_other_data(tmp_path: Path) -> None:
    about = TOML.format(target="energy", kind="regression", unit='unit = "eV"').replace('"table"', '"structure"')
    about = about.replace('columns = ["x", "z"]', 'input = "structure"\nstructure_format = "poscar"')
    (tmp_path / "ours.toml").write_text(about)
    source = {"task": "energy", "benchmark": "ours.toml", "group_by": "lab"}
    evaluation = parse_evaluation(
        {"type": "coverage", "data.test": source, "models": ["dummy"]}, name="e", folder=tmp_path
    )
    digests = set()
    for length in (4.0, 4.0, 4.1):
        cells = [
            f"NaCl\n{length + row / 10}\n1 0 0\n0 1 0\n0 0 1\nNa Cl\n1 1\nDirect\n0 0 0\n.5 .5 .5" for row in range(9)
        ]
        table = pd.DataFrame({"id": range(9), "structure": cells, "energy": np.arange(9.0), "lab": np.arange(9) % 3})
        table.to_csv(tmp_path / "data.csv", index=False)
        digests.add(make_plan(evaluation).digest)
    assert len(digests) == 2
