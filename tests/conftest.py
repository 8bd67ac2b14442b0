"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

# A shell starts programs in the background with Ctrl-C ignored, and so would be all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real Matbench data; the test is skipped where there is none."""
    folder = Path(os.environ.get("MATBENCH_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "matbench_v0.1").is_dir():
        pytest.skip(f"no real Matbench data in {folder}")
    return folder


@pytest.fixture(autouse=True)
def data_directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has an empty data directory of its own and never reaches for the network."""
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(folder))
    monkeypatch.setenv("MATBENCH_LITE_AUTOFETCH", "0")
    monkeypatch.delenv("MATBENCH_LITE_MIRRORS", raising=False)
    return folder
