"""Submissions as strangers send them: folders, zip files (also such as no tool would write), git repositories."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder for targets, in which nothing is left when a submission is refused."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
