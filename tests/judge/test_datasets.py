"""Datasets: the same from the same seed, the truth kept aside, and tasks of the registry as tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import JudgingError, UnknownNameError
from matbench_lite.judge.competition import load_datasets, write_datasets
from matbench_lite.judge.expression import evaluate, parse
from matbench_lite.judge.judge_dataset import FORMULAS, make_dataset, task_dataset


@pytest.mark.parametrize("known", FORMULAS, ids=lambda known: known.name)
def test_test_rows_are_the_exact_formula(known) -> None:
    dataset = make_dataset(known, seed=3)
    for rows in filter(None, (dataset.test, dataset.beyond)):
        np.testing.assert_allclose(evaluate(parse(known.formula, dataset.features), rows.X), rows.y, rtol=1e-12)
        assert np.isfinite(rows.y).all()
    # Training rows have the noise that the set promises.
    train = dataset.train
    noise = train.y - evaluate(parse(known.formula, dataset.features), train.X)
    assert np.std(noise) == pytest.approx(known.noise * np.std(train.y - noise), rel=0.2, abs=1e-9)


def test_every_kind_of_difficulty_is_there() -> None:
    assert {known.property_spec.kind for known in FORMULAS} == {
        "absence", "equivalence", "proximity", "extrapolation", "bounds",
    }  # fmt: skip
    assert any(known.noise for known in FORMULAS)
    assert any(known.decoys for known in FORMULAS)
    assert any(known.beyond for known in FORMULAS)
    assert any(known.irrelevant for known in FORMULAS)


def test_a_decoy_is_tempting_but_not_the_truth() -> None:
    dataset = make_dataset(next(known for known in FORMULAS if known.decoys))
    assert abs(np.corrcoef(dataset.train.X["hardness"], dataset.train.y)[0, 1]) > 0.98
    assert "hardness" in dataset.truth.irrelevant


def test_the_same_seed_gives_the_same_rows_and_another_seed_others() -> None:
    first, again, other = (make_dataset(FORMULAS[0], seed=seed) for seed in (1, 1, 2))
    assert first.digest == again.digest != other.digest


def test_runs_learn_from_different_rows_and_are_judged_on_the_same() -> None:
    dataset = make_dataset(FORMULAS[0])
    first, second = dataset.training(0), dataset.training(1)
    assert len(first.y) == len(second.y) == 160
    assert list(first.X.index) != list(second.X.index)
    assert list(first.X.index) == list(dataset.training(0).X.index)
    assert list(first.X.index) != list(dataset.training(0, seed=1).X.index)
    assert dataset.testing(0) is dataset.testing(1)


def test_what_is_written_is_read_back_and_the_truth_is_not_public(datasets_folder, datasets) -> None:
    for known in FORMULAS:
        made = make_dataset(known, seed=7)
        assert datasets[known.name].digest == made.digest
        assert datasets[known.name].judged_by == made.judged_by
    public = (datasets_folder / "datasets.json").read_text()
    for secret in ("formula", "irrelevant", "decoy", "noise", "property", "seed", "exact law"):
        assert secret not in public
    hidden = json.loads((datasets_folder / "hidden" / "truth.json").read_text())
    assert hidden["datasets"]["hall_petch"]["truth"]["formula"].startswith("70 + 740/sqrt")


def test_missing_and_damaged_files_are_named(tmp_path) -> None:
    write_datasets(FORMULAS[:1], tmp_path)
    with pytest.raises(UnknownNameError, match="there is no dataset 'hal_petch'"):
        load_datasets(tmp_path, ["hal_petch"])
    (tmp_path / "hidden" / "hall_petch.csv").write_text("batch\n1\n")
    with pytest.raises(JudgingError, match=r"hall_petch in .* is incomplete or damaged"):
        load_datasets(tmp_path)
    (tmp_path / "hidden" / "truth.json").unlink()
    with pytest.raises(JudgingError, match=r"truth\.json cannot be read"):
        load_datasets(tmp_path)


@pytest.mark.parametrize(("features", "number"), [("elements", 60), ("magpie", 132)])
def test_a_task_is_a_table_on_its_official_folds(features, number) -> None:
    task = load_benchmark("mini")["mini_log_kvrh"]
    dataset = task_dataset(task, features=features)
    assert len(dataset.features) >= number
    assert list(dataset.testing(6).y.index) == list(task.test_ids(1))
    assert list(dataset.training(6).y.index) == list(task.train_ids(1))
    assert dataset.train.X.notna().all(axis=None)
    for name in dataset.features:
        assert parse(name, dataset.features).features == {name}
    if features == "elements":
        np.testing.assert_allclose(dataset.train.X.sum(axis=1), 1)


def test_tasks_that_cannot_be_judged_are_refused() -> None:
    mini = load_benchmark("mini")
    with pytest.raises(JudgingError, match="is a classification task"):
        task_dataset(mini["mini_is_stable"])
    with pytest.raises(JudgingError, match="mini_gap has no features 'structure'; use features = magpie or elements"):
        task_dataset(mini["mini_gap"], features="structure")
    with pytest.raises(JudgingError, match="has no features 'magic'"):
        task_dataset(mini["mini_gap"], features="magic")
