"""All composition tasks, by a preset: labels for the classifications."""

from matbench.bench import MatbenchBenchmark
from model import MyModel

my_model = MyModel()
mb = MatbenchBenchmark.from_preset("matbench_v0.1", "composition", autoload=False)
assert mb.is_composition_complete
assert not mb.is_structure_complete
mb.load()

for task in mb.tasks:
    for fold in task.folds:
        my_model.train_and_validate(*task.get_train_and_val_data(fold))
        task.record(fold, my_model.predict(task.get_test_data(fold)))

mb.to_file("result.json.gz")
