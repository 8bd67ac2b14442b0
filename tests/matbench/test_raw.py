"""Reading predictions as text is a shorter way to the same result, and is left when it would not be."""

from __future__ import annotations

import json

import pytest

from matbench_lite.matbench import read_results
from matbench_lite.matbench.matbench_files import matbench_hash, parse, parse_around_rows


def fold(document) -> dict:
    return document["tasks"]["matbench_steels"]["results"]["fold_0"]


def test_the_predictions_stay_text_and_the_hash_is_the_same(document) -> None:
    around = parse_around_rows(json.dumps(document).encode())
    rows = fold(around)["data"]
    assert isinstance(rows, memoryview)
    assert parse(bytes(rows)) == fold(document)["data"]
    assert matbench_hash(around) == matbench_hash(document) == document["hash"]


@pytest.mark.parametrize("separators", [(",", ":"), (" , ", " : ")])
def test_a_file_written_by_another_tool_is_read_all_the_same(document, write, separators) -> None:
    path = write(document)
    path.write_text(json.dumps(document, separators=separators))
    assert read_results(path).imported["hash_matches"]


def test_rows_in_another_order_are_read_all_the_same(document, write) -> None:
    straight = read_results(write(document))
    fold(document)["data"] = dict(reversed(fold(document)["data"].items()))
    around = parse_around_rows(json.dumps(document).encode())
    assert matbench_hash(around) != document["hash"], "all of it has to be parsed"
    turned = read_results(write(document))
    assert turned.imported["hash_matches"]
    ours, theirs = (read.recorded("matbench_steels")[0].predictions.sha256 for read in (straight, turned))
    assert ours == theirs


@pytest.mark.parametrize(
    "parameters",
    [
        {"data": {"rows": 3}},
        {"deeper": [{"data": {"rows": 3}}]},
        {'odd"data': {"rows": 3}},
        {"text": '"data": {"rows": 3}'},
        {"data": {"brace": "}"}},
        {"data": {}},
    ],
)
def test_an_object_called_data_elsewhere_is_no_fold(document, write, parameters) -> None:
    fold(document)["parameters"] = parameters
    submission = read_results(write(document))
    assert submission.recorded("matbench_steels")[0].params == parameters


def test_what_is_no_json_between_the_braces_is_refused(document, write) -> None:
    path = write(document, packed=False)
    text = path.read_text().replace('{"mb-steels-003": ', '{"mb-steels-003" ', 1)
    path.write_text(text)
    with pytest.raises(ValueError, match="not valid JSON"):
        read_results(path)
