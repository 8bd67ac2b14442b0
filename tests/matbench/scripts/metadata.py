"""Metadata of a user and of a task, what is recorded, and looking at everything."""

from matbench.bench import MatbenchBenchmark
from model import MyModel

my_metadata = {
    "algorithm_version": "v1",
    "configuration": {"tree_type": "entropy", "other_vector": [1, 2, 3], "some_param": 4},
}

my_model = MyModel()
mb = MatbenchBenchmark(autoload=True, subset=["matbench_steels"])
mb.add_metadata(my_metadata)
task = mb.matbench_steels
assert (task.metadata.unit, task.metadata.n_samples, task.metadata.input_type) == ("MPa", 312, "composition")
for fold in task.folds:
    frame = task.get_train_and_val_data(fold, as_type="df")
    my_model.train_and_validate(frame["composition"], frame["yield strength"])
    task.record(fold, my_model.predict(task.get_test_data(fold, as_type="df")["composition"]))
    task.record(fold, [0.0])
    assert sum(task.is_recorded.values()) == fold + 1

task.validate()
assert mb.is_recorded
assert mb.is_valid
assert not mb.is_complete
mb.get_info()
results = task.results
assert results.fold_4.data["mb-steels-001"] == results["fold_4"]["data"]["mb-steels-001"]
assert set(results.fold_0.scores) == {"mae", "rmse", "mape", "max_error"}
assert mb.scores.matbench_steels.rmse.max == task.scores["rmse"]["max"]
mb.to_file("result.json.gz")

again = MatbenchBenchmark.from_file("result.json.gz")
assert again.is_valid
assert again.scores.matbench_steels.mae.mean == mb.scores.matbench_steels.mae.mean
