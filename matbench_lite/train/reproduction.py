"""Whether the code of an entry makes its predictions: it is trained again on one fold, in a sandbox, and compared.

The code gets what it got when it was recorded, the training part and the inputs of the test part, in a process that can
read neither the entry nor any target of the test part. So it can say "equal" only if it computes these predictions, or
carries them in its own text: of that, the bits of code for each prediction tell.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from platform import python_version
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite._version import __version__
from matbench_lite.data import data_directory
from matbench_lite.errors import RunError, SubmittedCodeError, UnknownNameError, unknown_name
from matbench_lite.metrics import ranking_metric
from matbench_lite.submission import (
    Entry,
    FoldPredictions,
    Likeness,
    RecordedFold,
    ReproducedFold,
    code_names,
    code_sha256,
    read_entry,
    score_fold,
)
from matbench_lite.tasks import Benchmark, Task
from matbench_lite.train.driver import drive
from matbench_lite.train.jobs import Job, Resources
from matbench_lite.train.model_file import MODEL_FILE, gives_estimators, require_data, submitted_model
from matbench_lite.train.protocols import Folds
from matbench_lite.train.runners import Contained
from matbench_lite.train.sandbox import Limits, require_isolation

ROUNDING = 1e-6
"""Differences below this part of a prediction, or of the median one, are rounding: another processor, other threads."""
SPREADS = 2.0
"""Standard deviations over the entry's folds within which the score of the retrained one must be the recorded one."""
NEAR = 0.6
"""Part of the mean error of the recorded predictions that retrained ones may differ from them in the mean.

Measured with other seeds: forests 0.18 to 0.26, boosted trees 0.26 to 0.58, small networks 0.22 to 0.80."""
NEARER = 0.75
"""Share of the rows that differ on which recorded predictions may be nearer to the truth than retrained ones.

Of two trainings of one model, neither is much more often. What was drawn towards the truth is on nearly all rows."""
FEW_BITS = 0.25
"""Bits of code for each prediction below which it cannot carry answers: one bit says on which side a model errs."""
_FEW_ROWS = 20
_COMPUTE = ("numpy", "scipy", "pandas", "scikit-learn")
_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def reproduce(
    folder: Path,
    *,
    benchmark: Benchmark | None = None,
    task: str | None = None,
    fold: int | None = None,
    draw: int | None = None,
    run_submitted_code: bool = False,
    limits: Limits | None = None,
    threads: int = 1,
) -> tuple[Entry, ReproducedFold]:
    """Train the code of an entry on one fold again, in a sandbox, and compare with what it recorded.

    Without `task` or `fold`: the recorded task with the fewest rows and its first fold; or, with a seed to `draw`, one
    of all recorded folds, each as likely as the others. Gives the entry, too, as it was read.

    Raises:
        UnknownNameError: If the entry has not recorded such a fold.
        RunError: Without `run_submitted_code`; if the entry has no code that can be trained.
        SubmittedCodeError: If the code could not be trained within its limits; its `details` say why.
        IsolationError: If it cannot be isolated on this machine.
        EntryError: If the entry cannot be read as a whole.
        DataError: If the data of the task is neither here nor can be fetched.

    Examples:
        >>> reproduce(Path("submissions/theirs"))
        Traceback (most recent call last):
        matbench_lite.errors.RunError: training it again would execute code that strangers sent; read it first, then ...
    """
    if not run_submitted_code:
        raise RunError(
            "training it again would execute code that strangers sent",
            fix="read it first, then say --run-submitted-code",
        )
    entry = read_entry(folder, benchmark)
    code = _code(folder, entry)
    chosen, number = choose_fold(entry, task, fold, draw)
    private = [folder, data_directory(), *([chosen.table.path] if chosen.table else ())]
    require_isolation(*private)
    seed = _seed(entry.document)
    with TemporaryDirectory(prefix="mbl-code-") as home:
        # These files alone: what lies beside them in the entry are the predictions.
        for name, content in code.items():
            (Path(home) / name).write_bytes(content)
        model = submitted_model(Path(home), folder.resolve().name, code_sha256(entry.document))
        require_data(model, chosen)
        protocol = Folds(task=replace(chosen))
        job = Job(model=model, protocol=protocol, piece=number, seed=seed, resources=Resources(threads=threads))
        with Contained(1, limits=limits or Limits()) as runner:
            (outcome,) = drive([job], runner, title=job.place)
    record = outcome.record
    if record.error is not None:
        what = f"{job.place}: the code of the entry {record.log['stage']}"
        fix = "see its trace; time and memory can be given with --timeout and --memory"
        raise SubmittedCodeError(what, fix=fix, stage=record.log["stage"], details=record.traceback or "")
    return entry, ReproducedFold(
        date=datetime.now(UTC).date().isoformat(),
        code_bits=code_bits(code, entry),
        seed=seed,
        seconds=record.seconds,
        versions=_versions(entry.document["card"].get("requirements", ())),
        **compare_folds(chosen, number, entry.folds[chosen.name], outcome.predictions["test"].scorable()),
    )


def choose_fold(entry: Entry, task: str | None, fold: int | None, draw: int | None) -> tuple[Task, int]:
    """The fold that is meant, or of those that may be meant the cheapest, or one that is drawn with a seed."""
    if task is not None and task not in entry.folds:
        raise unknown_name("task", task, entry.folds, where=" that the entry has recorded")
    units = [(name, number) for name, folds in entry.folds.items() for number in sorted(folds)]
    units = [unit for unit in units if task in (None, unit[0]) and fold in (None, unit[1])]
    if not units:
        raise UnknownNameError(
            f"the entry has not recorded fold {fold}{f' of {task}' if task else ''}", fix="leave --fold out"
        )
    cheapest = min(units, key=lambda unit: (entry.benchmark[unit[0]].rows, unit[1]))
    name, number = cheapest if draw is None else random.Random(draw).choice(sorted(units))
    return entry.benchmark[name], number


