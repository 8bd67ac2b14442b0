"""`kill -9` in the middle of an add: the store is as before or as after, and the next add succeeds.

Half of the kills come at a step: when the process is about to open, rename or remove a file, or the like. That is where
a store could break, and it is the same step on every machine. The others come at a moment, whatever is done then.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ..conftest import LONG

ROWS = 3000 if LONG else 200
KILLS = 40 if LONG else 12

# Forks a new process for every line on standard input, so that each begins with everything imported and nothing read;
# kills it at the given step or after the given time, if any. Says how it ended, what it gave, and its number of steps.
FORKS = """
import json, os, signal, time, traceback, warnings
from pathlib import Path
import matbench_lite.data.original, matbench_lite.data.parquet, matbench_lite.data.structure_array, pymatgen.core
from matbench_lite.data import add, status
from matbench_lite.data.store import file_sha256, holdings

warnings.simplefilter("ignore")
steps, step = 0, None
task = bench.tasks[0]

def do(work, path):
    if work == "add":
        (added,) = add([path], bench, allow_unverified=True)
        assert added.error is None, added.error
        return
    held = holdings(task)
    assert all(part.sha256 == file_sha256(part.path) for part in held.values())
    return {
        "status": [[item.part, item.state, item.bytes, item.source] for item in status(bench)],
        "checksums": {part: item.sha256 for part, item in held.items()},
        "read": [task.targets["target"].sum(), task.inputs.iloc[-1].formula] if held else [],
    }

STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.truncate", "os.chmod", "os.utime", "os.link", "fcntl.flock"}

def count(event, arguments):
    global steps
    if event in STEPS:
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
        steps += 1

sys.addaudithook(count)

for line in sys.stdin:
    work, directory, path, step, seconds = json.loads(line)
    os.environ["MATBENCH_LITE_DATA"] = directory
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        steps = 0
        try:
            os.write(write, json.dumps([do(work, Path(path)), steps]).encode())
            os._exit(0)
        except BaseException:
            os.write(write, json.dumps([traceback.format_exc(), steps]).encode())
            os._exit(1)
    os.close(write)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(read) as stream:
        print(json.dumps([code, json.loads(stream.read() or "null")]), flush=True)
"""


class Forks:
    """Gives work on one data directory to new processes, one after the other."""

    def __init__(self, process: subprocess.Popen[str], directory: Path) -> None:
        self.process, self.directory = process, directory

    def __call__(
        self, work: str, path: Path | None = None, *, killed_at: int | None = None, killed_after: float | None = None
    ) -> Any:
        """What the work gave, and the number of its steps; None if it was killed."""
        order = [work, str(self.directory), str(path), killed_at, killed_after]
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        code, answer = json.loads(self.process.stdout.readline())
        killed = killed_at is not None or killed_after is not None
        assert code == 0 or (code == -signal.SIGKILL and killed), answer
        return answer


@pytest.mark.slow
def test_a_killed_add_leaves_the_store_before_or_after(start, synthetic, tmp_path):
    """Half of the adds begin with an empty store, half with other data that is to be replaced."""
    task, old = synthetic.publish(tmp_path, "matbench_mp_e_form", rows=ROWS)
    old = old.rename(tmp_path / "matbench_mp_e_form.old.json.gz")
    rows = [[synthetic.structure(row, pairs=16), synthetic.target(task, row) + 1] for row in range(ROWS)]
    path = synthetic.write_split(tmp_path / "matbench_mp_e_form.json.gz", ["structure", "e_form"], rows)
    # Neither is the published file: the later of the two stays.
    task = synthetic.replace(task, original=synthetic.replace(task.original, sha256="0" * 64), targets_sha256="0" * 64)
    with start(FORKS, bench=synthetic.benchmark(task)) as process:
        forks = Forks(process, tmp_path / "undisturbed")
        began = time.monotonic()
        _, steps = forks("add", path)
        seconds = time.monotonic() - began
        after, _ = forks("look")
        assert after["read"] == [pytest.approx(sum(value for _, value in rows)), "Sc16 Cl16"]
        assert steps > KILLS // 2

        outcomes = {"before": 0, "after": 0}
        for kill in range(KILLS):
            forks = Forks(process, tmp_path / f"killed-{kill}")
            if kill % 2:
                forks("add", old)
            before, _ = forks("look")
            assert before != after
            part = (kill // 4 * 4) / (KILLS - 4)  # of the way, from 0 to 1
            if kill % 4 < 2:
                forks("add", path, killed_at=round(part * (steps - 1)))
            else:
                forks("add", path, killed_after=part * 1.1 * seconds)
            found, _ = forks("look")
            assert found in (before, after)
            if kill % 4 < 2:
                outcomes["after" if found == after else "before"] += 1
            forks("add", path)
            assert forks("look")[0] == after
            named = {f"{task.name}.{part}.{sha256[:16]}.parquet" for part, sha256 in after["checksums"].items()}
            left = {file.name for file in (forks.directory / task.benchmark).iterdir()}
            assert left == named | {f"{task.name}.json", f"{task.name}.lock"}
        process.stdin.close()
    assert min(outcomes.values()) > 0, outcomes
