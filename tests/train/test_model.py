"""Models: files, folders and baselines; what happens when they are wrong."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import ModelError, UnknownNameError
from matbench_lite.train import BASELINES, about_model, load_model, model_inputs

BENCH = load_benchmark("mini")
GAP = BENCH["mini_gap"]

PLAIN = """
from sklearn.dummy import DummyRegressor

def get_estimator(task):
    return DummyRegressor(strategy="constant", constant=len(task.name))
"""


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_makes_an_estimator_for_both_kinds_and_has_a_header(name: str) -> None:
    model = load_model(name)
    assert model.path is None
    assert [file.suffix for file in model.files] == [".py"]
    for task in BENCH:
        assert hasattr(model.estimator(task), "fit")
    about = about_model(model)
    assert about["authors"]
    assert about["description"]
    assert about["requirements"]
    assert about["single_configuration"] is True
    assert about["external_data"] is False


def test_a_file_is_a_model_named_after_it(tmp_path: Path) -> None:
    model = load_model(written(tmp_path / "my_forest.py", PLAIN))
    assert (model.name, model.input, model.files) == ("my-forest", None, (tmp_path / "my_forest.py",))
    assert model.estimator(GAP).constant == len("mini_gap")


def test_get_estimator_may_take_nothing(tmp_path: Path) -> None:
    text = "from sklearn.dummy import DummyRegressor\ndef get_estimator():\n    return DummyRegressor()"
    assert hasattr(load_model(written(tmp_path / "m.py", text)).estimator(GAP), "predict")


def test_a_folder_finds_the_files_beside_it_and_not_those_of_another_model(tmp_path: Path) -> None:
    text = PLAIN.replace("len(task.name)", "features.NUMBER").replace("from", "import features\nfrom", 1)
    for number, name in enumerate(("one", "two")):
        written(tmp_path / name / "model.py", text)
        written(tmp_path / name / "features.py", f"NUMBER = {number}")
    one, two = load_model(tmp_path / "one"), load_model(tmp_path / "two")
    assert [file.name for file in one.files] == ["model.py", "features.py"]
    assert [model.estimator(GAP).constant for model in (one, two, one)] == [0, 1, 0]


def test_an_import_inside_get_estimator_finds_the_files_beside_the_model(tmp_path: Path) -> None:
    text = PLAIN.replace("    return", "    import lazily_loaded\n    return")
    written(tmp_path / "m" / "model.py", text)
    written(tmp_path / "m" / "lazily_loaded.py", "")
    assert load_model(tmp_path / "m").estimator(GAP) is not None


def test_a_model_can_be_sent_to_another_process(tmp_path: Path) -> None:
    model = load_model(written(tmp_path / "m.py", PLAIN))
    assert pickle.loads(pickle.dumps(model)) == model


def test_a_model_that_is_changed_while_in_use_is_refused(tmp_path: Path) -> None:
    model = load_model(written(tmp_path / "m.py", PLAIN))
    written(tmp_path / "m.py", PLAIN + "\n# better\n")
    with pytest.raises(ModelError, match="was changed while it was in use"):
        model.estimator(GAP)
    assert load_model(tmp_path / "m.py").estimator(GAP) is not None


def test_unknown_names_are_met_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'rf-magpie'"):
        load_model("rf-magpi")
    with pytest.raises(ModelError, match="there is no model"):
        load_model(tmp_path / "missing.py")
    with pytest.raises(ModelError, match=r"there is no model\.py"):
        load_model(tmp_path)
    with pytest.raises(ModelError, match="not a Python file"):
        load_model(written(tmp_path / "m.txt", ""))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no function get_estimator"),
        ("1 / 0", "failed with ZeroDivisionError"),
        ("def get_estimator(", "failed with SyntaxError"),
        ("input = 'pixels'\ndef get_estimator(task): pass", "declares input = 'pixels'"),
    ],
)
def test_a_file_that_is_no_model_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_model(written(tmp_path / "m.py", text))


@pytest.mark.parametrize(
    ("body", "message"),
    [("raise ValueError('no')", "raised ValueError for mini_gap: no"), ("return 3", "returned int, which has no fit")],
)
def test_get_estimator_that_fails_names_the_task(tmp_path: Path, body: str, message: str) -> None:
    model = load_model(written(tmp_path / "m.py", f"def get_estimator(task): {body}"))
    with pytest.raises(ModelError, match=message):
        model.estimator(GAP)


def test_a_composition_model_gets_formulas_from_structure_tasks() -> None:
    task = BENCH["mini_log_gvrh"]
    assert task.input == "structure"
    inputs = model_inputs(load_model("ridge-magpie"), task, task.test_rows(0))
    assert inputs.index.equals(task.test_ids(0))
    assert inputs.equals(task.targets["formula"].iloc[task.test_rows(0)].rename("composition"))


def test_a_model_that_declares_nothing_gets_what_the_task_has(tmp_path: Path) -> None:
    model = load_model(written(tmp_path / "m.py", PLAIN))
    assert model_inputs(model, BENCH["mini_log_gvrh"]).iloc[0].lattice
    assert isinstance(model_inputs(model, GAP).iloc[0], str)


def test_a_structure_model_refuses_compositions() -> None:
    with pytest.raises(ModelError, match="takes structures, mini_gap has compositions"):
        model_inputs(load_model("rf-structure"), GAP)


def test_the_header_comes_from_about_toml(tmp_path: Path) -> None:
    written(tmp_path / "m" / "model.py", PLAIN)
    model = load_model(tmp_path / "m")
    assert about_model(model) == {"algorithm": "m"}
    written(tmp_path / "m" / "about.toml", 'algorithm = "My forest"\nauthors = "A. Name"\nexternal_data = "OQMD"')
    about = about_model(model)
    assert about == {"algorithm": "My forest", "authors": ["A. Name"], "external_data": "OQMD"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("algorithm = 3", "algorithm: 3 is not allowed; give one line of text"),
        ("authors = [1]", r"authors: \[1\] is not allowed; give a list of names"),
        ("single_configuration = 'yes'", "single_configuration: 'yes' is not allowed; give true or false"),
        ("author = 'A'", r"author: is not a known key; did you mean 'authors'\? use one of algorithm, authors"),
        ("external_data = true", "external_data: true is not allowed; give false, or a text that says what else"),
        ("algorithm = 3\nauthor = 'A'", r"has 2 mistakes:\n  algorithm: (.|\n)*\n  author: "),
        ("algorithm = ", "is not a TOML file"),
    ],
)
def test_mistakes_in_about_toml_are_named(tmp_path: Path, text: str, message: str) -> None:
    written(tmp_path / "m" / "model.py", PLAIN)
    written(tmp_path / "m" / "about.toml", text)
    with pytest.raises(ModelError, match=message):
        about_model(load_model(tmp_path / "m"))
