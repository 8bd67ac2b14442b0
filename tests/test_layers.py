"""The house of DESIGN: a package imports only from lines above its own, and nothing heavy at import."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from matbench_lite.lazy import listed

from .import_graph import PACKAGE, imported, room, rooms_imported, sources

LAYERS = [
    {"_version", "errors", "atomic", "cleaner", "lazy", "memory", "progress", "text"},
    {"derived", "documents", "templating"},
    {"git", "airlock"},
    {"metrics", "stats"},
    {"tasks"},
    {"data"},
    {"submission"},
    {"matbench"},
    {"train", "board"},
    {"run"},  # the old name of what model files import
    {"check"},
    {"view"},
    {"review"},
    {"submit"},
    {"site"},
    {"evaluate", "judge", "event"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
HEAVY = {
    "pymatgen", "matminer", "sklearn", "scipy", "matplotlib", "plotly", "dask", "mkdocs", "sympy",
}  # fmt: skip
LOADED_BY_OTHERS = ("train/baselines", "judge/baselines", "judge/expression/formula_algebra.py")
"""Model files as their users write them, and what the airlock's process loads: no process of ours imports them."""
ALLOWED_UPWARD = {("tasks/task.py", "data")}
"""`Task` is a plain record whose data methods look the data up inside the method."""
DOORS = {
    path: names for path in sources() if path.stem == "__init__" and (names := listed((PACKAGE / path).read_text()))
}
"""The public names of packages, by the path of the `__init__`."""


def test_every_package_has_a_place_in_the_house() -> None:
    names = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    names = {name for name in names if name not in {"__init__", "py"}}
    assert names <= set(LEVEL), "a new package needs a line in LAYERS"


def test_imports_go_one_way() -> None:
    wrong = [
        f"{path} imports {name}, which is not above it"
        for path, module in sources().items()
        if path != Path("__init__.py")
        for target, name in rooms_imported(module)
        if target in LEVEL and target != room(path) and LEVEL[target] >= LEVEL[room(path)]
        if (path.as_posix(), target) not in ALLOWED_UPWARD
    ]
    assert wrong == []


def test_heavy_packages_are_imported_inside_functions() -> None:
    wrong = [
        f"{path} imports {name} at the top"
        for path, module in sources().items()
        if not any(path.is_relative_to(place) for place in LOADED_BY_OTHERS)
        for node in module.body
        for name in imported(node)
        if name.split(".")[0] in HEAVY
    ]
    assert wrong == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, matbench_lite; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "pandas", "pyarrow", "rich", "typer", "monty", *HEAVY} & set(loaded)


def test_judging_leaves_algebra_to_the_airlock() -> None:
    code = """import sys; from matbench_lite.judge.expression import Simplifier, parse
print(Simplifier().simplify(parse("x + x")).text, "sympy" in sys.modules)"""
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert loaded == ["2*x", "False"]


def test_a_check_loads_only_what_a_check_needs() -> None:
    code = (
        "import sys; from matbench_lite.cli.app import run; run(['check', sys.argv[1], '--json']);"
        "print(*{m.split('.')[1] for m in sys.modules if m.startswith('matbench_lite.')}, file=sys.stderr)"
    )
    entry = str(PACKAGE.parent / "submissions" / "dummy")
    ended = subprocess.run([sys.executable, "-c", code, entry], check=True, capture_output=True, text=True)
    loaded = set(ended.stderr.splitlines()[-1].split())
    assert "check" in loaded
    assert not {"board", "train", "review", "submit", "site", "evaluate", "judge", "event"} & loaded


@pytest.mark.parametrize("door", DOORS, ids=str)
def test_every_public_name_can_be_imported(door: Path) -> None:
    package = import_module(".".join(("matbench_lite", *door.parent.parts)))
    names = DOORS[door]
    assert dir(package) == package.__all__ == sorted(names)
    assert all(getattr(package, name) is not None for name in names)
    # Importing such a module would put it in the place of what the package offers under that name.
    assert not {path.stem for path in (PACKAGE / door).parent.iterdir()} & set(names)


def test_a_name_that_a_package_does_not_have() -> None:
    import matbench_lite

    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = matbench_lite.nothing_of_ours
    with pytest.raises(ImportError, match="nothing_of_ours"):
        from matbench_lite.metrics import nothing_of_ours  # noqa: F401


def test_all_names_at_once() -> None:
    names: dict[str, object] = {}
    exec("from matbench_lite.metrics import *", names)
    assert names["mae"]([1.0], [2.0]) == 1.0
