"""Sealing an entry anew: files and header as they are now, predictions as they were."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from matbench_lite import Submission
from matbench_lite.errors import EntryError, ModelError
from matbench_lite.submission import seal


def content(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_entry_that_is_sealed_already_is_left_alone(entry) -> None:
    before = content(entry)
    assert seal(entry) == []
    assert content(entry) == before


def test_edited_new_and_deleted_files_are_taken_as_they_are(entry) -> None:
    predictions = (entry / "predictions.parquet").read_bytes()
    (entry / "README.md").write_text("# Better\n")
    (entry / "more.py").write_text("x = 1\n")
    (entry / "model.py").unlink()
    with pytest.raises(EntryError):
        Submission.load(entry)
    assert seal(entry) == ["README.md changed", "model.py is gone", "more.py is new"]
    loaded = Submission.load(entry)
    assert loaded.algorithm == "Test"
    assert (entry / "predictions.parquet").read_bytes() == predictions


def test_only_what_was_changed_changes(entry) -> None:
    before = json.loads((entry / "submission.json").read_bytes())
    seal(entry, changes={"authors": ["B. Name"], "external_data": "pretrained on OQMD"})
    after = json.loads((entry / "submission.json").read_bytes())
    assert after["card"] == before["card"] | {"authors": ["B. Name"], "external_data": "pretrained on OQMD"}
    kept = before.keys() - {"card", "digest"}
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}


def test_a_header_edited_by_hand_in_submission_json_is_sealed(entry) -> None:
    document = json.loads((entry / "submission.json").read_bytes())
    document["card"]["description"] = "Better."
    (entry / "submission.json").write_text(json.dumps(document))
    assert seal(entry) == ["submission.json is in its canonical form again"]
    assert Submission.load(entry).description == "Better."


def test_an_about_file_of_one_line_changes_what_it_says_and_nothing_else(entry) -> None:
    submission = Submission.load(entry)
    submission.description, submission.references = "Much to say.", ["@article{a}"]
    submission.requirements, submission.external_data = ["numpy"], "pretrained on OQMD"
    submission.save(entry)
    before = json.loads((entry / "submission.json").read_bytes())
    (entry / "about.toml").write_text('description = "One line."\n')
    assert seal(entry) == ["about.toml is new", "description changed"]
    after = json.loads((entry / "submission.json").read_bytes())
    assert after["card"] == before["card"] | {"description": "One line."}
    assert after["code"] == before["code"] == ["model.py"]
    assert after["tasks"] == before["tasks"]
    assert {key: after[key] for key in ("created", "provenance", "metadata")} == {
        key: before[key] for key in ("created", "provenance", "metadata")
    }


def test_code_that_is_new_is_listed_as_code_and_that_which_is_gone_is_not(entry) -> None:
    (entry / "model.py").rename(entry / "forest.py")
    (entry / "data.csv").write_text("1,2\n")
    seal(entry)
    assert json.loads((entry / "submission.json").read_bytes())["code"] == ["forest.py"]
    assert seal(entry) == []


def test_one_author_may_be_given_as_a_text(entry) -> None:
    seal(entry, changes={"authors": "B. Name"})
    assert Submission.load(entry).authors == ["B. Name"]


@pytest.mark.parametrize("rows", [[0], [550]])
def test_edited_predictions_are_refused_and_nothing_is_written(entry, rows) -> None:
    table = pq.read_table(entry / "predictions.parquet")
    values = table["prediction"].to_numpy().copy()
    values[rows] += 0.001
    pq.write_table(table.set_column(2, "prediction", pa.array(values)), entry / "predictions.parquet")
    (entry / "README.md").write_text("# Better\n")
    before = content(entry)
    with pytest.raises(EntryError, match=r"predictions\.parquet was changed after it was saved"):
        seal(entry)
    assert content(entry) == before


def test_predictions_with_a_forged_checksum_are_refused(entry) -> None:
    import hashlib

    table = pq.read_table(entry / "predictions.parquet")
    values = table["prediction"].to_numpy().copy()
    values[0] = np.float64(9.0)
    changed = table.set_column(2, "prediction", pa.array(values))
    pq.write_table(changed, entry / "predictions.parquet", store_schema=False)
    document = json.loads((entry / "submission.json").read_bytes())
    document["predictions_sha256"] = hashlib.sha256((entry / "predictions.parquet").read_bytes()).hexdigest()
    (entry / "submission.json").write_text(json.dumps(document))
    with pytest.raises(EntryError, match="values_sha256 is not that of its predictions"):
        seal(entry)


@pytest.mark.parametrize("header", [{"algorithm": "two\nlines"}, {"authors": "A" * 600}, {"external_data": True}])
def test_wrong_values_are_refused_and_nothing_is_written(entry, header) -> None:
    before = content(entry)
    with pytest.raises(EntryError, match="has wrong values"):
        seal(entry, changes=header)
    assert content(entry) == before


def test_an_unknown_key_of_the_header_is_named(entry) -> None:
    with pytest.raises(EntryError, match="no 'colour'"):
        seal(entry, changes={"colour": "red"})
    with pytest.raises(EntryError, match="no 'created'"):
        seal(entry, changes={"created": "yesterday"})


def test_what_is_no_entry_is_refused(tmp_path) -> None:
    with pytest.raises(EntryError, match=r"submission\.json is missing"):
        seal(tmp_path)


def test_a_link_is_refused(entry, tmp_path) -> None:
    (tmp_path / "secret").write_text("secret")
    (entry / "more.py").symlink_to(tmp_path / "secret")
    with pytest.raises(EntryError, match="not a regular file"):
        seal(entry)


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000])
def test_a_number_of_thousands_of_digits_in_an_about_file_is_a_mistake_like_any_other(entry, number) -> None:
    (entry / "about.toml").write_text(f"authors = {number}\n")
    with pytest.raises(ModelError, match=r"about\.toml"):
        seal(entry)
