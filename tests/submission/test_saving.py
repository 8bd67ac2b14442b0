"""Saving: nobody's entry is taken over, nothing recorded is lost, nothing stale is kept."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission
from matbench_lite.atomic import finish_replacing, replace_files
from matbench_lite.errors import EntryError
from matbench_lite.submission import seal

from ..review.version_1 import to_version_1


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def code(folder: Path) -> list[str]:
    return json.loads((folder / "submission.json").read_bytes())["code"]


@pytest.mark.parametrize(
    ("owners", "authors", "own"),
    [(["A", "B"], ["B", "C"], True), (["A"], ["C"], False), (["A"], [], False), ([], [], True), ([], ["A"], True)],
)
@pytest.mark.parametrize("version", [1, 2])
def test_an_entry_is_taken_over_by_one_of_its_authors_only(submission, tmp_path, owners, authors, own, version) -> None:
    submission.authors = owners
    folder = submission.save(tmp_path / "entry")
    if version == 1:
        to_version_1(folder)
    before = content(folder)
    submission.authors = authors
    if own:
        submission.save(folder)
        assert Submission.load(folder).authors == authors
        return
    with pytest.raises(EntryError, match="holds the entry of A, who made 'Test'"):
        submission.save(folder)
    assert content(folder) == before
    submission.save(folder, overwrite=True)
    assert Submission.load(folder).authors == authors


@pytest.mark.parametrize("version", [1, 2])
def test_one_fold_does_not_replace_an_entry_of_many_tasks(entry, version) -> None:
    if version == 1:
        to_version_1(entry)
    before = content(entry)
    sub = Submission("mini", algorithm="Test", authors=["A. Name"])
    sub.record("mini_gap", 0, np.zeros(100))
    with pytest.raises(EntryError, match=r"would be lost: mini_gap folds 1, 2, 3, 4; .*mini_n folds 0"):
        sub.save(entry)
    assert content(entry) == before
    sub.save(entry, overwrite=True)
    assert [task.name for task in Submission.load(entry).tasks] == ["mini_gap"]


def test_code_that_is_not_used_any_more_goes(submission, tmp_path) -> None:
    for name in ("first.py", "second.py"):
        (tmp_path / name).write_text(f"# {name}\n")
    folder = submission.save(tmp_path / "entry", code=tmp_path / "first.py")
    (folder / "README.md").write_text("# Words\n")
    submission.save(folder)
    assert code(folder) == ["first.py"], "a save without code leaves what is there"
    submission.save(folder, code=tmp_path / "second.py")
    assert code(folder) == ["second.py"]
    assert content(folder).keys() == {"submission.json", "predictions.parquet", "second.py", "README.md"}
    Submission.load(folder)


def test_code_of_version_1_goes_too(submission, entry, tmp_path) -> None:
    to_version_1(entry)
    (tmp_path / "second.py").write_text("x = 2\n")
    submission.save(entry, code=tmp_path / "second.py")
    assert content(entry).keys() == {"submission.json", "predictions.parquet", "second.py", "README.md"}


def test_code_that_was_changed_since_is_somebodys_work_and_stays(submission, entry, tmp_path) -> None:
    (entry / "model.py").write_text("x = 'edited'\n")
    (tmp_path / "second.py").write_text("x = 2\n")
    submission.save(entry, code=tmp_path / "second.py")
    assert (entry / "model.py").read_text() == "x = 'edited'\n"
    Submission.load(entry)


def test_in_the_folder_where_the_code_is_written_nothing_is_removed(submission, tmp_path) -> None:
    folder = tmp_path / "entry"
    folder.mkdir()
    for name in ("model.py", "old.py"):
        (folder / name).write_text("x = 1\n")
    submission.save(folder, code=[folder / "model.py", folder / "old.py"])
    submission.save(folder, code=folder / "model.py")
    assert (folder / "old.py").is_file()
    assert code(folder) == ["model.py"]
    assert seal(folder) == []


MATBENCH = {"from": "matbench", "url": "https://github.com/materialsproject/matbench/tree/main/benchmarks"}


@pytest.fixture
def imported(submission) -> Submission:
    submission.imported = MATBENCH
    return submission


def test_an_imported_entry_does_not_replace_one_that_was_made_here_nor_the_other_way_round(imported, entry) -> None:
    before = content(entry)
    with pytest.raises(EntryError, match="was not imported, unlike this one"):
        imported.save(entry)
    assert content(entry) == before
    imported.save(entry, overwrite=True)
    imported.imported = None
    with pytest.raises(EntryError, match="was imported, unlike this one"):
        imported.save(entry)


def test_an_imported_entry_never_keeps_the_files_of_ours(imported, entry, tmp_path) -> None:
    (entry / "about.toml").write_text('algorithm = "Test"\n')
    seal(entry)
    imported.save(entry, overwrite=True)
    assert content(entry).keys() == {"submission.json", "predictions.parquet"}
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "model.py").write_text("x = 1\n")
    with pytest.raises(EntryError, match=r"code that is not of the imported entry: model\.py"):
        imported.save(folder)
    imported.save(folder, overwrite=True)
    assert code(folder) == []


def test_a_readme_that_was_written_for_an_imported_entry_stays(imported, tmp_path) -> None:
    folder = imported.save(tmp_path / "entry")
    (folder / "README.md").write_text("# Words\n")
    seal(folder)
    imported.save(folder)
    assert "README.md" in content(folder)


def test_a_save_that_was_committed_is_whose_it_is_before_it_is_finished(submission, tmp_path) -> None:
    """Killed after the commit of a first save: there is no `submission.json` in the folder yet."""
    folder = submission.save(tmp_path / "entry")
    files = content(folder)
    (folder / ".saved").mkdir()
    for name in files:
        (folder / name).rename(folder / ".saved" / name)
    submission.authors = ["Another"]
    with pytest.raises(EntryError, match="holds the entry of A"):
        submission.save(folder)
    assert content(folder) == files


def test_a_full_disk_leaves_the_old_entry_and_no_draft(submission, entry, monkeypatch) -> None:
    before = content(entry)
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.parent.name == ".saving" and path.name == "submission.json":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    submission.description = "Another."
    with pytest.raises(EntryError, match="No space left on device"):
        submission.save(entry)
    assert content(entry) == before


def test_a_link_that_calls_itself_a_committed_save_is_not_followed(entry, tmp_path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret").write_text("secret")
    (entry / ".saved").symlink_to(home, target_is_directory=True)
    Submission.load(entry)
    assert (home / "secret").read_text() == "secret"
    assert not (entry / "secret").exists()


@pytest.mark.parametrize("names", ["..", "../outside", "/etc/hostname", ".\n\n.."])
def test_a_list_of_removed_files_cannot_reach_out_of_the_folder(tmp_path, names) -> None:
    folder = tmp_path / "entry"
    replace_files(folder, {"a": b"1"})
    (tmp_path / "outside").touch()
    (folder / ".saved").mkdir()
    (folder / ".saved" / ".removed").write_text(names)
    shutil.copy(folder / "a", folder / ".saved" / "b")
    finish_replacing(folder)
    assert (tmp_path / "outside").exists()
    assert {path.name for path in folder.iterdir()} == {"a", "b"}


@pytest.mark.parametrize("names", [b"\xff\xfe", b"a\0b", b"x" * 5000])
def test_a_list_of_removed_files_that_cannot_be_read_names_none(entry, names) -> None:
    before = content(entry)
    (entry / ".saved").mkdir()
    (entry / ".saved" / ".removed").write_bytes(names)
    assert Submission.load(entry).tasks
    assert {name: body for name, body in before.items() if (entry / name).read_bytes() != body} == {}


@pytest.mark.parametrize("name", [".saving", ".saved"])
@pytest.mark.parametrize("is_link", [True, False])
def test_what_stands_where_drafts_are_written_is_neither_followed_nor_in_the_way(
    submission, entry, tmp_path, name, is_link
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (entry / name).symlink_to(home, target_is_directory=True) if is_link else (entry / name).write_text("a file")
    submission.description = "Another."
    submission.save(entry)
    assert Submission.load(entry).description == "Another."
    assert not list(home.iterdir())
    assert not (entry / name).exists()


def test_a_folder_whose_name_is_too_long_is_an_error_with_what_to_do(submission, tmp_path) -> None:
    for overwrite in (False, True):
        with pytest.raises(EntryError, match="too long; choose another folder"):
            submission.save(tmp_path / ("a" * 300), overwrite=overwrite)


SAVING = """
import sys
from pathlib import Path
from matbench_lite.atomic import replace_files
folder, number = Path(sys.argv[1]), sys.argv[2].encode()
for turn in range(60):
    replace_files(folder, {name: number * (1 + turn) for name in "abcdef"})
"""


def test_processes_that_save_to_one_folder_wait_for_each_other(tmp_path) -> None:
    folder = tmp_path / "entry"

    def save(number: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", SAVING, str(folder), str(number)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(3) as pool:
        assert [done.stderr for done in pool.map(save, range(3))] == ["", "", ""]
    assert len(set(content(folder).values())) == 1, "files of one process, not a mixture"
    assert sorted(content(folder)) == sorted("abcdef")


def test_what_another_process_changed_meanwhile_is_left_as_it_is(submission, entry, monkeypatch) -> None:
    """Else an old description would be sealed over new predictions, or folds that were just saved would be lost."""
    before = Submission.load(entry).description
    for module in ("entry_seal", "submission"):  # as it was before the other process
        monkeypatch.setattr(f"matbench_lite.submission.{module}.entry_text", lambda _: b'{"schema_version": 2}')
    for change in (lambda: seal(entry, changes={"description": "Other."}), lambda: submission.save(entry)):
        with pytest.raises(EntryError, match="another process has changed it meanwhile"):
            change()
    assert Submission.load(entry).description == before
