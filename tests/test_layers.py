"""The house of DESIGN: a package imports only from lines above its own, and nothing heavy at import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .import_graph import PACKAGE, imported, room, rooms_imported, sources

LAYERS = [
    {"_version", "errors", "atomic", "cleaner", "lazy", "memory", "progress", "text"},
    {"derived", "documents", "templating"},
    {"git"},
    {"metrics", "stats"},
    {"tasks"},
    {"data"},
    {"airlock"},
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
ALLOWED_UPWARD = {("tasks/task.py", "data")}
"""`Task` is a plain record whose data methods look the data up inside the method."""


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
        # Model files as their users write them, which nothing of ours imports.
        if not path.is_relative_to("train/baselines")
        for node in module.body
        for name in imported(node)
        if name.split(".")[0] in HEAVY
    ]
    assert wrong == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, matbench_lite; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "pandas", "pyarrow", "rich", "typer", "monty", *HEAVY} & set(loaded)


def test_a_check_loads_only_what_a_check_needs() -> None:
    code = (
        "import sys; from matbench_lite.cli.app import run; run(['check', sys.argv[1], '--json']);"
        "print(*{m.split('.')[1] for m in sys.modules if m.startswith('matbench_lite.')}, file=sys.stderr)"
    )
    entry = str(PACKAGE.parent / "submissions" / "dummy")
    ended = subprocess.run([sys.executable, "-c", code, entry], check=True, capture_output=True, text=True)
    loaded = set(ended.stderr.splitlines()[-1].split())
    assert "check" in loaded
    assert not {"board", "stats", "train", "review", "submit", "site", "evaluate", "judge", "event"} & loaded


def test_every_public_name_can_be_imported() -> None:
    import matbench_lite

    for name in matbench_lite.__all__:
        assert getattr(matbench_lite, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = matbench_lite.nothing_of_ours
