"""Recording the parameters of every fold, and uncertainty."""

from matbench.bench import MatbenchBenchmark
from model import MyModel

my_model = MyModel()
mb = MatbenchBenchmark(autoload=False, subset=["matbench_expt_gap"])

for task in mb.tasks:
    task.load()
    for fold in task.folds:
        train_inputs, train_outputs = task.get_train_and_val_data(fold)
        my_model.train_and_validate(train_inputs, train_outputs)
        test_inputs = task.get_test_data(fold, include_target=False)
        predictions = my_model.predict(test_inputs)
        params = my_model.get_parameters_as_dictionary()
        task.record(fold, predictions, std=[0.5] * len(predictions), params=params)

assert mb.is_valid
mb.to_file("result.json.gz")
