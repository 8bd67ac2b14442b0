"""Result tables made elsewhere, competition files, and what is filled in from them."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pandas as pd
import pytest

from matbench_lite.errors import JudgingError
from matbench_lite.judge import Competition, Run, collect, judge_results, read_competition, read_results, rule_set
from matbench_lite.judge.runs import read_lines, write_lines, write_table

ROWS = [
    {"algorithm": "a", "dataset": "d", "run": 0, "r2": 0.9, "expression": "2*x + 1", "property": 1.0},
    {"algorithm": "b", "dataset": "d", "run": 0, "r2": 0.8, "complexity": 120, "property": 0.5},
]


@pytest.fixture(params=["csv", "parquet"])
def table(request, tmp_path):
    path = tmp_path / f"results.{request.param}"

    def write(rows) -> object:
        frame = pd.DataFrame(rows)
        frame.to_csv(path, index=False) if request.param == "csv" else frame.to_parquet(path)
        return path

    return write


@pytest.mark.parametrize("table", ["csv"], indirect=True)
def test_a_table_with_formulas_and_declared_sizes_is_judged(table) -> None:
    judgement = judge_results([table(ROWS)], Competition(), draws=5)
    assert judgement.winners == ("a",)
    found = judgement.field.runs
    assert (found["a", "d", 0].components, found["b", "d", 0].components) == (5.0, 120.0)


@pytest.mark.parametrize("table", ["parquet"], indirect=True)
def test_predictions_are_scored_where_the_dataset_is_known(table, datasets_folder, datasets) -> None:
    dataset = datasets["saddle"]
    truth = dataset.testing(0).y.to_numpy()
    rows = [
        {"algorithm": name, "dataset": "saddle", "run": 0, "predictions": list(values), "expression": text}
        for name, values, text in [
            ("exact", truth, "0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1"),
            ("liar", truth, "x1"),
            ("short", truth[:5], "x1"),
        ]
    ]
    path = _written(table, rows)
    runs = {run.algorithm: run for run in collect([path], Competition(folder=datasets_folder, names=("saddle",)))}
    assert (runs["exact"].r2, runs["exact"].property_value, runs["exact"].components) == (1.0, 1.0, 12.0)
    assert runs["exact"].asked == "equivalence"
    assert runs["liar"].flaw.startswith("its formula is not its predictions")
    assert runs["short"].flaw.startswith("its predictions cannot be scored")


def _written(table, rows):
    """Lists as JSON, which both formats can hold."""
    import json

    return table([{**row, "predictions": json.dumps([float(value) for value in row["predictions"]])} for row in rows])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"algorithm": "a", "run": 0}], "lacks the column dataset"),
        ([{**ROWS[0], "R2": 1}], "has an unknown column R2; use the columns algorithm, dataset, run, r2"),
        ([{**ROWS[0], "run": 0.5}], "row 1: run is 0.5"),
        ([{**ROWS[0], "predictions": "[1, 2"}], "row 1: predictions is"),
        ([{**ROWS[0], "algorithm": None}], "row 1: algorithm is 'empty'"),
    ],
)
def test_mistakes_in_a_table_are_named_with_their_place(rows, message, table) -> None:
    with pytest.raises(JudgingError, match=message):
        read_results([table(rows)])


def test_files_that_are_no_tables(tmp_path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(JudgingError, match=r"not a \.csv, .parquet or .jsonl file"):
        read_results([tmp_path / "notes.txt"])
    with pytest.raises(JudgingError, match="cannot be read"):
        read_results([tmp_path / "nothing.csv"])


@pytest.mark.parametrize("name", ["results.csv", "results.parquet"])
def test_a_damaged_table_is_named(name, tmp_path) -> None:
    (tmp_path / name).write_bytes(b"\x00\xff" * 20)
    with pytest.raises(JudgingError, match=f"{name} cannot be read: .*; save it again"):
        read_results([tmp_path / name])


def test_infinite_values_are_void_not_best(table) -> None:
    rows = [{**ROWS[1], "algorithm": "a", "r2": math.inf}, ROWS[1]]
    judgement = judge_results([table(rows)], Competition(), draws=5)
    assert judgement.winners == ("b",)
    assert judgement.failures[0].reason == "no number for accuracy"


def test_lines_survive_and_a_cut_off_end_is_done_again(tmp_path) -> None:
    runs = [Run(algorithm="ä", dataset="d", run=n, r2=math.nan, predictions=(1.0, 2.0), notes=("n",)) for n in range(3)]
    path = tmp_path / "results.jsonl"
    known = {(run.algorithm, run.dataset, run.run): run for run in runs}
    write_lines(known, {key: {"trained": "t"} for key in known}, path)
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    found, made_with = read_lines(path)
    assert [key[2] for key in found] == [0, 1]
    assert found["ä", "d", 0].predictions == (1.0, 2.0)
    assert math.isnan(found["ä", "d", 0].r2)
    assert made_with["ä", "d", 1] == {"trained": "t"}
    path.write_bytes(content[:50] + b"\n" + content)
    with pytest.raises(JudgingError, match="line 1 is damaged"):
        read_lines(path)


def test_the_table_for_people_can_be_judged_again(tmp_path) -> None:
    runs = [
        Run(algorithm=name, dataset="d", run=0, r2=r2, components=3.0, property_value=1.0, simplified="x + 1")
        for name, r2 in [("a", 0.9), ("b", 0.8)]
    ]
    write_table(runs, tmp_path / "table.csv")
    assert [run.values for run in read_results([tmp_path / "table.csv"])] == [run.values for run in runs]


def test_a_competition_file_chooses_everything(tmp_path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        'title = "T"\nrules = "final"\nversion = 1\nties = "dense"\nmin_accuracy = "test"\nqualify = "elastic-net"\n'
        'runs = 3\nseed = 5\nalgorithms = ["a"]\n[datasets]\nfolder = "sets"\nnames = ["saddle"]\n'
        '[[tasks]]\nname = "mini_gap"\nbenchmark = "mini"\nfeatures = "elements"\n'
        '[properties.mini_gap]\nkind = "bounds"\nlow = 0\n'
    )
    found = read_competition(file)
    assert found.rules.text == (
        "final, version 1; ties: dense; minimal accuracy: test; must beat elastic-net to qualify"
    )
    assert (found.title, found.runs, found.seed, found.algorithms) == ("T", 3, 5, ("a",))
    assert (found.folder, found.dataset_names) == (tmp_path / "sets", ("saddle", "mini_gap"))
    assert found.properties["mini_gap"].low == 0.0


def test_every_mistake_in_a_competition_file_is_named(tmp_path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        'rules = "finale"\nversion = 9\nruns = 0\nquality = 1\n'
        '[[tasks]]\nbenchmark = "mini"\n[properties.x]\nkind = "nice"\n'
    )
    with pytest.raises(JudgingError) as error:
        read_competition(file)
    text = str(error.value)
    for part in (
        "rules: 'finale' is not one of draft, final",
        "version: 9, but draft is at version 1 here",
        "runs: 0 is not 1 or more",
        "quality: is not a known key",
        "tasks[0].name: is missing",
        "properties.x.kind: 'nice' is not one of none, absence",
    ):
        assert part in text
    file.write_text("rules = ")
    with pytest.raises(JudgingError, match="is not a TOML file"):
        read_competition(file)


def test_results_measured_with_another_property_are_refused(tmp_path) -> None:
    run = Run(algorithm="a", dataset="mini_gap", run=0, r2=0.5, components=1, property_value=1, asked="bounds, 0 to 9")
    write_lines({("a", "mini_gap", 0): run}, {}, tmp_path / "results.jsonl")
    file = tmp_path / "c.toml"
    file.write_text(
        '[[tasks]]\nname = "mini_gap"\nbenchmark = "mini"\n[properties.mini_gap]\nkind = "bounds"\nlow = 0\n'
    )
    with pytest.raises(JudgingError, match="was measured with the property 'bounds, 0 to 9'"):
        collect([tmp_path], read_competition(file))


def test_a_property_without_its_dataset_is_a_mistake(tmp_path, datasets_folder) -> None:
    shutil.copytree(datasets_folder, tmp_path / datasets_folder.name)
    file = tmp_path / "c.toml"
    file.write_text(
        f'[datasets]\nfolder = "{datasets_folder.name}"\nnames = ["saddle"]\n[properties.other]\nkind = "none"\n'
    )
    with pytest.raises(JudgingError, match="there is a property for other, but no such dataset"):
        read_competition(file).datasets()
    with pytest.raises(JudgingError, match="no datasets to judge on"):
        Competition(rules=rule_set("draft")).datasets()


def test_arrays_in_parquet_are_read(tmp_path) -> None:
    path = tmp_path / "t.parquet"
    pd.DataFrame([{**ROWS[0], "predictions": np.array([1.0, 2.0])}]).to_parquet(path)
    assert read_results([path])[0].predictions == (1.0, 2.0)
