"""What the tests of the data share: synthetic files, a server that fails, other processes."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import matbench_lite

ROOT = Path(matbench_lite.__file__).parents[1]

# The first argument is a file with pickled objects: the variables of the code that follows.
_PRELUDE = "import pickle, sys; globals().update(pickle.load(open(sys.argv[1], 'rb')))\n"


def _by_path(name: str) -> ModuleType:
    # pytest's import mode "importlib" leaves the tests' folder off sys.path.
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    """Small files that look like the published ones; see `synthetic.py`."""
    return _by_path("synthetic")


@pytest.fixture(scope="session")
def bad_server() -> ModuleType:
    """An HTTP server that fails; see `bad_server.py`."""
    return _by_path("bad_server")


@pytest.fixture
def start(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.Popen[str]]:
    """Run code in another process of its own, with the given objects as variables."""

    def start(code: str, *, environment: dict[str, str] | None = None, **variables: Any) -> subprocess.Popen[str]:
        pickled = tmp_path_factory.mktemp("child") / "variables.pickle"
        pickled.write_bytes(pickle.dumps(variables))
        return subprocess.Popen(
            [sys.executable, "-c", _PRELUDE + code, str(pickled)],
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start
