"""Scores: computed from predictions and targets, by fold and over folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, roc_auc_score

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import UnknownNameError

BENCH = load_benchmark("mini")


def test_scores_are_those_of_scikit_learn_fold_by_fold(submission) -> None:
    scores = submission.scores["mini_gap"]
    for fold, held in submission.recorded("mini_gap").items():
        truth = BENCH["mini_gap"].test_targets(fold)
        assert scores.folds[fold]["mae"] == pytest.approx(mean_absolute_error(truth, held.predictions.prediction))
    values = [scores.folds[fold]["mae"] for fold in range(5)]
    assert scores.mae.mean == pytest.approx(np.mean(values))
    assert scores.mae.std == pytest.approx(np.std(values))
    assert (scores.mae.min, scores.mae.max) == (min(values), max(values))
    assert scores.ranking is scores.mae or scores.ranking == scores.mae


def test_rocauc_is_computed_on_probabilities_and_never_on_labels(submission) -> None:
    truth = BENCH["mini_is_stable"].test_targets(0)
    predicted = submission.recorded("mini_is_stable")[0].predictions.prediction
    assert submission.scores["mini_is_stable"].rocauc.mean == pytest.approx(roc_auc_score(truth, predicted))
    assert "rocauc" not in submission.scores["mini_is_ductile"].metrics


def test_uncertainty_is_scored_where_it_is_recorded(submission) -> None:
    assert {"coverage", "sharpness", "nll", "crps", "ause"} <= set(submission.scores["mini_gap"].metrics)
    assert submission.scores["mini_n"].coverage.mean == 1.0


def test_partial_tasks_are_scored_and_marked(submission) -> None:
    scores = submission.scores
    assert scores["mini_gap"].complete
    assert not scores["mini_is_ductile"].complete
    assert list(scores["mini_is_ductile"].folds) == [1, 3]
    assert submission.complete_tasks == ("mini_gap",)


def test_a_metric_that_does_not_exist_is_named_with_those_that_do(submission) -> None:
    with pytest.raises(AttributeError, match="no metric 'mse': use one of mae, rmse"):
        _ = submission.scores["mini_gap"].mse
    with pytest.raises(UnknownNameError, match="recorded: mini_gap, mini_is_ductile"):
        submission.scores["mini_e_form"]


def test_the_frame_is_tidy(submission) -> None:
    frame = submission.frame
    assert list(frame.columns) == ["task", "fold", "metric", "value"]
    mae = frame.query("task == 'mini_gap' and metric == 'mae'")
    assert mae["value"].mean() == pytest.approx(submission.scores["mini_gap"].mae.mean)
    assert mae["fold"].tolist() == [0, 1, 2, 3, 4]


def test_it_shows_itself(submission) -> None:
    text = repr(submission)
    assert "Test on mini" in text
    assert "mini_gap" in text
    assert "2/5 folds" in text
    assert repr(submission.scores["mini_gap"]).startswith("mini_gap\n")
    assert "mini_gap" in repr(submission.scores)
    assert repr(Submission(BENCH, algorithm="Empty").scores) == "no fold recorded yet"


def test_a_notebook_shows_strangers_text_escaped(submission) -> None:
    submission.algorithm = "<script>alert(1)</script>"
    html = submission._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "mini_gap" in html


def test_the_category_follows_the_complete_tasks() -> None:
    sub = Submission(BENCH, algorithm="Zero", single_configuration=True)
    for task in BENCH.select(input="structure"):
        for fold in task.folds:
            zeros = np.zeros(len(task.test_ids(fold)), dtype=float if task.kind == "regression" else bool)
            sub.record(task.name, fold, zeros)
    assert str(sub.category) == "general-purpose, requires-structure"
