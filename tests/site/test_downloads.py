"""Every number can be taken away, in every format the same."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import jsonschema_rs
import orjson
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="module")
def data(docs) -> Path:
    return docs / "data"


def test_csv_and_parquet_have_the_same_rows(data) -> None:
    for name in ("leaderboard", "folds"):
        rows = list(csv.DictReader(io.StringIO((data / f"{name}.csv").read_text())))
        table = pq.read_table(data / f"{name}.parquet")
        assert table.num_rows == len(rows) > 0
        assert set(table.column_names) == set(rows[0])
        for row, other in zip(rows, table.to_pylist(), strict=True):
            for key, value in other.items():
                if isinstance(value, float):
                    assert float(row[key]) == pytest.approx(value)
                elif value is not None:
                    assert row[key] == str(value)


def test_the_board_is_complete_in_json(data, site, mini) -> None:
    content = orjson.loads((data / "leaderboard.json").read_bytes())
    assert content["benchmark"] == "mini"
    assert set(content["tasks"]) == set(mini.names)
    for name, board in site.boards.items():
        assert [row["slug"] for row in content["tasks"][name]["rows"]] == [row.slug for row in board.rows]
        means = [row["score"]["mean"] for row in content["tasks"][name]["rows"]]
        assert means == [row.score.mean for row in board.rows]
    assert set(content["with_errors"]) == {"broken"}


def test_every_fold_of_every_metric_is_there(data, site, mini) -> None:
    rows = pq.read_table(data / "folds.parquet").to_pylist()
    found = {(row["slug"], row["task"], row["fold"], row["metric"]): row["value"] for row in rows}
    for task in mini:
        for slug, result in site.results.on(task).items():
            for fold, scores in result.scores.folds.items():
                for metric, value in scores.items():
                    assert found.pop((slug, task.name, fold, metric)) == pytest.approx(value)
    assert not found


def test_the_published_schema_is_the_one_entries_are_checked_against(data, submissions) -> None:
    schema = orjson.loads((data / "submission.schema.json").read_bytes())
    document = orjson.loads((submissions / "best" / "submission.json").read_bytes())
    jsonschema_rs.validator_for(schema).validate(document)


def test_references_are_listed_once(data, mini) -> None:
    text = (data / "references.bib").read_text()
    assert text.count("@misc{best,") == 1
    for task in mini:
        for reference in task.references:
            assert text.count(reference.strip()) == 1
