"""A local test: scores that an independent computation confirms, errors that cost one fold, work that is not lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import matbench_lite
from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import ModelError, RunError
from matbench_lite.metrics import balanced_accuracy, mae
from matbench_lite.train import (
    InnerResult,
    Journal,
    Plan,
    Resources,
    Trial,
    inner_folds,
    load_model,
    rescore,
    run_model,
    trial_journal,
    try_model,
)
from matbench_lite.train.trial_record import note_official_test, official_test_uses

GAP = load_benchmark("mini")["mini_gap"]

COUNTING = """
from pathlib import Path
import numpy as np

class Counting:
    def fit(self, X, y):
        with (Path(__file__).parent / "trained.txt").open("a") as file:
            file.write("x")
        self.mean = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)

def get_estimator():
    return Counting()
"""


def write_model(folder: Path, code: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.py").write_text(code)
    return folder


def trained(folder: Path) -> int:
    return len((folder / "trained.txt").read_text())


def journal_of(folder: Path, trial: Trial) -> Journal:
    settings = trial.settings
    task = load_benchmark(settings.benchmark)[settings.task]
    return trial_journal(folder, task, settings.fold, official_test=settings.official_test)


def predictions(folder: Path, trial: Trial) -> list[dict[str, tuple[bytes, bytes]]]:
    """What the models predict, by inner fold and part."""
    return [
        {part: (some.rows.tobytes(), some.prediction.tobytes()) for part, some in kept.outcome.predictions.items()}
        for kept in journal_of(folder, trial).read()
    ]


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    return write_model(tmp_path / "counting", COUNTING)


@pytest.fixture(scope="module")
def tried_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Trial, list[tuple[InnerResult, bool]]]:
    folder = write_model(tmp_path_factory.mktemp("tried") / "counting", COUNTING)
    seen: list[tuple[InnerResult, bool]] = []
    trial = try_model(load_model(folder), GAP, folder, n_folds=4, seed=3, seen=lambda *each: seen.append(each))
    return folder, trial, seen


@pytest.fixture
def finished(counting: Path, tried_once: tuple[Path, Trial, list[tuple[InnerResult, bool]]]) -> tuple[Path, Trial]:
    """A copy of a finished test."""
    shutil.copytree(tried_once[0], counting, dirs_exist_ok=True)
    return counting, tried_once[1]


def test_scores_are_those_of_the_mean_of_each_training_part(
    tried_once: tuple[Path, Trial, list[tuple[InnerResult, bool]]],
) -> None:
    _, trial, seen = tried_once
    assert trial.ok
    assert [result for result, before in seen if not before] == list(trial.results)
    y, folds = GAP.target_values, inner_folds(GAP, 0, n_folds=4, seed=3)
    means = [y[inner.train].mean() for inner in folds]
    for inner, mean, result in zip(folds, means, trial.results, strict=True):
        for part in ("train", "valid", "test"):
            rows = getattr(inner, part)
            assert result.scores[part]["mae"] == pytest.approx(np.abs(y[rows] - mean).mean(), rel=1e-12)
        assert set(result.seconds) == {"fit", "train", "valid", "test"}
    assert trial.scores is not None
    per_fold = [result.scores["valid"]["mae"] for result in trial.results]
    assert trial.scores.mean["valid"]["mae"].mean == pytest.approx(np.mean(per_fold))
    assert trial.scores.mean["valid"]["mae"].std == pytest.approx(np.std(per_fold, ddof=0))
    for after in range(1, 5):
        held_out = np.concatenate([inner.valid for inner in folds[:after]])
        predicted = np.repeat(means[:after], [len(inner.valid) for inner in folds[:after]])
        assert trial.scores.bagged["valid"][after - 1]["mae"] == pytest.approx(mae(y[held_out], predicted))
        on_test = mae(y[folds[0].test], np.full(len(folds[0].test), np.mean(means[:after])))
        assert trial.scores.bagged["test"][after - 1]["mae"] == pytest.approx(on_test)


def test_rescoring_needs_no_model_and_gives_the_same(finished: tuple[Path, Trial]) -> None:
    folder, first = finished
    (folder / "model.py").unlink()
    again = rescore(GAP, folder)
    assert (again.results, again.scores) == (first.results, first.scores)
    unbagged = rescore(GAP, folder, bagging=False).scores
    assert unbagged is not None
    assert not unbagged.bagged


def test_there_must_be_something_to_rescore(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="nothing was tried there"):
        rescore(GAP, tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"scores": 1, "of": 2}'])
def test_damaged_settings_are_named(finished: tuple[Path, Trial], content: str) -> None:
    folder, trial = finished
    (journal_of(folder, trial).folder / "header.json").write_text(content)
    with pytest.raises(RunError, match=r"header\.json is damaged: "):
        rescore(GAP, folder)


def test_a_damaged_inner_fold_is_one_that_is_not_done(finished: tuple[Path, Trial]) -> None:
    folder, trial = finished
    (file,) = journal_of(folder, trial).folder.glob("*.jsonl")
    content = file.read_bytes()
    file.write_bytes(content[:200] + b"!" + content[201:])
    again = rescore(GAP, folder)
    assert len(again.results) == 3
    assert not again.ended


def interrupt(journal: Journal) -> None:
    """Take the second inner fold away, as if it had not been done."""
    (file,) = journal.folder.glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(line for line in lines if b'"piece":1,' not in line))


@pytest.mark.slow
def test_an_interrupted_test_goes_on_and_a_finished_one_begins_anew(finished: tuple[Path, Trial]) -> None:
    folder, first = finished
    interrupt(journal_of(folder, first))
    before: list[bool] = []
    second = try_model(load_model(folder), GAP, folder, n_folds=4, seed=3, seen=lambda _, there: before.append(there))
    assert (trained(folder), before) == (5, [True, False, True, True])
    assert second.scores is not None
    assert first.scores is not None
    assert second.scores.bagged == first.scores.bagged
    try_model(load_model(folder), GAP, folder, n_folds=4, seed=3)
    assert trained(folder) == 9


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"seed": 4}, {"n_folds": 5}, {"fresh": True}, "code"])
def test_an_interrupted_test_does_not_go_on_with_something_else(finished: tuple[Path, Trial], change: Any) -> None:
    folder, trial = finished
    interrupt(journal_of(folder, trial))
    if change == "code":
        write_model(folder, COUNTING + "# other code")
    options = {"n_folds": 4, "seed": 3} | (change if isinstance(change, dict) else {})
    before: list[bool] = []
    try_model(load_model(folder), GAP, folder, seen=lambda _, there: before.append(there), **options)
    assert not any(before)
    assert len(journal_of(folder, trial).read()) == options["n_folds"]


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    code = """
import random
import numpy as np
class Guess:
    def fit(self, X, y):
        self.shift = random.random()
        return self
    def predict(self, X):
        return self.shift + np.random.rand(len(X))
