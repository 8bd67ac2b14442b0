"""Matbench's Python API: the same names, the same behaviour, the same exceptions for the same mistakes."""

from __future__ import annotations

import copy
import json
import logging
import pickle

import numpy as np
import pandas as pd
import pytest

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.matbench import MatbenchBenchmark, MatbenchTask

pytestmark = [
    pytest.mark.filterwarnings("ignore::matbench_lite.errors.UnverifiedDataWarning"),
    pytest.mark.usefixtures("targets"),
]


def recorded(name: str = "matbench_steels", value: float | bool = 1000.0) -> MatbenchBenchmark:
    mb = MatbenchBenchmark(subset=[name])
    for fold in mb.tasks[0].folds:
        mb.tasks[0].record(fold, [value] * len(mb.tasks[0].validation[f"fold_{fold}"].test))
    return mb


def test_the_whole_benchmark_has_thirteen_tasks_as_attributes() -> None:
    mb = MatbenchBenchmark()
    assert len(mb.tasks) == 13
    assert mb.benchmark_name == "matbench_v0.1"
    assert mb.matbench_dielectric is mb.tasks_map.matbench_dielectric is mb.tasks_map["matbench_dielectric"]
    assert mb.is_complete
    assert not mb.is_recorded
    assert mb.metadata.matbench_glass.task_type == "classification"


@pytest.mark.parametrize(
    ("preset", "tasks"), [("structure", 9), ("composition", 4), ("regression", 10), ("classification", 3), ("all", 13)]
)
def test_presets(preset, tasks) -> None:
    mb = MatbenchBenchmark.from_preset("matbench_v0.1", preset)
    assert len(mb.tasks) == tasks
    complete = {
        name
        for name in ("structure", "composition", "regression", "classification")
        if getattr(mb, f"is_{name}_complete")
    }
    assert complete == ({"structure", "composition", "regression", "classification"} if preset == "all" else {preset})
    assert mb.is_complete == (preset == "all")


def test_folds_are_numbered_and_named() -> None:
    task = MatbenchTask("matbench_steels", autoload=False)
    assert task.folds == task.folds_nums == [0, 1, 2, 3, 4]
    assert task.folds_keys == ["fold_0", "fold_1", "fold_2", "fold_3", "fold_4"]
    assert task.folds_map[3] == "fold_3"
    assert task.validation.fold_0.test[:2] == ["mb-steels-003", "mb-steels-005"]
    assert len(task.validation.fold_0.train) == 249


def test_metadata_has_matbenchs_names() -> None:
    about = MatbenchTask("matbench_steels", autoload=False).metadata
    assert set(about) == {
        "mad", "input_type", "n_samples", "target", "task_type", "unit", "bibtex_refs", "columns", "description",
        "file_type", "num_entries", "reference", "url", "hash",
    }  # fmt: skip
    assert about.mad == pytest.approx(229.37426857330706)
    glass = MatbenchTask("matbench_glass", autoload=False).metadata
    assert glass.unit is None
    assert glass.frac_true == pytest.approx(0.710387323943662)


def test_data_comes_fold_by_fold_as_series_or_frame() -> None:
    task = MatbenchTask("matbench_steels")
    assert list(task.df.columns) == ["composition", "yield strength"]
    assert task.df.index.name == "mbid"
    inputs, outputs = task.get_train_and_val_data(0)
    assert inputs.name == "composition"
    assert outputs.name == "yield strength"
    assert list(inputs.index) == list(outputs.index) == task.validation.fold_0.train
    assert list(task.get_test_data(0).index) == task.validation.fold_0.test
    assert list(task.get_test_data(0, as_type="df").columns) == ["composition"]
    assert list(task.get_test_data(0, as_type="df", include_target=True).columns) == ["composition", "yield strength"]
    assert len(task.get_test_data(0, include_target=True)) == 2
    assert task.has_polymorphs, "two of the made-up rows are FeC"
    assert MatbenchTask("matbench_glass").df["gfa"].dtype == bool


def test_loading_twice_says_so(caplog) -> None:
    task = MatbenchTask("matbench_steels", autoload=False)
    assert task.df is None
    with caplog.at_level(logging.INFO):
        task.load()
        task.load()
    assert "already loaded" in caplog.text


