"""The wheel: small, only our package in it, and it works where there is nothing else of ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from functools import partial
from pathlib import Path

import pytest

from .conftest import LONG
from .whole_site import Once

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(once: Once) -> Path:
    (built,) = once("wheel", _build).glob("*.whl")
    return built


def _build(folder: Path) -> None:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="module")
def program(wheel: Path, once: Once) -> Path:
    """`mbl` of the wheel in a new environment; the dependencies are those of this one."""
    return once("environment", partial(_install, wheel)) / "bin" / "mbl"


def _install(wheel: Path, folder: Path) -> None:
    venv.create(folder, with_pip=False, symlinks=True)
    scheme = {"base": str(folder), "platbase": str(folder)}
    site_packages = Path(sysconfig.get_path("purelib", vars=scheme))
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder / "bin" / "python"),
        "install",
        "--no-deps",
        "--no-index",
        "--disable-pip-version-check",
        str(wheel),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    if not LONG:
        _shorten(site_packages / "matbench_lite")


def _shorten(package: Path) -> None:
    """Leave of the demo what the wheel is needed for: both kinds of features and a ranking, few trees in a forest."""
    changes = {
        "cli/site_commands.py": (r'"dummy", "ridge-magpie", ', "", 1),
        "train/baselines/rf_magpie.py": (r"n_estimators=\d+", "n_estimators=10", 2),
        "train/baselines/rf_structure.py": (r"n_estimators=\d+", "n_estimators=10", 2),
    }
    for name, (old, new, times) in changes.items():
        text, changed = re.subn(old, new, (package / name).read_text())
        assert changed == times, name
        (package / name).write_text(text)


def run(program: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MATBENCH"))}
    environment |= {"MATBENCH_LITE_DATA": str(folder / "no-such-data"), "HOME": str(folder)}
    done = subprocess.run(
        [str(program), *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def in_browser(page: Path, folder: Path) -> str:
    """What a page has become when a real browser has opened it from its folder."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = os.environ.get("CHROMIUM") or next((found for name in names if (found := shutil.which(name))), None)
    assert browser, "the test needs Chromium: `make browser` installs it"
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
    command = [browser, *flags, f"--user-data-dir={folder / 'browser'}", "--dump-dom", page.as_uri()]
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_it_is_small_and_holds_only_the_package(wheel) -> None:
    assert wheel.stat().st_size < 2_000_000
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "matbench_lite",
        next(n.split("/")[0] for n in names if ".dist-info" in n),
    }
    assert not [name for name in names if "/test" in name.lower() or name.endswith((".pyc", ".tmp"))]
    shipped = {
        "matbench_lite/py.typed",
        "matbench_lite/submission/submission.schema.json",
        "matbench_lite/tasks/mini.toml",
    }
    assert shipped <= set(names)


def test_it_lists_the_tasks_in_an_empty_folder(program, tmp_path) -> None:
    assert "matbench_mp_e_form" in run(program, tmp_path, "tasks").stdout
    assert run(program, tmp_path, "--version").stdout.startswith("matbench_lite ")


def test_the_demo_does_the_whole_job_offline(program, tmp_path, tmp_path_factory) -> None:
    done = run(program, tmp_path, "demo", "--jobs", "1")  # two at a time would compute the same features, both
    assert "mini_is_stable" in done.stdout
    entries = sorted(path.name for path in (tmp_path / "mbl-demo" / "submissions").iterdir())
    assert entries == (
        ["dummy", "rf-magpie", "rf-structure", "ridge-magpie"] if LONG else ["rf-magpie", "rf-structure"]
    )
    # A folder of a short name: the path of the browser's socket has at most 107 bytes.
    page = in_browser(tmp_path / "mbl-demo" / "site" / "index.html", tmp_path_factory.mktemp("b"))
    assert "Random forest on Magpie features" in page
    assert "Sort by mean rank" in page, "the script that makes tables sort has run"
    assert (
        f"{len(entries)} entries"
        in run(program, tmp_path, "check", *(f"mbl-demo/submissions/{name}" for name in entries)).stdout
    )
    scored = run(program, tmp_path, "score", *(f"mbl-demo/submissions/{name}" for name in entries))
    assert scored.stdout.count("mean ± std") == len(entries)
