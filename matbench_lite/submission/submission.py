"""A submission: one algorithm's predictions on some tasks of one benchmark, recorded fold by fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monty.json import MSONable

from matbench_lite.documents import plain
from matbench_lite.errors import EntryError, MatbenchLiteError, RecordError
from matbench_lite.submission.entry_document import (
    CARD,
    SCHEMA_VERSION,
    constructor_arguments,
    form_problems,
    header_document,
    task_document,
)
from matbench_lite.submission.entry_files import check_nothing_dropped, check_owner, code_files, entry_text, write_entry
from matbench_lite.submission.entry_rules import as_lines
from matbench_lite.submission.entry_scores import Scores, TaskScores, as_html, as_text, score_folds
from matbench_lite.submission.examination import Entry, read_entry
from matbench_lite.submission.fold_predictions import RecordedFold, fold_as_dict
from matbench_lite.tasks import Benchmark, Category, Task, categorise, load_benchmark

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from matbench_lite.submission.recording import Checkpoint

FilePath = str | PathLike[str]


class Submission(MSONable):  # type: ignore[misc]
    """One algorithm's predictions on some tasks of one benchmark: record, look at the scores, save.

    Args:
        benchmark: The benchmark, its name, or the path of its TOML file.
        algorithm: Name of the algorithm.
        authors: Who made it.
        description: What it does, in a few sentences.
        references: BibTeX entries.
        requirements: Packages needed to run the code, e.g. "scikit-learn>=1.5".
        single_configuration: Whether people chose one configuration for all tasks (tuning by the algorithm inside a
            fold is fine). A general-purpose entry must declare it.
        external_data: False if it was trained on the training part of each fold alone; otherwise what else it has
            seen, e.g. "pretrained on OQMD".
        based_on: Folders of the entries that it started from, e.g. ["rf-magpie"]: it is expected to resemble them.
        metadata: Anything else to keep, as plain JSON.
        imported: Where it comes from, if it was made elsewhere: set by importers, e.g. `matbench_lite.matbench`.
        checkpoint: Folder in which every recorded fold is kept at once; `Submission.resume` goes on from there.

    Raises:
        EntryError: If the checkpoint folder has a submission in it already.

    Examples:
        >>> import numpy as np
        >>> from matbench_lite import Submission, load_benchmark
        >>> bench = load_benchmark("mini")
        >>> sub = Submission(bench, algorithm="Mean", authors=["A. Name"], single_configuration=True)
        >>> task = bench["mini_gap"]
        >>> for fold in task.folds:
        ...     X, y = task.train_data(fold)
        ...     sub.record(task.name, fold, np.full(len(task.test_ids(fold)), y.mean()))
        >>> round(sub.scores["mini_gap"].mae.mean, 2) > 1
        True
        >>> print(sub.category)
        task-specific
    """

    def __init__(
        self,
        benchmark: Benchmark | FilePath,
        *,
        algorithm: str,
        authors: Sequence[str] | str = (),
        description: str = "",
        references: Sequence[str] | str = (),
        requirements: Sequence[str] | str = (),
        single_configuration: bool | None = None,
        external_data: bool | str | None = None,
        based_on: Sequence[str] | str = (),
        metadata: Mapping[str, Any] | None = None,
        imported: Mapping[str, Any] | None = None,
        checkpoint: FilePath | None = None,
    ) -> None:
        self.benchmark = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(Path(benchmark))
        self.algorithm = algorithm
        self.authors = _texts(authors)
        self.description = description
        self.references = _texts(references)
        self.requirements = _texts(requirements)
        self.single_configuration = single_configuration
        self.external_data = external_data
        self.based_on = _texts(based_on)
        self.metadata = dict(metadata) if isinstance(metadata, Mapping) else metadata or {}
        self.imported = None if imported is None else dict(imported)
        self.created: str | None = None
        self._folds: dict[str, dict[int, RecordedFold]] = {}
        # Now, not when it is saved after hours of training.
        if problems := form_problems(header_document(self._header()), partly=True):
            raise EntryError(f"the submission has wrong values:{as_lines(problems)}", fix="correct them")
        self._checkpoint: Checkpoint | None = None
        if checkpoint is not None:
            from matbench_lite.submission.recording import Checkpoint

            self._checkpoint = Checkpoint(Path(checkpoint))
            if self._checkpoint.exists():
                raise EntryError(
                    f"{checkpoint} already holds a submission",
                    fix=f"go on with Submission.resume({str(checkpoint)!r}), or choose another folder",
                )
            self._checkpoint.begin(self._header())

    @classmethod
    def resume(cls, checkpoint: FilePath, benchmark: Benchmark | FilePath | None = None) -> Submission:
        """Go on with a submission whose run ended early: everything in its checkpoint folder is there.

        The benchmark is needed only if it is not a built-in one.
        """
        from matbench_lite.submission.recording import Checkpoint

        saved = Checkpoint(Path(checkpoint))
        header = saved.header()
        try:
            name = str(header.pop("benchmark"))
            submission = cls(benchmark or name, checkpoint=None, **header)
        except (KeyError, TypeError, ValueError, EntryError) as error:
            if isinstance(error, MatbenchLiteError) and not isinstance(error, EntryError):
                raise
            reason = error.message if isinstance(error, EntryError) else error
            message = f"{checkpoint} was begun by another version of matbench_lite, or changed since: {reason}"
            raise EntryError(message, fix="go on with the version that began it, or choose another folder") from error
        for task, fold, recorded in saved.folds(submission.benchmark):
            submission._folds.setdefault(task, {})[fold] = recorded
        submission._checkpoint = saved
        return submission

    def record(
        self,
        task: str,
        fold: int,
        predictions: ArrayLike | pd.Series | pd.DataFrame,
        *,
        std: ArrayLike | pd.Series | None = None,
        interval: tuple[ArrayLike, ArrayLike] | ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        peak_memory_mb: float | None = None,
        overwrite: bool = False,
    ) -> None:
        """Record the predictions for the test part of one fold.

        Args:
            task: Name of the task.
            fold: Number of the fold.
            predictions: One per test row. A pandas Series is aligned by row id; a list or array is in the order of
                `task.test_ids(fold)`. Regression: in the unit of the target. Classification: booleans or the
                probability of true; of named classes, names or a column with the probability of each. Not both.
            std: Standard deviation of each prediction, in the unit of the target.
            interval: Lower and upper ends of a 95 % interval: a pair of arrays, or an array of shape (n, 2).
            params: Parameters of the model in this fold.
            seconds: Wall time, if it was measured elsewhere; see `measure`.
            peak_memory_mb: Most memory that the process had, MB, if it was measured elsewhere.
            overwrite: Whether a fold that is recorded already may be replaced.

        A `RecordError` if anything is wrong with them; nothing is recorded then. A `PredictionWarning` where they look
        like a mistake beside the targets, if these are on this machine: shuffled rows, another unit, a wild value.
        """
        from matbench_lite.submission.prediction_mistakes import warn_of_mistakes
        from matbench_lite.submission.recording import check_predictions

        known = self.benchmark[task]
        checked = check_predictions(known, fold, predictions, std=std, interval=interval)
        recorded = self._folds.get(task, {})
        if fold in recorded and not overwrite:
            raise RecordError(f"{task} fold {fold} is already recorded", fix="pass overwrite=True to replace it")
        others = {held.predictions.type for number, held in recorded.items() if number != fold}
        if others - {checked.type}:
            raise RecordError(
                f"{task} fold {fold} has {checked.type} predictions, the folds before have {others.pop()}",
                fix="record labels in all folds of a task or probabilities in all of them",
            )
        fold_record = RecordedFold(
            predictions=checked, params=plain(dict(params or {})), seconds=seconds, peak_memory_mb=peak_memory_mb
        )
        self._keep(task, fold, fold_record)
        warn_of_mistakes(known, fold, checked.prediction)

    @contextmanager
    def measure(self, task: str, fold: int) -> Iterator[None]:
        """Keep the wall time and peak memory of a block that trains and records one fold.

        Examples:
            >>> from matbench_lite import Submission
            >>> sub = Submission("mini", algorithm="Zero")
            >>> with sub.measure("mini_gap", 0):
            ...     sub.record("mini_gap", 0, [0.0] * 100)
            >>> sub.recorded("mini_gap")[0].peak_memory_mb > 1
            True
        """
        from matbench_lite.submission.provenance import Measurement

        with Measurement() as block:
            yield
        recorded = self._folds.get(task, {}).get(fold)
        if recorded is None:
            raise RecordError(f"{task} fold {fold} was measured but not recorded", fix="call record inside the block")
        measured = replace(recorded, seconds=round(block.seconds, 3), peak_memory_mb=round(block.peak_memory_mb, 1))
        self._keep(task, fold, measured)

    def recorded(self, task: str) -> dict[int, RecordedFold]:
        """What is recorded for a task, by fold number."""
        return dict(sorted(self._folds.get(self.benchmark[task].name, {}).items()))

    def is_recorded(self, task: str, fold: int) -> bool:
        """Whether a fold is recorded: what a resumed run asks before it trains."""
        return fold in self._folds.get(self.benchmark[task].name, {})

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks with at least one recorded fold, in registry order."""
        return tuple(task for task in self.benchmark if self._folds.get(task.name))

    @property
    def complete_tasks(self) -> tuple[str, ...]:
        """Names of the tasks whose folds are all recorded."""
        return tuple(task.name for task in self.tasks if len(self._folds[task.name]) == task.n_folds)

    @property
    def category(self) -> Category:
        """General-purpose or task-specific, and why."""
        return categorise(self.benchmark, self.complete_tasks, single_configuration=self.single_configuration)

    @property
    def scores(self) -> Scores:
        """Scores of everything recorded so far, computed from the predictions and the targets, which must be here."""
        scores = Scores()
        for task in self.tasks:
            held = {fold: recorded.predictions for fold, recorded in self.recorded(task.name).items()}
            truths = {fold: task.target_values[task.test_rows(fold)] for fold in held}
            folds = score_folds(task, truths, held)
            about = {"task": task.name, "kind": task.scored_as, "unit": task.unit}
            scores[task.name] = TaskScores(**about, folds=folds, complete=len(folds) == task.n_folds)
        return scores

    @property
    def frame(self) -> pd.DataFrame:
        """The scores as a tidy frame: columns task, fold, metric, value."""
        return self.scores.frame

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Where it was made: Python, packages, git commit, hardware. Collected on first look; edit it as you like."""
        from matbench_lite.submission.provenance import collect_provenance

        return collect_provenance()

    def save(self, folder: FilePath, *, code: FilePath | Sequence[FilePath] = (), overwrite: bool = False) -> Path:
        """Write the entry: `submission.json`, `predictions.parquet` and the code, and give its folder.

        Args:
            folder: The entry's folder, e.g. "submissions/my-forest"; made if it is not there.
            code: The file, or files, that made the predictions. A pull request needs at least one.
            overwrite: Whether an entry in that folder may be replaced that is somebody else's (of another benchmark
                or algorithm, or none of its authors is among yours), or has folds that are not recorded here. (Saving
                your own again, with all that it had, is always fine.)

        An `EntryError` if nothing is recorded, a code file is missing, the folder holds somebody else's entry, or folds
        of it would be lost.
        """
        target = Path(folder)
        if not self.tasks:
            raise EntryError("nothing is recorded yet", fix="record at least one fold before saving")
        paths = [code] if isinstance(code, str | PathLike) else code
        files = code_files(paths)
        try:
            seen = entry_text(target)
            if not overwrite:
                check_owner(target, self._header())
                check_nothing_dropped(target, self._folds)
            self.created = self.created or datetime.now(UTC).isoformat(timespec="seconds")
            # In the folder where the code is written, a file that is not used now is somebody's work.
            elsewhere = target.resolve() not in [Path(path).resolve().parent for path in paths]
            document = self._document()
            write_entry(target, self.benchmark, document, self._folds, files, seen=seen, drop_code=elsewhere)
        except OSError as error:  # a name that is too long, say
            raise EntryError(f"{target} cannot be used: {error.strerror}", fix="choose another folder") from error
        return target

    @classmethod
    def load(cls, folder: FilePath, benchmark: Benchmark | FilePath | None = None) -> Submission:
        """Read an entry back; all of it is checked, none of it is executed.

        The benchmark is needed only if it is not a built-in one. An `EntryError` if anything is missing, malformed, or
        was changed after it was saved.
        """
        bench = benchmark if benchmark is None or isinstance(benchmark, Benchmark) else load_benchmark(Path(benchmark))
        return cls.from_entry(read_entry(Path(folder), bench))

    @classmethod
    def from_entry(cls, entry: Entry) -> Submission:
        """The submission that an entry on disk holds."""
        document = entry.document
        submission = cls(entry.benchmark, **constructor_arguments(document))
        submission.created = document["created"]
        submission.provenance = dict(document["provenance"])
        submission._folds = {name: dict(folds) for name, folds in entry.folds.items()}
        return submission

    def as_dict(self) -> dict[str, Any]:
        """The submission as plain data, for monty: everything, predictions included."""
        return {
            "@module": type(self).__module__,
            "@class": type(self).__name__,
            **self._header(),
            "created": self.created,
            "provenance": plain(self.provenance),
            "folds": {
                name: [fold_as_dict(fold, held) for fold, held in sorted(folds.items())]
                for name, folds in self._folds.items()
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Submission:
        """The inverse of `as_dict`."""
        from matbench_lite.submission.recording import fold_from_dict

        header = {key: value for key, value in data.items() if not key.startswith("@")}
        created, provenance, folds = (header.pop(key) for key in ("created", "provenance", "folds"))
        submission = cls(header.pop("benchmark"), **header)
        submission.created, submission.provenance = created, dict(provenance)
        for task, listed in folds.items():
            for fields in listed:
                submission._keep(task, *fold_from_dict(submission.benchmark[task], fields))
        return submission

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _keep(self, task: str, fold: int, recorded: RecordedFold) -> None:
        # In memory first: a disk that is full must not lose what was just trained.
        self._folds.setdefault(task, {})[fold] = recorded
        if self._checkpoint is not None:
            self._checkpoint.keep(task, fold, recorded)

    def _header(self) -> dict[str, Any]:
        """Who and what, as plain JSON: the arguments of the constructor."""
        return {
            "benchmark": self.benchmark.name,
            **{key: copy(getattr(self, key)) for key in CARD},
            "metadata": plain(self.metadata),
            **({} if self.imported is None else {"imported": plain(self.imported)}),
        }

    def _document(self) -> dict[str, Any]:
        """`submission.json` without its digests."""
        return {
            "schema_version": SCHEMA_VERSION,
            **header_document(self._header()),
            "created": self.created,
            "provenance": plain(self.provenance),
            "tasks": {task.name: task_document(task, self.recorded(task.name)) for task in self.tasks},
        }


def _texts(values: Any) -> list[str]:
    """One text is a list of one; so is what is no list at all, which is refused with all else that is wrong."""
    return list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
