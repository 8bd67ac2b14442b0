"""Probabilities for a classification: the one score that Matbench computes otherwise is `rocauc`."""

from matbench.bench import MatbenchBenchmark
from model import MyModel

my_model = MyModel(probabilities=True)
mb = MatbenchBenchmark(subset=["matbench_glass"], autoload=True)

for task in mb.tasks:
    for fold in task.folds:
        my_model.train_and_validate(*task.get_train_and_val_data(fold))
        task.record(fold, my_model.predict(task.get_test_data(fold)))

mb.to_file("result.json.gz")
