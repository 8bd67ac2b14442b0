"""Running a model: going on, failing, being quick, and what the entry says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError, MachineError, RunError, UnknownNameError
from matbench_lite.train import Journal, Plan, Resources, Step, load_model, run_model
from matbench_lite.train.protocols import QUICK_ROWS, training_rows
from matbench_lite.train.trial_record import note_official_test

from .conftest import RANDOM, TWO

WriteModel = Callable[..., Path]
BENCH = load_benchmark("mini")


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
    result = run_model(plan(tmp_path / "e", "ridge-magpie"), report=lambda step, _: steps.append(step))
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


def test_the_same_command_again_trains_nothing_and_saves_the_same(random_entry: tuple[Path, Path]) -> None:
    model, entry = random_entry
    before = (entry / "submission.json").read_bytes()
    again = run_model(plan(entry, model))
    assert (again.trained, again.kept) == (0, 10)
    assert (entry / "submission.json").read_bytes() == before


@pytest.mark.slow
def test_tasks_and_folds_can_be_added_later_and_what_was_recorded_is_not_trained_again(
    tmp_path: Path, write_model: WriteModel, random_run: Path
) -> None:
    count = tmp_path / "count"
    count.mkdir()
    model = write_model(fit=f"print('began'); Path({str(count)!r}, str(time.time_ns())).touch()", predict=RANDOM)
    first = run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0, 3)))
    assert (first.trained, first.submission.complete_tasks) == (2, ())
    log = first.log.read_text()
    second = run_model(plan(tmp_path / "e", model))
    assert (second.trained, second.kept) == (8, 2)
    assert len(list(count.iterdir())) == 10
    assert values(tmp_path / "e") == values(random_run / "entry"), "as if it had been trained at once"
    assert second.log.read_text().startswith(log), "the log is kept"
    assert second.log.read_text().count("began") == 10


def test_another_seed_or_changed_code_is_another_run(random_entry: tuple[Path, Path]) -> None:
    model, entry = random_entry
    with pytest.raises(RunError, match="its seed is 0, not 1"):
        run_model(plan(entry, model, seed=1))
    with pytest.raises(RunError, match="another run: not a quick one"):
        run_model(plan(entry, model, quick=True))
    with pytest.raises(RunError, match=r"its benchmark is mini, not matbench_v0\.1"):
        run_model(plan(entry, model, benchmark="matbench_v0.1", tasks=None))
    model.write_text(model.read_text().replace(RANDOM, "return np.full(len(X), 3.0)"))
    with pytest.raises(RunError, match="the model's code has changed since"):
        run_model(plan(entry, model, tasks=("mini_gap",)))
    result = run_model(plan(entry, model, tasks=("mini_gap",), folds=(0,), fresh=True))
    assert (result.trained, result.failed) == (1, ())
    assert np.array_equal(result.submission.recorded("mini_gap")[0].predictions.prediction, np.full(100, 3.0))


def test_the_entry_of_another_algorithm_is_not_written_over(random_entry: tuple[Path, Path]) -> None:
    _, entry = random_entry
    shutil.rmtree(entry / ".run")
    with pytest.raises(EntryError, match="holds the entry of 'model-a'"):
        run_model(plan(entry, "ridge-magpie"))


FITTED = "Path({!r}).touch()"


@pytest.fixture
def never_fitted(tmp_path: Path, write_model: WriteModel) -> Iterator[Path]:
    """The folder of a model by B. Name, which no run may fit."""
    folder = tmp_path / "model-a"
    folder.mkdir()
    write_model(fit=FITTED.format(str(tmp_path / "fitted"))).rename(folder / "model.py")
    (folder / "about.toml").write_text('algorithm = "Forest"\nauthors = ["B. Name"]\n')
    yield folder
    assert not (tmp_path / "fitted").exists()


def saved_entry(folder: Path, **about: object) -> dict[str, bytes]:
    submission = Submission("mini", **{"algorithm": "Forest", "authors": ["A. Name"]} | about)
    for fold in range(5):
        submission.record("mini_gap", fold, np.zeros(100))
    submission.save(folder)
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({}, "holds the entry of A. Name, who made 'Forest'; here the authors are B. Name"),
        ({"algorithm": "Tree", "authors": ["B. Name"]}, "holds the entry of 'Tree' on 'mini'"),
        ({"authors": ["B. Name"], "imported": {"from": "matbench"}}, "was imported"),
    ],
)
def test_the_entry_of_somebody_else_is_named_before_anything_is_trained(
    tmp_path: Path, never_fitted: Path, about: dict[str, object], message: str
) -> None:
    before = saved_entry(tmp_path / "e", **about)
    for _ in range(2):  # the first must not leave anything that makes the second think that it is its own
        with pytest.raises(EntryError, match=message):
            run_model(plan(tmp_path / "e", never_fitted, tasks=("mini_gap",)))
    assert contents(tmp_path / "e") == before


def test_folds_that_would_be_lost_are_named_before_anything_is_trained(tmp_path: Path, never_fitted: Path) -> None:
    before = saved_entry(tmp_path / "e", authors=["B. Name"])
    for _ in range(2):
        with pytest.raises(EntryError, match="would be lost: mini_gap folds 1, 2, 3, 4"):
            run_model(plan(tmp_path / "e", never_fitted, tasks=("mini_gap",), folds=(0,)))
    assert contents(tmp_path / "e") == before


def test_a_run_goes_on_only_with_its_own_entry(random_entry: tuple[Path, Path]) -> None:
    """The folder has what the run recorded, but the entry in it is another's now: pulled, or copied there."""
    model, entry = random_entry
    other = Submission.load(entry)
    other.algorithm, other.metadata = "Other", {}
    other.save(entry, overwrite=True)
    before = contents(entry)
    with pytest.raises(EntryError, match="holds the entry of 'Other'"):
        run_model(plan(entry, model))
    assert contents(entry) == before


