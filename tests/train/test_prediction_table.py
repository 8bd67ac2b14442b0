"""One table for all results: its losses are the scores that the commands print, and two folders are compared by row."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.board import Results, compare, task_board
from matbench_lite.cli.app import run as mbl
from matbench_lite.errors import RunError
from matbench_lite.evaluate import evaluate, parse_evaluation, save_results
from matbench_lite.judge import Competition, TaskSource, run_algorithms
from matbench_lite.stats import Design, differences, moments
from matbench_lite.submission import Submission
from matbench_lite.train import Plan, compare_tables, load_model, predictions_table, ranking, rescore, run_model

from .conftest import RANDOM

BENCH = load_benchmark("mini")
WriteModel = Callable[..., Path]


@pytest.fixture
def tried(tmp_path: Path, write_model: WriteModel, try_here: Callable[[Path, str, int], None]) -> Path:
    """The folder of a model that was tried."""
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.move(write_model(predict=RANDOM), folder / "model.py")
    try_here(folder, "mini_gap", 3)
    return folder


def test_the_losses_of_a_local_test_are_its_scores(tried: Path) -> None:
    table = predictions_table(tried)
    trial = rescore(BENCH["mini_gap"], tried)
    for (piece, part), rows in table.groupby(["piece", "part"]):
        assert rows["loss"].mean() == pytest.approx(trial.results[int(piece)].scores[part]["mae"], rel=1e-12)
    assert set(table["protocol"]) == {"local test"}
    assert np.array_equal(table["truth"], BENCH["mini_gap"].target_values[table["row"]])


def test_the_losses_of_a_run_are_its_scores(random_entry: tuple[Path, Path]) -> None:
    table = predictions_table(random_entry[1])
    wrong = table[table["task"] == "mini_is_ductile"]
    assert set(wrong["loss"]) == {0.0, 1.0}
    assert len(table) == sum(BENCH[name].rows for name in ("mini_gap", "mini_is_ductile"))
    assert list(table.columns[:6]) == ["model", "task", "protocol", "piece", "part", "row"]
    assert not table.duplicated(["task", "piece", "row"]).any()


def test_the_losses_of_an_evaluation_are_its_scores(tmp_path: Path) -> None:
    data = {"task": "mini_gap", "group_by": "fold"}
    document = {"type": "prediction", "data.test": data, "data.pre_train": data, "corresponding_data": True}
    results = evaluate(parse_evaluation({**document, "models": ["dummy"]}, name="folds", folder=Path()))
    save_results(results, tmp_path)
    table = predictions_table(tmp_path)
    assert table["loss"].mean() == pytest.approx(results.models["dummy"].scores["response"].mean)
    assert (set(table["protocol"]), table["piece"].nunique()) == ({"prediction"}, 5)


@pytest.mark.slow
def test_the_losses_of_judging_are_its_predictions(tmp_path: Path, write_model: WriteModel) -> None:
    model = load_model(write_model(fit="self.complexity_ = 1"))
    source = TaskSource(name="mini_log_kvrh", benchmark="mini", features="elements")
    ran = run_algorithms([model], Competition(tasks=(source,), runs=2), tmp_path / "out")
    table = predictions_table(tmp_path / "out")
    test = table[(table["part"] == "test") & (table["piece"] == "1")]
    assert tuple(test["prediction"]) == ran.runs[1].predictions
    assert np.array_equal(test["truth"], BENCH["mini_log_kvrh"].target_values[test["row"]])


def test_two_folders_are_compared_row_by_row(
    tried: Path, tmp_path: Path, write_model: WriteModel, try_here: Callable[[Path, str, int], None]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.move(write_model(), other / "model.py")
    try_here(other, "mini_gap", 3)
    tables = predictions_table(tried), predictions_table(other)
    valid = {one.part: one for one in compare_tables(*tables)}["valid"]
    means = [[rows["loss"].mean() for _, rows in table[table["part"] == "valid"].groupby("piece")] for table in tables]
    assert (valid.first, valid.second, valid.pieces, valid.rows) == ("mine", "other", 3, 320)
    assert valid.difference == pytest.approx(np.mean(means[0]) - np.mean(means[1]))
    some = tables[0][tables[0]["part"] == "valid"]
    other_loss = tables[1][tables[1]["part"] == "valid"]["loss"]
    folds, clusters = some["piece"].astype(int).to_numpy(), BENCH["mini_gap"].clusters[some["row"]]
    told = differences(moments([some["loss"], other_loss], Design(folds=folds, clusters=clusters)))
    assert valid.p == pytest.approx(told.p[0, 1])
    assert (valid.word, valid.clusters) == ("worse", len(set(clusters)))
    assert valid.interval.low - 1e-12 < valid.difference < valid.interval.high
    (mirrored,) = (one for one in compare_tables(*tables[::-1]) if one.part == "valid")
    assert (mirrored.difference, mirrored.p, mirrored.word) == (-valid.difference, valid.p, "better")
    assert (mirrored.interval.low, mirrored.interval.high) == (-valid.interval.high, -valid.interval.low)


def test_rows_of_every_inner_fold_are_one_cluster_each(tried: Path, tmp_path: Path, write_model: WriteModel) -> None:
    """Models of three inner folds that fail on the same test rows are no three witnesses."""
    table = predictions_table(tried)
    test = table[table["part"] == "test"].assign(fold_scatter=1.0)
    (once,) = compare_tables(test[test["piece"] == "0"], test[test["piece"] == "0"].assign(loss=0.0))
    copied = pd.concat([test[test["piece"] == "0"].assign(piece=str(piece)) for piece in range(3)])
    (thrice,) = compare_tables(copied, copied.assign(loss=0.0))
    assert once.note == "one split: training variance is assumed, not measured"
    assert (thrice.note, thrice.rows, thrice.clusters) == ("", 3 * once.rows, once.clusters)
    widths = [one.interval.high - one.interval.low for one in (once, thrice)]
    assert 0.9 < widths[1] / widths[0] < 1, "three times the witnesses would be 0.6"


def test_two_runs_are_told_apart_as_their_entries_are_on_the_board(
    random_entry: tuple[Path, Path], tmp_path: Path
) -> None:
    names = ("mini_gap", "mini_is_ductile")
    run_model(Plan(model=load_model("dummy"), benchmark="mini", output=tmp_path / "dummy", tasks=names))
    folders = {"dummy": tmp_path / "dummy", "random": random_entry[1]}
    results = Results(BENCH, {slug: Submission.load(folder) for slug, folder in folders.items()})
    of_runs = {one.task: one for one in compare_tables(*map(predictions_table, folders.values()))}
    for row in compare(results, list(folders)).rows:
        run = of_runs[row.task]
        sign = -1 if row.metric == "balanced_accuracy" else 1
        assert run.word == row.word
        assert run.p == pytest.approx(row.p, rel=1e-9)
        assert run.difference == pytest.approx(sign * row.difference, rel=1e-9)
        ends = sorted(sign * end for end in (row.interval.low, row.interval.high))
        assert (run.interval.low, run.interval.high) == pytest.approx(tuple(ends), rel=1e-9)
    both = pd.concat([predictions_table(folder).assign(model=slug) for slug, folder in folders.items()])
    ranks = {(one.task, one.place.slug): one.place for one in ranking(both)}
    for name in names:
        for row in task_board(results, BENCH[name]).rows:
            told = ranks[name, row.slug]
            assert (told.rank, told.first_place, told.last_place) == (row.rank, row.first_place, row.last_place)


def test_the_commands(tried: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl(["predictions", str(tried), "--output", str(tmp_path / "p.parquet"), "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)
    assert [(row["part"], row["rank"]) for row in ranked] == [("test", 1), ("train", 1), ("valid", 1)]
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "p.parquet"), predictions_table(tried))
    assert mbl(["compare", str(tried), str(tried), "--json"]) == 0
    assert {row["difference"] for row in json.loads(capsys.readouterr().out)} == {0.0}
    assert mbl(["compare", str(tried), str(tried)]) == 0
    assert "equivalent: 90 % sure" in capsys.readouterr().out
    assert mbl(["predictions", str(tried), "--output", str(tmp_path / "p.xlsx")]) == 2
    assert mbl(["compare", str(tried), str(tried), str(tried)]) == 2
    assert "two are compared at a time" in capsys.readouterr().err


def test_submissions_of_an_event_are_compared(tried: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("0001-anna", "0002-ben"):
        shutil.copytree(next(tried.glob(".run/try/*/*/*")), tmp_path / name / "journal")
        (tmp_path / name / "files").mkdir()
        (tmp_path / name / "submission.json").write_text("{}")
    assert mbl(["compare", str(tmp_path / "0001-anna"), str(tmp_path / "0002-ben"), "--json"]) == 0
    assert {row["difference"] for row in json.loads(capsys.readouterr().out)} == {0.0}


def test_one_of_several_models_in_a_folder_is_compared(
    tried: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".run").mkdir()
    shutil.copytree(next(tried.glob(".run/try/*/*/*")), tmp_path / ".run" / "runs")
    (model,) = set(predictions_table(tried)["model"])
    assert mbl(["compare", str(tmp_path / model), str(tried), "--json"]) == 0
    assert {row["first"] for row in json.loads(capsys.readouterr().out)} == {model}
    assert mbl(["compare", str(tmp_path / "nobody"), str(tried)]) == 2
    assert "there is no model 'nobody'" in capsys.readouterr().err


def test_nothing_in_common_and_nothing_at_all_are_named(tried: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="there are no predictions in"):
        predictions_table(tmp_path)
    table = predictions_table(tried)
    with pytest.raises(RunError, match="no row of one piece in common"):
        compare_tables(table, table.assign(task="another"))
    with pytest.raises(RunError, match="no row of one piece in common"):
        compare_tables(table, table.assign(loss=np.nan))


def test_evaluations_are_compared_by_their_data_and_what_is_left_out_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"task": "mini_gap", "group_by": "fold"}
    other = data | {"limit": {"groups": 3}}
    for name, models, source in (
        ("one", ["dummy", "ridge-magpie"], data),
        ("two", ["dummy", {"filename": "dummy", "override_name": "lazy"}], data),
        ("three", ["dummy", "ridge-magpie"], other),
    ):
        document = {"type": "prediction", "data.test": source, "data.pre_train": source, "corresponding_data": True}
        results = evaluate(parse_evaluation({**document, "models": models}, name=name, folder=Path()))
        save_results(results, tmp_path / name)
    assert mbl(["compare", str(tmp_path / "one"), str(tmp_path / "two"), "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["first"] for row in json.loads(printed.out)] == ["dummy"]
    assert "left out of one: ridge-magpie, not in the other" in printed.err
    assert "left out of two: lazy, not in the other" in printed.err
    assert mbl(["compare", str(tmp_path / "one"), str(tmp_path / "three")]) == 1
    assert "no row of one piece in common" in capsys.readouterr().err
