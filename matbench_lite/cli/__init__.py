"""The command line: thin modules, one per command; no logic.

They import other packages whole (`from matbench_lite import train`): what is behind a door is loaded when it is used.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run `mbl`: exit code 0 if all is fine, 1 for findings or failed work, 2 for wrong use."""
    from matbench_lite.cli.app import run

    sys.exit(run())
