"""A whole event, as its organiser and two participants live it: the commands, separate folders, nothing shared."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.cli.app import run
from matbench_lite.event import ReceivedFolder, load_event

from .making import closed

pytestmark = pytest.mark.slow

LINE = """
import numpy as np

input = "composition"


class Line:
    def fit(self, X, y):
        self.line = np.polyfit([len(formula) for formula in X], y, 1) + np.random.normal(scale=1e-3)
        return self

    def predict(self, X):
        return np.polyval(self.line, [len(formula) for formula in X])


def get_estimator(task):
    model = Line()
    return model
"""
"""Quick to load; it draws a random number, so that seeds have to be the same everywhere."""
CURVE = LINE.replace("y, 1)", "y, 2)")


def mbl(*arguments: object, cwd: Path, code: int = 0) -> str:
    """Give a command as a person would, in a folder; what it says."""
    said = StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        ended = run(list(map(str, arguments)))
    assert ended == code, said.getvalue()
    return said.getvalue()


def asked(*arguments: object, cwd: Path) -> Any:
    return json.loads(mbl(*arguments, "--json", cwd=cwd))


def git(*arguments: str, cwd: Path) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], cwd=cwd, check=True, capture_output=True)


def own_data(path: Path) -> pd.DataFrame:
    """Real formulas with targets that can be recognised anywhere: each has digits that occur nowhere else."""
    task = load_benchmark("mini")["mini_gap"]
    formulas = task.inputs.tolist()
    marks = np.random.default_rng(7).permutation(np.arange(len(formulas))) * 17_358_149 + 1_000_000_007
    targets = [f"{value:.2f}{mark:010d}" for value, mark in zip(task.target_values, marks, strict=True)]
    frame = pd.DataFrame({"formula": formulas, "y": targets})
    frame.to_csv(path, index=False)
    return frame


def rounded(summary: dict[str, float]) -> dict[str, Any]:
    """A score as a board shows it."""
    mean, std = float(f"{summary['mean']:.4g}"), float(f"{summary['std']:.2g}")
    return {"mean": mean, "std": pytest.approx(std, abs=1e-3 * mean), "off_the_scale": False}


def participant(folder: Path, kit: Path, name: str, source: str | None = None) -> tuple[Path, Path]:
    """A participant's folder with the kit, and a model in it."""
    folder.mkdir()
    own = Path(shutil.copytree(kit, folder / "kit"))
    model = Path(shutil.copytree(own / "models" / "start", own / "models" / "mine"))
    text = (model / "submission.toml").read_text()
    (model / "submission.toml").write_text(text.replace("Your name or that of your team", name))
    if source is not None:
        (model / "model.py").write_text(source)
    return own, model


def everything(*folders: Path) -> bytes:
    """Every byte of some folders, and of the files in zip files there."""
    content = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                content.append(path.read_bytes())
                if zipfile.is_zipfile(path):
                    with zipfile.ZipFile(path) as archive:
                        content.extend(archive.read(name) for name in archive.namelist())
            content.append(path.name.encode())
    return b"\n".join(content)


def private_marks(event: Path) -> list[bytes]:
    """The digits by which each private target can be recognised."""
    frame = pd.read_csv(event / "private" / "data" / "private.csv", dtype=str)
    return [target.rpartition(".")[2][2:].encode() for target in frame["target"]]


def score_marks(event: Path, part: str) -> list[bytes]:
    """The digits of all scores on one part; whole numbers say nothing.

    Nor does the spread over folds: where the worst rows of two parts have formulas of one length, the models of all
    folds move by the same on both, and the spread of the largest error is the same.
    """
    opened = load_event(event)
    folder = ReceivedFolder(opened)
    marks = []
    for each in folder.all():
        if each.state == "scored":
            scores = getattr(folder.scores(each.id), part)
            values = [*scores.bagged.values(), *(value for fold in scores.folds for value in fold.values())]
            values += [summary.mean for summary in scores.mean.values()]
            marks += [repr(value).partition(".")[2][:8].encode() for value in values if "." in repr(value)]
    return [mark for mark in marks if len(mark) == 8]


