"""What algorithms are judged on: synthetic sets from known formulas, and regression tasks of the registry as tables."""

from matbench_lite.judge.datasets.dataset import Dataset, Rows, Truth
from matbench_lite.judge.datasets.folder import dataset_names, load_datasets, write_datasets
from matbench_lite.judge.datasets.formulas import FORMULAS, Feature, KnownFormula
from matbench_lite.judge.datasets.making import make_dataset
from matbench_lite.judge.datasets.task_table import FEATURE_SETS, task_dataset

__all__ = [
    "FEATURE_SETS",
    "FORMULAS",
    "Dataset",
    "Feature",
    "KnownFormula",
    "Rows",
    "Truth",
    "dataset_names",
    "load_datasets",
    "make_dataset",
    "task_dataset",
    "write_datasets",
]
