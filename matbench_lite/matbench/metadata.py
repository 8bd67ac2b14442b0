"""What Matbench says about its tasks, under its names, from our registry."""

from __future__ import annotations

from matbench_lite.matbench.attributes import AttributeDict
from matbench_lite.matbench.names import BENCHMARK, fold_key
from matbench_lite.tasks import Task, load_benchmark

_COLUMNS = {
    "composition": "Chemical formula.",
    "structure": "Pymatgen Structure of the material.",
}


def benchmark_metadata() -> AttributeDict:
    """The metadata of all tasks by name, in alphabetical order as in Matbench."""
    return AttributeDict({name: task_metadata(load_benchmark(BENCHMARK)[name]) for name in sorted(_names())})


def task_metadata(task: Task) -> AttributeDict:
    """Input, target, unit, size and source of one task under Matbench's names.

    Examples:
        >>> about = task_metadata(load_benchmark("matbench_v0.1")["matbench_steels"])
        >>> about.input_type, about.task_type, about.target, about.unit, about.n_samples
        ('composition', 'regression', 'yield strength', 'MPa', 312)
    """
    spread = {"mad": task.mean_absolute_deviation} if task.kind == "regression" else {"frac_true": task.fraction_true}
    source = task.original
    return AttributeDict(
        {
            **spread,
            "input_type": task.input,
            "n_samples": task.rows,
            "target": task.target,
            "task_type": task.kind,
            "unit": task.unit or None,
            "bibtex_refs": [*load_benchmark(BENCHMARK).references, *task.references],
            "columns": {task.input: _COLUMNS[task.input], task.target: f"Target variable. {task.description}"},
            "description": task.description,
            "file_type": "json.gz",
            "num_entries": task.rows,
            "reference": task.references[0] if task.references else None,
            "url": source.urls[0] if source else None,
            "hash": source.sha256 if source else None,
        }
    )


def task_info(task: Task) -> str:
    """The metadata of one task as text."""
    about = task_metadata(task)
    columns = "".join(f"\n\t{name}: {text}" for name, text in about.columns.items())
    references = "\n".join(about.bibtex_refs)
    return (
        f"Dataset: {task.name}\nDescription: {about.description}\nColumns:{columns}\n"
        f"Num Entries: {about.num_entries}\nReference: {about.reference}\nBibtex citations: {references}\n"
        f"File type: {about.file_type}\nURL: {about.url}\nSHA256 Hash Digest: {about.hash}\n"
    )


def task_validation(task: Task) -> AttributeDict:
    """Row ids of the training and test part of every fold."""
    return AttributeDict(
        {
            fold_key(fold): {"train": task.train_ids(fold).tolist(), "test": task.test_ids(fold).tolist()}
            for fold in task.folds
        }
    )


def _names() -> tuple[str, ...]:
    return load_benchmark(BENCHMARK).names
