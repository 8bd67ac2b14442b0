"""The Python of an environment with CCOBRA 1.5.0: made if it is missing, and printed.

Run it with `python perf/ccobra_environment.py`. ccobra names no dependencies: NumPy and pandas are installed beside it,
in `.perf/ccobra`. `MATBENCH_LITE_CCOBRA` names the Python of an environment that is there already. The test that
compares both programs row by row asks here too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_HOME = ROOT / ".perf" / "ccobra"
_PACKAGES = ("ccobra==1.5.0", "numpy", "pandas")


def python() -> Path:
    """The Python of the environment.

    Raises:
        subprocess.CalledProcessError: If the packages cannot be installed, e.g. without a network.
    """
    if named := os.environ.get("MATBENCH_LITE_CCOBRA"):
        return Path(named).absolute()  # not resolved: the link is what makes it that environment's Python
    interpreter, installed = _HOME / "bin" / "python", _HOME / "installed"
    if not installed.exists():
        print(f"making an environment with {_PACKAGES[0]} in {_HOME.relative_to(ROOT)}", file=sys.stderr, flush=True)
        venv.create(_HOME, clear=True, with_pip=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", *_PACKAGES], check=True)
        installed.touch()
    return interpreter


if __name__ == "__main__":
    print(python())
