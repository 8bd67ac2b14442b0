"""Side by side with ramp-test of ramp-workflow itself: every score that it prints, on tables of scikit-learn's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from matbench_lite import load_benchmark
from matbench_lite.train import Trial, inner_folds, load_bagged, load_model, try_model

pytestmark = pytest.mark.slow

KIT = Path(__file__).parent / "ramp_kits" / "kit"
DIGITS = 6
RUN = """
import os, sys
from pathlib import Path
from rampwf.utils.cli.testing import main
for kit in sys.argv[1:]:
    for model in sorted(path.name for path in Path(kit, "submissions").iterdir()):
        print("KIT", Path(kit).name, model, flush=True)
        folders = [f"--ramp-{what}-dir={kit}" for what in ("kit", "data")]
        main([f"--submission={model}", *folders, f"--ramp-submission-dir={kit}/submissions"], standalone_mode=False)
"""
MODELS = {
    "classification": {
        "logistic": "make_pipeline(StandardScaler(), LogisticRegression())",
        "tree": "DecisionTreeClassifier(max_depth=4, random_state=0)",
        "sure": "GaussianNB()",
    },
    "regression": {"linear": "LinearRegression()", "neighbours": "KNeighborsRegressor(5)"},
}
IMPORTS = """
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
"""
THEIRS = {
    "classification": """
class Classifier:
    def fit(self, X, y):
        self.model = {model}.fit(X, y)

    def predict_proba(self, X):
        return self.model.predict_proba(X)
""",
    "regression": """
class Regressor:
    def fit(self, X, y):
        self.model = {model}.fit(X, y)

    def predict(self, X):
        return self.model.predict(X)
""",
}
TOML = """
name = "{name}"
[folds]
{folds}
[[tasks]]
name = "{name}"
input = "table"
kind = "{kind}"
target = "{target}"
{more}
[tasks.data]
path = "data/table.csv"
id = "id"
columns = {columns}
target = "{target}"
part = "part"
"""
STRATIFIED = {"n_splits": 5, "shuffle": True, "random_state": 3}
DRAWN = {"n_splits": 7, "test_size": 0.3, "random_state": 3}
CASES: dict[str, dict[str, Any]] = {
    # Three classes, held out in turn.
    "wine": {"kind": "classification", "cv": ("StratifiedKFold", STRATIFIED), "folds": "", "inner": 5},
    # Three classes, in overlapping draws: some rows are held out several times, some never.
    "iris": {
        "kind": "classification",
        "cv": ("StratifiedShuffleSplit", DRAWN),
        "folds": "test_share = 0.3",
        "inner": 7,
    },
    "diabetes": {"kind": "regression", "cv": ("ShuffleSplit", DRAWN), "folds": "test_share = 0.3", "inner": 7},
}


def table(name: str, kind: str) -> tuple[pd.DataFrame, list[str], str]:
    """A table of scikit-learn's, its columns for models, and its target; rows in random order, a fifth to test on."""
    data = getattr(datasets, f"load_{name}")(as_frame=True)
    columns = [f"x{number}" for number in range(len(data.data.columns))]
    frame = data.data.set_axis(columns, axis=1).assign(target=data.target)
    if kind == "classification":
        frame["target"] = np.asarray(data.target_names, dtype=object)[data.target]
    frame = frame.sample(frac=1, random_state=1, ignore_index=True)
    frame["part"] = np.where(np.arange(len(frame)) % 5 == 2, "test", "train")
    return frame.assign(id=[f"row{number}" for number in range(len(frame))]), columns, "target"


def write_kit(folder: Path, name: str, case: dict[str, Any]) -> None:
    """One folder that is a RAMP kit and a benchmark of ours."""
    shutil.copytree(KIT, folder)
    (folder / "data").mkdir()
    frame, columns, target = table(name, case["kind"])
    frame.to_csv(folder / "data" / "table.csv", index=False)
    classes = sorted(set(frame[target])) if case["kind"] == "classification" else []
    about = {"title": name, "precision": DIGITS, "columns": columns, "target": target, "classes": classes}
    (folder / "about.json").write_text(json.dumps(about | {"cv": case["cv"]}))
    unit = 'unit = "unitless"' if case["kind"] == "regression" else ""
    toml = TOML.format(
        name=name, kind=case["kind"], folds=case["folds"], columns=json.dumps(columns), target=target, more=unit
    )
    (folder / "benchmark.toml").write_text(toml)
    for model, code in MODELS[case["kind"]].items():
        home = folder / "submissions" / model
        home.mkdir(parents=True)
        element = "classifier" if case["kind"] == "classification" else "regressor"
        (home / f"{element}.py").write_text(IMPORTS + THEIRS[case["kind"]].format(model=code))
        (folder / f"{model}.py").write_text(
            f'{IMPORTS}\ninput = "table"\n\n\ndef get_estimator():\n    return {code}\n'
        )


