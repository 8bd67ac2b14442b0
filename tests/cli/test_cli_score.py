"""`mbl score`: computes, and says when a score that an entry states is not true."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.cli.app import run

from ..review.version_1 import to_version_1, write_document


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    task = load_benchmark("mini")["mini_gap"]
    sub = Submission("mini", algorithm="[bold]Mean[/bold]", authors=["A"])
    for fold in task.folds:
        sub.record("mini_gap", fold, np.full(100, task.train_data(fold)[1].mean()))
    return sub.save(tmp_path / "mean")


def forge(entry: Path, mae: float | None) -> None:
    to_version_1(entry)
    document = json.loads((entry / "submission.json").read_bytes())
    document["tasks"]["mini_gap"]["folds"][2]["scores"]["mae"] = mae
    write_document(entry, document)


def test_scores_are_computed(entry, capsys) -> None:
    assert run(["score", str(entry)]) == 0
    printed = capsys.readouterr().out
    assert "stated" not in printed, "an entry states no scores"
    assert "[bold]Mean[/bold]" in printed, "a stranger's markup is text"


def test_true_scores_of_version_1_are_confirmed(entry, capsys) -> None:
    assert run(["score", str(to_version_1(entry))]) == 0
    assert "all stated scores are those of the predictions" in capsys.readouterr().out


@pytest.mark.parametrize("forged", [0.1, None])
def test_a_forged_score_is_named_and_fails(entry, capsys, forged) -> None:
    forge(entry, forged)
    assert run(["score", str(entry)]) == 1
    assert f"mini_gap fold 2 mae: stated {forged}, recomputed 1." in capsys.readouterr().err


def test_json_has_scores_and_differences(entry, capsys) -> None:
    forge(entry, 0.1)
    assert run(["score", str(entry), str(entry.parent / "nowhere"), "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert first["scores"]["mini_gap"]["mae"]["mean"] > 1
    assert [(item["fold"], item["metric"], item["stated"]) for item in first["differences"]] == [(2, "mae", 0.1)]
    assert "there is no folder" in second["error"]
