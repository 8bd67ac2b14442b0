"""Every form of Matbench result comes in, and nothing of it is lost."""

from __future__ import annotations

import json
from copy import deepcopy

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.matbench import MatbenchError, read_results

INFO = {
    "authors": "A. Name, B. Name and C. Name",
    "algorithm": "My forest",
    "algorithm_long": "A forest of 100 trees.",
    "bibtex_refs": ["@misc{a}", ""],
    "notes": "Ran overnight.",
    "requirements": {"python": ["numpy==1.20", "matbench==0.1.0"], "conda": ["gcc"]},
}


@pytest.mark.parametrize("packed", [True, False])
def test_gzip_is_told_by_the_first_bytes_not_by_the_name(document, write, packed) -> None:
    submission = read_results(write(document, packed=packed))
    assert submission.complete_tasks == ("matbench_steels", "matbench_expt_is_metal", "matbench_glass")


@pytest.mark.parametrize("version", ["0.1.0", "0.2", "0.5", "0.6"])
def test_predictions_are_taken_by_row_id_whatever_the_version(document, write, version) -> None:
    folds = document["tasks"]["matbench_steels"]["results"]
    shuffled = deepcopy(folds["fold_0"]["data"])
    folds["fold_0"]["data"] = dict(reversed(shuffled.items()))
    submission = read_results(write({**document, "version": version}))
    task = load_benchmark("matbench_v0.1")["matbench_steels"]
    expected = [shuffled[row] for row in task.test_ids(0)]
    assert submission.recorded("matbench_steels")[0].predictions.prediction.tolist() == expected
    assert submission.imported["version"] == version


def test_numbers_booleans_and_probabilities_are_told_apart(document, write) -> None:
    submission = read_results(write(document))
    types = {task.name: submission.recorded(task.name)[0].predictions.type for task in submission.tasks}
    assert types == {"matbench_steels": "value", "matbench_glass": "label", "matbench_expt_is_metal": "probability"}


def test_who_and_how_come_from_info_json(document, write) -> None:
    path = write(document)
    (path.parent / "info.json").write_text(json.dumps(INFO))
    submission = read_results(path)
    assert submission.algorithm == "My forest"
    assert submission.authors == ["A. Name", "B. Name", "C. Name"]
    assert submission.description == "A forest of 100 trees."
    assert submission.references == ["@misc{a}"]
    assert submission.requirements == ["numpy==1.20", "matbench==0.1.0", "gcc"]
    assert submission.imported["notes"] == "Ran overnight."
    assert submission.created == "2022-06-28T19:36:19+00:00"
    assert submission.metadata == document["user_metadata"]
    assert submission.recorded("matbench_glass")[2].params == {"depth": 3}


@pytest.mark.parametrize(
    "info",
    [
        {},
        {"authors": None, "algorithm": "", "bibtex_refs": None, "requirements": None, "notes": None},
        {"authors": ["A"], "algorithm": "X\nY", "bibtex_refs": "@misc{a}", "requirements": "See the page. " * 100},
        {"authors": 7, "algorithm": 7, "algorithm_long": 7, "bibtex_refs": [[7]], "requirements": {"python": 7}},
    ],
)
def test_an_info_json_filled_in_by_hand_is_taken_as_far_as_it_goes(document, write, tmp_path, info) -> None:
    (tmp_path / "about.json").write_text(json.dumps(info))
    submission = read_results(write(document), tmp_path / "about.json")
    assert submission.algorithm in ("an_entry", "X", "7")
    assert Submission.load(submission.save(tmp_path / "entry")).authors == submission.authors


def test_without_info_the_folder_names_the_algorithm(document, write) -> None:
    assert read_results(write(document)).algorithm == "an_entry"
    document["user_metadata"]["algorithm"] = "Mine"
    assert read_results(write(document)).algorithm == "Mine"


