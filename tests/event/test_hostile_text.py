"""Whatever somebody writes into a name, a title or a table: nothing of it reaches a terminal or a spreadsheet."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from matbench_lite.cli.app import run
from matbench_lite.event import Event, load_event, receive, table_source

from .making import Send, write_model

HOSTILE = "=cmd() <script>alert(1)</script> \u202eevil\x07\x1b[2J```python\nimport os\n```"
VISIBLE = "=cmd() <script>alert(1)</script> @SUM(A1)"
"""What a participant's name and title may have: what cannot be seen is refused when it arrives."""


def is_harmless(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


def test_title_and_description_of_an_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "gaps"
    options = ["--title", HOSTILE, "--description", HOSTILE, "--output", str(folder)]
    assert run(["event", "create", "gaps", "-b", "mini", "-t", "mini_gap", *options]) == 0
    assert load_event(folder).title == HOSTILE
    for command in (["status"], ["board", "--no-page"]):
        assert run(["event", command[0], str(folder), *command[1:]]) == 0
    said = capsys.readouterr()
    assert is_harmless(said.out)
    assert is_harmless(said.err)
    assert "<script>" in said.out
    assert is_harmless((folder / "kit" / "README.md").read_text())
    assert r"# \=cmd() &lt;script&gt;" in (folder / "kit" / "README.md").read_text()
    cells = json.loads((folder / "kit" / "start.ipynb").read_text())["cells"]
    assert not [cell for cell in cells if cell["cell_type"] == "code" and "import os\n" in cell["source"]]
    assert "<script>" not in "".join("".join(cell["source"]) for cell in cells)


@pytest.mark.slow
def test_names_and_titles_of_submissions(
    event: Event, send: Send, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = write_model(tmp_path / "mine", participant=VISIBLE)
    (model / "submission.toml").write_text(f'participant = "{VISIBLE}"\ntitle = "{VISIBLE}"\n')
    send(event, model)
    where = str(event.folder)
    assert run(["event", "score", where]) == 0
    assert run(["event", "board", where]) == 0
    assert run(["event", "status", where]) == 0
    said = capsys.readouterr()
    assert VISIBLE in said.out
    assert is_harmless(said.out + said.err)
    pages = [path.read_text() for path in (event.folder / "board" / "site").glob("*.html")]
    assert any("&lt;script&gt;alert(1)" in page for page in pages)
    assert not any("<script>alert(1)" in page for page in pages)


@pytest.mark.parametrize("place", ["participant", "title", "description", "\\u001b]0;evil\\u0007"])
def test_what_cannot_be_seen_is_refused_and_not_shown(
    place: str, event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = write_model(tmp_path / "mine")
    (model / "submission.toml").write_text(f'"{place}" = "\\u202eevil\\u0007\\u001b[2J"\n')
    assert run(["event", "receive", str(event.folder), str(model)]) == 1
    assert is_harmless(capsys.readouterr().err)
    assert not list((event.private / "received").glob("[0-9]*"))


def test_what_submitted_code_says_is_shown_without_being_obeyed(
    event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = write_model(tmp_path / "mine")
    (model / "predictions.csv").write_text("\x1b[2J\x07\u202efold,id\n1,2\n")
    receive(event, model)
    where = str(event.folder)
    assert run(["event", "score", where]) == 1
    assert run(["event", "status", where]) == 0
    said = capsys.readouterr()
    assert is_harmless(said.out + said.err)
    assert "has the columns" in said.out


def test_an_id_is_no_formula_in_the_kit(tmp_path: Path) -> None:
    ids = ["=cmd()", "@SUM(A1)", "\x07=1+1", "plain", *(f"row {number}" for number in range(96))]
    frame = pd.DataFrame({"name": ids, "formula": [f"Na{n}Cl{n + 1}" for n in range(1, 101)], "y": range(100)})
    frame.to_csv(tmp_path / "my.csv", index=False)
    source = table_source(tmp_path / "my.csv", target="y", input="composition", id="name", kind="regression")
    assert source.frame["id"].tolist()[:4] == ["'=cmd()", "'@SUM(A1)", "'=1+1", "plain"]
    options = ["--data", str(tmp_path / "my.csv"), "--target", "y", "--id", "name", "--inner-folds", "2"]
    assert run(["event", "create", "e", *options, "--output", str(tmp_path / "e")]) == 0
    for file in (tmp_path / "e").rglob("*.csv"):
        with file.open(newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "\x07"))]