def reference_scores(folder: Path, event: Path, models: dict[str, Path]) -> dict[str, Any]:
    """What `mbl try` says when the public rows are to train on and the private ones to test on."""
    shutil.copytree(event / "kit", folder)
    public = pd.read_csv(folder / "data" / "public.csv", dtype=str)
    private = pd.read_csv(event / "private" / "data" / "private.csv", dtype=str)
    both = pd.concat([public[public["part"] == "train"], private[private["part"] == "test"]])
    both.to_csv(folder / "data" / "public.csv", index=False)
    scores = {}
    for name, model in models.items():
        trial = asked("try", model, "-b", "benchmark.toml", "--inner-folds", 2, "-o", folder / name, cwd=folder)[0]
        scores[name] = trial["scores"]["mean"]["test"]["mae"]
    return scores


def test_an_event_of_predictions(tmp_path: Path) -> None:
    organiser = tmp_path / "organiser"
    organiser.mkdir()
    own_data(organiser / "my.csv")
    said = mbl(
        *("event", "create", "gaps", "--data", "my.csv", "--target", "y", "--input", "composition", "--unit", "eV"),
        *("--inner-folds", 2, "--title", "Band gaps", "--opening", "2026-01-01", "--closing", "2999-01-01"),
        cwd=organiser,
    )
    assert "hand it out" in said
    event = organiser / "gaps"
    (organiser / "my.csv").unlink()

    # Two participants, each with the kit alone.
    anna, anna_model = participant(tmp_path / "anna", event / "kit", "Anna", LINE)
    ben, ben_model = participant(tmp_path / "ben", event / "kit", "Ben", CURVE)
    tried = {
        name: asked("try", model, "--benchmark", "benchmark.toml", "--inner-folds", 2, cwd=kit)[0]
        for name, kit, model in (("Anna", anna, anna_model), ("Ben", ben, ben_model))
    }
    mbl("event", "pack", "models/mine", cwd=anna)
    mbl("event", "check", "submission-mine.zip", cwd=anna)
    mbl("event", "pack", "models/mine", "--output", "mine.zip", "--jobs", 2, cwd=ben)

    # Anna sends a zip file; Ben a folder, then the same by git, which is a copy.
    with zipfile.ZipFile(ben / "mine.zip") as archive:
        archive.extractall(ben / "sent")
    assert "does not count" not in mbl("event", "receive", event, anna / "submission-mine.zip", cwd=organiser)
    mbl("event", "receive", event, ben / "sent", cwd=organiser)
    repository = Path(shutil.copytree(ben / "sent", tmp_path / "repository" / "mine")).parent
    git("init", cwd=repository)
    git("checkout", "-b", "ben", cwd=repository)
    git("add", ".", cwd=repository)
    git("commit", "-m", "mine", cwd=repository)
    said = mbl("event", "receive", event, repository, "--branch", "ben", "--path", "mine", cwd=organiser)
    assert "duplicate of 0002-ben" in said

    mbl("event", "score", event, cwd=organiser)
    public = asked("event", "board", event, cwd=organiser)
    assert "private_board" not in public
    assert [line["state"] for line in public["public_board"]["submissions"]] == ["scored", "scored", "new"]
    shown = {row["submission"]["participant"]: row["submission"]["own_valid"] for row in public["public_board"]["rows"]}
    assert shown == {name: rounded(trial["scores"]["mean"]["valid"]["mae"]) for name, trial in tried.items()}

    # What participants and everybody else have holds no private target and no test score.
    public_bytes = everything(event / "kit", event / "board", tmp_path / "anna", tmp_path / "ben")
    assert [mark for mark in private_marks(event) if mark in public_bytes] == []
    shared = set(score_marks(event, "valid"))
    secret = [mark for part in ("hidden", "test") for mark in score_marks(event, part)]
    assert [mark for mark in secret if mark in public_bytes and mark not in shared] == []
    board = everything(event / "board")
    assert [mark for mark in shared if mark in board] == []
    assert b"hidden validation" in board
    assert b"own validation" in board
    private = everything(event / "private")
    assert [mark for mark in (*shared, *secret) if mark not in private] == []  # the search can find something

    closed(load_event(event))
    final = asked("event", "board", event, cwd=organiser)["private_board"]
    assert [row["rank"] for row in final["rows"]] == [1, 2]
    assert (event / "board" / "site" / "final.html").is_file()
    reference = reference_scores(tmp_path / "reference", event, {"Anna": anna_model, "Ben": ben_model})
    expected = {name: rounded(score) for name, score in reference.items()}
    assert {row["submission"]["participant"]: row["test"] for row in final["rows"]} == expected
    titles = {row["submission"]["title"] for row in final["rows"]}
    assert titles == {""}  # the kit's file has none that would stay


