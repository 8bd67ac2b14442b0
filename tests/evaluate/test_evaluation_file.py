"""Every attribute of the evaluation file: what a good value does, and what a bad one is told."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from matbench_lite.errors import EvaluationError, EvaluationWarning
from matbench_lite.evaluate import SCHEMA_FILE, evaluate, read_evaluation


def refusal(folder, **changes: Any) -> str:
    """What a bad evaluation file is told, whether it is read, its data are, or its code is."""
    with pytest.raises(EvaluationError) as caught:
        folder.run(notes=True, **changes)
    return str(caught.value)


# The form of the file


def test_the_schema_is_a_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--check-metaschema", str(SCHEMA_FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_part_of_the_schema_says_what_is_allowed() -> None:
    schema = json.loads(SCHEMA_FILE.read_text())

    def without(node: Any, place: str) -> list[str]:
        if not isinstance(node, dict):
            return []
        found = []
        for name, about in node.get("properties", {}).items():
            said = "x-allowed" in about or "x-allowed" in schema["$defs"].get(about.get("$ref", "")[8:], {})
            found += ([] if said else [f"{place}/{name}"]) + without(about, f"{place}/{name}")
        for name in ("items", "additionalProperties"):
            found += without(node.get(name), f"{place}/{name}")
        return found

    every = without(schema, "")
    for name, about in schema["$defs"].items():
        every += without(about, name)
    assert every == []


def test_a_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(EvaluationError, match=r"nothing\.json cannot be read: No such file.*give a JSON file"):
        read_evaluation(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not valid JSON"),
        ('{"type": "coverage", "type": "prediction"}', "type"),
        ('{"seed": NaN}', "is not valid JSON"),
        ("[1]", "not an object"),
        ('{"type": "cover\xe9".encode()}', "is not valid JSON"),
    ],
)
def test_a_file_that_is_not_strict_json(tmp_path, text, problem) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(EvaluationError, match="correct the JSON") as caught:
        read_evaluation(tmp_path / "file.json")
    assert problem in str(caught.value)


def test_all_mistakes_are_named_at_once(folder) -> None:
    message = refusal(folder, type="predict", modles=["mean.py"], models=None, seed=-1, data_test="nothing.csv")
    assert "evaluation has 4 mistakes" in message
    assert (
        'type: "predict" is not allowed; give prediction, adaption (or adaptation), coverage or loo-coverage' in message
    )
    assert 'unknown key "modles"; did you mean "models"?' in message
    assert "models is missing; give a list of models" in message
    assert "seed: -1 is not allowed; give a whole number" in message


def test_keys_that_ccobra_once_had_are_named_and_not_read(folder) -> None:
    notes = folder.run(notes=True, **{"data.train": "rows.csv", "domain_encoders": {"a": "b"}}).notes
    assert [note.partition(" ")[0] for note in notes] == ["data.train", "domain_encoders"]
    assert all("is of older CCOBRA files and is not read" in note for note in notes)


# type


@pytest.mark.parametrize("setting", ["prediction", "adaption", "coverage", "loo-coverage"])
def test_type(folder, setting) -> None:
    assert folder.run(type=setting).plan.evaluation.type == setting


def test_type_may_be_spelt_adaptation(folder) -> None:
    assert folder.run(type="adaptation").plan.evaluation.type == "adaption"


@pytest.mark.parametrize("value", ["train", "", None, 3, ["coverage"]])
def test_type_that_is_none(folder, value) -> None:
    message = refusal(folder, type=value)
    assert "type" in message
    assert "prediction, adaption (or adaptation), coverage or loo-coverage" in message


# data


def test_data_from_several_files_are_one(folder) -> None:
    folder.write("more.csv", "id,sequence,task,choices,response,response_type,domain\nb,7,Fe,real,1,free,energy\n")
    results = folder.run(data_test=["rows.csv", "more.csv"])
    assert [len(rows) for rows in results.plan.test.values()] == [2, 3, 1]


def test_data_from_parquet(folder, mean_of) -> None:
    import pandas as pd

    pd.read_csv(folder.path / "rows.csv").to_parquet(folder.path / "rows.parquet")
    assert mean_of(folder.run(data_test="rows.parquet"), "mean") == mean_of(folder.run(), "mean")


def test_absolute_paths_and_paths_in_the_package(folder) -> None:
    folder.run(data_test=str(folder.path / "rows.csv"))
    encoder = "%matbench_lite%/evaluate/encoders/chemical_system.py"
    results = folder.run(task_encoders={"energy": encoder})
    assert set(results.table["task_enc"]) == {"Al-O", "Fe-O", "Cl-Na"}


@pytest.mark.parametrize("key", ["data.test", "data.pre_train", "data.pre_train_person", "data.pre_person_background"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("nothing.csv", '"nothing.csv" does not exist; give the path of a CSV or Parquet file'),
        ("mean.py", '"mean.py" is not a .csv or .parquet file; give the path of a CSV or Parquet file'),
        ("", '"" is not allowed; give the path'),
        (3, "3 is not allowed; give the path of a CSV or Parquet file, an object with task and group_by"),
        ([], "[] is not allowed; give the path"),
        ([3], "/0: 3 is not allowed; give the path"),
        ("%ccobra%/data.csv", "needs ccobra, which is not installed here"),
        ({"task": "mini_gap"}, "/group_by is missing; give chemsys, anion, spacegroup, prototype, or a column"),
    ],
)
def test_data_that_cannot_be_used(folder, key, value, told) -> None:
    message = refusal(folder, type="adaption", **{key: value})
    assert key in message
    assert told in message


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("id,task\n1,a\n", "has no column sequence, choices, response, response_type, domain"),
        ("id,sequence,task,choices,response,response_type,domain\n", "has no rows"),
        ("id,sequence,task,choices,response,response_type,domain\n1,0,a,b,,free,d\n", "response is missing in 1 rows"),
        ("id,sequence,task,choices,response,response_type,domain,item\n1,0,a,b,1,free,d,x\n", "has a column 'item'"),
        ("", "cannot be read"),
    ],
)
def test_data_with_something_wrong_inside(folder, rows, told) -> None:
    folder.write("bad.csv", rows)
    message = refusal(folder, data_test="bad.csv")
    assert message.startswith("data.test: ")
    assert "bad.csv" in message
    assert told in message


def test_words_that_pandas_takes_for_missing_are_answers(folder) -> None:
    folder.write(
        "words.csv",
        """
        id,sequence,task,choices,response,response_type,domain,age
        1,0,what,None|NA,None,single-choice,words,NA
        1,1,what,None|NA,NA,single-choice,words,20
        """,
    )
    folder.write(
        "first.py",
        """
        from matbench_lite.evaluate import Model
        class First(Model):
            def predict(self, item, age):
                return item.choices[0]
        """,
    )
    results = folder.run(data_test="words.csv", comparator="equality", models=["first.py"])
    assert list(results.table["truth"]) == ["None", "NA"]
    assert list(results.table["score"]) == [1.0, 0.0]
    records = [record for rows in results.plan.test.values() for record in rows]
    assert [record.columns["age"] == 20 for record in records] == [False, True]


def test_person_data_in_the_coverage_settings(folder) -> None:
    for setting in ("coverage", "loo-coverage"):
        message = refusal(folder, type=setting, data_pre_train_person="rows.csv")
        assert f'data.pre_train_person: "rows.csv" is not allowed in {setting}' in message
        assert "leave it out, or choose adaption" in message


def test_person_data_in_prediction_are_warned_about(folder) -> None:
    folder.write("person.csv", "id,sequence,task,choices,response,response_type,domain\na,9,x,real,1,free,energy\n")
    with pytest.warns(EvaluationWarning, match="data.pre_person_background is the honest way"):
        results = evaluate(folder.file(data_pre_train_person="person.csv"))
    assert any("pre_train_person" in note for note in results.notes)


# corresponding_data


def test_corresponding_data(folder, mean_of) -> None:
    results = folder.run(data_pre_train="rows.csv", corresponding_data=True)
    assert results.models["mean"].scores["response"].groups["c"] == pytest.approx(9 - 3)


def test_corresponding_data_that_is_no_boolean(folder) -> None:
    assert 'corresponding_data: "true" is not allowed; give true or false' in refusal(folder, corresponding_data="true")


# domains and response_types


def test_domains_and_response_types_that_match(folder) -> None:
    folder.run(domains=["energy"], response_types=["free"])


def test_domains_of_background_data_may_be_listed(folder) -> None:
    folder.write("other.csv", "id,sequence,task,choices,response,response_type,domain\na,0,x,real,1,free,gap\n")
    folder.run(domains=["energy", "gap"], data_pre_person_background="other.csv")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"domains": ["gap"]}, "domains: ['gap'] lacks energy, which the test data has; give ['energy']"),
        ({"domains": ["energy", "gap"]}, "domains: ['energy', 'gap'] has gap, which the data has not; give ['energy']"),
        (
            {"response_types": ["verify"]},
            "response_types: ['verify'] lacks free, which the test data has; give ['free']",
        ),
        ({"domains": "energy"}, 'domains: "energy" is not allowed; give a list'),
        ({"response_types": []}, "response_types: [] is not allowed; give a list"),
        ({"response_types": [1]}, "response_types/0: 1 is not allowed; give a text"),
    ],
)
def test_domains_and_response_types_that_do_not(folder, changes, told) -> None:
    assert told in refusal(folder, **changes)


# models


def test_models_as_objects(folder, mean_of) -> None:
    model = {"filename": "mean.py", "classname": "Mean", "override_name": "other", "args": {"start": 5.0}}
    results = folder.run(models=["mean.py", model])
    assert mean_of(results, "other") != mean_of(results, "mean")


def test_two_models_of_one_name(folder) -> None:
    with pytest.warns(EvaluationWarning, match="two models are called 'mean'"):
        results = evaluate(folder.file(models=["mean.py", "mean.py"]))
    assert sorted(results.models) == ["mean", "mean'"]


def test_a_folder_of_files_is_a_model(folder) -> None:
    folder.write("deep/inner/rules.py", "FACTOR = 2")
    folder.write(
        "deep/inner/model_file.py",
        """
        from pathlib import Path
        import rules
        from matbench_lite.evaluate import Model
        assert Path("rules.py").is_file(), "models work in their own folder"
        class Deep(Model):
            def predict(self, item, **columns):
                return rules.FACTOR
        """,
    )
    assert list(folder.run(models=["deep"]).models) == ["Deep"]


def test_files_of_the_same_name_beside_two_models_are_told_apart(folder) -> None:
    for name, value in (("one", 1.0), ("two", 2.0)):
        folder.write(f"{name}/table.py", f"VALUE = {value}")
        folder.write(
            f"{name}/model.py",
            f"""
            from matbench_lite.evaluate import Model
            class {name.title()}(Model):
                def predict(self, item, **columns):
                    import table
                    return table.VALUE
            """,
        )
    table = folder.run(models=["one/model.py", "two/model.py"]).table
    assert set(zip(table["model"], table["prediction"], strict=True)) == {("One", 1.0), ("Two", 2.0)}


@pytest.mark.parametrize(
    ("models", "told"),
    [
        ([], "models: [] is not allowed; give a list of models"),
        ("mean.py", 'models: "mean.py" is not allowed; give a list of models'),
        ([""], 'models/0: "" is not allowed'),
        ([{"filename": "mean.py", "name": "x"}], 'models/0: unknown key "name"'),
        ([{"args": {}}], "models/0/filename is missing"),
        (
            ["nothing.py"],
            'models/0: "nothing.py" does not exist; give the path of a .py file or a folder, or a baseline',
        ),
        (["mean.py", {"filename": "no"}], 'models/1/filename: "no" does not exist'),
        (["rows.csv"], 'models/0: "rows.csv" is not a .py file'),
        (["empty.py"], "models/0: empty.py has neither a subclass of matbench_lite.evaluate.Model nor get_estimator"),
        (["two.py"], "models/0: two.py has several subclasses of Model: First, Second; say which one"),
        (
            [{"filename": "two.py", "classname": "Third"}],
            "there is no Model 'Third' in two.py; give one of First, Second",
        ),
        ([{"filename": "mean.py", "classname": 3}], "models/0/classname: 3 is not allowed"),
        ([{"filename": "mean.py", "override_name": ""}], 'models/0/override_name: "" is not allowed'),
        ([{"filename": "mean.py", "args": [1]}], "models/0/args: [1] is not allowed; give an object with keyword"),
        ([{"filename": "mean.py", "args": {"stop": 1}}], "models/0/args: {'stop': 1} are not the arguments of Mean"),
        ([{"filename": "dummy", "args": {"a": 1}}], 'models/0/args: {"a": 1} is not allowed for the baseline dummy'),
    ],
)
def test_models_that_cannot_be_used(folder, models, told) -> None:
    folder.write("empty.py", "x = 1")
    base = "from matbench_lite.evaluate import Model\n"
    folder.write("two.py", base + "class First(Model): pass\nclass Second(Model): pass\n")
    assert told in refusal(folder, models=models)


# comparator


@pytest.mark.parametrize(("name", "expected"), [("absdiff", 4.2), ("squareddiff", 25.4), ("equality", 0.0)])
def test_comparators_by_name(folder, mean_of, name, expected) -> None:
    assert mean_of(folder.run(comparator=name), "mean") == pytest.approx(expected)


def test_equality_is_the_default_for_files(folder) -> None:
    assert folder.run(comparator=None).scorers[0].comparator.get_name() == "accuracy"


def test_a_comparator_of_ones_own(folder, mean_of) -> None:
    folder.write(
        "relative.py",
        """
        from matbench_lite.evaluate import Comparator
        class Relative(Comparator):
            lower_is_better = True
            def compare(self, prediction, target, response_type, choices):
                assert response_type == "free" and choices == [[["real"]]]
                return abs(prediction - target) / target
        """,
    )
    results = folder.run(comparator="relative.py")
    assert mean_of(results, "mean") == pytest.approx(1.0)
    assert results.scorers[0].comparator.get_name() == "Relative"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (3, "comparator: 3 is not allowed; give equality, absdiff, squareddiff, nvc, or the path"),
        ("mae", 'comparator: "mae" does not exist; give equality, absdiff, squareddiff, nvc, or the path'),
        ("rows.csv", 'comparator: "rows.csv" is not a .py file; give equality'),
        ("mean.py", "comparator: mean.py has no subclass of matbench_lite.evaluate.Comparator; define one"),
        ("broken.py", "comparator: broken.py failed with ZeroDivisionError"),
        ("nvc", "comparator: nvc cannot score the response type free; give another comparator, or rows of type single"),
    ],
)
def test_comparators_that_cannot_be_used(folder, value, told) -> None:
    folder.write("broken.py", "1 / 0")
    assert told in refusal(folder, comparator=value)


# encoders


def test_encoders_with_arguments(folder) -> None:
    results = folder.run(
        task_encoders={"energy": "%matbench_lite%/evaluate/encoders/reduced_formula.py"},
        response_encoders={
            "energy": {"filename": "%matbench_lite%/evaluate/encoders/binned_response.py", "args": {"width": 5}}
        },
    )
    answers = results.answers["response"]["Al2O3"]
    assert answers == {"data": "[0, 5)", "models": {"mean": "[0, 5)"}}


@pytest.mark.parametrize("key", ["task_encoders", "response_encoders"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("mean.py", '"mean.py" is not allowed; give an object from domains to encoders'),
        ({"energy": 3}, "/energy: 3 is not allowed; give the path of a .py file with an encoder"),
        ({"energy": "nothing.py"}, '/energy: "nothing.py" does not exist; give the path of a .py file with an encoder'),
        ({"energy": "rows.csv"}, '/energy: "rows.csv" is not a .py file'),
        ({"energy": "mean.py"}, "/energy: mean.py has no subclass of matbench_lite.evaluate."),
        ({"energy": {"filename": "enc.py", "args": {"x": 1}}}, "/energy/args: {'x': 1} are not the arguments"),
        ({"energy": {"args": {}}}, "/energy/filename is missing; give the path of a .py file with an encoder"),
    ],
)
def test_encoders_that_cannot_be_used(folder, key, value, told) -> None:
    folder.write(
        "enc.py",
        """
        from matbench_lite.evaluate import ResponseEncoder, TaskEncoder
        class Both(TaskEncoder, ResponseEncoder):
            pass
        """,
    )
    message = refusal(folder, **{key: value})
    assert key in message
    assert told in message


def test_encoders_of_a_domain_that_no_row_has(folder) -> None:
    with pytest.warns(EvaluationWarning, match="task_encoders/gap: no test row has this domain; there are energy"):
        evaluate(folder.file(task_encoders={"gap": "%matbench_lite%/evaluate/encoders/reduced_formula.py"}))


def test_encoders_of_a_ccobra_that_is_not_here_are_left_out(folder) -> None:
    with pytest.warns(EvaluationWarning, match="ccobra is not installed here"):
        evaluate(folder.file(task_encoders={"energy": "%ccobra%/syllogistic/task_encoder_syl.py"}))


# aux_evaluations

AUX = """
from matbench_lite.evaluate import Model

