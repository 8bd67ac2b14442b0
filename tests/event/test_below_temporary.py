"""An event of code where everything lies below the folder for temporary files: Python, the package, home, the event."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

import matbench_lite
from matbench_lite.event import Event, ReceivedFolder, receive

from .making import write_model


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_an_event_is_scored_by_a_python_among_temporary_files(code_event: Event, tmp_path: Path) -> None:
    clone, home = tmp_path / "clone", tmp_path / "home"
    shutil.copytree(
        Path(matbench_lite.__file__).parent, clone / "matbench_lite", ignore=shutil.ignore_patterns("__pycache__")
    )
    home.mkdir()
    venv.create(tmp_path / "place" / "venv", with_pip=False, symlinks=True)
    (tmp_path / "link").symlink_to("place")  # the way that the organiser takes to it
    python = tmp_path / "link" / "venv" / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / "place" / "venv")}))
    (packages / "all.pth").write_text(f"{clone}\n{sysconfig.get_path('purelib')}\n")
    receive(code_event, write_model(tmp_path / "theirs"))

    command = [str(python), "-m", "matbench_lite", "event", "score", str(code_event.folder), "--run-submitted-code"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(tmp_path), "LANG": "C.UTF-8"}
    done = subprocess.run(command, env=environment, cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [each.state for each in ReceivedFolder(code_event).all()] == ["scored"]
