"""Damage an entry in many ways and check what comes of it, in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from damage import CASES, EXECUTED

HERE = Path(__file__).parent


def check_all(sound: Path, home: Path, names: list[str]) -> dict:
    """Damage a copy of the entry in every way, and check them all in one new process."""
    folders = {}
    for number, name in enumerate(names):
        folder = shutil.copytree(sound, home / f"n{number}" / "entry")
        folders[name] = str(CASES[name].damage(folder) or folder)
    done = subprocess.run(
        [sys.executable, str(HERE / "check_worker.py")],
        input=json.dumps(folders, ensure_ascii=True),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(HERE.parent.parent)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not (home / EXECUTED).exists(), "something in an entry was executed"
    return json.loads(done.stdout)


def codes(found: dict) -> set[str]:
    assert "crash" not in found, found["crash"]
    return {finding["code"] for finding in found["findings"] if finding["severity"] != "note"}
