"""`MatbenchBenchmark`: Matbench's Python API on top of ours."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from pprint import pformat
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.atomic import write_bytes
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.matbench.matbench_decoder import decode_results
from matbench_lite.matbench.matbench_files import has_right_hash, sorted_form, wrong_hash
from matbench_lite.matbench.matbench_form import (
    BENCHMARK,
    AttributeDict,
    MatbenchError,
    MatbenchKeyError,
    benchmark_metadata,
    check_document,
    logger,
    show_messages,
)
from matbench_lite.matbench.matbench_results import as_recorded, results_document
from matbench_lite.matbench.task import MatbenchTask
from matbench_lite.submission import Submission

_PRESETS = ("structure", "composition", "regression", "classification", "all")


def _complete(group: str) -> property:
    def has_all(self: MatbenchBenchmark) -> bool:
        return all(name in self.tasks_map for name in _group(group))

    return property(has_all, doc=f"Whether all tasks ({group}) of the benchmark are in it, recorded or not.")


class MatbenchBenchmark:
    """A set of Matbench's tasks to record an algorithm on: all, or those of a subset.

    An existing script runs after changing its import line. `to_submission` is the way on from here. With `autoload` the
    data of all tasks is loaded now. A `MatbenchError` if there is no such benchmark or task.

    Examples:
        >>> mb = MatbenchBenchmark(subset=["matbench_steels", "matbench_glass"])
        >>> [task.dataset_name for task in mb.tasks], mb.is_complete
        (['matbench_steels', 'matbench_glass'], False)
        >>> mb.matbench_steels.metadata.n_samples
        312
    """

    ALL_KEY = "all"

    def __init__(self, benchmark: str = BENCHMARK, autoload: bool = False, subset: Iterable[str] | None = None) -> None:
        if benchmark != BENCHMARK:
            raise MatbenchError(f"there is no benchmark {benchmark!r}", fix=f"use {BENCHMARK!r}")
        show_messages()
        self.benchmark_name = benchmark
        self.metadata = benchmark_metadata()
        names = list(subset or self.metadata)
        if unknown := [name for name in names if name not in self.metadata]:
            raise MatbenchKeyError(
                f"{', '.join(map(repr, unknown))} are no tasks of {benchmark}",
                fix=f"use some of {', '.join(self.metadata)}",
            )
        self.user_metadata: dict[str, Any] = {}
        self.tasks_map = AttributeDict({name: MatbenchTask(name, autoload=autoload) for name in names})
        logger.info("Initialized benchmark '%s' with %s tasks: \n%s", benchmark, len(names), pformat(names))

    @classmethod
    def from_preset(cls, benchmark: str, preset_name: str, autoload: bool = False) -> MatbenchBenchmark:
        """All tasks of one kind or input: "structure", "composition", "regression", "classification" or "all".

        Examples:
            >>> len(MatbenchBenchmark.from_preset("matbench_v0.1", "composition").tasks)
            4
        """
        return cls(benchmark, autoload=autoload, subset=_group(preset_name))

    @property
    def tasks(self) -> list[MatbenchTask]:
        """The tasks; each is an attribute too, e.g. `mb.matbench_steels`."""
        return list(self.tasks_map.values())

    def load(self) -> None:
        """Load the data of all tasks."""
        for task in self.tasks:
            task.load()

    @property
    def scores(self) -> AttributeDict:
        """The scores of all tasks, which must be recorded in full, e.g. `scores.matbench_steels.mae.mean`."""
        return AttributeDict({task.dataset_name: task.scores for task in self.tasks})

    def validate(self) -> dict[str, str]:
        """Validate every task: the errors by name of the task, none if all is well."""
        errors = {}
        for name, task in self.tasks_map.items():
            try:
                task.validate()
            except MatbenchLiteError:
                errors[name] = traceback.format_exc()
        return errors

    @property
    def is_valid(self) -> bool:
        """Whether all tasks are recorded and valid; what is wrong is logged."""
        errors = self.validate()
        if errors:
            logger.critical("Benchmark has errors! Errors:\n %s", pformat(errors))
        return not errors

    @property
    def is_recorded(self) -> bool:
        """Whether all folds of all tasks are recorded."""
        return all(task.all_folds_recorded for task in self.tasks)

    is_complete = _complete(ALL_KEY)
    is_structure_complete = _complete("structure")
    is_composition_complete = _complete("composition")
    is_regression_complete = _complete("regression")
    is_classification_complete = _complete("classification")

    def add_metadata(self, metadata: dict[str, Any]) -> None:
        """Keep anything about the algorithm in `user_metadata`; logs, rather than ends a long run, if it is no dict."""
        if not isinstance(metadata, dict):
            logger.critical("User metadata must be reducible to dict format, not type(%s)", type(metadata))
            logger.info("User metadata not added.")
            return
        if self.user_metadata:
            logger.warning("User metadata already exists! Overwriting...")
        self.user_metadata = sorted_form(metadata)
        logger.info("User metadata added successfully!")

    @property
    def info(self) -> str:
        """The state of the benchmark, and the scores if everything is recorded, as text."""
        recorded, valid = self.is_recorded, self.is_valid
        state = f"\nmatbench_lite {__version__} running benchmark '{self.benchmark_name}'"
        state += f"\n\tis complete: {self.is_complete}\n\tis recorded: {recorded}\n\tis valid: {valid}"
        if not recorded:
            state += "\n\nBenchmark is not fully recorded; limited information shown.\n\nTasks:"
            lines = [f"'{task.dataset_name}': recorded={task.all_folds_recorded}" for task in self.tasks]
        else:
            state += "\n\nResults:"
            shown = {"regression": "mae", "classification": "rocauc"}
            named = [(task, shown[task.metadata.task_type]) for task in self.tasks]
            lines = [f"'{task.dataset_name}' {name.upper()} mean: {task.scores[name].mean}" for task, name in named]
        return state + "".join(f"\n\t- {line}" for line in lines)

    def get_info(self) -> None:
        """Log the state of the benchmark."""
        logger.info(self.info)

    def as_dict(self) -> dict[str, Any]:
        """The result as Matbench 0.6 writes it: plain data with its hash, and the scores that Matbench computes."""
        return results_document(
            [(task._task, task._recorded) for task in self.tasks],
            user_metadata=self.user_metadata,
            created=datetime.now(UTC),
        )

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> MatbenchBenchmark:
        """The inverse of `as_dict`.

        A `MatbenchError` if it is malformed, its hash is wrong, a fold or row is missing, or a type is wrong.
        """
        check_document(d)
        if not has_right_hash(d):
            raise wrong_hash(d)
        return cls._from_document(d)

    def to_file(self, filename: str | PathLike[str]) -> None:
        """Write the result as Matbench 0.6 does: plain JSON, whatever the name."""
        write_bytes(Path(filename), json.dumps(self.as_dict()).encode())
        logger.info("Successfully wrote MatbenchBenchmark to file '%s'.", filename)

    @classmethod
    def from_file(cls, filename: str | PathLike[str]) -> MatbenchBenchmark:
        """Read a result of any version of Matbench, gzipped or not."""
        document, _ = decode_results(Path(filename))
        return cls._from_document(document)

    @classmethod
    def _from_document(cls, document: Mapping[str, Any]) -> MatbenchBenchmark:
        mb = cls(subset=list(document["tasks"]))
        for name, content in document["tasks"].items():
            mb.tasks_map[name] = MatbenchTask._from_results(name, content["results"])
        mb.user_metadata = document["user_metadata"]
        return mb

    def to_submission(self, *, algorithm: str, **about: Any) -> Submission:
        """The same record as a `Submission`, to save as an entry, check and rank; takes its arguments, such as authors.

        Examples:
            >>> mb = MatbenchBenchmark(subset=["matbench_steels"])
            >>> mb.matbench_steels.record(0, [1400.0] * 63)
            >>> mb.to_submission(algorithm="Constant", authors=["A. Name"]).is_recorded("matbench_steels", 0)
            True
        """
        submission = Submission(self.benchmark_name, algorithm=algorithm, metadata=self.user_metadata, **about)
        for task in self.tasks:
            for fold, held in task._recorded.items():
                made = held.predictions
                submission.record(
                    task.dataset_name,
                    fold,
                    as_recorded(made),
                    std=made.std,
                    interval=None if made.lower is None or made.upper is None else (made.lower, made.upper),
                    params=held.params,
                )
        return submission

    def __getattr__(self, name: str) -> MatbenchTask:
        tasks: dict[str, MatbenchTask] = self.__dict__.get("tasks_map", {})
        if name in tasks:
            return tasks[name]
        raise AttributeError(f"MatbenchBenchmark has no attribute {name!r}; its tasks: {', '.join(tasks)}")


def _group(name: str) -> list[str]:
    """Names of the tasks of one kind or input, or of all."""
    if name not in _PRESETS:
        raise MatbenchError(f"there is no preset {name!r}", fix=f"use one of {', '.join(map(repr, _PRESETS))}")
    return [task for task, of in benchmark_metadata().items() if name in ("all", of.input_type, of.task_type)]
