"""Events on small data: made once per kind, copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite.event import Event, load_event

from .making import make_event


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    made: dict[tuple[str, str], Path] = {}

    def get(mode: str, task: str) -> Path:
        if (mode, task) not in made:
            folder = tmp_path_factory.mktemp("events") / "gaps"
            make_event(folder, mode=mode, task=task)
            made[mode, task] = folder
        return made[mode, task]

    return get


@pytest.fixture
def event(prepared: Callable[[str, str], Path], tmp_path: Path) -> Event:
    """An event to which predictions are sent."""
    shutil.copytree(prepared("predictions", "mini_gap"), tmp_path / "gaps")
    return load_event(tmp_path / "gaps")


@pytest.fixture
def code_event(prepared: Callable[[str, str], Path], tmp_path: Path) -> Event:
    """An event to which code is sent."""
    shutil.copytree(prepared("code", "mini_gap"), tmp_path / "code-gaps")
    return load_event(tmp_path / "code-gaps")
