"""The two sides of a measurement: this Python with matbench 0.6 and CCOBRA 1.5.0 on its path, or with this package.

`make test` installs them beside the environment's own packages, in its folder `peers`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

Side = Literal["peer", "ours"]

ROOT = Path(__file__).resolve().parent.parent
_PEERS = Path(sys.prefix) / "peers"

# What a process costs is asked of a tiny parent: Linux counts the memory of whoever starts a program to that program.
_LAUNCHER = """
import json, os, sys, time
began = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - began
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({"seconds": seconds, "peak_mb": usage.ru_maxrss * unit / 1e6}), flush=True)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(side: Side, work: str | Path, *arguments: str | Path) -> dict[str, Any]:
    """Do some work in a new process of one side.

    Args:
        side: Which packages it finds.
        work: A script, or a few lines of Python.
        arguments: Arguments of the script.

    Returns:
        Wall time of the whole process (`seconds`), its peak memory (`peak_mb`, MB), and the JSON object that the work
        printed as its last line, if it did.
    """
    program = [str(work)] if isinstance(work, Path) else ["-c", work]
    command = [sys.executable, *program, *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(_path(side))},
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{side}: {' '.join(map(str, program))} failed\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    *printed, cost = done.stdout.splitlines()
    result = json.loads(printed[-1]) if printed and printed[-1].startswith("{") else {}
    return result | json.loads(cost)


def _path(side: Side) -> Path:
    if side == "ours":
        return ROOT
    if not _PEERS.is_dir():
        raise SystemExit(
            f"{_PEERS} is missing: run `make test`, or\n"
            f"{sys.executable} -m pip install --no-deps --target {_PEERS} matbench==0.6 ccobra==1.5.0"
        )
    return _PEERS
