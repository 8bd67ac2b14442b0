"""What goes out is what Matbench would have written; what comes in again is the same."""

from __future__ import annotations

import json

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import DataMissingError
from matbench_lite.matbench import MatbenchError, compare_published, read_results, write_results

pytestmark = pytest.mark.filterwarnings("ignore::matbench_lite.errors.UnverifiedDataWarning")


def test_in_and_out_and_in_again_is_the_same(document, write, targets, tmp_path) -> None:
    first = read_results(write(document))
    path = write_results(first, tmp_path / "out.json.gz")
    written = json.loads(path.read_bytes())
    assert written["version"] == "0.6"
    assert written["datestamp"] == document["datestamp"]
    assert written["user_metadata"] == document["user_metadata"]
    for name, task in document["tasks"].items():
        for fold, content in task["results"].items():
            out = written["tasks"][name]["results"][fold]
            assert out["data"] == content["data"]
            assert out["parameters"] == content["parameters"]
            assert out["uncertainty"] is None
            assert all(type(value) is float for value in out["scores"].values())
    again = read_results(path)
    for name in document["tasks"]:
        for fold in range(5):
            assert again.recorded(name)[fold].predictions.sha256 == first.recorded(name)[fold].predictions.sha256


def test_rocauc_is_written_as_matbench_computes_it_and_reported_when_it_comes_in(
    document, write, targets, tmp_path
) -> None:
    first = read_results(write(document))
    again = read_results(write_results(first, tmp_path / "out.json"))
    scores = json.loads((tmp_path / "out.json").read_bytes())["tasks"]["matbench_expt_is_metal"]["results"]["fold_0"]
    assert scores["scores"]["rocauc"] == scores["scores"]["balanced_accuracy"]
    differences = compare_published(again)
    assert {(item.task, item.metric) for item in differences} == {("matbench_expt_is_metal", "rocauc")}
    assert all("on labels" in item.reason for item in differences)
    assert differences[0].recomputed == again.scores["matbench_expt_is_metal"].folds[0]["rocauc"]


def test_a_score_that_is_not_that_of_the_predictions_is_reported_without_a_reason(document, write, targets) -> None:
    differences = compare_published(read_results(write(document)))
    of_steels = [item for item in differences if item.task == "matbench_steels"]
    assert len(of_steels) == 20, "every score in it is made up"
    assert {item.reason for item in of_steels} == {None}
    assert {item.published for item in of_steels} == {0.5}


def test_a_mape_alone_is_another_rule(document, write, targets, tmp_path) -> None:
    path = write_results(read_results(write(document)), tmp_path / "out.json")
    changed = json.loads(path.read_bytes())
    changed["tasks"]["matbench_steels"]["results"]["fold_1"]["scores"]["mape"] = 12.5
    difference, *others = compare_published(read_results(write(changed)))
    assert (difference.task, difference.fold, difference.metric) == ("matbench_steels", 1, "mape")
    assert "by another rule" in difference.reason
    assert {item.metric for item in others} == {"rocauc"}


@pytest.mark.parametrize("imported", [None, {}, {"scores": 7}, {"scores": {"matbench_steels": {"mae": "x"}}}])
def test_an_entry_that_says_nothing_published_has_no_differences(targets, imported) -> None:
    submission = Submission("matbench_v0.1", algorithm="A", imported=imported)
    submission.record("matbench_steels", 0, [1000.0] * 63)
    assert compare_published(submission) == []


def test_uncertainty_is_written_per_row_each_part_from_the_other(targets, tmp_path) -> None:
    submission = Submission("matbench_v0.1", algorithm="A")
    task = load_benchmark("matbench_v0.1")["matbench_steels"]
    for fold in task.folds:
        y = np.full(len(task.test_ids(fold)), 1000.0)
        given = [{"std": y / 1000}, {"interval": (y - 2, y + 2)}, {"interval": (y - 1, y + 3)}, {}, {}][fold]
        submission.record(task.name, fold, y, **given)
    path = write_results(submission, tmp_path / "out.json")
    folds = json.loads(path.read_bytes())["tasks"]["matbench_steels"]["results"]
    row = "mb-steels-003"
    assert folds["fold_0"]["uncertainty"][row] == pytest.approx({"ci_lower": 998.04, "ci_upper": 1001.96, "std": 1.0})
    symmetric = next(iter(folds["fold_1"]["uncertainty"].values()))
    assert symmetric["std"] == pytest.approx(2 / 1.959964)
    assert next(iter(folds["fold_2"]["uncertainty"].values()))["std"] is None, "no normal distribution has it"
    assert folds["fold_3"]["uncertainty"] is None
    again = read_results(path)
    assert again.recorded("matbench_steels")[0].predictions.std.tolist() == [1.0] * 63


def test_another_benchmark_and_parts_of_tasks_are_refused(tmp_path) -> None:
    mini = Submission("mini", algorithm="A")
    mini.record("mini_gap", 0, np.zeros(100))
    with pytest.raises(MatbenchError, match="Matbench has only matbench_v0"):
        write_results(mini, tmp_path / "out.json")
    submission = Submission("matbench_v0.1", algorithm="A")
    with pytest.raises(MatbenchError, match="nothing is recorded"):
        write_results(submission, tmp_path / "out.json")
    submission.record("matbench_steels", 0, [1000.0] * 63)
    with pytest.raises(MatbenchError, match="some folds of matbench_steels are not recorded"):
        write_results(submission, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_without_targets_nothing_is_written(document, write, tmp_path) -> None:
    with pytest.raises(DataMissingError, match="mbl data"):
        write_results(read_results(write(document)), tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
