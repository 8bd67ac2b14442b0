"""Sealing an entry anew: files and header as they are now, predictions as they were."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from matbench_lite import Submission
from matbench_lite.errors import EntryError
from matbench_lite.submission import reseal


def content(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_entry_that_is_sealed_already_is_left_alone(entry) -> None:
    before = content(entry)
    assert reseal(entry) == []
    assert content(entry) == before


def test_edited_new_and_deleted_files_are_taken_as_they_are(entry) -> None:
    predictions = (entry / "predictions.parquet").read_bytes()
    (entry / "README.md").write_text("# Better\n")
    (entry / "more.py").write_text("x = 1\n")
    (entry / "model.py").unlink()
    with pytest.raises(EntryError):
        Submission.load(entry)
    assert reseal(entry) == ["README.md changed", "model.py is gone", "more.py is new"]
    loaded = Submission.load(entry)
    assert loaded.algorithm == "Test"
    assert (entry / "predictions.parquet").read_bytes() == predictions


def test_only_what_was_changed_changes(entry) -> None:
    before = json.loads((entry / "submission.json").read_bytes())
    reseal(entry, header={"authors": ["B. Name"], "external_data": "pretrained on OQMD"})
    after = json.loads((entry / "submission.json").read_bytes())
    assert after["authors"] == ["B. Name"]
    assert after["declarations"] == before["declarations"] | {"external_data": "pretrained on OQMD"}
    kept = before.keys() - {"authors", "declarations", "digest"}
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}


def test_a_header_edited_by_hand_in_submission_json_is_sealed(entry) -> None:
    document = json.loads((entry / "submission.json").read_bytes())
    document["description"] = "Better."
    (entry / "submission.json").write_text(json.dumps(document))
    assert reseal(entry) == ["submission.json is in its canonical form again"]
    assert Submission.load(entry).description == "Better."


def test_edited_scores_are_computed_again(entry) -> None:
    document = json.loads((entry / "submission.json").read_bytes())
    right = document["tasks"]["mini_gap"]["folds"][0]["scores"]["mae"]
    document["tasks"]["mini_gap"]["folds"][0]["scores"]["mae"] = 0.0
    (entry / "submission.json").write_text(json.dumps(document))
    assert reseal(entry) == ["scores of mini_gap changed"]
    assert Submission.load(entry).recorded("mini_gap")[0].scores["mae"] == right


@pytest.mark.parametrize("rows", [[0], [550]])
def test_edited_predictions_are_refused_and_nothing_is_written(entry, rows) -> None:
    table = pq.read_table(entry / "predictions.parquet")
    values = table["prediction"].to_numpy().copy()
    values[rows] += 0.001
    pq.write_table(table.set_column(2, "prediction", pa.array(values)), entry / "predictions.parquet")
    (entry / "README.md").write_text("# Better\n")
    before = content(entry)
    with pytest.raises(EntryError, match=r"predictions\.parquet was changed after it was saved"):
        reseal(entry)
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
        reseal(entry)


@pytest.mark.parametrize("header", [{"algorithm": "two\nlines"}, {"authors": "A" * 600}, {"external_data": True}])
def test_a_header_out_of_form_is_refused_and_nothing_is_written(entry, header) -> None:
    before = content(entry)
    with pytest.raises(EntryError, match="out of form"):
        reseal(entry, header=header)
    assert content(entry) == before


def test_an_unknown_key_of_the_header_is_named(entry) -> None:
    with pytest.raises(EntryError, match="no 'colour'"):
        reseal(entry, header={"colour": "red"})


def test_what_is_no_entry_is_refused(tmp_path) -> None:
    with pytest.raises(EntryError, match=r"submission\.json is missing"):
        reseal(tmp_path)


def test_a_link_is_refused(entry, tmp_path) -> None:
    (tmp_path / "secret").write_text("secret")
    (entry / "more.py").symlink_to(tmp_path / "secret")
    with pytest.raises(EntryError, match="not a regular file"):
        reseal(entry)
