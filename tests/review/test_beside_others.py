"""What can be told only beside the other entries: names that are taken, predictions that are there already."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from entries import sound_submission

from matbench_lite import Submission
from matbench_lite.check import check_entries, check_entry, check_paths
from matbench_lite.check.verdicts import find_submissions
from matbench_lite.errors import EntryError
from matbench_lite.submission import seal


@pytest.fixture
def entry(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "submissions" / "mine")


def other(entry: Path, slug: str, algorithm: str, noise: float) -> Path:
    """Another entry: the same predictions, with noise as a share of the error of each task."""
    sub = Submission.load(entry)
    rng = np.random.default_rng(1)
    made = sound_submission(algorithm=algorithm)
    made._folds = {}
    for task in sub.tasks:
        for fold, held in sub.recorded(task.name).items():
            p = held.predictions
            if task.kind == "regression":
                error = np.abs(p.prediction - task.test_targets(fold).to_numpy()).mean()
                made.record(task.name, fold, p.prediction + rng.normal(size=len(p.prediction)) * error * noise)
            else:
                wrong = rng.random(len(p.prediction)) < noise / 2
                labels = (p.prediction > 0.5) ^ wrong
                made.record(task.name, fold, labels)
    folder = entry.parent / slug
    folder.mkdir()
    (folder / "model.py").write_text("x = 1\n")
    return made.save(folder)


def codes(checked) -> list[str]:
    return [finding.code for finding in checked.findings]


def test_a_name_that_is_taken_is_an_error_whatever_its_case(entry) -> None:
    other(entry, "theirs", "TEST  Forest", noise=2.0)
    (found,) = check_entries(entry.parent)["mine"].findings
    assert found.code == "MBL117"
    assert "entry theirs" in found.message


def test_an_entry_is_not_its_own_rival(entry) -> None:
    assert codes(check_entry(entry, others={"mine": Submission.load(entry)})) == []


def test_the_same_name_on_another_benchmark_is_fine(entry) -> None:
    elsewhere = Submission("matbench_v0.1", algorithm="Test forest")
    assert codes(check_entry(entry, others={"theirs": elsewhere})) == []


@pytest.mark.parametrize(("noise", "expected"), [(0.0, ["MBL505"]), (0.05, ["MBL505"]), (1.0, [])])
def test_nearly_the_same_predictions_are_a_warning_with_evidence(entry, noise, expected) -> None:
    folder = other(entry, "theirs", "Another", noise=noise)
    checked = check_entries(entry.parent)["mine"]
    assert codes(checked) == expected
    for found in checked.findings:
        assert found.evidence["entry"] == "theirs"
        assert found.evidence["errors"] > 0.985
        assert checked.ok
    assert folder.is_dir()


def test_a_copy_is_seen_even_without_targets(tmp_path) -> None:
    header = {"authors": ["B"], "description": "C", "single_configuration": True, "external_data": False}
    rng = np.random.default_rng(0)
    folds = [rng.random(62 + (fold < 2)) for fold in range(5)]
    for slug in ("one", "two"):
        sub = Submission("matbench_v0.1", algorithm=slug, **header)
        for fold, values in enumerate(folds):
            sub.record("matbench_steels", fold, values)
        (tmp_path / slug).mkdir()
        (tmp_path / slug / "model.py").write_text("x = 1\n")
        sub.save(tmp_path / slug)
    assert codes(check_entries(tmp_path)["two"]) == ["MBL505", "MBL409"]


def test_one_broken_entry_does_not_stop_the_others(entry) -> None:
    broken = shutil.copytree(entry, entry.parent / "broken")
    (broken / "submission.json").write_text("{")
    (entry.parent / "begun").mkdir()
    (entry.parent / "README.md").write_text("Entries.\n")
    found = check_entries(entry.parent)
    assert list(found) == ["begun", "broken", "mine"]
    assert codes(found["mine"]) == []
    assert codes(found["begun"]) == ["MBL102", "MBL102", "MBL116"]


class TestWhereTheOthersAre:
    """Which folder holds the other entries of a clone."""

    def test_alone_in_a_folder_called_submissions_is_no_clone(self, entry) -> None:
        assert find_submissions(entry) is None
        (checked,) = check_paths([entry])
        assert set(checked.not_run) == {"MBL117", "MBL120", "MBL505", "MBL508", "MBL509", "MBL510", "MBL511"}

    def test_what_is_not_there_has_none(self, tmp_path) -> None:
        with pytest.raises(EntryError, match="there is no folder"):
            check_paths([tmp_path / "submissions" / "nobody"])

    def test_with_siblings_it_is(self, entry) -> None:
        shutil.copytree(entry, entry.parent / "theirs")
        assert find_submissions(entry) == entry.parent
        (checked,) = check_paths([entry])
        assert set(checked.not_run) == {"MBL508", "MBL509", "MBL511"}, "too few others"
        assert codes(checked) == ["MBL117", "MBL505"]

    def test_in_a_git_work_tree_it_is_even_alone(self, entry) -> None:
        (entry.parent.parent / ".git").mkdir()
        assert find_submissions(entry) == entry.parent

    def test_elsewhere_in_the_work_tree_the_entries_at_its_root_count(self, entry) -> None:
        root = entry.parent.parent
        (root / ".git").write_text("gitdir: elsewhere\n")  # as in a linked work tree
        draft = shutil.copytree(entry, root / "runs" / "deep" / "draft")
        assert find_submissions(draft) == root / "submissions"
        assert codes(check_paths([draft])[0]) == ["MBL117", "MBL505"]

    def test_elsewhere_altogether_there_are_none_unless_given(self, entry, tmp_path) -> None:
        draft = shutil.copytree(entry, tmp_path / "draft")
        assert find_submissions(draft) is None
        assert codes(check_paths([draft])[0]) == []
        assert codes(check_paths([draft], submissions=entry.parent)[0]) == ["MBL117", "MBL505"]

    def test_a_folder_of_entries_is_all_of_them_in_order(self, entry) -> None:
        theirs = shutil.copytree(entry, entry.parent / "a")
        seal(theirs, changes={"algorithm": "A"})
        found = check_paths([entry.parent])
        assert [checked.slug for checked in found] == ["a", "mine"]

    def test_a_folder_that_is_reached_by_another_path_is_the_same(self, entry, monkeypatch) -> None:
        (entry.parent.parent / ".git").mkdir()
        monkeypatch.chdir(entry)
        (checked,) = check_paths([Path()])
        assert checked.slug == "mine"
        assert checked.findings == ()
