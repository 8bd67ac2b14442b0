"""Running the real program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

import matbench_lite
from matbench_lite.cli.app import run
from matbench_lite.cli.output import out

ROOT = Path(matbench_lite.__file__).parents[1]
PROGRAM = [sys.executable, "-c", "from matbench_lite.cli import main; main()"]


class Ended(NamedTuple):
    """How the program ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return orjson.loads(self.out)


@pytest.fixture
def mbl(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run `mbl` in this process."""
    monkeypatch.setattr(out, "width", 200)

    def mbl(*arguments: object) -> Ended:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Ended(code, *capsys.readouterr())

    return mbl


@pytest.fixture
def process() -> Callable[..., Ended]:
    """Run `mbl` in a process of its own; keywords are environment variables."""

    def process(*arguments: object, stdout: Any = subprocess.PIPE, **environment: str) -> Ended:
        # pytest-xdist sets the width of a terminal that there is not.
        inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        ended = subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            env={**inherited, "PYTHONPATH": str(ROOT), **environment},
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout or "", ended.stderr)

    return process
