"""When a training ends, in whatever way, nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ...waiting import wait_until
from .conftest import ATTACK, survivors

DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (0, 1, 2, 3):
            os.close(number)
        Path("up").touch()
        time.sleep(1000)
    os._exit(0)
subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(1000)", MARK], start_new_session=True)
while not Path("up").exists():
    time.sleep(0.01)
"""
# The kernel would end the worker with its parent; a hostile one asks it not to (PR_SET_PDEATHSIG, 1).
STAYING = "ctypes.CDLL(None).prctl(1, 0)\nos.fork()\nos.fork() or os.setsid()\ntime.sleep(1000)"
ORGANISER = """
from matbench_lite.train.sandbox.isolation import launched
from matbench_lite.train.sandbox.protocol import Limits
from matbench_lite.train.sandbox.sandbox_watch import Watch

with launched(Limits(), isolated=True, program={program!r}) as (process, results, orders):
    Watch(process, results, orders, b"job", limits=Limits(), longest=1000).until_the_end()
"""


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not-isolated"])
def test_daemons_end_with_an_honest_training(works: Callable[..., str], mark: str, isolated: bool) -> None:
    works(DAEMON, isolated=isolated)
    assert survivors(mark) == []


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_everything_ends_with_the_organiser(tmp_path: Path, mark: str, number: signal.Signals) -> None:
    program = ORGANISER.format(program=ATTACK.format(mark=mark, code=STAYING))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL, env=environment) as organiser:
        try:
            # The organiser's own command has the mark in it, too.
            wait_until(lambda: len(survivors(mark)) >= 5 or organiser.poll() is not None)
            assert organiser.poll() is None
        finally:
            organiser.send_signal(number)
    wait_until(lambda: survivors(mark) == [])
    assert list(tmp_path.iterdir()) == []