class Gaps(Model):
    def __init__(self):
        super().__init__("gaps")
        self.gaps = []

    def predict(self, item, **columns):
        assert set(columns) == {"phase"}, "targets are never shown"
        return 0.0

    def predict_gap(self, item, **columns):
        assert set(columns) == {"phase"}
        return self.gaps[-1] if self.gaps else 0.0

    def adapt(self, item, target, phase, gap):
        pass

    def adapt_gap(self, item, target, phase, response):
        self.gaps.append(target)
"""


@pytest.mark.parametrize("spelling", ["adaption_fn_name", "adapt_fn_name"])
def test_auxiliary_evaluations(folder, spelling) -> None:
    folder.write("gaps.py", AUX)
    aux = {"data_column": "gap", "prediction_fn_name": "predict_gap", spelling: "adapt_gap", "comparator": "absdiff"}
    results = folder.run(type="adaption", models=["gaps.py"], aux_evaluations=[aux])
    scores = results.models["gaps"].scores
    assert list(scores) == ["response", "gap"]
    assert scores["gap"].mean == pytest.approx((0.5 + 0.1 + 0.7 + 0.1 + 0.9) / 5)
    assert set(results.table["evaluation"]) == {"response", "gap"}


def test_an_auxiliary_column_of_words_has_equality_and_ccobras_three_levels(folder) -> None:
    folder.write(
        "phases.py",
        """
        from matbench_lite.evaluate import Model
        class Phases(Model):
            def predict(self, item, **columns):
                return 0.0
            def predict_phase(self, item, **columns):
                return "solid"
            def adapt(self, item, target, **columns):
                assert columns["phase"] in ([[["solid"]]], [[["liquid"]]])
        """,
    )
    aux = {"data_column": "phase", "prediction_fn_name": "predict_phase"}
    results = folder.run(type="adaption", models=["phases.py"], aux_evaluations=[aux])
    assert results.models["Phases"].error is None
    assert results.models["Phases"].scores["phase"].mean == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("aux", "told"),
    [
        ({}, "aux_evaluations: {} is not allowed; give a list"),
        ([{}], "aux_evaluations/0/data_column is missing; give a column of the data other than response"),
        ([{"data_column": "gap"}], "aux_evaluations/0/prediction_fn_name is missing; give the name of a method"),
        (
            [{"data_column": "response", "prediction_fn_name": "p"}],
            'data_column: "response" is not allowed; give a column',
        ),
        ([{"data_column": "age", "prediction_fn_name": "p"}], "data_column: 'age' is not a column of the test data"),
        (
            [{"data_column": "gap", "prediction_fn_name": "a b"}],
            'prediction_fn_name: "a b" is not allowed; give the name',
        ),
        ([{"data_column": "gap", "prediction_fn_name": "p", "adapt_fn_name": 1}], "adapt_fn_name: 1 is not allowed"),
        (
            [{"data_column": "gap", "prediction_fn_name": "p", "adapt_fn_name": "a", "adaption_fn_name": "b"}],
            'adapt_fn_name: "a" is not the adaption_fn_name "b"; give one',
        ),
        ([{"data_column": "gap", "prediction_fn_name": "p", "comparator": "no"}], 'comparator: "no" does not exist'),
        ([{"data_column": "gap", "prediction_fn_name": "p", "task_encoders": 1}], "task_encoders: 1 is not allowed"),
        ([{"data_column": "gap", "prediction_fn_name": "p", "response_encoders": 1}], "response_encoders: 1 is not"),
        ([{"data_column": "gap", "prediction_fn_name": "p", "column": 1}], 'aux_evaluations/0: unknown key "column"'),
        (
            [{"data_column": "gap", "prediction_fn_name": "p"}] * 2,
            'aux_evaluations/1/data_column: "gap" is there already',
        ),
    ],
)
def test_auxiliary_evaluations_that_cannot_be_used(folder, aux, told) -> None:
    message = refusal(folder, aux_evaluations=aux)
    assert "aux_evaluations" in message
    assert told in message


def test_a_model_without_the_method_that_predicts_a_column(folder) -> None:
    results = folder.run(aux_evaluations=[{"data_column": "gap", "prediction_fn_name": "predict_gap"}])
    assert "the model has no method predict_gap(item, **columns)" in results.models["mean"].error


# seed

RANDOM = """
import random
import numpy as np
from matbench_lite.evaluate import Model

