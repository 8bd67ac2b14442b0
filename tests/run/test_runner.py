"""Running a model: going on, failing, being quick, and what the entry says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError, RunError, UnknownNameError
from matbench_lite.run import Plan, Step, load_model, run_model
from matbench_lite.run.official_test import note_official_test
from matbench_lite.run.unit import QUICK_ROWS, training_rows

WriteModel = Callable[..., Path]
BENCH = load_benchmark("mini")
TWO = ("mini_gap", "mini_is_ductile")


def plan(output: Path, model: str | Path = "dummy", **options: object) -> Plan:
    return Plan(**{"model": load_model(model), "benchmark": "mini", "output": output, "tasks": TWO} | options)


def values(folder: Path) -> dict[tuple[str, int], bytes]:
    submission = Submission.load(folder)
    return {
        (task.name, fold): held.predictions.prediction.tobytes()
        for task in submission.tasks
        for fold, held in submission.recorded(task.name).items()
    }


@pytest.mark.slow
def test_a_run_gives_an_entry_with_scores_times_code_and_provenance(tmp_path: Path) -> None:
    steps: list[Step] = []
    result = run_model(plan(tmp_path / "e", "ridge-magpie", workers=2), report=steps.append)
    assert (result.trained, result.kept, result.failed) == (10, 0, ())
    assert [step.done for step in steps] == list(range(1, 11))
    assert steps[-1].seconds_left == 0
    entry = Submission.load(tmp_path / "e")
    assert entry.algorithm == "Ridge on Magpie features"
    assert sorted(entry.complete_tasks) == sorted(TWO)
    assert {held.predictions.type for held in entry.recorded("mini_is_ductile").values()} == {"probability"}
    held = entry.recorded("mini_gap")[0]
    assert held.seconds is not None
    assert held.seconds > 0
    assert "SplineTransformer" in held.params["estimator"]
    assert "0x" not in held.params["estimator"]
    assert set(held.params["best_params"]) == {"alpha"}
    assert (tmp_path / "e" / "ridge_magpie.py").read_bytes() == load_model("ridge-magpie").files[0].read_bytes()
    assert "scikit-learn" in entry.provenance["packages"]
    assert entry.scores["mini_gap"].mae.mean < 1.2
    assert entry.metadata["run"]["seed"] == 0
    assert "quick" not in entry.metadata


def test_the_same_command_again_trains_nothing_and_saves_the_same(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model()
    run_model(plan(tmp_path / "e", model))
    before = (tmp_path / "e" / "submission.json").read_bytes()
    again = run_model(plan(tmp_path / "e", model))
    assert (again.trained, again.kept) == (0, 10)
    assert (tmp_path / "e" / "submission.json").read_bytes() == before


@pytest.mark.slow
def test_tasks_and_folds_can_be_added_later(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model(predict="return np.random.rand(len(X))")
    first = run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0, 3)))
    assert (first.trained, first.submission.complete_tasks) == (2, ())
    second = run_model(plan(tmp_path / "e", model))
    assert (second.trained, second.kept) == (8, 2)
    run_model(plan(tmp_path / "f", model))
    assert values(tmp_path / "e") == values(tmp_path / "f")


def test_what_was_recorded_is_not_trained_again(tmp_path: Path, write_model: WriteModel) -> None:
    count = tmp_path / "count"
    count.mkdir()
    model = write_model(fit=f"Path({str(count)!r}, str(time.time_ns())).touch()")
    run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(1, 2)))
    run_model(plan(tmp_path / "e", model, tasks=("mini_gap",)))
    assert len(list(count.iterdir())) == 5


def test_another_seed_or_changed_code_is_another_run(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model()
    run_model(plan(tmp_path / "e", model, folds=(0,)))
    with pytest.raises(RunError, match="its seed is 0, not 1"):
        run_model(plan(tmp_path / "e", model, seed=1))
    with pytest.raises(RunError, match="another run: not a quick one"):
        run_model(plan(tmp_path / "e", model, quick=True))
    with pytest.raises(RunError, match=r"its benchmark is mini, not matbench_v0\.1"):
        run_model(plan(tmp_path / "e", model, benchmark="matbench_v0.1", tasks=None))
    write_model(predict="return np.full(len(X), 3.0)")
    with pytest.raises(RunError, match="the model's code has changed since"):
        run_model(plan(tmp_path / "e", model, tasks=("mini_gap",)))
    result = run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0,), fresh=True))
    assert (result.trained, result.failed) == (1, ())
    assert np.array_equal(result.submission.recorded("mini_gap")[0].predictions.prediction, np.full(100, 3.0))


def test_the_entry_of_another_algorithm_is_not_written_over(tmp_path: Path) -> None:
    run_model(plan(tmp_path / "e", folds=(0,)))
    shutil.rmtree(tmp_path / "e" / ".run")
    with pytest.raises(EntryError, match="holds the entry of 'Dummy'"):
        run_model(plan(tmp_path / "e", "ridge-magpie"))


def test_a_second_run_in_the_same_folder_is_kept_out(tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "e" / ".run").mkdir(parents=True)
    with FileLock(tmp_path / "e" / ".run" / "lock"), pytest.raises(RunError, match="a run is going on"):
        run_model(plan(tmp_path / "e"))


def test_unknown_tasks_and_folds_are_refused_before_anything_is_trained(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="mini_gapp"):
        run_model(plan(tmp_path / "e", tasks=("mini_gapp",)))
    with pytest.raises(UnknownNameError, match="no fold 7"):
        run_model(plan(tmp_path / "e", folds=(7,)))
    with pytest.raises(RunError, match="takes structures, mini_gap has compositions"):
        run_model(plan(tmp_path / "e", "rf-structure", tasks=("mini_gap",)))
    assert not (tmp_path / "e").exists()


FAILURES = {
    "raises": ("raise RuntimeError('out of ideas')", "the model raised RuntimeError: out of ideas"),
    "nan": ("return np.full(len(X), np.nan)", "predictions of 100 of 100 rows are NaN"),
    "short": ("return np.zeros(len(X) - 1)", r"predictions have shape \(99,\), there are 100 rows"),
    "text": ("return ['metal'] * len(X)", "predictions are <U5"),
    "type": ("return {'a': 1}", r"predictions have shape \(\)"),
    "bool": ("return [True] * len(X)", "predictions are booleans"),
    "huge": ("return np.full(len(X), 1e200)", "too large to score"),
    "exit": ("os._exit(7)", "the process that trained it ended with exit code 7"),
    "killed": ("os.kill(os.getpid(), 9)", "the process that trained it was killed by SIGKILL"),
    "sysexit": ("raise SystemExit(3)", "the model raised SystemExit: 3"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_model_that_fails_on_one_task_keeps_the_others(tmp_path: Path, write_model: WriteModel, kind: str) -> None:
    predict, message = FAILURES[kind]
    model = write_model(predict=f"if self.task == 'classification': return [True] * len(X)\n        {predict}")
    steps: list[Step] = []
    result = run_model(plan(tmp_path / "e", model, folds=(1,)), report=steps.append)
    (failed,) = result.failed
    assert re.match(f"mini_gap fold 1: .*{message}", failed)
    assert result.submission.is_recorded("mini_is_ductile", 1)
    assert not result.submission.is_recorded("mini_gap", 1)
    assert Submission.load(tmp_path / "e").is_recorded("mini_is_ductile", 1)
    assert failed in result.log.read_text()


def test_a_traceback_and_what_the_model_prints_are_in_the_log(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model(fit="print('epoch 1'); raise RuntimeError('no convergence')")
    result = run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0,)))
    log = result.log.read_text()
    assert "epoch 1" in log
    assert "in fit" in log
    assert "RuntimeError: no convergence" in log
    assert result.folder is None, "there is nothing to save"
    run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0,)))
    assert result.log.read_text().startswith(log), "the log is kept"


@pytest.mark.slow
def test_a_model_that_never_ends_is_stopped_and_the_rest_goes_on(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model(
        fit="print('waiting')\n        while self.task == 'regression': time.sleep(0.1)",
        predict="return [True] * len(X)",
    )
    result = run_model(plan(tmp_path / "e", model, folds=(0,), timeout=6))
    assert result.failed == ("mini_gap fold 0: not done after 6 s, stopped",)
    assert "waiting" in result.log.read_text()
    assert result.submission.is_recorded("mini_is_ductile", 0)


def test_a_quick_run_is_marked_and_sees_few_rows(tmp_path: Path) -> None:
    result = run_model(plan(tmp_path / "e", quick=True))
    assert result.trained == 2, "one fold of each task"
    entry = Submission.load(tmp_path / "e")
    assert entry.metadata["quick"] is True
    assert entry.algorithm == "Dummy (quick)"
    assert "not for a leaderboard" in entry.description
    task = load_benchmark("matbench_v0.1")["matbench_glass"]
    rows = training_rows(task, 0, quick=True, seed=1)
    assert len(rows) == QUICK_ROWS
    assert set(rows) <= set(task.train_rows(0))
    assert np.array_equal(rows, training_rows(task, 0, quick=True, seed=1))
    assert not np.array_equal(rows, training_rows(task, 0, quick=True, seed=2))


def test_the_header_may_be_corrected_without_training_again(tmp_path: Path, write_model: WriteModel) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.move(write_model(), folder / "model.py")
    (folder / "about.toml").write_text('algorithm = "Mine"')
    run_model(plan(folder, folder, folds=(0,)))
    (folder / "about.toml").write_text('algorithm = "Ours"\nauthors = ["A. Name"]\nsingle_configuration = true')
    result = run_model(plan(folder, folder, folds=(0,)))
    assert result.trained == 0
    entry = Submission.load(folder)
    assert (entry.algorithm, entry.authors, entry.single_configuration) == ("Ours", ["A. Name"], True)


def test_a_look_at_the_official_test_part_is_in_the_provenance(tmp_path: Path) -> None:
    note_official_test(tmp_path / "e", BENCH["mini_gap"], 2)
    entry = run_model(plan(tmp_path / "e", folds=(0,))).submission
    assert [(use["task"], use["fold"], use["times"]) for use in entry.provenance["official_test"]] == [
        ("mini_gap", 2, 1)
    ]


def test_data_that_is_missing_fails_its_task_once(tmp_path: Path) -> None:
    options = {"benchmark": "matbench_v0.1", "tasks": ("matbench_steels",)}
    result = run_model(plan(tmp_path / "e", **options))
    (failed,) = result.failed
    assert failed.startswith("matbench_steels: the targets of matbench_steels are not on this machine")
    assert result.folder is None


def test_a_benchmark_of_the_users_own_is_run_by_its_file(tmp_path: Path, write_model: WriteModel) -> None:
    (tmp_path / "data.csv").write_text("id,formula,y\n" + "".join(f"r{n},Na{n}Cl,{n}.5\n" for n in range(1, 31)))
    bench = tmp_path / "own.toml"
    bench.write_text(
        'name = "own"\ntitle = "Own"\ndescription = "Mine."\n'
        '[[tasks]]\nname = "own_y"\ninput = "composition"\nkind = "regression"\ntarget = "y"\nunit = "eV"\n'
        'description = "y"\n[tasks.data]\npath = "data.csv"\nid = "id"\ninput = "formula"\ntarget = "y"\n'
    )
    planned = plan(tmp_path / "e", write_model(), benchmark=str(bench), tasks=None)
    result = run_model(planned)
    assert (result.trained, result.failed) == (5, ())
    assert run_model(planned).kept == 5


def test_a_model_that_changes_under_way_fails_by_name(tmp_path: Path, write_model: WriteModel) -> None:
    model = write_model()
    planned = plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0,))
    write_model(predict="return np.zeros(len(X))")
    result = run_model(planned)
    assert result.failed == ("mini_gap fold 0: the model 'model-a' was changed while it was in use",)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        run_model(plan(tmp_path / "file" / "e"))
