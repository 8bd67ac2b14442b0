"""The evaluation engine beside CCOBRA 1.5.0 on the same file, and what `--jobs 2` gains.

Run it with `python perf/evaluate.py`.
"""

from __future__ import annotations

import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

from peer import ROOT, Side, run
from report import Row, report

WORK = Path(__file__).parent / "work"
SETTINGS = ("prediction", "adaption", "coverage", "loo-coverage")
PEOPLE, TASKS = 100, 40
ROUNDS = 5
JOBS_ROUNDS = 3

MODEL = """
import ccobra


class Constant(ccobra.CCobraModel):
    def __init__(self, name="Constant"):
        super().__init__(name, ["syllogistic"], ["single-choice"])

    def predict(self, item, **kwargs):
        return [["NVC"]]
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        return report([*engine(folder), *jobs(folder)], peer="CCOBRA 1.5.0, or 1 job")


def engine(folder: Path) -> list[Row]:
    """Processor time by prediction, with a model that does nothing: the machine may be busy, it does not count.

    A process for every setting, as people use it: in one for all, a garbage collection of what the settings before have
    left behind falls on whichever comes last.
    """
    write_files(folder)
    sides: dict[Side, str] = {"peer": "ccobra_evaluation.py", "ours": "our_evaluation.py"}
    rounds = [
        {
            (side, setting): run(side, WORK / work, folder, setting)
            for setting in SETTINGS
            for side, work in sides.items()
        }
        for _ in range(ROUNDS)
    ]
    rows = []
    for what, bound in (("engine", Fraction(1, 10)), ("all", None)):
        for setting in SETTINGS:
            theirs, ours = ([each[side, setting][what] for each in rounds] for side in sides)
            name = "a prediction" if what == "engine" else "a prediction, reading included"
            rows.append(Row(work=f"{setting}: {name}", peer=theirs, ours=ours, unit="µs", bound=bound))
    return rows


def jobs(folder: Path) -> list[Row]:
    """Leave-one-group-out over 200 groups with a random forest: the whole program, with one process and with two.

    Beside the wall time, which counts on an idle machine alone, the processor time of all processes: what two cost more
    than one is what keeps them from being twice as fast.
    """
    source = {"task": "mini_log_kvrh", "group_by": "chemsys", "order": "random", "limit": {"groups": 200}}
    document = {
        "type": "prediction",
        "data.test": source,
        "data.pre_train": {"task": "mini_log_kvrh", "group_by": "chemsys"},
        "corresponding_data": True,
        "models": ["rf-magpie"],
    }
    (folder / "jobs.json").write_text(json.dumps(document))
    wall: dict[int, list[float]] = {1: [], 2: []}
    processor: dict[int, list[float]] = {1: [], 2: []}
    for number in range(JOBS_ROUNDS):
        for processes in wall:
            command = [sys.executable, "-c", "from matbench_lite.cli import main; main()", "evaluate", "jobs.json"]
            command += ["--jobs", str(processes), "--output", f"out-{number}-{processes}"]
            environment = os.environ | {"PYTHONPATH": str(ROOT), "MATBENCH_LITE_DATA": str(folder / "data")}
            began, used = time.perf_counter(), children_time()
            subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
            wall[processes].append(time.perf_counter() - began)
            processor[processes].append(children_time() - used)
    same = [(folder / f"out-0-{processes}" / "results.csv").read_bytes() for processes in wall]
    if same[0] != same[1]:
        raise SystemExit("one process and two give different results")
    work = "200 groups left out, two processes"
    return [
        Row(work=work, peer=wall[1], ours=wall[2], unit="s", bound=Fraction(5, 8)),
        Row(work=f"{work}: processor time", peer=processor[1], ours=processor[2], unit="s", bound=Fraction(5, 4)),
    ]


def children_time() -> float:
    """Processor time of all processes that this one has started and seen end, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_files(folder: Path) -> None:
    """A file in CCOBRA's format, one evaluation file per setting, and the model for either program."""
    rng = random.Random(0)
    quantifiers = ("All", "Some", "No", "Some not")
    choices = [f"{quantifier};{pair}" for quantifier in quantifiers for pair in ("a;c", "c;a")] + ["NVC"]
    with (folder / "data.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "sequence", "task", "choices", "response", "response_type", "domain", "age", "rt"])
        for person in range(PEOPLE):
            for sequence in range(TASKS):
                task = f"{rng.choice(quantifiers)};a;b/{rng.choice(quantifiers)};b;c"
                row = [person, sequence, task, "|".join(choices), rng.choice(choices), "single-choice", "syllogistic"]
                writer.writerow([*row, 20 + person % 40, round(rng.random() * 9, 3)])
    rows = (folder / "data.csv").read_text().splitlines(keepends=True)
    (folder / "few.csv").write_text("".join(rows[:9]))
    (folder / "theirs.py").write_text(MODEL)
    ours = MODEL.replace("import ccobra", "from matbench_lite import evaluate as ccobra").replace(
        "CCobraModel", "Model"
    )
    (folder / "ours.py").write_text(ours)
    few = {"type": "prediction", "data.test": "few.csv", "models": ["ours.py"]}
    (folder / "warm-up.json").write_text(json.dumps(few))
    for setting in SETTINGS:
        for side in ("theirs", "ours"):
            document = {
                "type": setting,
                "data.test": "data.csv",
                "data.pre_train": "data.csv",
                "models": [f"{side}.py"],
            }
            (folder / f"{side}-{setting}.json").write_text(json.dumps({**document, "corresponding_data": True}))


if __name__ == "__main__":
    sys.exit(main())
