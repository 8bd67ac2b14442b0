"""A cluster's array job without any engine: folds trained by many programs into one folder, then gathered."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite import Submission
from matbench_lite.cli.app import run as mbl
from matbench_lite.errors import RunError, UnknownNameError
from matbench_lite.train import Journal, Plan, gather, load_model, run_model

from .conftest import RANDOM
from .test_runner import values

WriteModel = Callable[..., Path]
MBL = [sys.executable, "-c", "from matbench_lite.cli import main; main()"]


def plan(model: Path | str, output: Path, **options: object) -> Plan:
    return Plan(model=load_model(model), benchmark="mini", output=output, **options)


@pytest.mark.slow
def test_units_of_many_programs_at_once_are_the_entry_of_one_run(tmp_path: Path, write_model: WriteModel) -> None:
    model, folder = write_model(predict=RANDOM), tmp_path / "shared"
    command = [*MBL, "run", str(model), "-b", "mini", "-o", str(folder), "--unit"]
    programs = [
        subprocess.Popen([*command, f"mini_gap:{fold}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for fold in (0, 1, 2, 3, 4, 4)  # one of them twice, as a queue may do it
    ]
    for program in programs:
        _, said = program.communicate(timeout=300)
        assert program.returncode == 0, said
    done = subprocess.run([*MBL, "gather", str(folder), "--json"], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["missing"]) == (0, {})
    run_model(plan(model, tmp_path / "alone", tasks=("mini_gap",)))
    assert values(folder) == values(tmp_path / "alone")


def test_what_is_missing_is_said_and_a_run_goes_on_from_units(
    tmp_path: Path, write_model: WriteModel, capsys: pytest.CaptureFixture[str]
) -> None:
    model, folder = write_model(predict=RANDOM), tmp_path / "e"
    for fold in (0, 3):
        assert run_model(plan(model, folder), unit=f"mini_gap:{fold}").trained == 1
    assert run_model(plan(model, folder), unit="mini_gap:3").kept == 1
    submission, missing = gather(folder)
    assert missing == {"mini_gap": (1, 2, 4)}
    assert mbl(["gather", str(folder)]) == 1
    assert "mini_gap: folds 1, 2 and 4 are missing" in capsys.readouterr().err
    assert sorted(Submission.load(folder).recorded("mini_gap")) == sorted(submission.recorded("mini_gap")) == [0, 3]
    rest = run_model(plan(model, folder, tasks=("mini_gap",)))
    assert (rest.trained, rest.kept) == (3, 2)
    assert gather(folder)[1] == {}


def test_units_of_another_seed_are_kept_out(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model()
    run_model(plan(model, tmp_path / "e"), unit="mini_gap:0")
    with pytest.raises(RunError, match="its seed is 0, not 1"):
        run_model(plan(model, tmp_path / "e", seed=1), unit="mini_gap:1")
    model.write_text(model.read_text() + "# changed")
    with pytest.raises(RunError, match="has changed since"):
        gather(tmp_path / "e")


def test_gathering_executes_no_model(tmp_path: Path, write_model: WriteModel) -> None:
    mark = tmp_path / "executed"
    model = write_model()
    model.write_text(model.read_text() + f"Path({str(mark)!r}).touch()\n")
    run_model(plan(model, tmp_path / "e"), unit="mini_gap:0")
    mark.unlink()
    gather(tmp_path / "e")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("unit", "message"), [("mini_gap", "is no unit"), ("mini_gap:x", "is no unit"), (":1", "is no unit")]
)
def test_what_is_no_unit_is_named(tmp_path: Path, unit: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        run_model(plan("dummy", tmp_path / "e"), unit=unit)


def test_units_that_do_not_exist_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no fold 9"):
        run_model(plan("dummy", tmp_path / "e"), unit="mini_gap:9")
    with pytest.raises(UnknownNameError, match="mini_gapp"):
        run_model(plan("dummy", tmp_path / "e"), unit="mini_gapp:0")


@pytest.mark.parametrize("options", [{"fresh": True}, {"tasks": ("mini_gap",)}, {"folds": (0,)}])
def test_a_unit_says_itself_which_fold_it_is(tmp_path: Path, options: dict[str, object]) -> None:
    with pytest.raises(RunError, match="a unit is one fold"):
        run_model(plan("dummy", tmp_path / "e", **options), unit="mini_gap:0")


def test_there_must_be_something_to_gather(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="nothing was run in"):
        gather(tmp_path)


def test_a_run_that_is_going_on_is_not_gathered(tmp_path: Path, write_model: WriteModel) -> None:
    run_model(plan(write_model(), tmp_path / "e"), unit="mini_gap:0")
    with Journal(tmp_path / "e" / ".run" / "folds").locked(), pytest.raises(RunError, match="a run is going on"):
        gather(tmp_path / "e")
