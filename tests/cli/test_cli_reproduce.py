"""`mbl reproduce`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matbench_lite.submission import seal

MODEL = """
import numpy as np
input = "composition"
class Mean:
    def fit(self, X, y): self.mean = float(np.mean(y))
    def predict(self, X): return np.full(len(X), self.mean)
def get_estimator(task): return Mean()
"""
RUN = "--run-submitted-code"


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mbl: Callable[..., Any]) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MODEL)
    assert mbl("run", "mine.py", "mini_gap", "-b", "mini").code == 0
    return Path("submissions/mine")


@pytest.mark.usefixtures("isolation")
def test_an_equal_fold_is_said_kept_and_shown_on_the_board(mbl: Callable[..., Any], entry: Path) -> None:
    ended = mbl("reproduce", entry, "--fold", 2, RUN, "--output", "reproductions")
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[0].startswith("mine, mini_gap fold 2: trained in ")
    assert lines[1] == "equal, to the last bit"
    assert lines[2].startswith("predictions differ by at most 0 eV, 0 eV in the mean; the recorded ones err by ")
    assert "enough to carry answers" in lines[4], "five predictions that differ, and a file of 200 bytes"
    assert lines[5] == "kept: reproductions/mine.toml"
    board = mbl("leaderboard", "-b", "mini", "--task", "mini_gap", "--json").json
    (row,) = board["rows"]
    assert (row["reproduced"]["verdict"], row["reproduced"]["folds"]) == ("equal", "mini_gap fold 2")
    assert "equal" in mbl("leaderboard", "-b", "mini", "--task", "mini_gap", "--csv").out
    (entry / "mine.py").write_text(MODEL + "\n# and more\n")
    seal(entry)
    (row,) = mbl("leaderboard", "-b", "mini", "--task", "mini_gap", "--json").json["rows"]
    assert row["reproduced"] is None


@pytest.mark.usefixtures("isolation")
def test_what_other_code_makes_is_exit_code_1(mbl: Callable[..., Any], entry: Path) -> None:
    (entry / "mine.py").write_text(MODEL.replace("self.mean)", "self.mean + 3)"))
    seal(entry)
    ended = mbl("reproduce", entry, "--seed", 4, RUN, "--json", "-o", "kept")
    assert ended.code == 1
    assert ended.json["verdict"] == "not reproduced"
    assert abs(ended.json["largest_difference"] - 3) < 1e-9
    assert Path(ended.json["kept"]).read_text().count("[[folds]]") == 1
    assert mbl("reproduce", entry, "--seed", 4, RUN, "--json").json["fold"] == ended.json["fold"]


@pytest.mark.usefixtures("isolation")
def test_code_that_fails_is_exit_code_1_with_its_trace_and_no_record(mbl: Callable[..., Any], entry: Path) -> None:
    trace = MODEL.replace("self.mean = float(np.mean(y))", "raise ValueError('\\x1b[31mred')")
    (entry / "mine.py").write_text(trace)
    seal(entry)
    ended = mbl("reproduce", entry, RUN, "-o", "kept")
    assert ended.code == 1
    assert "mini_gap fold 0: the code of the entry raised an error" in ended.err
    assert "ValueError" in ended.err
    assert "\x1b" not in ended.err + ended.out
    assert not Path("kept").exists()


@pytest.mark.usefixtures("isolation")
def test_what_cannot_be_kept_is_said_all_the_same(mbl: Callable[..., Any], entry: Path) -> None:
    Path("file").write_text("here")
    for options in ((), ("--json",)):
        ended = mbl("reproduce", entry, RUN, "-o", "file", *options)
        assert ended.code == 1
        assert "equal" in ended.out
        assert "file/mine.toml cannot be written" in ended.err
    assert Path("file").read_text() == "here"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 1, "say --run-submitted-code"),
        ((RUN, "--task", "mini_gp"), 2, "did you mean 'mini_gap'?"),
        ((RUN, "--fold", 9), 2, "has not recorded fold 9"),
        ((RUN, "--timeout", 0), 2, "--timeout"),
        ((RUN, "--memory", 0), 2, "--memory"),
        ((RUN, "--seed", -1), 2, "--seed"),
    ],
)
def test_wrong_use_is_explained(
    mbl: Callable[..., Any], entry: Path, options: tuple[object, ...], code: int, said: str
) -> None:
    ended = mbl("reproduce", entry, *options)
    assert ended.code == code
    assert said in ended.err + ended.out


def test_a_folder_that_is_no_entry_is_said(mbl: Callable[..., Any], tmp_path: Path) -> None:
    ended = mbl("reproduce", tmp_path / "nowhere", RUN)
    assert ended.code == 1
    assert "there is no folder" in ended.err
