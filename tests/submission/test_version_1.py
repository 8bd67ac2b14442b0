"""Entries of version 1 are read for ever: read, scored, checked, and sealed into the present version."""

from __future__ import annotations

import json

import pytest

from matbench_lite import Submission
from matbench_lite.check import check_entry
from matbench_lite.submission import seal
from matbench_lite.submission.entry_scores import compare_scores

from ..review.version_1 import to_version_1, write_document
from .test_entry import assert_same


def document(entry) -> dict:
    return json.loads((entry / "submission.json").read_bytes())


def restate(entry, **scores: float | None) -> None:
    """Let the first fold of mini_gap state other scores."""
    content = document(entry)
    content["tasks"]["mini_gap"]["folds"][0]["scores"].update(scores)
    write_document(entry, content)


def findings(entry) -> set[str]:
    return {finding.code for finding in check_entry(entry).findings}


def test_it_is_read_as_the_same_submission(submission, entry) -> None:
    to_version_1(entry)
    assert document(entry)["schema_version"] == 1
    loaded = Submission.load(entry)
    assert_same(submission, loaded)
    assert loaded.frame.equals(submission.frame)


def test_scores_that_are_those_of_the_predictions_are_fine(entry) -> None:
    before = findings(entry)
    to_version_1(entry)
    assert Submission.load(entry).recorded("mini_gap")[0].stated["mae"] > 0
    assert compare_scores(Submission.load(entry)) == []
    assert findings(entry) == before


@pytest.mark.parametrize("stated", [0.0, None])
def test_each_stated_score_is_compared(entry, stated) -> None:
    to_version_1(entry)
    restate(entry, mae=stated)
    (difference,) = compare_scores(Submission.load(entry))
    assert (difference.task, difference.fold, difference.metric) == ("mini_gap", 0, "mae")
    assert difference.stated == stated
    assert "MBL408" in findings(entry)


def test_a_metric_that_does_not_exist_is_not_compared(entry) -> None:
    to_version_1(entry)
    restate(entry, beauty=1.0, truth=None)
    assert compare_scores(Submission.load(entry)) == []
    assert "MBL408" not in findings(entry)


def test_a_metric_that_is_new_since_is_not_missed(entry) -> None:
    to_version_1(entry)
    content = document(entry)
    del content["tasks"]["mini_gap"]["folds"][0]["scores"]["rmse"]
    content["tasks"]["mini_gap"]["folds"][1]["scores"] = None
    write_document(entry, content)
    assert compare_scores(Submission.load(entry)) == []
    assert "MBL408" not in findings(entry)


def test_sealing_makes_it_the_entry_that_version_2_would_have_been(entry) -> None:
    before = {path.name: path.read_bytes() for path in entry.iterdir()}
    to_version_1(entry)
    restate(entry, mae=0.0)
    (change,) = seal(entry)
    assert "version 2" in change
    assert {path.name: path.read_bytes() for path in entry.iterdir()} == before
    assert seal(entry) == []


def test_its_python_files_and_notebooks_become_its_code(entry) -> None:
    (entry / "look.ipynb").write_text("{}")
    (entry / "table.csv").write_text("1\n")
    seal(entry)
    to_version_1(entry)
    seal(entry)
    assert document(entry)["code"] == ["look.ipynb", "model.py"]


def test_it_is_told_as_version_1_whatever_its_texts_say(entry) -> None:
    to_version_1(entry)
    content = document(entry) | {"metadata": {"schema_version": 2}}
    write_document(entry, content)
    assert any("version 2" in change for change in seal(entry))


def test_what_is_of_the_other_version_is_out_of_form(entry) -> None:
    for change in ({"declarations": {}}, {"schema_version": 1}):
        write_document(entry, document(entry) | change)
        assert "MBL205" in findings(entry)


def test_it_is_its_authors_and_nothing_of_it_is_dropped(submission, entry) -> None:
    to_version_1(entry)
    submission.save(entry)
    assert document(entry)["schema_version"] == 2
    assert document(entry)["code"] == ["model.py"]
