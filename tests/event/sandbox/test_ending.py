"""When a training ends, in whatever way, nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import mean, survivors, train

pytestmark = pytest.mark.slow

DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (0, 1, 2, 3):
            os.close(number)
        time.sleep(1000)
    os._exit(0)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", MARK], start_new_session=True)
time.sleep(0.3)
"""
ORGANISER = """
from pathlib import Path
from matbench_lite import load_benchmark
from matbench_lite.event.sandbox import fit_contained

task = load_benchmark("mini")["mini_gap"]
fit_contained(Path({folder!r}), task, *task.train_data(0), [task.test_inputs(0)], seed=0, where="")
"""


@pytest.fixture(params=[True, False], ids=["isolated", "not-isolated"])
def isolated(request: pytest.FixtureRequest) -> bool:
    if request.param:
        request.getfixturevalue("isolation")
    return bool(request.param)


def test_daemons_end_with_an_honest_training(write: Callable[..., Path], mark: str, isolated: bool) -> None:
    assert set(train(write(fit=DAEMON), isolated=isolated).predicted[0].values) == {mean()}
    assert survivors(mark) == []


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_everything_ends_with_the_organiser(
    tmp_path: Path, write: Callable[..., Path], mark: str, number: signal.Signals
) -> None:
    # The kernel would end the worker with its parent; a hostile one asks it not to (PR_SET_PDEATHSIG, 1).
    folder = write(fit="ctypes.CDLL(None).prctl(1, 0)\nos.fork()\nos.fork() or os.setsid()\ntime.sleep(1000)")
    program = ORGANISER.format(folder=str(folder))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL, env=environment) as organiser:
        try:
            wait_until(lambda: len(survivors(mark)) >= 4)
        finally:
            organiser.send_signal(number)
    wait_until(lambda: survivors(mark) == [])
    assert [path.name for path in tmp_path.iterdir()] == ["submissions"]


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.1)
