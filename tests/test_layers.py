"""The house of DESIGN: a package imports only from lines above its own, and nothing heavy at import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "matbench_lite"

LAYERS = [
    {"_version", "errors", "atomic", "digits", "filenames", "filling", "progress"},
    {"git"},
    {"metrics", "stats"},
    {"tasks"},
    {"data"},
    {"submission"},
    {"matbench"},
    {"run", "board"},
    {"review"},
    {"site"},
    {"evaluate", "judge", "event"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
HEAVY = {
    "pymatgen", "matminer", "sklearn", "scipy", "matplotlib", "plotly", "dask", "mkdocs", "sympy",
}  # fmt: skip
ALLOWED_UPWARD = {("tasks/task.py", "data")}
"""`Task` is a plain record whose data methods look the data up inside the method."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def test_every_package_has_a_place_in_the_house() -> None:
    names = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    names = {name for name in names if name not in {"__init__", "py"}}
    assert names <= set(LEVEL), "a new package needs a line in LAYERS"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    own = relative.parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        for name in imported(node):
            parts = name.split(".")
            if parts[0] != "matbench_lite" or len(parts) < 2 or parts[1] not in LEVEL:
                continue
            if (relative.as_posix(), parts[1]) in ALLOWED_UPWARD:
                continue
            below = LEVEL[parts[1]] < LEVEL[own] or parts[1] == own
            assert below, f"{relative} imports {name}, which is not above it"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    if path.is_relative_to(PACKAGE / "run" / "baselines"):
        return  # model files as their users write them: nothing of ours imports them
    for node in ast.parse(path.read_text()).body:
        for name in imported(node):
            assert name.split(".")[0] not in HEAVY, f"{path.name} imports {name} at the top"


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, matbench_lite; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "pandas", "pyarrow", "rich", "typer", "monty", *HEAVY} & set(loaded)


def test_every_public_name_can_be_imported() -> None:
    import matbench_lite

    for name in matbench_lite.__all__:
        assert getattr(matbench_lite, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = matbench_lite.nothing_of_ours
