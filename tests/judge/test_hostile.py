"""Hostile formulas are refused with a clear message, in bounded time and memory; none of it is executed."""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.airlock import close
from matbench_lite.cli.app import run as run_command
from matbench_lite.errors import ExpressionError
from matbench_lite.judge import Run, measure, read_results
from matbench_lite.judge.expression import Simplifier, parse
from matbench_lite.judge.runs import write_lines, write_table

HOSTILE = {
    "import": ("__import__('os').system('touch OWNED')", "not a formula"),
    "attribute": ("x.__class__.__mro__", "not a formula"),
    "lambda": ("(lambda: x)()", "not a formula"),
    "call": ("x(1)", "not a formula"),
    "index": ("x[0]", "not a formula"),
    "text": ("'x'", "not a formula"),
    "keyword": ("x if x else x", "not a formula"),
    "walrus": ("(x := 1)", "not a formula"),
    "newline": ("x\nimport os", "not a formula"),
    "null": ("x\x00", "not a formula"),
    "unicode digits": ("１+x", "not a formula"),
    "unicode name": ("ｘ", "not a formula"),
    "brackets": ("(" * 9_000 + "x" + ")" * 9_000, "nested more than"),
    "functions": ("sin(" * 3_000 + "x" + ")" * 3_000, "nested more than"),
    "signs": ("-" * 19_000 + "x", "nested more than"),
    "powers of powers": ("x" + "**x" * 5_000, "nested more than"),
    "a million characters": ("x+" * 500_000 + "x", "characters, at most"),
    "many terms": ("x+" * 9_000 + "x", "more than 5000 parts"),
    "tower": ("9**9**9**9", "an exponent is larger"),
    "huge exponent": ("x**1e9", "an exponent is larger"),
    "hidden exponent": ("x**(10*10*10*10)", "an exponent is larger"),
    "nested exponents": ("(((x**90)**90)**90)**90", "to a power of more than 1000 in all"),
    "degree": ("*".join(["x**99"] * 40), "to a power of more than 1000 in all"),
    "huge constant": ("x + 10**99*10**99", "no real value up to 1e+100"),
    "exponential": ("exp(exp(exp(9)))", "no real value"),
    "infinity": ("1e999*x", "larger than 1e+100"),
    "digits": ("1" * 15_000, "15000 digits"),
    "division by zero": ("x/(3-3)", "no real value"),
    "imaginary": ("sqrt(-1)*x", "no real value"),
    "other names": ("x + secret", "'secret' is neither a feature nor a function"),
    "factorial": ("factorial(99999)", "neither a feature"),
    "nothing": ("", "something is missing"),
    "half": ("x +", "something is missing"),
}


@pytest.fixture(scope="module")
def hasty() -> Simplifier:
    return Simplifier(seconds=0.2)


@pytest.mark.parametrize(("text", "message"), HOSTILE.values(), ids=HOSTILE)
def test_it_is_refused_with_a_clear_message(text, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExpressionError) as refused:
        parse(text, ["x"])
    assert message in refused.value.message
    assert refused.value.fix
    assert len(str(refused.value)) < 400
    assert not list(tmp_path.iterdir())


def test_all_of_it_in_bounded_time_and_memory() -> None:
    """In a process that may have 20 s of the processor and 1 GB of addresses."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))

    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_hostile import HOSTILE\n"
        "from matbench_lite.errors import ExpressionError\n"
        "from matbench_lite.judge.expression.formula_grammar import parse\n"
        "for text, message in HOSTILE.values():\n"
        "    try:\n        parse(text, ['x'])\n"
        "    except ExpressionError as error:\n        assert message in error.message\n"
        "    else:\n        raise SystemExit(text[:50])\n"
        "print('refused', len(HOSTILE))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "OPENBLAS_NUM_THREADS": "1", "PATH": ""},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.strip() == f"refused {len(HOSTILE)}", ended.stderr


@given(st.text(alphabet="xy019.e+-*/^() _sinqrtlogpabE\n'[]{}=,", max_size=60))
def test_any_text_is_a_formula_or_is_refused(text) -> None:
    try:
        tree = parse(text, ["x", "y"])
    except ExpressionError:
        return
    assert tree.features <= {"x", "y"}


@pytest.mark.parametrize(
    "text",
    [
        "((x+y+1)**9)**9*((x-y)**9)**9",
        "x**y**x**y**x**y**x**y",
        "*".join(f"(x+y+{n})**30" for n in range(30)),
        "tan(" * 40 + "x" + ")" * 40,
        "(x+1)**99.5*(y+2)**99.25/(x-y)**98.75",
    ],
)
def test_what_is_allowed_but_nasty_is_counted_in_limited_time(text, hasty: Simplifier) -> None:
    """The limit is on the process that simplifies; the test would hang without it."""
    assert hasty.simplify(parse(text)).components > 10


def test_a_process_that_takes_all_memory_costs_no_result(airlock_process) -> None:
    simplifier = Simplifier()
    simplifier.simplify(parse("x + 23"))
    # Another limit for the running process: as if the formula had taken what there is.
    process = airlock_process()
    process.rlimit(resource.RLIMIT_AS, (2**27, 2**27))
    found = simplifier.simplify(parse("*".join(f"(x+y+{n})**30" for n in range(30))))
    assert found.components > 30
    close()  # what comes next needs memory


def test_a_run_with_a_hostile_formula_is_void_and_says_why(simplifier: Simplifier) -> None:
    run = Run(algorithm="a", dataset="d", run=0, r2=0.99, property_value=1.0, expression=HOSTILE["import"][0])
    found = measure(run, simplifier)
    assert found.flaw is not None
    assert found.flaw.startswith("its formula is refused: not a formula at character 1")


NASTY = "=cmd() [bold]<script>alert(1)</script> \x07\x1b[31m\u202e"


def test_text_of_strangers_does_nothing_in_the_terminal(tmp_path, capsys) -> None:
    """Names of algorithms and datasets, and why a run failed."""
    runs = {
        (name, f"d{NASTY}", run): Run(
            algorithm=name, dataset=f"d{NASTY}", run=run, r2=0.5, components=1, property_value=1, **more
        )
        for name in (NASTY, f"other {NASTY}")
        for run, more in enumerate(({}, {"problem": f"because {NASTY}"}))
    }
    write_lines(runs, {}, tmp_path / "results.jsonl")
    assert run_command(["judge", "rank", str(tmp_path), "--page", str(tmp_path / "page.html")]) == 0
    printed = capsys.readouterr().out
    for text in (printed, (tmp_path / "page.html").read_text()):
        assert not {"\x07", "\x1b", "\u202e"} & set(text)
    assert printed.count("[bold]<script>") > 5, "not taken for markup"
    assert "<script>alert" not in (tmp_path / "page.html").read_text()


def test_a_table_holds_no_formula_of_a_spreadsheet_and_is_read_as_it_was(tmp_path) -> None:
    runs = [
        Run(algorithm="=cmd()", dataset="d", run=0, r2=0.5, components=3, property_value=1, expression="-x1 + 2"),
        Run(algorithm="@SUM\x07(A1)\u202e", dataset="+d", run=0, r2=0.5, problem="- <script>"),
    ]
    path = tmp_path / "results.csv"
    write_table(runs, path)
    cells = [cell for line in csv.reader(path.read_text().splitlines()) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    again = {run.algorithm: run for run in read_results([path])}
    assert again["=cmd()"].expression == "-x1 + 2"
    assert again["@SUM(A1)"].dataset == "+d"
    assert again["@SUM(A1)"].problem == "- <script>"