def test_a_fold_that_fails_does_not_take_away_the_one_that_was_there(tmp_path: Path, write_model: WriteModel) -> None:
    before = saved_entry(tmp_path / "e", algorithm="model-a", authors=[])
    once = tmp_path / "once"
    model = write_model(fit=f"Path({str(once)!r}).mkdir()")  # fails from the second fold on
    with pytest.raises(EntryError, match="would be lost: mini_gap folds 1, 2, 3, 4"):
        run_model(plan(tmp_path / "e", model, tasks=("mini_gap",)))
    assert contents(tmp_path / "e") == before


def test_a_second_run_in_the_same_folder_is_kept_out(tmp_path: Path) -> None:
    with Journal(tmp_path / "e" / ".run" / "folds").locked(), pytest.raises(RunError, match="a run is going on"):
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
    "short": ("return np.zeros(len(X) - 1)", "predictions have shape (99,), there are 100 rows"),
    "text": ("return ['metal'] * len(X)", "predictions are <U5"),
    "type": ("return {'a': 1}", "predictions have shape ()"),
    "bool": ("return [True] * len(X)", "predictions are booleans"),
    "huge": ("return np.full(len(X), 1e200)", "too large to score"),
    "exit": ("os._exit(7)", "the process that trained it ended with exit code 7"),
    "killed": ("os.kill(os.getpid(), 9)", "the process that trained it was killed by SIGKILL"),
    "sysexit": ("raise SystemExit(3)", "the model raised SystemExit: 3"),
}
"""What a model does instead of predicting, and what is said of it."""


@pytest.mark.slow
def test_a_model_that_fails_on_some_folds_keeps_the_others(tmp_path: Path, write_model: WriteModel) -> None:
    """A failure of its own in each of ten folds, told by the first row that is to be predicted; five folds are fine."""
    places = [(name, fold) for name in ("mini_gap", "mini_log_kvrh") for fold in range(5)]
    lines = ["print('epoch 1')"]
    for (name, fold), (code, _) in zip(places, FAILURES.values(), strict=True):
        lines.append(f"if X.index[0] == {str(BENCH[name].test_ids(fold)[0])!r}: {code}")
    model = write_model(predict="\n        ".join([*lines, "return [True] * len(X)"]))
    result = run_model(plan(tmp_path / "e", model, tasks=("mini_gap", "mini_log_kvrh", "mini_is_ductile")))
    log = result.log.read_text()
    for (name, fold), (_, message) in zip(places, FAILURES.values(), strict=True):
        (failed,) = (line for line in result.failed if line.startswith(f"{name} fold {fold}: "))
        assert message in failed
        assert failed in log
        assert not result.submission.is_recorded(name, fold)
    assert len(result.failed) == len(places)
    assert result.submission.complete_tasks == ("mini_is_ductile",)
    assert Submission.load(tmp_path / "e").complete_tasks == ("mini_is_ductile",)
    assert log.count("epoch 1") == 15, "what the model prints"
    assert "in predict" in log, "a traceback"
    assert "RuntimeError: out of ideas" in log


@pytest.mark.slow
def test_a_model_that_never_ends_is_stopped_and_the_run_goes_on(tmp_path: Path, write_model: WriteModel) -> None:
    """It never ends on any fold: how long one takes that does end is the machine's business."""
    model = write_model(fit="print('waiting')\n        while True: time.sleep(0.1)")
    result = run_model(plan(tmp_path / "e", model, tasks=("mini_gap",), folds=(0, 1), resources=Resources(seconds=2)))
    assert result.failed == tuple(f"mini_gap fold {fold}: not done after 2 s, stopped" for fold in (0, 1))
    assert "waiting" in result.log.read_text(), "what it printed; a busy machine may stop one of them before that"
    assert result.folder is None, "there is nothing to save"


def test_a_quick_run_is_marked_and_sees_few_rows(tmp_path: Path, write_model: WriteModel) -> None:
    result = run_model(plan(tmp_path / "e", write_model(), quick=True))
    assert result.trained == 2, "one fold of each task"
    entry = Submission.load(tmp_path / "e")
    assert entry.metadata["quick"] is True
    assert entry.algorithm == "model-a (quick)"
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


def test_a_look_at_the_official_test_part_is_in_the_provenance(random_entry: tuple[Path, Path]) -> None:
    model, folder = random_entry
    note_official_test(folder, BENCH["mini_gap"], 2)
    entry = run_model(plan(folder, model)).submission
    assert [(use["task"], use["fold"], use["times"]) for use in entry.provenance["official_test"]] == [
        ("mini_gap", 2, 1)
    ]


def test_data_that_is_missing_fails_its_task_once(tmp_path: Path) -> None:
    options = {"benchmark": "matbench_v0.1", "tasks": ("matbench_steels",)}
    result = run_model(plan(tmp_path / "e", **options))
    (failed,) = result.failed
    assert failed.startswith("matbench_steels: the targets of matbench_steels are not on this machine")
    assert result.folder is None


@pytest.mark.slow
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
    with pytest.raises(MachineError, match="cannot be written"):
        run_model(plan(tmp_path / "file" / "e"))
