"""Running algorithms: resumable, in processes that can be stopped, measured by what they say and predict."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import matbench_lite.judge as judge_package
from matbench_lite.errors import JudgingError, MachineError, RunError
from matbench_lite.judge import Competition, TaskSource, judge, rule_set, run_algorithms
from matbench_lite.judge.competition import write_datasets
from matbench_lite.judge.expression import evaluate, parse
from matbench_lite.judge.judge_dataset import FORMULAS
from matbench_lite.judge.properties import PropertySpec
from matbench_lite.train import Journal, Resources, load_model

from .conftest import write_model

NAMES = ("saddle", "varshni")
NOISY = "self.mean += 0.01*np.random.normal()\nself.complexity_ = 1"


@pytest.fixture
def competition(datasets_folder) -> Competition:
    return Competition(folder=datasets_folder, names=NAMES, runs=2)


@pytest.fixture(scope="session")
def finished_run(once) -> Path:
    """A folder with a model, and `out`: its runs, two at a time. Nothing in them needs to be simplified."""

    def build(folder: Path) -> None:
        write_datasets(FORMULAS, folder / "datasets", seed=7)
        noisy = load_model(write_model(folder, "noisy", NOISY))
        competition = Competition(folder=folder / "datasets", names=NAMES, runs=2)
        seen = []
        ran = run_algorithms(
            [noisy], competition, folder / "out", resources=Resources(workers=2), report=lambda *step: seen.append(step)
        )
        assert (ran.trained, ran.kept, ran.failed, len(seen)) == (4, 0, 0, 4)

    return once("judged-run", build)


@pytest.fixture
def noisy(finished_run):
    return load_model(finished_run / "noisy.py")


@pytest.fixture
def out(finished_run, tmp_path) -> Path:
    """A copy of those runs."""
    shutil.copytree(finished_run / "out", tmp_path / "out")
    return tmp_path / "out"


def by_place(ran) -> dict[tuple[str, int], object]:
    return {(run.dataset, run.run): run for run in ran.runs}


def r2(truth, constant: float) -> float:
    return 1 - float(np.sum((truth - constant) ** 2) / np.sum((truth - truth.mean()) ** 2))


def test_a_run_is_trained_measured_and_kept(noisy, competition, out, datasets) -> None:
    kept = run_algorithms([noisy], competition, out)
    assert (kept.trained, kept.kept) == (0, 4)
    run = by_place(kept)["varshni", 1]
    assert run.components == 1.0
    assert len(run.predictions) == 200
    assert len(run.beyond) == 100
    assert run.r2 == pytest.approx(r2(datasets["varshni"].testing(1).y, run.predictions[0]))
    assert run.r2_train == pytest.approx(r2(datasets["varshni"].training(1).y, run.predictions[0]), abs=1e-9)
    assert run.asked == "extrapolation"
    assert (out / "results.csv").read_text().startswith("algorithm,dataset,run,r2")


@pytest.mark.slow
def test_what_was_stopped_goes_on_and_changes_begin_anew(noisy, competition, out) -> None:
    first = run_algorithms([noisy], competition, out)
    (journal,) = (out / ".run" / "runs").glob("*.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]) + lines[2][:40])  # stopped while it wrote
    second = run_algorithms([noisy], competition, out)
    assert (second.trained, second.kept) == (2, 2)
    assert [run.predictions for run in second.runs] == [run.predictions for run in first.runs]
    assert run_algorithms([noisy], replace(competition, seed=1, runs=1), out).trained == 2


def test_another_property_is_measured_without_training(noisy, competition, out) -> None:
    other = replace(competition, properties={"varshni": PropertySpec(kind="bounds", low=0.0)})
    ran = run_algorithms([noisy], other, out)
    assert ran.trained == 0
    assert by_place(ran)["varshni", 0].property_value == 1.0
    assert by_place(ran)["varshni", 0].asked == "bounds, 0 to any"


@pytest.mark.slow
def test_models_that_fail_are_named_and_tried_again(model, competition, tmp_path) -> None:
    bodies = {
        "raises": "raise ValueError('no way')",
        "silent": "",
        "liar": "self.expression_ = 'x1 + x2' if 'x1' in X else 'gap_0'",
        "hostile": "self.expression_ = '__import__(\"os\")'",
        "foreign": "self.expression_ = 'secret*2'",
        "declared": "self.complexity_ = 4000",
        "nan": "self.mean = float('nan')",
        "honest": "self.expression_ = repr(self.mean)",
    }
    models = [load_model(model(name, body)) for name, body in bodies.items()]
    alone = replace(competition, names=("saddle",), runs=1)
    ran = run_algorithms(models, alone, tmp_path / "out")
    reasons = {run.algorithm: run.flaw for run in ran.runs}
    expected = {
        "raises": "the model raised ValueError: no way",
        "silent": "no number for simplicity",
        "liar": "its formula is not its predictions",
        "hostile": "its formula is refused: not a formula",
        "foreign": "its formula is refused: 'secret' is neither",
        "nan": "NaN or infinite",
    }
    for name, part in expected.items():
        assert part in (reasons[name] or ""), name
    assert reasons["declared"] is reasons["honest"] is None
    components = {run.algorithm: run.components for run in ran.runs}
    assert (components["declared"], components["honest"]) == (4000, 1)
    assert ran.failed == len(expected)
    # Those whose training failed are tried again; the others are what they are.
    again = run_algorithms([item for item in models if item.name in ("raises", "liar")], alone, tmp_path / "out")
    assert (again.trained, again.kept) == (1, 1)


@pytest.mark.slow
def test_a_model_that_never_ends_is_stopped(model, competition, tmp_path) -> None:
    endless = load_model(model("endless", "time.sleep(600)"))
    ran = run_algorithms(
        [endless], replace(competition, names=("saddle",), runs=1), tmp_path / "out", resources=Resources(seconds=1)
    )
    assert "not done after 1 s, stopped" in (ran.runs[0].flaw or "")


def test_results_do_not_depend_on_the_number_of_processes(noisy, competition, out, tmp_path) -> None:
    two = run_algorithms([noisy], competition, out)
    one = run_algorithms([noisy], competition, tmp_path / "one")
    assert (one.trained, two.trained) == (4, 0)
    assert [run.predictions for run in one.runs] == [run.predictions for run in two.runs]
    assert len({run.predictions[0] for run in one.runs}) == 4  # every run has its own seed


@pytest.mark.slow
def test_the_baseline_of_the_gate_runs_by_itself(noisy, competition, tmp_path) -> None:
    rules = replace(rule_set("draft"), qualify="elastic-net")
    ran = run_algorithms([noisy], replace(competition, names=("varshni",), runs=1, rules=rules), tmp_path / "out")
    (baseline,) = (run for run in ran.runs if run.algorithm == "elastic-net")
    assert baseline.r2 > 0.9
    assert baseline.flaw is None
    with pytest.raises(JudgingError, match="no algorithm beats elastic-net"):
        judge(ran.runs, rules)


@pytest.mark.parametrize("gate", ["elastic-net", "linear", "dummy"])
def test_every_baseline_says_its_formula(gate, datasets) -> None:
    baseline = Path(judge_package.__file__).parent / "baselines" / f"{gate.replace('-', '_')}.py"
    dataset = datasets["hall_petch"]
    rows = dataset.training(0)
    estimator = load_model(baseline).estimator(dataset.task).fit(rows.X, rows.y)
    formula = parse(estimator.expression_, dataset.features)
    np.testing.assert_allclose(evaluate(formula, dataset.test.X), estimator.predict(dataset.test.X), rtol=1e-9)


def test_a_task_of_the_registry_with_features_or_with_formulas(model, tmp_path) -> None:
    takes_table = load_model(model("table", "assert 'Fe' in X.columns\nself.complexity_ = X.shape[1]"))
    takes_formulas = load_model(
        model("formulas", "assert X.iloc[0].isalnum()\nself.complexity_ = 1", head='input = "composition"')
    )
    source = TaskSource(name="mini_log_kvrh", benchmark="mini", features="elements")
    ran = run_algorithms([takes_table, takes_formulas], Competition(tasks=(source,), runs=1), tmp_path / "out")
    assert [run.flaw for run in ran.runs] == [None, None]
    assert len(ran.runs[0].predictions) == 100


def test_a_model_for_formulas_cannot_take_a_table(model, competition, tmp_path) -> None:
    chemist = load_model(model("chemist", "self.complexity_ = 1", head='input = "composition"'))
    ran = run_algorithms([chemist], replace(competition, runs=1, names=("saddle",)), tmp_path / "out")
    assert "takes a composition, saddle has columns of numbers" in ran.runs[0].flaw


def test_two_algorithms_of_one_name_and_a_folder_in_use_are_refused(noisy, competition, tmp_path) -> None:
    with pytest.raises(JudgingError, match="two algorithms 'noisy'"):
        run_algorithms([noisy, noisy], competition, tmp_path / "out")
    with Journal(tmp_path / "out" / ".run" / "runs").locked(), pytest.raises(RunError, match="a run is going on"):
        run_algorithms([noisy], competition, tmp_path / "out")
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match="cannot be written"):
        run_algorithms([noisy], competition, tmp_path / "file" / "out")
