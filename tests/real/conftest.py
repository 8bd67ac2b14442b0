"""What the tests on real data share, made once per run: stores, and the ten real entries in our format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import matbench_lite

Once = Callable[[str, Callable[[Path], None]], Path]


def run_mbl(*arguments: object, data: Path) -> tuple[int, str, str]:
    """Run the program on a store: its exit code, and what it wrote."""
    root = Path(matbench_lite.__file__).parents[1]
    ended = subprocess.run(
        [sys.executable, "-c", "from matbench_lite.cli import main; main()", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(root), "MATBENCH_LITE_DATA": str(data), "MATBENCH_LITE_AUTOFETCH": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture(scope="session")
def mbl() -> Callable[..., tuple[int, str, str]]:
    return run_mbl


def filled_by(source: Path) -> Callable[[Path], None]:
    """A builder of a folder with a store, and what `mbl data add --json` said when it was filled."""

    def build(folder: Path) -> None:
        code, out, err = run_mbl("data", "add", source, "--json", data=folder / "store")
        assert (code, err) == (0, "")
        (folder / "said.json").write_text(out)

    return build


def parts_of(said: Path) -> dict[str, dict[str, bool]]:
    """By task, which parts were added and whether they are the published ones."""
    results: list[dict[str, Any]] = json.loads(said.read_text())
    return {result["task"]: result["parts"] for result in results}


@pytest.fixture(scope="session")
def targets_added(real_data: Path, once: Once) -> Path:
    """The folder of `real_store`, with what was said when it was filled."""
    return once("real-targets", filled_by(real_data / "matbench_v0.1" / "truth"))


@pytest.fixture(scope="session")
def originals_added(real_data: Path, once: Once) -> Path:
    """The folder of `original_store`, with what was said when it was filled."""
    return once("real-originals", filled_by(real_data / "matbench_v0.1" / "original"))


@pytest.fixture(scope="session")
def real_store(targets_added: Path) -> Path:
    """A store with the targets of all tasks, to be read."""
    return targets_added / "store"


@pytest.fixture(scope="session")
def original_store(originals_added: Path) -> Path:
    """A store with the targets and inputs of the tasks whose original files are there, to be read."""
    return originals_added / "store"


@pytest.fixture(scope="session")
def real_entries(real_data: Path, real_store: Path, once: Once) -> Path:
    """A folder with the ten real entries of Matbench's leaderboard, in our format."""
    from matbench_lite.matbench import read_results

    def build(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MATBENCH_LITE_DATA", str(real_store))
            for path in (real_data / "matbench_entries").glob("*/results.json.gz"):
                read_results(path).save(folder / slug_of(path.parent.name))

    return once("real-entries", build)


def slug_of(name: str) -> str:
    """The name of an entry's folder here, from that on Matbench's leaderboard."""
    return name.lower().replace("_", "-")
