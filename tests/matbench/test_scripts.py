"""A script written for Matbench runs after changing its import line, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.mark.slow
def test_a_script_runs_and_tells_what_it_does(targets, tmp_path) -> None:
    script = (SCRIPTS / "metadata.py").read_text().replace("from matbench.bench", "from matbench_lite.matbench")
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "model.py").write_text((SCRIPTS / "model.py").read_text())
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Recorded fold matbench_steels-4 successfully." in done.stdout
    assert "Fold number 0 already recorded! Aborting record..." in done.stdout
    assert "is valid: True" in done.stdout
