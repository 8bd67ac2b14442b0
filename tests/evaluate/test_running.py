"""Processes, interruptions, earlier results, models that fail: the figures stay the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from matbench_lite.errors import EvaluationError, RunError
from matbench_lite.evaluate import evaluate
from matbench_lite.train import Resources

from ..waiting import wait_until

THREADS = """
import os
from matbench_lite.evaluate import Model

class Threads(Model):
    def predict(self, item, **columns):
        return float(os.environ["OMP_NUM_THREADS"])
"""
FOREST = """
import numpy as np
from sklearn.base import BaseEstimator

class Forest(BaseEstimator):
    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.full(len(X), float(self.n_jobs))

def get_estimator():
    return Forest()
"""
EATING = """
import time
from matbench_lite.evaluate import Model

class Eating(Model):
    def predict(self, item, **columns):
        self.food = b"1" * 10**9
        time.sleep(600)
"""

ROOT = Path(__file__).parents[2]
COUNTING = """
import os
import random
import time
from pathlib import Path
import numpy as np
from matbench_lite.evaluate import Model

PARENT = os.getppid()

class Counting(Model):
    def __init__(self, name="counting", start=0.0):
        super().__init__(name)

    def start_participant(self, **about):
        with open("calls.txt", "a") as stream:
            stream.write(f"{about['id']}\\n")
        if "HOLD" in os.environ and about["id"] >= "g06":
            while os.getppid() == PARENT:  # a worker whose program was killed has another one
                time.sleep(0.05)

    def predict(self, item, **columns):
        return random.random() + np.random.random()
"""
GUESS = """
import numpy as np

class Guess:
    def fit(self, X, y):
        self.shift = np.random.random()
        return self

    def predict(self, X):
        return self.shift + np.random.random(len(X))

def get_estimator():
    return Guess()
"""
HEADER = "id,sequence,task,choices,response,response_type,domain\n"


@pytest.fixture
def many(folder):
    """Twelve groups of three rows, and a model that notes which it has begun."""
    rows = [f"g{group:02},{row},t{row},,{group + row},free,d" for group in range(12) for row in range(3)]
    folder.write("many.csv", HEADER + "\n".join(rows) + "\n")
    folder.write("counting.py", COUNTING)
    folder.calls = lambda: (folder.path / "calls.txt").read_text().split()
    return folder


def same(first, second) -> bool:
    columns = ["model", "id", "sequence", "prediction", "score"]
    return first.table[columns].equals(second.table[columns])


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["adaption", "loo-coverage"])
def test_the_number_of_processes_does_not_matter(many, setting) -> None:
    many.write("guess.py", GUESS)
    path = many.file(
        type=setting, data_test="many.csv", models=["counting.py", "mean.py", "guess.py"], data_pre_train="many.csv",
        corresponding_data=True,
    )  # fmt: skip
    one, two = evaluate(path), evaluate(path, resources=Resources(workers=2))
    assert all(model.error is None for model in one.models.values())
    assert same(one, two)


def test_workers_must_be_there() -> None:
    with pytest.raises(RunError, match="0 pieces cannot be done at a time; give 1 or more workers"):
        Resources(workers=0)


def test_what_is_done_is_not_done_again(many, tmp_path) -> None:
    path = many.file(data_test="many.csv", models=["counting.py"])
    said: list[str] = []
    first = evaluate(path, output=tmp_path / "out", announce=said.append)
    assert len(many.calls()) == 12
    assert said == []
    second = evaluate(path, output=tmp_path / "out", announce=said.append)
    assert len(many.calls()) == 12
    assert said == ["counting: 12 of 12 pieces were done by an earlier run"]
    assert same(first, second)
    assert same(first, evaluate(path, output=tmp_path / "out", restart=True))
    assert len(many.calls()) == 24


def test_a_line_that_was_cut_off_is_done_again(many, tmp_path) -> None:
    path = many.file(data_test="many.csv", models=["counting.py"])
    first = evaluate(path, output=tmp_path / "out")
    (state,) = (tmp_path / "out" / ".evaluate").glob("*.jsonl")
    state.write_bytes(state.read_bytes()[:-40])
    assert same(first, evaluate(path, output=tmp_path / "out"))
    assert many.calls()[12:] == ["g11"]
    assert same(first, evaluate(path, output=tmp_path / "out"))
    assert len(many.calls()) == 13


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sign", "jobs", "code"),
    [(signal.SIGINT, 1, 130), (signal.SIGKILL, 1, -signal.SIGKILL), (signal.SIGKILL, 2, -signal.SIGKILL)],
)
def test_a_run_that_was_stopped_goes_on(many, tmp_path, sign, jobs, code) -> None:
    """Stopped by hand, or killed without a chance to say anything: what was kept is not done again."""
    path = many.file(data_test="many.csv", models=["counting.py"])
    # What is done is kept every now and then: here, at once.
    at_once = "import matbench_lite.evaluate.evaluation_run as running; running._KEEP_EVERY = 0"
    program = [sys.executable, "-c", f"{at_once}; from matbench_lite.cli import main; main()"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOLD": "from g06 on"}
    command = [*program, "evaluate", str(path), "--output", str(tmp_path / "out"), "--jobs", str(jobs)]
    # No pipe: workers of a killed run hold it open until they notice.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, **quiet)
    wait_until(lambda: kept(tmp_path / "out") >= 4)
    before = kept(tmp_path / "out")
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(sign)
    assert process.wait(timeout=300) == code
    wait_until(lambda: all(map(gone, children)))
    said: list[str] = []
    results = evaluate(path, output=tmp_path / "out", announce=said.append)
    (line,) = said
    done = int(line.removeprefix("counting: ").split(" of 12 pieces were done by an earlier run")[0])
    assert before <= done < 12
    assert same(results, evaluate(path))


def gone(process: psutil.Process) -> bool:
    """Whether it has ended; the system may be late to take notice."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def kept(output: Path) -> int:
    """Pieces that are on disk."""
    return sum(path.read_text().count('"piece"') for path in (output / ".evaluate").glob("*.jsonl"))


