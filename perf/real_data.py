"""Where the real Matbench data lies that measurements need."""

from __future__ import annotations

import os
from pathlib import Path

from peer import ROOT


def real_data() -> Path:
    """`MATBENCH_LITE_TEST_DATA`, or the folder beside the project; ends the program where there is none."""
    folder = Path(os.environ.get("MATBENCH_LITE_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        raise SystemExit(f"there is no real data in {folder}: set MATBENCH_LITE_TEST_DATA")
    return folder