def get_estimator():
    return Guess()
"""
    folders = [write_model(tmp_path / name, code) for name in ("one", "two")]
    trials = [
        try_model(load_model(folder), GAP, folder, n_folds=3, resources=Resources(workers=jobs))
        for folder, jobs in zip(folders, (1, 2), strict=True)
    ]
    one, two = (predictions(folder, trial) for folder, trial in zip(folders, trials, strict=True))
    assert one == two
    assert len({each["test"] for each in one}) == 3, "every fold has random numbers of its own"


def test_labels_are_scored_as_labels(tmp_path: Path, try_here: Callable[[Path, str, int], None]) -> None:
    folder = write_model(
        tmp_path / "labels",
        "from sklearn.linear_model import RidgeClassifier\n"
        "from sklearn.feature_extraction.text import CountVectorizer\n"
        "from sklearn.pipeline import make_pipeline\n"
        'input = "composition"\n'
        "def get_estimator():\n"
        '    return make_pipeline(CountVectorizer(analyzer="char", lowercase=False), RidgeClassifier())\n',
    )
    task = load_benchmark("mini")["mini_is_stable"]
    try_here(folder, task.name, 3)
    trial = rescore(task, folder)
    assert trial.ok
    assert "rocauc" not in trial.results[0].scores["valid"]
    assert trial.scores is not None
    votes = [kept.outcome.predictions["test"] for kept in journal_of(folder, trial).read()]
    assert {vote.type for vote in votes} == {"label"}
    majority = np.sum([vote.prediction for vote in votes], axis=0) >= 2
    expected = balanced_accuracy(task.target_values[votes[0].rows], majority)
    assert trial.scores.bagged["test"][-1]["balanced_accuracy"] == expected


@pytest.mark.slow
def test_looking_at_the_official_test_part_is_noted_in_the_entry(finished: tuple[Path, Trial]) -> None:
    folder, usual = finished
    model = load_model(folder)
    plan = Plan(model=model, benchmark="mini", output=folder, tasks=("mini_gap",), folds=(0,))
    assert "official_test" not in run_model(plan).submission.provenance
    trial = try_model(model, GAP, folder, n_folds=2, official_test=True)
    first, _ = journal_of(folder, trial).read()
    np.testing.assert_array_equal(first.outcome.predictions["test"].rows, GAP.test_rows(0))
    assert rescore(GAP, folder).scores == usual.scores, "the other test is still there"
    assert [(use["task"], use["fold"], use["times"]) for use in official_test_uses(folder)] == [("mini_gap", 0, 1)]
    noted = run_model(plan).submission.provenance["official_test"]
    assert [(use["task"], use["fold"], use["times"]) for use in noted] == [("mini_gap", 0, 1)]
    assert Submission.load(folder).provenance["official_test"] == noted


def test_every_look_is_counted(tmp_path: Path) -> None:
    note_official_test(tmp_path, GAP, 1)
    file = tmp_path / ".run" / "official-test" / "mini.mini_gap.1.json"
    first = json.loads(file.read_bytes())
    note_official_test(tmp_path, GAP, 0)
    note_official_test(tmp_path, GAP, 1)
    assert json.loads(file.read_bytes()) | {"last": "", "times": 1} == first | {"last": ""}
    assert [(use["fold"], use["times"]) for use in official_test_uses(tmp_path)] == [(0, 1), (1, 2)]


def test_a_second_test_in_the_same_folder_is_refused(finished: tuple[Path, Trial]) -> None:
    folder, trial = finished
    place = journal_of(folder, trial)
    with place.locked(), pytest.raises(RunError, match="a run is going on"):
        try_model(load_model(folder), GAP, folder, n_folds=2)
    with place.locked():
        assert trained(folder) == 4


def test_a_model_for_structures_is_not_tried_on_compositions(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "structures", 'input = "structure"\ndef get_estimator(): ...\n')
    with pytest.raises(ModelError, match="takes structures, mini_gap has compositions"):
        try_model(load_model(folder), GAP, folder)


@pytest.mark.slow
def test_a_killed_program_loses_at_most_the_fold_it_was_in(
    counting: Path, tried_once: tuple[Path, Trial, list[tuple[InnerResult, bool]]]
) -> None:
    # The model kills the program that waits for it, once, when it is trained for the third time.
    kill = 'if (Path(__file__).parent / "trained.txt").read_text() == "xxx": os.kill(os.getppid(), signal.SIGKILL)'
    code = COUNTING.replace("        self.mean =", f"        import os, signal\n        {kill}\n        self.mean =")
    write_model(counting, code)
    program = [sys.executable, "-c", "from matbench_lite.cli import main; main()", "try", str(counting)]
    options = ["--benchmark", "mini", "--tasks", "mini_gap", "--inner-folds", "4", "--seed", "3"]
    environment = {**os.environ, "PYTHONPATH": str(Path(matbench_lite.__file__).parents[1])}
    killed = subprocess.run([*program, *options], env=environment, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    again = try_model(load_model(counting), GAP, counting, n_folds=4, seed=3)
    # The fold that was being trained is lost.
    assert trained(counting) == 5
    assert predictions(counting, again) == predictions(*tried_once[:2])
