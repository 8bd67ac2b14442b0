"""The figures of the house: they may only get better."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent
DEEP, LONGEST = 1, 400
"""Imports that reach inside another package, and lines of the longest module: lower a bound when it falls."""
MODULES, MEDIAN, LINES = 260, 120, 44_100
"""At most so many modules, half of them of so many lines or more; so many lines in all: few rooms, one idea each.

It stood at 40,217 before the statistics came, which brought 1,600, and the signs of forgery, reproducing and what an
event's board tells, which brought 2,200: lower it when it falls."""
CHECK = 43
"""Files in which `mbl check` runs: what somebody reads who wants to know how an entry is checked."""


def load_house():
    spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "house.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def house():
    return load_house().survey()


def test_packages_are_used_through_their_doors(house) -> None:
    assert len(house.deep) == DEEP, "more: use the names in the package's __init__; fewer: lower the bound"


def test_no_module_is_too_long(house) -> None:
    assert {path: size for path, size in house.sizes.items() if size > LONGEST} == {}


def test_there_are_few_modules_and_no_two_of_one_name(house) -> None:
    assert len(house.sizes) <= MODULES
    assert median(house.sizes.values()) >= MEDIAN
    assert house.lines <= LINES
    assert house.twice == {}


def test_a_check_goes_through_few_files() -> None:
    files = load_house().check_entry(ROOT / "submissions" / "dummy").files
    assert {"check/verdicts.py", "submission/predictions_parquet.py", "airlock.py"} <= set(files)
    assert len(files) <= CHECK, files


def test_the_map_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    packages = {path.parent.name for path in (ROOT / "matbench_lite").glob("*/__init__.py")}
    assert {name for name in packages if name not in text} == set()


def test_measurements_and_scripts_import_what_there_is() -> None:
    files = [*(ROOT / "perf").rglob("*.py"), *(ROOT / "scripts").glob("*.py")]
    named = {
        (path.name, node.module, name.name)
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "matbench_lite"
        for name in node.names
    }
    assert named
    assert {each for each in named if not is_there(*each[1:])} == set()


def is_there(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}") is not None


def test_an_import_that_reaches_inside_is_counted(tmp_path: Path) -> None:
    package = tmp_path / "matbench_lite"
    for name, text in {
        "a/__init__.py": "",
        "a/inner.py": "",
        "b/__init__.py": "from matbench_lite.a.inner import x\nfrom matbench_lite.a import y\n",
        "b/other.py": "from matbench_lite.b.own import z\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    assert load_house().survey(package).deep == [("b/__init__.py", "matbench_lite.a.inner")]


def test_no_ten_lines_stand_twice() -> None:
    assert load_house().repeats() == []


def test_a_repeat_is_found(tmp_path: Path) -> None:
    lines = "".join(f"x{number} = {number}\n" for number in range(10))
    (tmp_path / "a.py").write_text(lines)
    (tmp_path / "b.py").write_text("def f():\n" + lines.replace("x", "    x"))
    assert load_house().repeats(tmp_path) == ["a.py:1 = b.py:2"]


def test_a_python_that_cannot_run_the_package_is_told_in_one_line(monkeypatch, capsys) -> None:
    house = load_house()
    monkeypatch.setattr(house, "_CHECK", "raise ModuleNotFoundError('no typer')")
    with pytest.raises(SystemExit, match=r"no typer.*use that of .venv"):
        house.main()
