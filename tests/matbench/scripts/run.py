"""Running a benchmark, and saving it: on two tasks, one with structures."""

from matbench.bench import MatbenchBenchmark
from model import MyModel

my_model = MyModel()
mb = MatbenchBenchmark(autoload=False, subset=["matbench_steels", "matbench_log_gvrh"])

for task in mb.tasks:
    task.load()
    for fold in task.folds:
        train_inputs, train_outputs = task.get_train_and_val_data(fold)
        my_model.train_and_validate(train_inputs, train_outputs)
        test_inputs = task.get_test_data(fold, include_target=False)
        predictions = my_model.predict(test_inputs)
        task.record(fold, predictions)

mb.to_file("result.json.gz")