@pytest.fixture(scope="module")
def kits(peers: Path, once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A folder for each case, and in `printed.txt` what ramp-test printed: its import takes seconds."""

    def build(folder: Path) -> None:
        for name, case in CASES.items():
            write_kit(folder / name, name, case)
        command = [sys.executable, "-W", "ignore", "-c", RUN, *(str(folder / name) for name in CASES)]
        environment = os.environ | {"PYTHONPATH": str(peers), "TERM": "xterm", "COLUMNS": "200", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == 0, done.stderr[-2000:]
        (folder / "printed.txt").write_text(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout))

    return once("ramp-kits", build)


def printed(kits: Path, name: str, model: str) -> dict[str, dict[str, dict[str, str]]]:
    """What ramp-test printed of a model: by heading, part and score, as text."""
    text = (kits / "printed.txt").read_text().split(f"KIT {name} {model}\n")[1].split("KIT ")[0]
    found: dict[str, dict[str, dict[str, str]]] = {}
    heading, header = "", [""]
    for line in text.replace("\u00a0", " ").splitlines():
        words = re.sub(r" (±|\+-) ", "±", line).split()
        if words[:1] == ["score"]:
            header = words
        elif words and words[0] in ("train", "valid", "test"):
            found.setdefault(heading, {})[words[0]] = dict(zip(header[1:], words[1:], strict=True))
        elif words and words != ["step"] and not line.startswith("-"):
            heading = line
    return found


def ours(trial: Trial) -> dict[str, dict[str, dict[str, Any]]]:
    """The same of a local test."""
    assert trial.scores is not None
    folds = {f"CV fold {result.number}": result.scores for result in trial.results}
    bagged = {part: prefixes[-1] for part, prefixes in trial.scores.bagged.items()}
    return {**folds, "Mean CV scores": trial.scores.mean, "Bagged scores": bagged}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("name", "model"), [(name, model) for name, case in CASES.items() for model in MODELS[case["kind"]]]
)
def test_every_score_is_the_one_that_ramp_prints(kits: Path, tmp_path: Path, name: str, model: str) -> None:
    theirs = printed(kits, name, model)
    task = load_benchmark(kits / name / "benchmark.toml").tasks[0]
    trial = try_model(load_model(kits / name / f"{model}.py"), task, tmp_path, n_folds=CASES[name]["inner"], seed=3)
    found = ours(trial)
    assert list(theirs) == list(found)
    compared = 0
    for heading, parts in theirs.items():
        assert list(parts) == list(found[heading])
        for part, scores in parts.items():
            for metric, text in scores.items():
                if metric == "time":
                    continue
                score = found[heading][part][metric]
                if "±" in text:
                    mean, _, spread = text.partition("±")
                    assert (round(score.mean, DIGITS), round(score.std, DIGITS + 1)) == (float(mean), float(spread))
                else:
                    assert round(score, DIGITS) == float(text), (heading, part, metric)
                compared += 1
    metrics = 3 if task.kind == "classification" else 2
    assert compared == metrics * (3 * (CASES[name]["inner"] + 1) + 2)


def test_rows_that_are_held_out_several_times_are_averaged_and_others_left_out(kits: Path, tmp_path: Path) -> None:
    task = load_benchmark(kits / "iris" / "benchmark.toml").tasks[0]
    try_model(load_model(kits / "iris" / "logistic.py"), task, tmp_path, n_folds=3, seed=3)
    held_out = np.concatenate([inner.valid for inner in inner_folds(task, 0, n_folds=3, seed=3)])
    bagged = load_bagged(tmp_path, task, 0)["valid"]
    assert len(set(held_out)) < len(held_out)
    assert set(bagged.rows) == set(held_out) < set(task.train_rows(0))
    np.testing.assert_allclose(bagged.prediction.sum(axis=1), 1)