@pytest.mark.usefixtures("isolation")
def test_an_event_of_code(tmp_path: Path) -> None:
    organiser = tmp_path / "organiser"
    organiser.mkdir()
    own_data(organiser / "my.csv")
    mbl(
        *("event", "create", "gaps", "--data", "my.csv", "--target", "y", "--unit", "eV", "--mode", "code"),
        *("--inner-folds", 2, "--public", "bagged", "--final", "bagged"),
        *("--opening", "2026-01-01", "--closing", "2999-01-01"),
        cwd=organiser,
    )
    event = organiser / "gaps"
    anna, anna_model = participant(tmp_path / "anna", event / "kit", "Anna", LINE)
    ben, ben_model = participant(tmp_path / "ben", event / "kit", "Ben")
    carl, carl_model = participant(tmp_path / "carl", event / "kit", "Carl", LINE.replace("return model", "1 / 0"))
    for kit in (anna, ben, carl):
        mbl("event", "pack", "models/mine", cwd=kit)
    mbl("event", "receive", event, anna / "submission-mine.zip", carl_model, cwd=organiser)
    git("init", cwd=ben / "models")
    git("checkout", "-b", "ben", cwd=ben / "models")
    git("add", "mine", cwd=ben / "models")
    git("commit", "-m", "mine", cwd=ben / "models")
    mbl("event", "receive", event, ben / "models", "--branch", "ben", "--path", "mine", cwd=organiser)

    assert "--run-submitted-code" in mbl("event", "score", event, cwd=organiser, code=1)
    mbl("event", "score", event, "--run-submitted-code", "--jobs", 2, cwd=organiser, code=1)
    status = {each["participant"]: each for each in asked("event", "status", event, cwd=organiser)["submissions"]}
    assert {name: each["state"] for name, each in status.items()} == {
        "Anna": "scored",
        "Ben": "scored",
        "Carl": "error",
    }
    assert "ZeroDivisionError" in status["Carl"]["trace"]

    # The same as `mbl try` on the private data, which the organiser could run.
    tried = {
        name: asked(
            *("try", model, "--benchmark", event / "private" / "benchmark.toml", "--inner-folds", 2),
            *("--output", tmp_path / name),
            cwd=organiser,
        )[0]
        for name, model in (("Anna", anna_model), ("Ben", ben_model))
    }
    public = asked("event", "board", event, cwd=organiser)["public_board"]
    shown = {row["submission"]["participant"]: row["score"]["mean"] for row in public["rows"]}
    bagged = {name: trial["scores"]["bagged"] for name, trial in tried.items()}
    assert shown == {name: float(f"{scores['valid'][-1]['mae']:.4g}") for name, scores in bagged.items()}
    secret = asked("event", "board", event, "--private", cwd=organiser)["private_board"]
    ranked = {row["submission"]["participant"]: row["test"]["mean"] for row in secret["rows"]}
    assert ranked == {name: float(f"{scores['test'][-1]['mae']:.4g}") for name, scores in bagged.items()}

    # Nothing of it went where others look: not the targets, not the test scores, not what Carl's code said.
    public_bytes = everything(event / "kit", event / "board", tmp_path / "anna", tmp_path / "ben")
    assert [mark for mark in private_marks(event) if mark in public_bytes] == []
    assert [mark for part in ("valid", "test") for mark in score_marks(event, part) if mark in public_bytes] == []
    assert b"ZeroDivisionError" not in everything(event / "board")
    assert (event / "private" / "board" / "site" / "final.html").is_file()
    assert not (event / "board" / "site" / "final.html").exists()

    closed(load_event(event))
    (carl_model / "model.py").write_text(LINE)
    assert "late" in mbl("event", "receive", event, carl_model, cwd=organiser)
    said = mbl("event", "board", event, cwd=organiser)
    assert re.search("Private board: test scores on [0-9]+ rows", said)
    assert (event / "board" / "site" / "final.html").is_file()