def test_earlier_results_of_the_same_model_are_taken(many, tmp_path) -> None:
    evaluate(many.file(data_test="many.csv", models=["counting.py"]), output=tmp_path / "first")
    path = many.file(data_test="many.csv", models=["mean.py", "counting.py"])
    results = evaluate(path, output=tmp_path / "second", cache=tmp_path / "first")
    assert len(many.calls()) == 12
    assert sorted(results.models) == ["counting", "mean"]
    evaluate(path, cache=tmp_path / "first" / "results.csv")
    assert len(many.calls()) == 12


@pytest.mark.parametrize("change", ["code", "seed", "data", "type", "args", "comparator"])
def test_earlier_results_of_anything_else_are_not(many, tmp_path, change) -> None:
    evaluate(many.file(data_test="many.csv", models=["counting.py"]), output=tmp_path / "out")
    changes: dict[str, object] = {"data_test": "many.csv", "models": ["counting.py"]}
    if change == "code":
        many.write("counting.py", COUNTING + "\n# better\n")
    elif change == "data":
        many.write("many.csv", (many.path / "many.csv").read_text().replace(",11,free", ",12,free"))
    elif change == "args":
        changes["models"] = [{"filename": "counting.py", "args": {"start": 0.001}}]
    else:
        changes[change] = {"seed": 1, "type": "adaption", "comparator": "squareddiff"}[change]
    evaluate(many.file(**changes), cache=tmp_path / "out")
    assert len(many.calls()) == 24


def test_a_cache_without_results(many, tmp_path) -> None:
    with pytest.raises(EvaluationError, match=r"there are no earlier results in .*; give an output folder"):
        evaluate(many.file(), cache=tmp_path / "nothing")


BROKEN = """
from matbench_lite.evaluate import Model

class Broken(Model):
    def predict(self, item, **columns):
        return {"Al2O3": 1.0, "AlO": 1.0}[item.task_str]
"""


def test_one_model_that_raises_does_not_lose_the_others(folder) -> None:
    folder.write("broken.py", BROKEN)
    folder.write("missing.py", "import a_package_that_nobody_has")
    folder.write(
        "init.py",
        """
        from matbench_lite.evaluate import Model
        class Init(Model):
            def __init__(self):
                raise RuntimeError("no licence")
        """,
    )
    folder.write("leaving.py", "import sys\nsys.exit('not today')")
    folder.write("quitting.py", BROKEN.replace("Broken", "Quitting").replace("return {", "raise SystemExit({") + ")")
    models = ["broken.py", "missing.py", "init.py", "leaving.py", "quitting.py", "mean.py"]
    results = folder.run(models=models)
    assert list(results.models) == ["mean", "Broken", "missing", "init", "leaving", "Quitting"]
    failures = {name: model.error for name, model in results.models.items() if model.error}
    assert failures["Broken"].startswith(
        "Broken failed in predict, group 'b', sequence 0, task 'Fe2O3': KeyError: 'Fe2O3'"
    )
    assert "return {" in results.models["Broken"].traceback, "the line that failed"
    assert "a_package_that_nobody_has" in failures["missing"]
    assert "no licence" in failures["init"]
    assert "SystemExit: not today" in failures["leaving"]
    assert failures["Quitting"].startswith(
        "Quitting failed in predict, group 'a', sequence 0, task 'Al2O3': SystemExit"
    )
    assert set(results.table["model"]) == {"mean"}