def compare_folds(
    task: Task, fold: int, recorded: Mapping[int, RecordedFold], retrained: FoldPredictions
) -> dict[str, Any]:
    """What `ReproducedFold` says of two sets of predictions of one fold: the verdict, and the figures behind it."""
    held = recorded[fold].predictions
    metric = ranking_metric(task.scored_as)
    scores = {number: score_fold(task, number, each.predictions)[metric] for number, each in recorded.items()}
    score, spread = score_fold(task, fold, retrained)[metric], float(np.std(list(scores.values())))
    before, after = _numbers(held, task), _numbers(retrained, task)
    apart = np.abs(after - before)
    errors, errors_after = (np.abs(each - _truth(task, fold)) for each in (before, after))
    error, nearer = float(errors.mean()), _share_below(errors, errors_after)
    is_near = apart.mean() <= NEAR * error and nearer <= NEARER
    same_kind = held.type == retrained.type
    identical = same_kind and bool(np.array_equal(before, after)) and _same_std(held, retrained, 0.0)
    # Of each row by itself: one that is recorded as 1e9 makes no other difference small.
    rounding = ROUNDING * np.maximum(np.abs(before), np.median(np.abs(before)))
    likeness: Likeness = "not reproduced"
    if same_kind and (apart <= rounding).all() and _same_std(held, retrained, ROUNDING):
        likeness = "equal"
    elif same_kind and abs(score - scores[fold]) <= SPREADS * spread and is_near:
        likeness = "within spread"
    return {
        "task": task.name,
        "fold": fold,
        "verdict": likeness,
        "identical": identical,
        "metric": metric,
        "score": float(score),
        "recorded_score": float(scores[fold]),
        "spread": spread,
        "largest_difference": float(apart.max()),
        "mean_difference": float(apart.mean()),
        "mean_error": error,
        "nearer": round(nearer, 4),
    }


def _numbers(predictions: FoldPredictions, task: Task) -> NDArray[np.float64]:
    """Predictions as numbers that can be subtracted: of more than two classes a column for each."""
    if len(task.classes) <= 2:
        return predictions.prediction
    found = predictions.probabilities
    return np.eye(len(task.classes))[predictions.prediction.astype(np.intp)] if found is None else found


def _share_below(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Of those that differ, the share of the first that are below the second; a half of too few to say so."""
    differ = first != second
    return float((first < second)[differ].mean()) if differ.sum() >= _FEW_ROWS else 0.5


def _truth(task: Task, fold: int) -> NDArray[np.float64]:
    truth = task.target_values[task.test_rows(fold)]
    return np.eye(len(task.classes))[truth.astype(np.intp)] if len(task.classes) > 2 else truth.astype(np.float64)


def _same_std(recorded: FoldPredictions, retrained: FoldPredictions, rounding: float) -> bool:
    """Whether standard deviations, where both have them, are the same; they are kept with seven digits."""
    if recorded.std is None or retrained.std is None:
        return True
    return bool(np.allclose(recorded.std, retrained.std, rtol=10 * rounding, atol=0.0))


def _code(folder: Path, entry: Entry) -> dict[str, bytes]:
    """The Python files of an entry, the one with its model named as a model's folder has it; a RunError without one."""
    listed = entry.document["files"]
    names = [name for name in code_names(entry.document, listed) if PurePath(name).suffix == ".py"]
    code = {name: (folder / name).read_bytes() for name in names}
    having = [name for name, content in code.items() if gives_estimators(content.decode(errors="replace"))]
    if MODEL_FILE in having or len(having) == 1:
        main = MODEL_FILE if MODEL_FILE in having else having[0]
        return {MODEL_FILE: code[main]} | {name: content for name, content in code.items() if name != MODEL_FILE}
    if "imported" in entry.document:
        why = "it was imported, and its code is elsewhere"
    elif having:
        why = f"{', '.join(having)} each have get_estimator"
    else:
        why = f"of its files ({', '.join(listed) or 'none'}) none is a Python file with get_estimator(task)"
    raise RunError(
        f"{folder} has no code that can be trained again: {why}",
        fix=f"its authors can put get_estimator(task) into {MODEL_FILE}, and record it with `mbl run`",
    )


def _seed(document: Mapping[str, Any]) -> int:
    """The seed that the entry's run says it had; 0, which is that of `mbl run`, where nothing is said."""
    run = document.get("metadata", {}).get("run")
    seed = run.get("seed") if isinstance(run, Mapping) else None
    return seed if type(seed) is int and 0 <= seed < 2**63 else 0


def code_bits(code: Mapping[str, bytes], entry: Entry) -> float:
    """Bits of code, compressed, for each different prediction that the entry has recorded, and for each label."""
    size = len(zlib.compress(b"".join(code.values()), 9))
    every = [held.predictions for folds in entry.folds.values() for held in folds.values()]
    labels = sum(len(each.prediction) for each in every if each.type == "label")
    numbers = [each.prediction for each in every if each.type != "label"]
    return round(8 * size / (labels + len(np.unique(np.concatenate([*numbers, []])))), 3)


def _versions(requirements: Sequence[str]) -> tuple[str, ...]:
    """What it was trained with here: Python, this package, and those packages that are known to compute or required."""
    named = [found[0] for text in requirements if (found := _REQUIRED.match(text))]
    versions = {"python": python_version(), "matbench-lite": __version__}
    for name in (*_COMPUTE, *named):
        try:
            versions.setdefault(name.lower(), version(name))
        except PackageNotFoundError:
            continue
    return tuple(f"{name} {number}" for name, number in versions.items())
