"""Fixtures and rules shared by all tests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from .import_graph import PACKAGE, dependents

ROOT = Path(__file__).parent.parent
LONG = os.environ.get("MATBENCH_LITE_LONG") == "1"
"""Whether simulations and searches run at full length, and draw anew each time."""
LONGEST = ROOT / "tests" / "test_wheel.py"
"""Has the test that takes longest: the demo."""

# The one profile: no deadline, because machines are busy; the same examples in every run, unless asked for more.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=not LONG,
    database=None,
    max_examples=1000 if LONG else 40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")

# A shell starts programs in the background with Ctrl-C ignored, and so would be all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--package", metavar="NAME", help="only the tests of one package and of all that import it")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--package`: folders of tests, and of doctests, that cannot notice a change of that package."""
    name = config.getoption("--package")
    if name is None:
        return None
    if not ((PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()):
        raise pytest.UsageError(f"there is no package {name!r} in {PACKAGE.name}/")
    if collection_path.parent not in (PACKAGE, ROOT / "tests") or collection_path.name in ("browser", "real"):
        return None
    return True if collection_path.name.removesuffix(".py") not in _touched(name) else None


def _touched(name: str, known: dict[str, frozenset[str]] = {}) -> frozenset[str]:  # noqa: B006  once per run
    if name not in known:
        known[name] = dependents(name) | {"conftest", "import_graph", "test_layers"}
    return known[name]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is run only with `MATBENCH_LITE_LONG=1`: it is not skipped, it is another suite.

    The longest test comes first: as one of the last, it would run while the other processes have nothing left to do.
    """
    left_out = [] if LONG else [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: item.path != LONGEST)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Makes a folder once per run, for all its processes: what is dear to make is shared, and only looked at."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # each process has a folder of its own in it

    def make(name: str, build: Callable[[Path], None]) -> Path:
        folder = root / "shared" / name
        folder.parent.mkdir(exist_ok=True)
        with FileLock(folder.with_suffix(".lock")), pytest.MonkeyPatch.context() as patch:
            if not folder.with_suffix(".done").exists():
                patch.setenv("MATBENCH_LITE_DATA", str(root / "shared" / "data"))
                patch.setenv("MATBENCH_LITE_AUTOFETCH", "0")
                folder.mkdir()
                build(folder)
                folder.with_suffix(".done").touch()
        return folder

    return make


@pytest.fixture(scope="session")
def structure_features(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A data directory that has the structure features of mini_log_gvrh, which take seconds to compute."""

    def build(folder: Path) -> None:
        from matbench_lite import load_benchmark
        from matbench_lite.train import structure_array

        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MATBENCH_LITE_DATA", str(folder))
            structure_array(load_benchmark("mini")["mini_log_gvrh"].inputs)

    return once("structure-features", build)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real Matbench data; the test is skipped where there is none."""
    folder = Path(os.environ.get("MATBENCH_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "matbench_v0.1").is_dir():
        pytest.skip("no real Matbench data: MATBENCH_LITE_TEST_DATA names its folder")
    return folder


@pytest.fixture(scope="session")
def peers() -> Path:
    """The folder with matbench, CCOBRA and ramp-workflow, to be put on the path of a Python like this one."""
    folder = Path(sys.prefix) / "peers"
    if not folder.is_dir():
        pytest.skip("the systems that we compare with are not installed: `make test` does it")
    return folder


@pytest.fixture(scope="session")
def isolation() -> None:
    """Skips the test where there is no way to isolate submitted code."""
    from matbench_lite.train.sandbox import isolation_problem

    if problem := isolation_problem():
        pytest.skip(str(problem))


@pytest.fixture(autouse=True)
def data_directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has an empty data directory of its own and never reaches for the network."""
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(folder))
    monkeypatch.setenv("MATBENCH_LITE_AUTOFETCH", "0")
    monkeypatch.delenv("MATBENCH_LITE_MIRRORS", raising=False)
    return folder
