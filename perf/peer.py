"""The two sides of a measurement: matbench 0.6 in an environment of its own, and this package.

Every script here makes the peer's environment if it is missing; `python perf/peer.py` does only that.
`MATBENCH_LITE_PEER` names the Python of an environment that is there already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any, Literal

Side = Literal["peer", "ours"]

ROOT = Path(__file__).resolve().parent.parent
_HOME = ROOT / ".perf" / "peer"
_PACKAGES = ("matminer", "pymatgen", "monty", "scikit-learn", "numpy", "pandas<3", "plotly", "psutil")
# Its own requirements pin versions that no current Python installs.
_PEER = "matbench==0.6"

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


def run(side: Side | Path, work: str | Path, *arguments: str | Path) -> dict[str, Any]:
    """Do some work in a new process of one side.

    Args:
        side: Whose Python runs it: one of the two sides, or the path of another one.
        work: A script, or a few lines of Python.
        arguments: Arguments of the script.

    Returns:
        Wall time of the whole process (`seconds`), its peak memory (`peak_mb`, MB), and the JSON object that the work
        printed as its last line, if it did.
    """
    program = [str(work)] if isinstance(work, Path) else ["-c", work]
    interpreter = side if isinstance(side, Path) else python(side)
    command = [str(interpreter), *program, *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=_environment(side),
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{side}: {' '.join(map(str, program))} failed\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    *printed, cost = done.stdout.splitlines()
    result = json.loads(printed[-1]) if printed and printed[-1].startswith("{") else {}
    return result | json.loads(cost)


def python(side: Side) -> Path:
    """The Python of one side; the peer's environment is made if it is not there."""
    if side == "ours":
        return Path(sys.executable)
    if named := os.environ.get("MATBENCH_LITE_PEER"):
        return Path(named).absolute()  # not resolved: the link is what makes it that environment's Python
    interpreter, installed = _HOME / "bin" / "python", _HOME / "installed"
    if not installed.exists():
        print(f"making an environment with {_PEER} in {_HOME.relative_to(ROOT)}: some minutes, once", flush=True)
        venv.create(_HOME, clear=True, with_pip=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *_PACKAGES], check=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "--no-deps", _PEER], check=True)
        installed.touch()
    return interpreter


def _environment(side: Side | Path) -> dict[str, str]:
    rest = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return rest | {"PYTHONPATH": str(ROOT)} if side == "ours" else rest


if __name__ == "__main__":
    print(python("peer"))
