"""`mbl new`: a folder that runs as it is; `mbl seal`: an entry after it was edited."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from matbench_lite import Submission
from matbench_lite.cli.app import run as mbl
from matbench_lite.errors import EntryError, ModelError, UnknownNameError
from matbench_lite.submission import seal
from matbench_lite.submit import make_entry_folder
from matbench_lite.train import BASELINES, about_model, load_model


@pytest.mark.parametrize("baseline", BASELINES)
def test_a_new_folder_holds_a_model_that_can_be_loaded(tmp_path: Path, baseline: str) -> None:
    make_entry_folder(tmp_path / "my-model", baseline=baseline, author='A. "Quoted" Name\\')
    model = load_model(tmp_path / "my-model")
    about = about_model(model)
    assert about["algorithm"] == "my-model"
    assert about["authors"] == ['A. "Quoted" Name\\']
    assert (about["single_configuration"], about["external_data"]) == (True, False)
    assert about["description"].endswith(".")
    assert about["requirements"] == about_model(load_model(baseline))["requirements"]
    assert model.input == load_model(baseline).input


@pytest.mark.parametrize("slug", ["My Model", "-x", "a--b", "..", "my_model", "ü", "a" * 61, "a.b", "con"])
def test_a_name_that_cannot_be_a_slug_is_refused_with_one_that_can(tmp_path: Path, slug: str) -> None:
    with pytest.raises(EntryError, match="cannot be the name of an entry") as error:
        make_entry_folder(tmp_path / slug)
    suggestion = error.value.fix.removeprefix("try ")
    assert make_entry_folder(tmp_path / suggestion)


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(EntryError, match="already exists"):
        make_entry_folder(tmp_path / "mine")
    assert not list((tmp_path / "mine").iterdir())
    with pytest.raises(UnknownNameError, match="no-such"):
        make_entry_folder(tmp_path / "other", baseline="no-such")
    assert not (tmp_path / "other").exists()


def test_the_command_says_what_comes_next(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert mbl(["new", "my-model", "--from", "gbt-magpie"]) == 0
    said = capsys.readouterr().out
    for command in ("mbl try", "mbl run submissions/my-model", "mbl check submissions/my-model", "mbl submit"):
        assert command in said
    assert "HistGradientBoosting" in (tmp_path / "submissions" / "my-model" / "model.py").read_text()
    assert mbl(["new", "my-model"]) == 1


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """What `mbl run` makes of a new folder, in a moment."""
    folder = tmp_path / "submissions" / "my-model"
    make_entry_folder(folder, baseline="dummy", author="A. Name")
    submission = Submission("mini", **about_model(load_model(folder)))
    for fold in range(5):
        submission.record("mini_gap", fold, [1.0] * 100)
    submission.provenance = {"python": "3.11.9"}
    submission.created = "2024-01-01T00:00:00+00:00"
    return submission.save(folder)


def test_an_entry_that_was_edited_can_be_sealed_anew(entry: Path) -> None:
    before = Submission.load(entry)
    assert seal(entry) == []
    (entry / "README.md").write_text("# New words\n")
    (entry / "notes.txt").write_text("more\n")
    with pytest.raises(EntryError):
        Submission.load(entry)
    changes = seal(entry)
    assert any("README.md" in change for change in changes)
    assert any("notes.txt" in change for change in changes)
    after = Submission.load(entry)
    assert after.created == before.created
    assert after.provenance == before.provenance
    assert after.frame.equals(before.frame)
    (entry / "notes.txt").unlink()
    assert seal(entry)
    assert Submission.load(entry)


def test_the_header_comes_from_about_toml(entry: Path) -> None:
    file = entry / "about.toml"
    assert tomllib.loads(file.read_text())["algorithm"] == "my-model"
    file.write_text(file.read_text().replace('algorithm = "my-model"', 'algorithm = "A better name"'))
    assert any("algorithm" in change for change in seal(entry))
    assert Submission.load(entry).algorithm == "A better name"
    sealed = (entry / "submission.json").read_bytes()
    file.write_text("algorithm = 3\n")
    with pytest.raises(ModelError, match="algorithm"):
        seal(entry)
    assert (entry / "submission.json").read_bytes() == sealed


def test_a_header_that_was_edited_by_hand_is_kept(entry: Path) -> None:
    (entry / "about.toml").unlink()
    document = json.loads((entry / "submission.json").read_text())
    document["card"]["authors"] = ["B. Name"]
    (entry / "submission.json").write_text(json.dumps(document))
    assert seal(entry)
    assert Submission.load(entry).authors == ["B. Name"]


def test_changed_predictions_are_another_entry(entry: Path) -> None:
    content = bytearray((entry / "predictions.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (entry / "predictions.parquet").write_bytes(content)
    before = (entry / "submission.json").read_bytes()
    with pytest.raises(EntryError, match=r"predictions\.parquet"):
        seal(entry)
    assert (entry / "submission.json").read_bytes() == before
    assert mbl(["seal", str(entry)]) == 1


def test_a_folder_without_an_entry_cannot_be_sealed(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match=r"submission\.json"):
        seal(tmp_path)


def test_the_command_seals(entry: Path, capsys) -> None:
    (entry / "README.md").write_text("# New words\n")
    assert mbl(["seal", str(entry)]) == 0
    assert mbl(["seal", str(entry)]) == 0
    assert "was already sealed" in capsys.readouterr().out
