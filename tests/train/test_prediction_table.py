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
from matbench_lite.cli.app import run as mbl
from matbench_lite.errors import RunError
from matbench_lite.evaluate import evaluate, parse_evaluation, save_results
from matbench_lite.judge import Competition, TaskSource, run_algorithms
from matbench_lite.stats import paired_test
from matbench_lite.train import compare_tables, load_model, predictions_table, rescore

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
    assert valid.p == pytest.approx(paired_test(*means).p)
    assert valid.interval.low < valid.difference < valid.interval.high
    (mirrored,) = (one for one in compare_tables(*tables[::-1]) if one.part == "valid")
    assert mirrored.difference == pytest.approx(-valid.difference)


def test_the_commands(tried: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl(["predictions", str(tried), "--output", str(tmp_path / "p.parquet"), "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)
    assert [(row["part"], row["rank"]) for row in ranked] == [("test", 1), ("train", 1), ("valid", 1)]
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "p.parquet"), predictions_table(tried))
    assert mbl(["compare", str(tried), str(tried), "--json"]) == 0
    assert {row["difference"] for row in json.loads(capsys.readouterr().out)} == {0.0}
    assert mbl(["compare", str(tried), str(tried)]) == 0
    assert "below 0 the first is better" in capsys.readouterr().out
    assert mbl(["predictions", str(tried), "--output", str(tmp_path / "p.xlsx")]) == 2


def test_nothing_in_common_and_nothing_at_all_are_named(tried: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="there are no predictions in"):
        predictions_table(tmp_path)
    table = predictions_table(tried)
    with pytest.raises(RunError, match="no row of one piece in common"):
        compare_tables(table, table.assign(task="another"))
    with pytest.raises(RunError, match="no row of one piece in common"):
        compare_tables(table, table.assign(loss=np.nan))
