from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import EventError, MatbenchLiteError, RunError
from matbench_lite.event import (
    Event,
    Shares,
    benchmark_source,
    check_submission,
    create_event,
    open_kit,
    pack,
    table_source,
    take,
)
from matbench_lite.event.event_data import read_inputs
from matbench_lite.train import Resources, load_model

from .making import DUMMY, make_event, write_model


def test_the_four_datasets_are_apart_and_complete(code_event: Event) -> None:
    public, private = code_event.public_task, code_event.private_task
    assert not set(public.ids) & set(private.ids)
    assert len(public.ids) + len(private.ids) == 500
    assert [len(task.train_rows(0)) for task in (public, private)] == [200, 150]
    assert [len(task.test_rows(0)) for task in (public, private)] == [50, 100]
    original = load_benchmark("mini")["mini_gap"].targets["target"]
    for task in (public, private):
        assert (task.targets["target"] == original[task.ids]).all()


def test_the_private_inputs_are_those_of_the_private_test_rows(event: Event) -> None:
    inputs = read_inputs(event.kit, event.public_task)
    expected = event.private_task.inputs
    assert len(event.private_task.train_rows(0)) == 63
    assert inputs.sort_index().equals(expected.sort_index())
    # Nothing but the organiser's split tells which of them decide.
    is_test = np.isin(inputs.index, event.private_task.test_ids(0))
    assert abs(np.corrcoef(is_test, np.arange(len(inputs)))[0, 1]) < 0.25
    assert not (event.kit / "data" / "private.csv").exists()
    assert (event.private.stat().st_mode & 0o077) == 0


def test_an_event_of_code_gives_no_private_inputs_away(code_event: Event) -> None:
    assert sorted(path.name for path in (code_event.kit / "data").iterdir()) == ["public.csv"]


@pytest.mark.slow
def test_structures_go_through_a_kit(tmp_path: Path) -> None:
    event = make_event(tmp_path / "e", task="mini_e_form")
    inputs = read_inputs(event.kit, event.public_task)
    expected = event.private_task.inputs
    assert sorted(inputs.index) == sorted(expected.index)
    assert [each.as_dict() for each in inputs[:5]] == [each.as_dict() for each in expected[inputs.index[:5]]]
    model = write_model(tmp_path / "mine")  # takes compositions, gets formulas
    submission = pack(open_kit(event.kit), load_model(model), tmp_path / "mine.zip")
    take(submission, tmp_path / "files")
    check_submission(open_kit(event.kit), tmp_path / "files")


@pytest.mark.parametrize("task", ["mini_gap", "mini_is_ductile", pytest.param("mini_e_form", marks=pytest.mark.slow)])
def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    event = make_event(tmp_path / "e", task=task, inner_folds=2)
    start = event.kit / "models" / "start" / "model.py"
    if task != "mini_e_form":  # the model to start from is the same for every task, and takes long
        start.write_text(DUMMY.format(quantile=0.5))
    notebook = json.loads((event.kit / "start.ipynb").read_text())
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) == 4
    monkeypatch.chdir(event.kit)
    names: dict[str, Any] = {}
    for cell in code:
        exec(cell, names)
    assert names["trial"].ok


def test_the_readme_says_what_to_do(event: Event) -> None:
    text = (event.kit / "README.md").read_text()
    assert "mbl try models/mine --benchmark benchmark.toml --inner-folds 3" in text
    assert "mbl event pack models/mine" in text
    assert "249 rows to train on and 63 to test on" in text
    assert "188 rows whose targets the organiser keeps:\n63 of them" in text
    assert not re.search(r"\{\{|\{%|None", text)


def test_a_kit_says_which_rows_a_fold_holds_out(event: Event) -> None:
    kit = open_kit(event.kit)
    held_out = [row for fold in kit.folds for row in fold.valid]
    assert len(kit.folds) == event.inner_folds
    assert sorted(held_out) == sorted(kit.task.train_rows(0))


def test_the_kits_model_has_no_name_yet(event: Event, tmp_path: Path) -> None:
    with pytest.raises(EventError, match=r"submission\.toml"):
        pack(open_kit(event.kit), load_model(event.kit / "models" / "start"), tmp_path / "mine.zip")
    assert not (tmp_path / "mine.zip").exists()


def test_a_baseline_is_no_submission(event: Event, tmp_path: Path) -> None:
    with pytest.raises(EventError, match="copy models/start"):
        pack(open_kit(event.kit), load_model("dummy"), tmp_path / "mine.zip")


def test_a_model_that_fails_makes_no_submission(event: Event, tmp_path: Path) -> None:
    source = "def get_estimator(task):\n    raise ValueError('no luck')\n"
    model = write_model(tmp_path / "mine", source=source)
    with pytest.raises(RunError, match=r"inner fold 0.*no luck"):
        pack(open_kit(event.kit), load_model(model), tmp_path / "mine.zip")
    assert not (tmp_path / "mine.zip").exists()


@pytest.mark.slow
def test_jobs_do_not_change_what_is_packed(event: Event, tmp_path: Path) -> None:
    model = write_model(tmp_path / "mine", quantile=0.37)
    kit, loaded = open_kit(event.kit), load_model(model)
    for jobs in (1, 2):
        take(pack(kit, loaded, tmp_path / f"{jobs}.zip", resources=Resources(workers=jobs)), tmp_path / f"files-{jobs}")
    first, second = ((tmp_path / f"files-{jobs}" / "predictions.csv").read_bytes() for jobs in (1, 2))
    assert first == second


def test_a_folder_that_is_no_kit(event: Event, tmp_path: Path) -> None:
    with pytest.raises(EventError, match="there is no"):
        open_kit(tmp_path)
    shutil.copy(event.kit / "event.toml", tmp_path)
    with pytest.raises(EventError, match="is no kit"):
        open_kit(tmp_path)


def test_an_event_that_nobody_could_be_ranked_in_is_not_made(tmp_path: Path) -> None:
    """A single row has no R²: every submission would have failed."""
    pd.DataFrame({"x": range(40), "y": np.arange(40) / 7}).to_csv(tmp_path / "my.csv", index=False)
    source = table_source(tmp_path / "my.csv", target="y", input="table")
    shares = Shares(0.7, 0.1, 0.02, 0.18)
    with pytest.raises(EventError, match=r"r2 cannot be computed of 1 row of hidden validation.*other shares"):
        make_event(tmp_path / "e", source=source, metric="r2", inner_folds=2, shares=shares)
    assert not (tmp_path / "e").exists()
    assert make_event(tmp_path / "e", source=source, metric="mae", inner_folds=2, shares=shares).folder.exists()


def test_nothing_is_left_of_an_event_that_cannot_be_made(event: Event, tmp_path: Path) -> None:
    bench = load_benchmark("mini")
    source = benchmark_source(bench, bench["mini_gap"])
    from dataclasses import replace

    settings = replace(event, folder=tmp_path / "new")
    none = Shares(public_train=0.8, public_test=0.1, private_train=0.0, private_test=0.1)
    for changes, shares in (
        ({"metric": "accuracy"}, None),
        ({"mode": "code"}, none),
        ({"inner_folds": 100}, Shares(public_train=0.1, public_test=0.1, private_train=0.7, private_test=0.1)),
    ):
        with pytest.raises(MatbenchLiteError):
            create_event(replace(settings, **changes), source, shares=shares)  # type: ignore[arg-type]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["gaps"]
    with pytest.raises(EventError, match="already exists"):
        create_event(event, source)
