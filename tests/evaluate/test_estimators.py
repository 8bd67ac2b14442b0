"""Baselines and `get_estimator` files as models of an evaluation."""

from __future__ import annotations

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import EvaluationWarning
from matbench_lite.evaluate import evaluate, parse_evaluation
from matbench_lite.train import Resources

GAP = {"task": "mini_gap", "group_by": "fold"}
FOREST = """
from sklearn.dummy import DummyRegressor

def get_estimator(task):
    assert task.kind == "regression"
    return DummyRegressor(strategy="median")
"""


def test_leaving_out_the_folds_of_the_benchmark_is_its_cross_validation(folder, mean_of) -> None:
    """The same rows in the same folds: the same errors as by hand."""
    results = folder.run(data_test=GAP, data_pre_train=GAP, corresponding_data=True, models=["dummy"], comparator=None)
    task = load_benchmark("mini")["mini_gap"]
    errors = [np.abs(task.test_targets(fold) - task.train_data(fold)[1].mean()) for fold in task.folds]
    assert mean_of(results, "dummy") == pytest.approx(np.concatenate(errors).mean())


def test_a_trained_model_is_used_for_all_groups(folder, mean_of) -> None:
    results = folder.run(notes=True, data_test=GAP, data_pre_train=GAP, models=["dummy"], comparator=None)
    values = load_benchmark("mini")["mini_gap"].target_values
    assert mean_of(results, "dummy") == pytest.approx(np.abs(values - values.mean()).mean())


def test_a_file_with_get_estimator_learns_after_every_label(folder) -> None:
    folder.write("median_model.py", FOREST)
    data = {"task": "mini_gap", "group_by": "n_elements", "limit": {"rows_per_group": 12, "groups": 1}}
    results = folder.run(type="adaption", data_test=data, models=["median_model.py"], comparator=None)
    truth = [record.targets["response"] for rows in results.plan.test.values() for record in rows]
    expected = [
        0.0,
        *(np.mean(truth[:seen]) for seen in range(1, 5)),
        *(np.median(truth[:seen]) for seen in range(5, 12)),
    ]
    assert list(results.table["prediction"]) == pytest.approx(expected)
    assert list(results.models) == ["median-model"]


def test_rows_from_a_file_are_formulas(folder) -> None:
    """Ridge on Magpie features of the task's text; every row is left out in turn."""
    rows = load_benchmark("mini")["mini_gap"].targets.iloc[:12]
    lines = [f"g,{number},{row.formula},real,{row.target},free,gap" for number, row in enumerate(rows.itertuples())]
    folder.write("gaps.csv", "id,sequence,task,choices,response,response_type,domain\n" + "\n".join(lines) + "\n")
    results = folder.run(type="loo-coverage", data_test="gaps.csv", models=["ridge-magpie", "dummy"])
    assert all(model.error is None for model in results.models.values())
    predicted = results.table.groupby("model")["prediction"]
    assert (predicted.nunique() == 12).all(), "each from other rows"
    assert predicted.std()["ridge-magpie"] > 2 * predicted.std()["dummy"], "and of its formula"


def test_labels(folder) -> None:
    data = {"task": "mini_is_ductile", "group_by": "fold", "limit": {"rows_per_group": 30}}
    train = {"task": "mini_is_ductile", "group_by": "fold"}
    results = folder.run(
        data_test=data,
        data_pre_train=train,
        corresponding_data=True,
        notes=True,
        models=["ridge-magpie", "dummy"],
        comparator=None,
    )
    assert list(results.models) == ["ridge-magpie", "dummy"]
    assert set(results.table["prediction"]) == {"True", "False"}


def test_one_class_alone_is_predicted_without_training(folder) -> None:
    lines = [f"g,{number},Fe{number + 1}O,x,True,verify,stable" for number in range(8)]
    folder.write("true.csv", "id,sequence,task,choices,response,response_type,domain\n" + "\n".join(lines) + "\n")
    results = folder.run(type="coverage", data_test="true.csv", models=["ridge-magpie"], comparator="equality")
    assert results.models["ridge-magpie"].scores["response"].mean == 1


def test_words_cannot_be_learned(folder) -> None:
    header = "id,sequence,task,choices,response,response_type,domain\n"
    folder.write("words.csv", header + "g,0,FeO,x|y,x,single-choice,d\ng,1,FeO,x|y,y,single-choice,d\n")
    failure = (
        folder.run(type="coverage", data_test="words.csv", models=["dummy"], comparator=None).models["dummy"].error
    )
    assert "a model with get_estimator learns numbers or true and false, not 'x'" in failure


def test_a_model_of_structures_on_compositions_is_named(folder) -> None:
    results = folder.run(
        type="coverage",
        data_test={"task": "mini_gap", "group_by": "fold", "limit": 10},
        models=["rf-structure"],
        comparator=None,
    )
    assert "takes structures, mini_gap has compositions" in results.models["rf-structure"].error


def test_an_estimator_takes_no_arguments(folder) -> None:
    from matbench_lite.errors import EvaluationError

    folder.write("median_model.py", FOREST)
    with pytest.raises(EvaluationError, match=r"models/0/args: \{'a': 1\} is not allowed: median_model.py has get_est"):
        folder.run(models=[{"filename": "median_model.py", "args": {"a": 1}}])


def test_an_estimator_without_training_data_is_named(tmp_path) -> None:
    data = {"task": "mini_gap", "group_by": "fold", "limit": {"groups": 2}}
    (tmp_path / "known.py").write_text(
        "from matbench_lite.evaluate import Model\n\n\n"
        "class Known(Model):\n    def predict(self, item, **columns):\n        return 1.0\n"
    )
    document = {"type": "prediction", "data.test": data, "models": ["known.py", "dummy"]}
    with pytest.warns(EvaluationWarning, match=r"no data\.pre_train: dummy cannot be trained") as warned:
        results = evaluate(parse_evaluation(document, name="bare", folder=tmp_path))
    assert len(warned) == len(results.notes) == 1


@pytest.mark.slow
def test_a_cluster_gives_the_same_results(tmp_path) -> None:
    document = {"type": "prediction", "data.test": GAP, "data.pre_train": GAP, "corresponding_data": True}
    evaluation = parse_evaluation({**document, "models": ["dummy"]}, name="folds", folder=tmp_path)
    here, there = (evaluate(evaluation, resources=Resources(backend=backend)) for backend in ("local", "dask"))
    assert here.table.equals(there.table)
