"""`mbl event`: what it says, and its exit codes: 0 fine, 1 failed, 2 wrong use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matbench_lite.cli.app import run
from matbench_lite.event import Event, ReceivedFolder, receive

from .making import Send, write_model


def test_wrong_use_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        (["gaps"], "either --benchmark and --task, or --data and --target"),
        (["gaps", "--benchmark", "mini"], "--benchmark needs --task"),
        (["gaps", "--data", "x.csv"], "--data needs --target"),
        (["gaps", "--benchmark", "mini", "--task", "mini_gab"], "did you mean 'mini_gap'"),
        (["gaps", "--benchmark", "mini", "--task", "mini_gap", "--closing", "soon"], "'soon' is not a time"),
        (["gaps", "--benchmark", "mini", "--task", "mini_gap", "--shares", "1,2"], "is not four numbers"),
    ):
        assert run(["event", "create", *arguments, "--output", str(tmp_path / "e")]) == 2, arguments
        assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "e").exists()


def test_times_without_an_offset_are_in_utc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "e"
    times = ["--opening", "2026-01-01T09:00+01:00", "--closing", "2030-01-01 12:00"]
    assert run(["event", "create", "e", "-b", "mini", "-t", "mini_gap", *times, "-o", str(folder)]) == 0
    text = (folder / "event.toml").read_text()
    assert "opening = 2026-01-01T08:00:00Z" in text
    assert "closing = 2030-01-01T12:00:00Z" in text
    said = capsys.readouterr().out
    assert "fit for practice, not for prizes" in said
    assert run(["event", "create", "e", "-b", "mini", "-t", "mini_gap", "-o", str(folder)]) == 1
    assert "already exists" in capsys.readouterr().err


def test_one_source_that_cannot_be_taken_does_not_stop_the_others(
    event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write_model(tmp_path / "good")
    assert run(["event", "receive", str(event.folder), str(tmp_path / "nothing.zip"), str(good)]) == 1
    said = capsys.readouterr()
    assert "nothing.zip was not taken" in said.err
    assert "received 0001-team-a from Team A" in said.out


def test_scores_are_not_printed_while_they_are_secret(
    event: Event, send: Send, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    send(event, write_model(tmp_path / "mine"))
    assert run(["event", "score", str(event.folder)]) == 0
    assert run(["event", "status", str(event.folder), "--json"]) == 0
    assert run(["event", "board", str(event.folder), "--no-page"]) == 0
    said = capsys.readouterr().out
    scores = json.loads((event.private / "received" / "0001-team-a" / "scores.json").read_text())
    assert f"{scores['test']['mean']['mae']['mean']:.4f}" not in said
    assert "Private board" not in said
    assert "Public board: hidden validation scores" in said
    assert run(["event", "score", str(event.folder)]) == 0
    assert "nothing waits" in capsys.readouterr().out


def test_an_unknown_submission_is_wrong_use(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["event", "score", str(event.folder), "0009-x"]) == 2
    assert "there is no submission '0009-x'" in capsys.readouterr().err


def test_no_event_is_one_clear_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("score", "board", "status"):
        assert run(["event", command, str(tmp_path)]) == 1
        assert "mbl event create" in capsys.readouterr().err


NOSY = """
import os


def get_estimator(task):
    raise ValueError(f"threads {os.environ['OMP_NUM_THREADS']}, device {os.environ['CUDA_VISIBLE_DEVICES']}")
"""


@pytest.mark.parametrize("isolated", [True, False])
def test_submitted_code_is_told_its_threads_and_its_device(
    code_event: Event, tmp_path: Path, isolated: bool, request: pytest.FixtureRequest
) -> None:
    if isolated:
        request.getfixturevalue("isolation")
    receive(code_event, write_model(tmp_path / "nosy", source=NOSY))
    how = ["--run-submitted-code", *([] if isolated else ["--without-isolation"])]
    assert run(["event", "score", str(code_event.folder), *how, "--threads", "3", "--device", "7"]) == 1
    (failed,) = ReceivedFolder(code_event).all()
    assert "threads 3, device 7" in (failed.trace or "")


def test_so_is_a_model_that_is_packed(event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = write_model(tmp_path / "nosy", source=NOSY)
    options = ["--kit", str(event.kit), "--threads", "3", "--device", "7", "--output", str(tmp_path / "nosy.zip")]
    assert run(["event", "pack", str(model), *options]) == 1
    assert "threads 3, device 7" in capsys.readouterr().err