@pytest.mark.parametrize(
    ("mistake", "kind"),
    [
        (lambda: MatbenchBenchmark("matbench_v9"), ValueError),
        (lambda: MatbenchBenchmark(subset=["matbench_steels", "bogus"]), KeyError),
        (lambda: MatbenchBenchmark.from_preset("matbench_v0.1", "bogus"), ValueError),
        (lambda: MatbenchBenchmark.from_preset("matbench_v9", "all"), ValueError),
        (lambda: MatbenchTask("bogus"), KeyError),
        (lambda: MatbenchTask("bogus", autoload=False), KeyError),
        (lambda: MatbenchTask("matbench_steels", benchmark="matbench_v9"), ValueError),
        (lambda: MatbenchTask("matbench_steels", autoload=False).get_test_data(0), ValueError),
        (lambda: MatbenchTask("matbench_steels", autoload=False).get_train_and_val_data(0), ValueError),
        (lambda: MatbenchTask("matbench_steels", autoload=False).has_polymorphs, ValueError),
        (lambda: MatbenchTask("matbench_steels").get_test_data(9), KeyError),
        (lambda: MatbenchTask("matbench_steels").get_test_data(0, as_type="list"), ValueError),
        (lambda: MatbenchTask("matbench_steels").record(9, [1.0]), KeyError),
        (lambda: MatbenchTask("matbench_steels").record(0, [0.0, 1.0]), ValueError),
        (lambda: MatbenchTask("matbench_steels").record(0, ["not", "a number"]), ValueError),
        (lambda: MatbenchTask("matbench_steels").record(0, [1.0] * 63, params=[1]), TypeError),
        (lambda: MatbenchTask("matbench_steels").record(0, [1.0] * 63, std=[1.0] * 63, ci=[(0, 2)] * 63), ValueError),
        (lambda: MatbenchTask("matbench_steels").record(0, [1.0] * 63, std=[1.0] * 62), ValueError),
        (lambda: MatbenchTask("matbench_steels").record(0, [1.0] * 63, ci=[(0.0, 2.0)] * 62), ValueError),
        (lambda: MatbenchTask("matbench_glass").record(0, [True] * 1136, std=[1.0] * 1136), ValueError),
        (lambda: MatbenchTask("matbench_steels").scores, ValueError),
        (lambda: MatbenchTask("matbench_steels").validate(), ValueError),
        (lambda: MatbenchBenchmark(subset=["matbench_steels"]).scores, ValueError),
    ],
)
def test_the_same_mistake_is_the_same_exception(mistake, kind) -> None:
    with pytest.raises(kind) as caught:
        mistake()
    assert isinstance(caught.value, MatbenchLiteError)


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    mb = MatbenchBenchmark(subset=["matbench_steels"])
    for name in ("bogus", "matbench_glass"):
        with pytest.raises(AttributeError, match=name):
            getattr(mb, name)
    with pytest.raises(AttributeError, match="'mea': use one of mae"):
        _ = recorded().scores.matbench_steels.mea


def test_recording_twice_logs_and_keeps_the_first(caplog) -> None:
    task = recorded().matbench_steels
    task.record(0, [0.0])
    assert "Fold number 0 already recorded! Aborting record..." in caplog.text
    assert set(task.results.fold_0.data.values()) == {1000.0}


def test_a_fold_that_was_refused_is_not_recorded() -> None:
    task = MatbenchTask("matbench_steels")
    with pytest.raises(TypeError):
        task.record(0, [1.0] * 63, params="none")
    assert not task.is_recorded[0]
    assert task.results.fold_0.data == {}


def test_predictions_may_be_any_array_and_a_foreign_index_is_ignored() -> None:
    values = np.linspace(1000, 2000, 63)
    task = MatbenchTask("matbench_steels", autoload=False)
    ids = task.validation.fold_0.test
    forms = [
        values,
        values.tolist(),
        tuple(values),
        pd.Series(values),
        pd.Series(values, index=ids),
        pd.Series(values[::-1], index=ids[::-1]),
    ]
    for predictions in forms:
        task = MatbenchTask("matbench_steels", autoload=False)
        task.record(0, predictions)
        assert task.results.fold_0.data == dict(zip(ids, values, strict=True))


def test_scores_are_attributes_with_mean_max_min_std() -> None:
    scores = recorded().scores
    assert set(scores.matbench_steels) == {"mae", "rmse", "mape", "max_error"}
    assert set(scores.matbench_steels.mae) == {"mean", "max", "min", "std"}
    assert scores.matbench_steels.mae.max == scores["matbench_steels"]["mae"]["max"]


def test_scores_of_a_fold_have_matbenchs_names_and_labels_a_rocauc() -> None:
    task = recorded("matbench_glass", value=True).matbench_glass
    assert task.results.fold_0.scores == {
        "accuracy": pytest.approx(0.6, abs=0.1),
        "balanced_accuracy": 0.5,
        "f1": pytest.approx(0.75, abs=0.1),
        "rocauc": 0.5,
    }


def test_rocauc_of_probabilities_is_the_true_one_here_and_matbenchs_in_its_file() -> None:
    mb = MatbenchBenchmark(subset=["matbench_glass"], autoload=True)
    task = mb.matbench_glass
    for fold in task.folds:
        truth = task.get_test_data(fold, include_target=True)[1]
        task.record(fold, np.where(truth, 0.4, 0.3))
    assert task.scores.rocauc.mean == 1
    assert task.scores.balanced_accuracy.mean == 0.5
    assert mb.as_dict()["tasks"]["matbench_glass"]["results"]["fold_0"]["scores"]["rocauc"] == 0.5


def test_uncertainty_is_kept_by_row() -> None:
    task = MatbenchTask("matbench_steels", autoload=False)
    task.record(0, [1000.0] * 63, std=np.ones(63), params={"depth": np.int64(3)})
    task.record(1, [1000.0] * 63, ci=[(998.0, 1002.0)] * 63)
    assert task.results.fold_0.uncertainty["mb-steels-003"].std == 1.0
    assert task.results.fold_0.parameters == {"depth": 3}
    of_an_interval = task.results.fold_1.uncertainty[task.validation.fold_1.test[0]]
    assert of_an_interval == pytest.approx({"ci_lower": 998.0, "ci_upper": 1002.0, "std": 2 / 1.959964})


