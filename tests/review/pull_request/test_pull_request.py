"""Reviewing changes in real git repositories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import RepositoryError
from matbench_lite.review import render_markdown, review
from matbench_lite.submission import FoldPredictions, RecordedFold

from ..version_1 import to_version_1


def codes(report) -> list[str]:
    """Of the change, then of its entries; notes left out."""
    found = [*report.findings, *(finding for entry in report.entries for finding in entry.findings)]
    return [finding.code for finding in found if finding.severity != "note"]


def test_an_entry_is_added(clone, entry, same_as_before) -> None:
    clone.branch("new")
    clone.entry("best", entry("The best", 0.2))
    clone.commit()
    report = review(clone.folder, "main", "new")
    (added,) = report.entries
    assert (added.slug, added.kind, added.category) == ("best", "added", "general-purpose")
    assert report.verdict == "needs a person"
    assert "best would be first on mini_log_kvrh" in report.reasons[1]
    assert set(codes(report)) == {"MBL511"}, "it is far ahead, and that is all"
    assert not added.unverified
    assert {standing.after.rank for standing in added.standings} == {1}
    assert all(standing.before is None and standing.to_best.word != "worse" for standing in added.standings)
    assert {move.slug for move in report.moves} == {"careful", "rough", "steady", "gap-only"}
    same_as_before("added", report)


def test_predictions_of_an_entry_are_edited(clone, entry, same_as_before) -> None:
    clone.branch("better")
    clone.entry("rough", entry("Rough", 0.3))
    clone.commit()
    report = review(clone.folder, "main", "better")
    (edited,) = report.entries
    assert (edited.kind, edited.same_predictions) == ("edited", False)
    assert report.verdict == "needs a person"
    assert "MBL707" in codes(report)
    gap = next(standing for standing in edited.standings if standing.task == "mini_gap")
    assert (gap.before.rank, gap.after.rank) == (4, 2)
    assert gap.to_previous.word == "better"
    assert gap.to_previous.interval.high < 0
    same_as_before("edited", report)


def test_a_readme_alone_is_edited(clone, entry) -> None:
    clone.branch("words")
    (clone.folder / "submissions" / "rough" / "README.md").write_text("# Rough\n")
    clone.commit("not sealed")
    assert review(clone.folder, "main", "words").verdict == "needs work"
    clone.entry("rough", entry("Rough", 0.8))
    clone.commit("sealed")
    report = review(clone.folder, "main", "words")
    assert (report.verdict, report.entries[0].same_predictions) == ("needs a person", True)
    assert set(report.entries[0].changed) == {"README.md", "submission.json"}
    assert not report.moves


def test_an_entry_is_deleted(clone, same_as_before) -> None:
    clone.branch("gone")
    clone.git("rm", "-r", "--quiet", "submissions/careful")
    clone.commit()
    report = review(clone.folder, "main", "gone")
    (removed,) = report.entries
    assert (removed.kind, removed.algorithm, removed.category) == ("removed", "Careful", None)
    assert report.verdict == "needs a person"
    assert codes(report) == ["MBL708"]
    assert all(standing.after is None and standing.before for standing in removed.standings)
    assert {move.slug for move in report.moves} == {"rough", "steady"}
    same_as_before("removed", report)


def test_an_entry_is_renamed(clone, same_as_before) -> None:
    clone.branch("named")
    clone.git("mv", "submissions/rough", "submissions/smooth")
    clone.commit()
    report = review(clone.folder, "main", "named")
    (renamed,) = report.entries
    assert (renamed.slug, renamed.old_slug, renamed.kind) == ("smooth", "rough", "renamed")
    assert renamed.same_predictions
    assert "MBL709" in codes(report)
    assert report.verdict == "needs a person"
    assert not report.moves
    assert all(standing.before.rank == standing.after.rank for standing in renamed.standings)
    same_as_before("renamed", report)


def test_a_copy_under_another_name_is_a_new_entry(clone, entry) -> None:
    clone.branch("copy")
    clone.entry("copied", entry("Copied", 0.8, seed="Rough"))
    clone.commit()
    report = review(clone.folder, "main", "copy")
    assert [item.kind for item in report.entries] == ["added"]


def test_twins_that_come_together_are_found(clone, entry) -> None:
    """Neither is in the base: names, and predictions, are compared with all others of the change, too."""
    clone.branch("twins")
    clone.entry("one", entry("Twin", 0.5, tasks=["mini_gap"]))
    clone.entry("two", entry("T\u051din", 0.5, tasks=["mini_gap"], seed="Twin"))
    clone.commit()
    report = review(clone.folder, "main", "twins")
    for reviewed, other in zip(report.entries, ("two", "one"), strict=True):
        found = {finding.code: finding.evidence["entry"] for finding in reviewed.findings if finding.evidence}
        assert found.items() >= {"MBL120": other, "MBL505": other}.items()


def test_an_entry_that_is_edited_or_renamed_is_not_its_own_namesake(clone, entry) -> None:
    clone.branch("moved")
    clone.git("mv", "submissions/rough", "submissions/rongh")
    clone.entry("careful", entry("C\u0430reful", 0.4))
    clone.commit()
    report = review(clone.folder, "main", "moved")
    assert not {"MBL117", "MBL120"} & set(codes(report))


def test_a_branch_that_merged_the_base_shows_its_own_entry_only(clone, entry, same_as_before) -> None:
    clone.branch("new")
    clone.entry("mine", entry("Mine", 0.5))
    clone.commit()
    clone.git("switch", "--quiet", "main")
    clone.entry("theirs", entry("Theirs", 0.35))
    (clone.folder / "code.py").write_text("print('newer code')\n")
    clone.commit("meanwhile")
    clone.git("switch", "--quiet", "new")
    clone.git("merge", "--quiet", "--no-edit", "main")
    assert len(clone.git("rev-list", "--parents", "-n", "1", "new").split()) == 3
    report = review(clone.folder, "main", "new")
    assert [(item.slug, item.kind) for item in report.entries] == [("mine", "added")]
    assert report.verdict == "accept", codes(report)
    # Ranked among all entries of the base, theirs too.
    assert {standing.after.of for standing in report.entries[0].standings} == {5, 6}
    same_as_before("merged", report)


def test_the_base_may_go_on_without_the_branch(clone, entry) -> None:
    clone.branch("new")
    clone.entry("mine", entry("Mine", 0.5))
    clone.commit()
    clone.git("switch", "--quiet", "main")
    clone.entry("theirs", entry("Theirs", 0.35))
    clone.git("rm", "-r", "--quiet", "submissions/rough")
    clone.commit("meanwhile")
    report = review(clone.folder, "main", "new")
    assert [(item.slug, item.kind) for item in report.entries] == [("mine", "added")]
    assert {move.slug for move in report.moves} <= {"careful", "gap-only", "steady", "theirs"}


def test_an_entry_that_both_sides_changed_is_a_conflict(clone, entry) -> None:
    clone.branch("new")
    clone.entry("rough", entry("Rough", 0.5))
    clone.commit()
    clone.git("switch", "--quiet", "main")
    clone.entry("rough", entry("Rough", 0.6))
    clone.commit("meanwhile")
    report = review(clone.folder, "main", "new")
    assert "MBL706" in codes(report)
    assert report.verdict == "needs work"


def test_what_the_base_has_already_is_no_change(clone, entry) -> None:
    clone.branch("new")
    clone.entry("mine", entry("Mine", 0.5))
    clone.commit()
    clone.git("switch", "--quiet", "main")
    clone.git("merge", "--quiet", "--squash", "new")
    clone.commit("squashed")
    assert review(clone.folder, "main", "new").verdict == "no entries"


def test_entries_and_code_in_one_change_are_refused(clone, entry, same_as_before) -> None:
    clone.branch("both")
    clone.entry("mine", entry("Mine", 0.5))
    (clone.folder / "code.py").write_text("print('my code')\n")
    clone.commit()
    report = review(clone.folder, "main", "both")
    assert codes(report) == ["MBL701"]
    assert report.verdict == "needs work"
    assert "code.py" in report.findings[0].message
    same_as_before("mixed", report)


def test_code_alone_is_none_of_its_business(clone) -> None:
    clone.branch("code")
    (clone.folder / "code.py").write_text("print('my code')\n")
    (clone.folder / "submissions" / "README.md").write_text("# Entries\n")
    clone.commit()
    report = review(clone.folder, "main", "code")
    assert (report.verdict, report.entries) == ("no entries", ())
    assert "no entry" in render_markdown(report)


def test_an_entry_that_cannot_be_read_has_its_errors_and_no_ranks(clone, entry) -> None:
    clone.branch("broken")
    folder = clone.entry("mine", entry("Mine", 0.5))
    (folder / "predictions.parquet").write_bytes(b"PAR1 but not really PAR1")
    clone.commit()
    report = review(clone.folder, "main", "broken")
    assert report.verdict == "needs work"
    assert report.entries[0].standings == ()
    assert "error" in {finding.severity for finding in report.entries[0].findings}


def test_the_report_is_the_same_each_time_and_names_no_place_on_this_machine(clone, entry, tmp_path: Path) -> None:
    clone.branch("broken")
    folder = clone.entry("mine", entry("Mine", 0.5))
    (folder / "extra.py").write_text("pass\n")
    clone.git("rm", "-r", "--quiet", "submissions/rough")
    clone.commit()
    first, second = (review(clone.folder, "main", "broken") for _ in range(2))
    assert first == second
    assert render_markdown(first) == render_markdown(second)
    assert "/tmp" not in render_markdown(first)
    assert str(tmp_path) not in str(first)


def test_what_is_not_committed_is_reviewed_where_no_head_is_named(clone, entry) -> None:
    assert review(clone.folder, "main").verdict == "no entries"
    clone.entry("mine", entry("Mine", 0.5))
    before = clone.git("status", "--porcelain"), clone.git("count-objects")
    report = review(clone.folder / "submissions", "main")
    assert [(item.slug, item.kind) for item in report.entries] == [("mine", "added")]
    assert report.uncommitted
    assert "not committed yet" in render_markdown(report)
    assert (clone.git("status", "--porcelain"), clone.git("count-objects")) == before
    assert review(clone.folder, "main", "HEAD").verdict == "no entries"


def test_without_targets_stated_scores_are_used_and_marked(clone) -> None:
    """The data directory of a test is empty, so there are no targets of Matbench's tasks."""
    clone.branch("steel")
    to_version_1(clone.entry("stated", _without_targets("Stated")), lambda _: {"mae": 100.0})
    clone.commit()
    report = review(clone.folder, "main", "steel")
    assert report.verdict != "accept"
    (entry,) = report.entries
    assert entry.unverified == ("matbench_steels",)
    assert entry.standings[0].score.mean == 100
    assert "unverified" in render_markdown(report)


def _without_targets(algorithm: str) -> Submission:
    """An entry on a task whose targets are not here."""
    task = load_benchmark("matbench_v0.1")["matbench_steels"]
    about = {"authors": ["A. Name"], "single_configuration": True, "external_data": False}
    submission = Submission("matbench_v0.1", algorithm=algorithm, **about)
    for fold in task.folds:
        predictions = FoldPredictions(type="value", prediction=np.arange(len(task.test_rows(fold)), dtype=float))
        submission._keep(task.name, fold, RecordedFold(predictions=predictions))
    submission.provenance = {}
    return submission


@pytest.mark.parametrize("ref", ["nothing-here", "--output=x", "main:README.md"])
def test_a_commit_that_is_not_there_is_an_error(clone, ref: str) -> None:
    with pytest.raises(RepositoryError, match="there is no commit"):
        review(clone.folder, ref)


def test_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="not a git repository"):
        review(tmp_path, "main")


def test_histories_that_never_met_are_an_error(clone) -> None:
    clone.git("switch", "--quiet", "--orphan", "island")
    clone.git("commit", "--quiet", "--allow-empty", "-m", "island")
    with pytest.raises(RepositoryError, match="no common history"):
        review(clone.folder, "main", "island")
