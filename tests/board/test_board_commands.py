"""`mbl leaderboard` and `mbl compare`: tables, CSV, JSON, and what is said when something is missing."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from matbench_lite.cli import output
from matbench_lite.cli.app import run


@pytest.fixture
def submissions(mini, noisy, once, monkeypatch) -> Path:
    """Three entries, to be looked at; what is computed of them is kept from test to test."""

    def build(folder: Path) -> None:
        noisy(mini, 0.1, algorithm="[bold]Good[/bold]").save(folder / "submissions" / "good")
        noisy(mini, 0.45, algorithm="Bad").save(folder / "submissions" / "bad")
        noisy(mini, 0.001, algorithm="Specialist", tasks=["mini_gap"]).save(folder / "submissions" / "specialist")

    folder = once("three-entries", build)
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(folder / "data"))
    return folder / "submissions"


@pytest.fixture(params=[80, 200])
def width(request, monkeypatch) -> int:
    monkeypatch.setattr(output.out, "_width", request.param)
    return request.param


def mbl(*arguments: object) -> int:
    return run([str(argument) for argument in arguments])


def test_the_task_board_fits_the_terminal_and_says_who_leads(submissions, capsys, width) -> None:
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "-t", "mini_gap") == 0
    printed = capsys.readouterr().out
    assert "mini_gap: Specialist leads, and is told apart from all others." in printed
    assert "[bold]Good[/bold]" in printed, "a stranger's markup is text"
    assert "MAE (eV)" in printed
    assert "verified: every score is computed from the predictions" in printed
    assert max(map(len, printed.splitlines())) <= width


def test_the_general_board_fits_the_terminal(submissions, capsys, width) -> None:
    assert mbl("leaderboard", "-b", "mini", "-s", submissions) == 0
    printed = capsys.readouterr().out
    assert "[bold]Good[/bold] is first over 3 tasks: geometric mean of scaled errors 0." in " ".join(printed.split())
    assert "Specialist" not in printed
    assert max(map(len, printed.splitlines())) <= width
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "--set", "all") == 0
    assert "is first over 7 tasks" in " ".join(capsys.readouterr().out.split())


def test_compare_fits_the_terminal(submissions, capsys, width) -> None:
    assert mbl("compare", submissions / "good", "bad", "-s", submissions) == 0
    printed = capsys.readouterr().out
    assert "7 tasks in common: good is better on 7, bad is better on 0." in printed
    assert max(map(len, printed.splitlines())) <= width


def test_compare_of_three_has_a_table_per_pair(submissions, capsys) -> None:
    assert mbl("compare", "good", "bad", "specialist", "-s", submissions) == 0
    printed = capsys.readouterr().out
    assert all(title in printed for title in ("good − bad", "good − specialist", "bad − specialist"))


def test_csv_has_every_digit(submissions, capsys) -> None:
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "-t", "mini_gap", "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["slug"] for row in rows] == ["specialist", "good", "bad"]
    assert len(rows[0]["score_mean"]) > 10
    assert rows[0]["p"] == ""
    assert mbl("compare", "good", "bad", "-s", submissions, "--csv") == 0
    assert len(list(csv.DictReader(io.StringIO(capsys.readouterr().out)))) == 7


def test_json_is_the_whole_board(submissions, capsys) -> None:
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "--json") == 0
    board = json.loads(capsys.readouterr().out)
    assert board["rows"][0]["tasks"]["mini_gap"]["leading"] is True
    assert board["best"][0]["slug"] == "good"
    assert mbl("compare", "good", "bad", "-s", submissions, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 7


def test_markdown_and_latex_have_what_the_terminal_shows(submissions, capsys) -> None:
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "-t", "mini_gap", "--csv") == 0
    (score, *_) = (float(row["score_mean"]) for row in csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "-t", "mini_gap", "--markdown") == 0
    markdown = capsys.readouterr().out
    assert "**Leaderboard of mini\\_gap**\n\n| rank | entry | places | MAE (eV) |" in markdown
    assert r"\[bold\]Good\[/bold\]" in markdown
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "-t", "mini_gap", "--latex") == 0
    latex = capsys.readouterr().out
    assert latex.startswith("\\begin{table}")
    (line,) = (line for line in latex.splitlines() if "Specialist" in line)
    assert f"1 & Specialist & 1 & {score:.1g}" in line
    assert r" $\pm$ " in line


def test_every_table_of_a_board_is_there(submissions, capsys) -> None:
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "--markdown") == 0
    printed = capsys.readouterr().out
    assert "The best general-purpose entry on each task" in printed
    assert "Ranks over 3 tasks" in printed
    assert "| rank | entry | scaled error (geometric mean, 95 %) | mean rank | tasks led |" in printed
    assert "| scaled error | log kvrh | gap |" in printed
    assert mbl("compare", "good", "bad", "specialist", "-s", submissions, "--latex") == 0
    assert capsys.readouterr().out.count("\\toprule") == 3


def test_scatter_of_folds_is_measured_for_the_file_of_a_benchmark(submissions, capsys) -> None:
    assert mbl("tasks", "mini_gap", "-b", "mini", "--measure-scatter", "-s", submissions) == 0
    told, line = capsys.readouterr().out.splitlines()
    assert told == "# mini_gap, measured on 3 entries"
    assert float(line.removeprefix("fold_scatter = ")) >= 1
    assert mbl("tasks", "-b", "mini", "--measure-scatter", "-s", submissions, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 7
    assert mbl("tasks", "matbench_steels", "--measure-scatter", "-s", submissions) == 1
    assert "matbench_steels is left out: there are no entries" in capsys.readouterr().err


def test_a_damaged_entry_is_left_out_named_and_fails(submissions, tmp_path, capsys) -> None:
    submissions = shutil.copytree(submissions, tmp_path / "submissions")
    (submissions / "bad" / "submission.json").write_text("{}")
    (submissions / "good" / "predictions.parquet").write_bytes(b"x")
    assert mbl("leaderboard", "-b", "mini", "-s", submissions, "-t", "mini_gap") == 1
    printed = capsys.readouterr()
    assert "Specialist is the only entry so far." in printed.out
    assert "good is left out" in printed.err


def test_entries_of_other_benchmarks_are_passed_over_and_nothing_is_an_answer_too(submissions, capsys) -> None:
    assert mbl("leaderboard", "-s", submissions) == 0
    assert "No general-purpose entry yet." in capsys.readouterr().out
    assert mbl("leaderboard", "-s", submissions, "-t", "matbench_steels") == 0
    assert "No entry yet." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["leaderboard", "--csv", "--json"], 2, "choose one of --csv and --json"),
        (["compare", "a", "b", "--json", "--markdown", "--latex"], 2, "choose one of --json, --markdown and --latex"),
        (["leaderboard", "-b", "mini", "-t", "mini_gab"], 2, "did you mean 'mini_gap'"),
        (["leaderboard", "-s", "nowhere"], 1, "there is no folder nowhere"),
        (["compare", "nobody", "nothing"], 1, "there is no folder submissions/nobody"),
        (["compare", "a", "a"], 2, "the same name"),
    ],
)
def test_wrong_use_is_explained(tmp_path, monkeypatch, capsys, arguments, code, message) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == code
    assert message in " ".join(capsys.readouterr().err.split())