DYING = """
import os
from matbench_lite.evaluate import Model

class Dying(Model):
    def predict(self, item, **columns):
        os.kill(os.getpid(), 9)
"""


@pytest.mark.slow
def test_a_model_that_fails_in_another_process(folder) -> None:
    folder.write("broken.py", BROKEN)
    folder.write("dying.py", DYING)
    path = folder.file(models=["broken.py", "dying.py", "mean.py"])
    results = evaluate(path, resources=Resources(workers=2))
    assert "KeyError: 'Fe2O3'" in results.models["Broken"].error
    assert "was killed by SIGKILL" in results.models["Dying"].error
    assert same(results, evaluate(folder.file(models=["mean.py"])))


def test_the_number_of_fits_is_said_before(many) -> None:
    said: list[str] = []
    results = evaluate(many.file(type="loo-coverage", data_test="many.csv"), announce=said.append)
    assert results.models["mean"].error is None
    assert said == ["mean: loo-coverage needs 36 fits, about 1 s"]


def test_large_groups_are_done_in_pieces_in_loo_coverage(folder) -> None:
    folder.write("large.csv", HEADER + "".join(f"g,{row},t,,{row},free,d\n" for row in range(70)))
    results = folder.run(type="loo-coverage", data_test="large.csv")
    total = sum(range(70))
    # The mean of 0.0 and of all other rows.
    assert list(results.table["prediction"]) == pytest.approx([(total - row) / 70 for row in range(70)])


def test_models_work_in_their_own_folder_and_leave_no_trace(many) -> None:
    before = (Path.cwd(), list(sys.path))
    many.run(data_test="many.csv", models=["counting.py"])
    assert (Path.cwd(), list(sys.path)) == before


def test_copies_of_a_model_share_nothing(folder) -> None:
    folder.write(
        "slots.py",
        """
        from matbench_lite.evaluate import Model
        class Slots(Model):
            __slots__ = ("seen", "me")
            def __init__(self):
                super().__init__("slots")
                self.seen = []
                self.me = self
            def adapt(self, item, target, **columns):
                self.seen.append(target)
            def predict(self, item, **columns):
                assert self.me is self
                return len(self.seen)
        class State(Slots):
            def __getstate__(self):
                return {"seen": self.seen}
            def __setstate__(self, state):
                self.seen, self.me, self.name, self.supported_domains = state["seen"], self, "state", None
                self.supported_response_types = None
        """,
    )
    models = [{"filename": "slots.py", "classname": name} for name in ("Slots", "State")]
    results = folder.run(type="adaption", notes=True, models=models)
    for name in ("slots", "slots'"):
        assert results.models[name].error is None, results.models[name].error
        predictions = results.table["prediction"][results.table["model"] == name]
        assert list(predictions) == [0, 1, 0, 1, 0]


def test_the_file_as_plain_data(many, tmp_path) -> None:
    from matbench_lite.evaluate import save_results

    results = many.run(data_test="many.csv", models=["counting.py"])
    save_results(results, tmp_path / "out")
    assert json.loads((tmp_path / "out" / "scores.json").read_text())["counts"]["groups"] == 12


@pytest.mark.slow
def test_models_get_threads_and_are_stopped_above_their_memory(folder) -> None:
    folder.write("threads.py", THREADS)
    folder.write("forest.py", FOREST)
    folder.write("eating.py", EATING)
    data = {"data_test": {"task": "mini_gap", "group_by": "fold", "limit": 60}, "type": "coverage"}
    path = folder.file(models=["threads.py", "eating.py", "forest.py"], **data)
    results = evaluate(path, resources=Resources(threads=3, memory_mb=900))
    assert "it took more than 900 MB of memory, stopped" in results.models["Eating"].error
    given = results.table.groupby("model")["prediction"].unique().to_dict()
    assert {name: values.tolist() for name, values in given.items()} == {"Threads": [3.0], "forest": [3.0]}
