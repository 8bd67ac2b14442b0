"""The figures of the house: they may only get better."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
DEEP, LONGEST = 110, 400
"""Imports that reach inside another package, and lines of the longest module: lower a bound when it falls."""


def load_house():
    spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "house.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module
    spec.loader.exec_module(module)
    return module


def test_packages_are_used_through_their_doors() -> None:
    house = load_house().survey()
    assert len(house.deep) == DEEP, "more: use the names in the package's __init__; fewer: lower the bound"


def test_no_module_is_too_long() -> None:
    house = load_house().survey()
    assert {path: size for path, size in house.sizes.items() if size > LONGEST} == {}


def test_the_map_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    packages = {path.parent.name for path in (ROOT / "matbench_lite").glob("*/__init__.py")}
    assert {name for name in packages if name not in text} == set()


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