class Random(Model):
    def predict(self, item, **columns):
        return random.random() + np.random.random()
"""


def test_seed(folder, mean_of) -> None:
    folder.write("random_model.py", RANDOM)
    means = [mean_of(folder.run(models=["random_model.py"], seed=seed), "Random") for seed in (1, 1, 2)]
    assert means[0] == means[1] != means[2]


@pytest.mark.parametrize("value", [-1, 2**32, 1.5, "1", True, None])
def test_seed_that_is_none(folder, value) -> None:
    document = folder.document() | {"seed": value}
    with pytest.raises(EvaluationError, match=r"seed: .* is not allowed; give a whole number from 0 to 4294967295"):
        read_evaluation(folder.write("evaluation.json", document))


def test_a_value_is_told_in_full_whatever_is_in_it(folder) -> None:
    """What to do is data beside the message: a semicolon in a value is no end of it."""
    with pytest.raises(EvaluationError) as caught:
        read_evaluation(folder.file(type="a; b"))
    assert caught.value.message == 'evaluation: type: "a; b" is not allowed'
    assert caught.value.fix == "give prediction, adaption (or adaptation), coverage or loo-coverage"
    with pytest.raises(EvaluationError) as caught:
        read_evaluation(folder.file(models=["a; b.py"]))
    assert caught.value.message == 'evaluation: models/0: "a; b.py" does not exist'