def test_it_is_marked_as_imported_and_the_mark_stays(document, write, tmp_path) -> None:
    submission = read_results(write(document, folder="matbench_v0.1_mine"))
    mark = submission.imported
    assert mark["from"] == "matbench"
    assert mark["hash"] == document["hash"]
    assert mark["url"].endswith("/benchmarks/matbench_v0.1_mine")
    assert mark["scores"]["matbench_glass"]["rocauc"] == [0.5] * 5
    assert submission.provenance == {}, "it was not made on this machine"
    assert Submission.load(submission.save(tmp_path / "entry")).imported == mark
    assert Submission.from_dict(submission.as_dict()).imported == mark
    Submission("mini", algorithm="A", imported={"from": "x"}, checkpoint=tmp_path / "run")
    assert Submission.resume(tmp_path / "run").imported == {"from": "x"}


def test_an_entry_of_our_own_has_no_such_mark(tmp_path) -> None:
    submission = Submission("mini", algorithm="A")
    submission.record("mini_gap", 0, np.zeros(100))
    assert Submission.load(submission.save(tmp_path / "entry")).imported is None
    assert "imported" not in json.loads((tmp_path / "entry" / "submission.json").read_bytes())


def uncertain(document, rows) -> dict:
    for fold in document["tasks"]["matbench_steels"]["results"].values():
        fold["uncertainty"] = rows(fold["data"])
    return {**document, "version": "0.6"}


def test_uncertainty_comes_in_as_std_and_interval(document, write) -> None:
    made = uncertain(
        document, lambda data: {row: {"ci_lower": y - 2.0, "ci_upper": y + 2.0, "std": 1.0} for row, y in data.items()}
    )
    made["tasks"]["matbench_glass"]["results"]["fold_0"]["uncertainty"] = None
    held = read_results(write(made)).recorded("matbench_steels")[0].predictions
    assert held.std.tolist() == [1.0] * 63
    assert np.allclose(held.upper - held.prediction, 2, atol=1e-3)


def test_what_matbench_0_6_leaves_behind_in_uncertainty_is_understood(document, write) -> None:
    """It adds two empty objects when it validates, and stores a derived std as a list of one."""
    made = uncertain(
        document,
        lambda data: {
            "ci": {},
            **{row: {"ci_lower": y - 2.0, "ci_upper": y + 2.0, "std": [1.0]} for row, y in data.items()},
            "std": {},
        },
    )
    assert read_results(write(made)).recorded("matbench_steels")[4].predictions.std.tolist() == [1.0] * 62


def test_an_interval_without_std_stays_an_interval(document, write) -> None:
    made = uncertain(
        document, lambda data: {row: {"ci_lower": y - 1.0, "ci_upper": y + 3.0, "std": None} for row, y in data.items()}
    )
    held = read_results(write(made)).recorded("matbench_steels")[0].predictions
    assert held.std is None
    assert held.lower is not None


def test_parameters_may_hold_nan_large_integers_and_nothing(document, write) -> None:
    folds = document["tasks"]["matbench_steels"]["results"]
    folds["fold_0"]["parameters"] = {"missing": float("nan"), "state": 2**100}
    folds["fold_1"]["parameters"] = {"state": 2**100}
    folds["fold_2"]["parameters"] = None
    submission = read_results(write(document))
    assert submission.recorded("matbench_steels")[0].params == {"missing": None, "state": str(2**100)}
    assert submission.recorded("matbench_steels")[2].params == {}
    folds["fold_0"]["parameters"] = {}
    submission = read_results(write(document))
    assert submission.recorded("matbench_steels")[1].params == {"state": str(2**100)}


def test_a_wrong_hash_is_taken_only_when_asked_and_is_marked(document, write) -> None:
    document["user_metadata"]["tree_type"] = "gini"
    path = write(document, rehash=False)
    with pytest.raises(MatbenchError, match="changed after Matbench wrote it"):
        read_results(path)
    assert read_results(path, allow_hash_mismatch=True).imported["hash_matches"] is False