def test_metadata_of_the_user_is_kept_and_a_mistake_does_not_end_the_run(caplog) -> None:
    mb = MatbenchBenchmark(subset=["matbench_steels"])
    mb.add_metadata("not a dictionary")
    assert mb.user_metadata == {}
    assert "must be reducible to dict" in caplog.text
    mb.add_metadata({"b": np.arange(2), "a": {"c": np.float64(0.5)}})
    assert mb.user_metadata == {"a": {"c": 0.5}, "b": (0, 1)}
    mb.add_metadata({"a": 1})
    assert "already exists! Overwriting" in caplog.text


def test_a_benchmark_is_valid_when_everything_is_recorded(caplog) -> None:
    mb = MatbenchBenchmark(subset=["matbench_steels"])
    assert not mb.is_valid
    assert "are not recorded" in caplog.text
    assert set(mb.validate()) == {"matbench_steels"}
    assert "recorded=False" in mb.info
    mb = recorded()
    assert mb.is_valid
    assert mb.is_recorded
    assert f"MAE mean: {mb.scores.matbench_steels.mae.mean}" in mb.info
    assert "ROCAUC mean: 0.5" in recorded("matbench_glass", value=False).info


def test_info_is_logged(caplog) -> None:
    with caplog.at_level(logging.INFO):
        recorded().get_info()
        MatbenchTask("matbench_steels", autoload=False).get_info()
    assert "is valid: True" in caplog.text
    assert "Num Entries: 312" in caplog.text


def test_to_file_writes_plain_json_that_from_file_reads(tmp_path) -> None:
    mb = recorded()
    mb.add_metadata({"depth": [1, 2]})
    mb.to_file(tmp_path / "results.json.gz")
    assert json.loads((tmp_path / "results.json.gz").read_bytes())["@module"] == "matbench.bench"
    again = MatbenchBenchmark.from_file(tmp_path / "results.json.gz")
    assert again.is_valid
    assert again.scores == mb.scores
    assert again.matbench_steels.results == mb.matbench_steels.results
    assert again.user_metadata == {"depth": [1, 2]}


def test_a_run_can_be_saved_before_it_is_done(tmp_path) -> None:
    mb = MatbenchBenchmark(subset=["matbench_steels", "matbench_glass"])
    mb.matbench_steels.record(0, [1000.0] * 63)
    mb.to_file(tmp_path / "results.json")
    with pytest.raises(ValueError, match="not recorded"):
        MatbenchBenchmark.from_file(tmp_path / "results.json")


def test_a_task_can_be_saved_and_read_alone(tmp_path) -> None:
    task = recorded().matbench_steels
    task.to_file(tmp_path / "steels.json")
    assert MatbenchTask.from_file(tmp_path / "steels.json").results == task.results


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda d: d.pop("hash"), ValueError),
        (lambda d: d.update(more=1), ValueError),
        (lambda d: d.update(datestamp="2021.01.01 00:00.00"), ValueError),
        (lambda d: d.update(benchmark_name="matbench_v9"), ValueError),
        (lambda d: d["tasks"]["matbench_steels"].update(dataset_name="matbench_glass"), ValueError),
        (lambda d: d["tasks"]["matbench_steels"].pop("results"), KeyError),
        (lambda d: d["tasks"]["matbench_steels"]["results"].pop("fold_0"), ValueError),
        (lambda d: d["tasks"]["matbench_steels"]["results"]["fold_0"].pop("scores"), KeyError),
        (lambda d: d["tasks"]["matbench_steels"]["results"]["fold_0"]["scores"].pop("mae"), KeyError),
    ],
)
def test_a_changed_dictionary_is_refused(change, kind) -> None:
    d = copy.deepcopy(recorded().as_dict())
    change(d)
    with pytest.raises(kind):
        MatbenchBenchmark.from_dict(d)


def test_everything_goes_on_as_a_submission(tmp_path) -> None:
    mb = recorded("matbench_glass", value=True)
    mb.add_metadata({"depth": 3})
    submission = mb.to_submission(algorithm="Always", authors=["A. Name"])
    assert submission.complete_tasks == ("matbench_glass",)
    assert submission.recorded("matbench_glass")[0].predictions.type == "label"
    assert submission.metadata == {"depth": 3}
    assert submission.imported is None
    submission.save(tmp_path / "entry")


def test_a_benchmark_can_be_copied_to_another_process() -> None:
    mb = recorded()
    assert pickle.loads(pickle.dumps(mb)).scores == mb.scores
    assert copy.deepcopy(mb).scores == mb.scores


def test_its_repr_says_what_it_is() -> None:
    text = repr(MatbenchTask("matbench_steels", autoload=False))
    assert text.startswith("MatbenchTask(\n  dataset_name=matbench_steels,\n  version=0.1,")
    assert "unit=MPa" in text
