"""Checking an entry: all at once, on any machine, and what is not known is said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from entries import add_file, document, forge, forge_table, put_prediction, sound_submission

from matbench_lite import Submission, load_benchmark
from matbench_lite.check import MAX_SLUG, Finding, check_entry
from matbench_lite.errors import EntryError
from matbench_lite.review import RULES
from matbench_lite.submission import seal

PACKAGE = Path(__file__).parent.parent.parent / "matbench_lite"
HOME = "https://github.com/materialsproject/matbench/tree/main/benchmarks"


@pytest.fixture
def entry(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "entry")


def codes(folder: Path, **options) -> list[str]:
    return [finding.code for finding in check_entry(folder, **options).findings]


def test_a_sound_entry_passes_with_its_category_and_every_score_verified(entry) -> None:
    checked = check_entry(entry)
    assert checked.ok
    assert checked.findings == ()
    assert str(checked.category) == "general-purpose"
    assert checked.category.reason == "all 7 tasks"
    assert set(checked.verified.values()) == {True}
    assert len(checked.verified) == 7
    assert checked.digest == document(entry)["digest"]
    assert checked.size == sum(path.stat().st_size for path in entry.iterdir())


def test_every_problem_is_found_at_once(entry) -> None:
    (entry / "extra.pkl").write_bytes(b"\x80\x05N.")
    (entry / "model.py").write_text("x = 2\n")
    forge_table(entry, put_prediction(entry, 0, np.nan))
    forge(entry, authors=["<b>me</b>"], created="2026-13-01T00:00:00+00:00", metadata={"quick": True})
    forge(entry, external_data=None)
    assert set(codes(entry)) == {
        "MBL108", "MBL118", "MBL209", "MBL210", "MBL307", "MBL404", "MBL406", "MBL602",
    }  # fmt: skip


def test_findings_come_with_errors_first_and_name_task_fold_and_rows(entry) -> None:
    forge_table(entry, put_prediction(entry, [0, 7], np.inf))
    forge(entry, description="")
    first, second = check_entry(entry).findings
    assert (first.code, first.severity) == ("MBL307", "error")
    task = load_benchmark("mini").tasks[0]
    assert (first.task, first.fold, first.row_count) == (task.name, 0, 2)
    assert first.rows == tuple(task.test_ids(0)[[0, 7]])
    assert first.place.startswith(f"predictions.parquet, {task.name} fold 0, mini-")
    assert (second.code, second.severity) == ("MBL604", "warning")


def test_what_others_sent_is_only_read(entry) -> None:
    """A save that was not finished is finished where somebody works, not in what a commit holds."""
    (entry / ".saved").mkdir()
    (entry / ".saved" / "README.md").write_text("# Another\n")
    before = (entry / "README.md").read_bytes()
    assert "MBL106" in {finding.code for finding in check_entry(entry, committed=True).findings}
    assert (entry / "README.md").read_bytes() == before
    assert (entry / ".saved" / "README.md").is_file()


def test_many_findings_of_one_code_are_cut_short(entry) -> None:
    for number in range(60):
        (entry / f"more{number:02d}.py").write_text("")
    found = [finding for finding in check_entry(entry).findings if finding.code == "MBL406"]
    assert len(found) == 21
    assert found[-1].message == "and 40 more of these"


def test_outside_a_clone_what_needs_the_others_is_listed_as_not_run(entry) -> None:
    checked = check_entry(entry)
    needed = ("MBL117", "MBL120", "MBL505", "MBL508", "MBL509", "MBL510", "MBL511")
    assert dict(checked.not_run) == dict.fromkeys(needed, "needs the other entries: not run here, CI will")
    assert set(check_entry(entry, others={}).not_run) == {"MBL508", "MBL509", "MBL511"}, "too few others"


def test_without_targets_scores_are_neither_passed_nor_failed_but_said_to_be_unverified(tmp_path) -> None:
    sub = Submission(
        "matbench_v0.1", algorithm="A", authors=["B"], description="C", single_configuration=True, external_data=False
    )
    rng = np.random.default_rng(0)
    for fold in range(5):
        sub.record("matbench_steels", fold, rng.random(62 + (fold < 2)))
    folder = tmp_path / "steels"
    folder.mkdir()
    (folder / "model.py").write_text("x = 1\n")
    sub.save(folder)
    checked = check_entry(folder, others={})
    assert checked.ok
    assert [finding.code for finding in checked.findings] == ["MBL409"]
    assert checked.verified == {"matbench_steels": False}
    honesty = {f"MBL{number}" for number in (501, 502, *range(508, 516))}
    assert set(checked.not_run) == {"MBL408", *honesty}
    assert "the targets of matbench_steels" in checked.not_run["MBL408"]


def test_an_unreadable_document_leaves_the_other_checks_listed(entry) -> None:
    (entry / "submission.json").write_text("{")
    checked = check_entry(entry, others={})
    assert checked.submission is None
    assert checked.category is None
    assert {"MBL501", "MBL601"} <= set(checked.not_run)


@pytest.mark.parametrize("missing", ["single_configuration", "external_data"])
def test_a_missing_declaration_is_an_error_in_a_new_entry_and_a_note_in_an_imported_one(entry, missing) -> None:
    forge(entry, **{missing: None})
    code = {"single_configuration": "MBL601", "external_data": "MBL602"}[missing]
    assert [(f.code, f.severity) for f in check_entry(entry).findings] == [(code, "error")]
    forge(entry, imported={"from": "matbench", "url": HOME, "hash_matches": True})
    assert [(f.code, f.severity) for f in check_entry(entry).findings] == [("MBL605", "warning"), (code, "note")]


def test_an_imported_entry_needs_no_code_and_is_marked(entry) -> None:
    for name in ("model.py", "explore.ipynb"):
        (entry / name).unlink()
    seal(entry, changes={"imported": {"from": "matbench", "url": HOME, "hash_matches": True}})
    assert codes(entry) == ["MBL605"]


def test_hand_tuning_that_is_declared_makes_it_task_specific_and_is_noted(entry) -> None:
    seal(entry, changes={"single_configuration": False})
    checked = check_entry(entry)
    assert [finding.code for finding in checked.findings] == ["MBL608"]
    assert checked.findings[0].message == "all 7 tasks, but configured by hand for each task: task-specific"
    assert checked.category.name == "task-specific"


def test_one_task_needs_no_note_about_hand_tuning(tmp_path) -> None:
    sub = sound_submission(single_configuration=False)
    sub._folds = {"mini_gap": sub._folds["mini_gap"]}
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "model.py").write_text("x = 1\n")
    assert codes(sub.save(folder)) == []


def test_declared_external_data_is_no_suspicion(entry) -> None:
    seal(entry, changes={"external_data": "pretrained on OQMD", "description": "A pretrained network."})
    assert codes(entry) == []


def test_parameters_that_the_algorithm_tunes_in_each_fold_are_no_suspicion(entry) -> None:
    def change(content) -> None:
        for number, about in enumerate(content["tasks"].values()):
            for fold in about["folds"]:
                fold["params"] = {"depth": number + fold["fold"], "seed": number, "classes_": [number], "rows": number}

    forge(entry, change)
    assert codes(entry) == []


def test_work_state_is_fine_on_a_laptop_and_an_error_in_a_commit(entry) -> None:
    (entry / ".run").mkdir()
    (entry / ".run" / "log").write_text("")
    assert codes(entry) == []
    assert codes(entry, committed=True) == ["MBL106"]


def test_what_python_leaves_behind_is_no_fault_until_it_is_committed(entry) -> None:
    (entry / "__pycache__").mkdir()
    (entry / "__pycache__" / "model.cpython-311.pyc").write_bytes(b"")
    assert "MBL105" not in {finding.code for finding in check_entry(entry).findings}
    assert "MBL105" in {finding.code for finding in check_entry(entry, committed=True).findings}


def test_pictures_and_an_entry_of_other_text_files_are_fine(entry) -> None:
    add_file(entry, "plot.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    add_file(entry, "about.toml", b'algorithm = "x"\n')
    add_file(entry, "setup.sh", b"#!/bin/sh\necho\n")
    add_file(entry, "LICENSE", "Grüße, 日本語, naïve.".encode())
    assert codes(entry) == []


def test_an_own_benchmark_must_be_given(tmp_path) -> None:
    (tmp_path / "own.csv").write_text("id,formula,y\n" + "".join(f"r{n},NaCl,{n}.5\n" for n in range(40)))
    (tmp_path / "own.toml").write_text(
        'name = "own"\ntitle = "Own"\ndescription = "d"\n[[tasks]]\nname = "t"\ninput = "composition"\n'
        'kind = "regression"\ntarget = "y"\nunit = "eV"\ndescription = "d"\n'
        '[tasks.data]\npath = "own.csv"\nid = "id"\ninput = "formula"\ntarget = "y"\n'
    )
    bench = load_benchmark(tmp_path / "own.toml")
    sub = Submission(
        bench, algorithm="A", authors=["B"], description="C", single_configuration=True, external_data=False
    )
    for fold in range(5):
        sub.record(
            "t", fold, bench["t"].target_values[bench["t"].test_rows(fold)] + np.random.default_rng(fold).random(8)
        )
    folder = tmp_path / "own-entry"
    folder.mkdir()
    (folder / "model.py").write_text("x = 1\n")
    sub.save(folder)
    assert codes(folder) == ["MBL206"]
    assert codes(folder, benchmark=bench) == []
    assert codes(folder, benchmark=load_benchmark("mini")) == ["MBL206"]
    assert check_entry(folder, benchmark=bench).category.reason == "the only task"


def listed_nowhere(entry: Path) -> None:
    (entry / "extra.txt").write_text("more\n")


def a_row_without_a_number(entry: Path) -> None:
    forge_table(entry, put_prediction(entry, 3, np.nan), values=True)


@pytest.mark.parametrize("damage", [listed_nowhere, a_row_without_a_number])
def test_the_reader_stops_with_the_words_of_the_first_finding(entry, damage) -> None:
    damage(entry)
    (found,) = check_entry(entry).findings
    with pytest.raises(EntryError) as caught:
        Submission.load(entry)
    assert caught.value.message == f"{entry}: {found.message}"
    assert caught.value.fix == found.fix


def test_a_malformed_document_is_one_error_for_the_reader_and_a_finding_for_each_place(entry) -> None:
    forge(entry, authors=[1], external_data=True)
    found = [finding for finding in check_entry(entry).findings if finding.code == "MBL205"]
    with pytest.raises(EntryError) as caught:
        Submission.load(entry)
    lines = [f"{entry}: submission.json does not match its schema:", *(f"  {finding.message}" for finding in found)]
    assert sorted(caught.value.message.splitlines()) == sorted(lines)
    assert any("true is not allowed; give false, or a text" in finding.message for finding in found)


def test_no_folder_is_an_error_of_the_user(tmp_path) -> None:
    with pytest.raises(EntryError, match="there is no folder"):
        check_entry(tmp_path / "nowhere")


def test_a_finding_says_where_in_words() -> None:
    found = Finding(code="MBL307", severity="error", message="", fix="", task="t", fold=0, rows=("a", "b"), row_count=9)
    assert found.place == "t fold 0, a, b, and 7 more"
    known = {"code": "MBL307", "severity": "error", "message": "", "fix": ""}
    assert found.as_dict() == known | {"task": "t", "fold": 0, "rows": ["a", "b"], "row_count": 9}


def test_codes_are_unique_in_order_and_complete() -> None:
    assert list(RULES) == sorted(RULES)
    listed = "".join(file.read_text() for file in PACKAGE.rglob("*_rules.toml"))
    assert len(RULES) == len(re.findall(r"^\[MBL\d{3}\]$", listed, re.MULTILINE))
    assert f"at most {MAX_SLUG} characters" in RULES["MBL101"].fix
    for code, rule in RULES.items():
        assert rule.code == code
        assert rule.title[0].isupper() or rule.title.startswith(("submission", "predictions", "single", "external"))
        assert not rule.title.endswith(".")
        assert rule.why.endswith(".")
        assert rule.fix
