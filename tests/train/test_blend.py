"""Blending saved runs: greedy, with replacement, only for a strictly better valid score."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.cli.app import run
from matbench_lite.errors import RunError
from matbench_lite.metrics import mae
from matbench_lite.train import RowPredictions, blend_runs, load_bagged
from matbench_lite.train.trial import MAX_PICKS

MINI = load_benchmark("mini")
GAP, STABLE = MINI["mini_gap"], MINI["mini_is_stable"]
VALID, TEST = np.arange(0, 200), np.arange(200, 300)


def saved(prediction: np.ndarray, kind: str = "value") -> dict[str, RowPredictions]:
    """A run that predicts every row of the task."""
    return {
        part: RowPredictions(rows=rows, prediction=np.asarray(prediction[rows], dtype=float), type=kind)  # type: ignore[arg-type]
        for part, rows in (("valid", VALID), ("test", TEST))
    }


def noisy(seed: int, scale: float) -> np.ndarray:
    return GAP.target_values + np.random.default_rng(seed).normal(0, scale, GAP.rows)


RUNS = {f"noise {scale}": saved(noisy(seed, scale)) for seed, scale in enumerate((1.0, 0.8, 1.2, 5.0))}


def test_the_selection_is_the_greedy_one() -> None:
    """Step by step, against a search that averages from scratch."""
    blended = blend_runs(GAP, RUNS)
    truth = GAP.target_values[VALID]

    def score(names: list[str]) -> float:
        return mae(truth, np.mean([RUNS[name]["valid"].prediction for name in names], axis=0))

    names: list[str] = []
    best = np.inf
    while True:
        candidate = min(RUNS, key=lambda name: score([*names, name]))
        if not score([*names, candidate]) < best - 1e-9:
            break
        names.append(candidate)
        best = score(names)
    assert [pick.name for pick in blended.picks] == names
    assert blended.scores["valid"]["mae"] == pytest.approx(best)
    assert blended.picks[-1].valid == blended.scores["valid"]["mae"]
    assert len(set(names)) > 1, "the example blends"
    assert len(set(names)) < len(names), "and picks one again"


def test_every_pick_is_strictly_better_than_the_one_before() -> None:
    scores = [pick.valid for pick in blend_runs(GAP, RUNS).picks]
    assert all(later < earlier for earlier, later in pairwise(scores))


def test_the_blend_is_at_least_as_good_as_the_best_and_shares_add_up() -> None:
    blended = blend_runs(GAP, RUNS)
    assert blended.scores["valid"]["mae"] < min(single["valid"]["mae"] for single in blended.singles.values())
    assert sum(blended.contributions.values()) == pytest.approx(1)
    assert list(blended.contributions.values()) == sorted(blended.contributions.values(), reverse=True)
    assert set(blended.contributions) == set(RUNS)
    assert blended.contributions["noise 5.0"] == 0


def test_a_run_alone_or_twice_blends_with_nothing() -> None:
    assert [pick.name for pick in blend_runs(GAP, {"a": RUNS["noise 1.0"]}).picks] == ["a"]
    twins = blend_runs(GAP, {"a": RUNS["noise 1.0"], "b": RUNS["noise 1.0"]})
    assert twins.contributions == {"a": 1.0, "b": 0.0}


def test_the_test_part_does_not_decide() -> None:
    """A run that is perfect on test and bad on valid stays out."""
    cheat = RUNS["noise 5.0"] | {"test": saved(GAP.target_values)["test"]}
    assert blend_runs(GAP, {"honest": RUNS["noise 1.0"], "cheat": cheat}).contributions["cheat"] == 0


def test_it_ends() -> None:
    runs = {str(seed): saved(noisy(seed, 1.0)) for seed in range(12)}
    assert len(blend_runs(GAP, runs).picks) <= MAX_PICKS


def test_higher_is_better_for_classes() -> None:
    """Three runs, each wrong on another third: their average is right everywhere."""
    truth = STABLE.target_values.astype(float)
    runs = {}
    for third in range(3):
        wrong = np.arange(STABLE.rows) % 3 == third
        runs[f"wrong {third}"] = saved(np.where(wrong, np.abs(truth - 0.55), np.abs(truth - 0.2)), "probability")
    blended = blend_runs(STABLE, runs)
    assert blended.metric == "balanced_accuracy"
    assert blended.scores["valid"]["balanced_accuracy"] == 1.0
    assert all(single["valid"]["balanced_accuracy"] < 0.8 for single in blended.singles.values())


def test_labels_blend_with_probabilities() -> None:
    truth = STABLE.target_values.astype(float)
    runs = {"labels": saved(truth, "label"), "probabilities": saved(np.abs(truth - 0.6), "probability")}
    blended = blend_runs(STABLE, runs)
    assert blended.contributions == {"labels": 1.0, "probabilities": 0.0}
    assert "rocauc" in blended.scores["test"]


def test_other_rows_are_refused() -> None:
    other = {
        part: RowPredictions(rows=run.rows + 1, prediction=run.prediction, type="value")
        for part, run in RUNS["noise 1.0"].items()
    }
    with pytest.raises(RunError, match="a and b predict different rows of valid"):
        blend_runs(GAP, {"a": RUNS["noise 1.0"], "b": other})
    with pytest.raises(RunError, match="no run"):
        blend_runs(GAP, {})


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, try_here: Callable[[Path, str, int], None]) -> list[Path]:
    """Two models that were tried on two tasks; one of them on a third, too."""
    home = tmp_path_factory.mktemp("models")
    folders = []
    for strategy in ("mean", "median"):
        folder = home / strategy
        folder.mkdir()
        (folder / "model.py").write_text(
            "from sklearn.dummy import DummyRegressor\n"
            f"def get_estimator():\n    return DummyRegressor(strategy={strategy!r})\n"
        )
        folders.append(folder)
    for folder, task in [*product(folders, ("mini_gap", "mini_log_kvrh")), (folders[0], "mini_n")]:
        # The rows that are held out are the same for every number of folds: such runs can be blended.
        try_here(folder, task, 2 if folder.name == "mean" else 3)
    return folders


def mbl(*arguments: object) -> int:
    return run([str(argument) for argument in arguments])


def test_saved_runs_are_blended_on_every_task_they_share(
    models: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert mbl("blend", *models, "-b", "mini", "--json") == 0
    blends = json.loads(capsys.readouterr().out)
    assert [blend["task"] for blend in blends] == ["mini_log_kvrh", "mini_gap"]
    for blend in blends:
        task = MINI[blend["task"]]
        by_hand = blend_runs(task, {str(model): load_bagged(model, task, 0) for model in models})
        assert blend["contributions"] == by_hand.contributions
        assert blend["scores"] == by_hand.scores


def test_the_text_names_picks_contributions_and_scores(models: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl("blend", *models, "-b", "mini", "--tasks", "mini_gap", "mini_log_kvrh") == 0
    printed = capsys.readouterr().out
    assert printed.count("Contributions") == 2
    assert "Blending mini: mini_gap, by bagged valid MAE (eV)" in printed
    assert "Blended bagged scores" in printed
    assert models[0].name in printed


def test_runs_that_are_not_there_are_named(
    models: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mbl("blend", *models, "-b", "mini", "-t", "mini_n") == 1
    assert "nothing was tried there" in capsys.readouterr().err
    assert mbl("blend", models[0], tmp_path, "-b", "mini") == 1
    assert f"{tmp_path}: nothing" in capsys.readouterr().err.replace("\n", "")


def test_a_run_with_failed_folds_is_not_blended(models: list[Path], tmp_path: Path) -> None:
    model = shutil.copytree(models[0], tmp_path / "model")
    (file,) = (model / ".run" / "try" / "mini" / "mini_n" / "fold-0").glob("*.jsonl")
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(RunError, match="predictions of 1 of 2 inner folds"):
        load_bagged(model, MINI["mini_n"], 0)
