"""Setting an event up: its rows split four ways, the kit for participants, and the private folder."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from matbench_lite.atomic import write_bytes
from matbench_lite.cleaner import clean_lines, for_markdown
from matbench_lite.errors import EventError, raising
from matbench_lite.event.event_data import Source, data_file, write_dataset, write_inputs
from matbench_lite.event.event_settings import SETTINGS_FILE, Event, load_event, ranking_metrics
from matbench_lite.event.shown_scores import guess_score
from matbench_lite.event.submission_files import ABOUT_FILE, event_folds
from matbench_lite.metrics import METRICS, ranking_metric
from matbench_lite.templating import render
from matbench_lite.text import count
from matbench_lite.train import MODEL_FILE, load_model

DATASETS = ("public train", "public test", "private train", "private test")
"""In this order in `Shares`."""


def create_event(event: Event, source: Source, *, shares: Shares | None = None, split_seed: int | None = None) -> Event:
    """Make the folder of an event: `event.toml`, `kit` for participants, `private` for nobody else.

    The folder must not be there, and appears whole or not at all; the event is read back from it. An empty metric
    becomes the one that ranks such tasks. By default rows are shared out for the mode of the event, by a random
    `split_seed`, which is kept in the private folder.

    Raises:
        EventError: If the folder is there, the rows are too few, or the metric does not fit the target.

    Examples:
        >>> import tempfile
        >>> from datetime import timedelta
        >>> from pathlib import Path
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.event import benchmark_source, clock
        >>> bench, now = load_benchmark("mini"), clock()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     settings = Event(folder=Path(folder) / "gaps", name="gaps", title="Band gaps", metric="mae",
        ...                      mode="predictions", opening=now, public_opening=now, closing=now + timedelta(days=14))
        ...     event = create_event(settings, benchmark_source(bench, bench["mini_gap"]))
        ...     print(sorted(path.name for path in event.folder.iterdir()))
        ...     print(sorted(path.name for path in event.kit.iterdir()))
        ['event.toml', 'kit', 'private']
        ['README.md', 'benchmark.toml', 'data', 'event.toml', 'models', 'start.ipynb']
    """
    task = source.task
    kind = task.scored_as
    event = replace(event, metric=event.metric or ranking_metric(kind))
    if event.metric not in ranking_metrics(kind):
        raise EventError(f"{event.metric} cannot rank a {kind}", fix=f"use one of {', '.join(ranking_metrics(kind))}")
    folder = event.folder
    if folder.exists():
        raise EventError(f"{folder} already exists", fix="choose another --output, or remove it")
    shares = shares or (Shares() if event.mode == "code" else FOR_PREDICTIONS)
    if not shares.private_train:
        why = "submitted code needs private rows to train on"
        if event.mode == "predictions":
            why = "predictions need hidden rows to be ranked by in public: all others can be copied from the kit"
        raise EventError(why, fix="give private train, the third, a share")
    seed = secrets.randbelow(2**32) if split_seed is None else split_seed
    rows = split_rows(source.kin, source.labels, shares, seed=seed)
    begin, around = f".{folder.name}.", folder.parent
    with raising(EventError, f"{folder} cannot be written", fix="choose another --output"):
        around.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=begin, suffix=".tmp", dir=around, ignore_cleanup_errors=True) as hidden:
            staged = replace(event, folder=Path(hidden) / "event")
            _write(staged, source, rows, seed)
            staged = load_event(staged.folder)
            # Too few rows are known now, not when the first submission has come.
            for task in (staged.public_task, staged.valid_task):
                event_folds(staged, task)
            _check_scores(staged)
            staged.folder.rename(folder)
    return load_event(folder)


def _check_scores(event: Event) -> None:
    for part, rows in event.private_parts.items():
        if not math.isfinite(guess_score(event.private_task, rows, event.metric)):
            what = f"{count(len(rows), 'row')} {'of the private test' if part == 'test' else 'of hidden validation'}"
            raise EventError(
                f"{event.metric} cannot be computed of {what}: too few, or a class is missing",
                fix="give more rows, other shares or another metric",
            )


def _write(event: Event, source: Source, rows: Mapping[str, NDArray[np.intp]], seed: int) -> None:
    private = event.private
    private.mkdir(parents=True, mode=0o700)
    names = {"benchmark": event.name, "title": event.title}
    for folder, which in ((event.kit, "public"), (private, "private")):
        write_dataset(folder, source, which, rows[f"{which} train"], rows[f"{which} test"], **names)
    if event.mode == "predictions":
        # In an order that does not tell which of them decide.
        hidden = np.concatenate([rows["private train"], rows["private test"]])
        write_inputs(event.kit, source, np.random.default_rng([seed, 2]).permutation(hidden))
    sizes = {name: len(of) for name, of in rows.items()}
    write_bytes(private / "split.json", (json.dumps({"seed": seed, "rows": sizes}, indent=2) + "\n").encode())
    settings = render(f"event/files/{SETTINGS_FILE}.j2", **asdict(event)).encode()
    write_bytes(event.folder / SETTINGS_FILE, settings)
    write_bytes(event.kit / SETTINGS_FILE, settings)
    # The README, the model to start from and the notebook.
    task = source.task
    baseline = load_model("rf-table" if task.input == "table" else "rf-magpie")
    values = {
        "event": event,
        "title": for_markdown(event.title),
        "description": clean_lines(event.description),
        "task": task,
        "sizes": sizes,
        "columns": source.columns,
        "metric": METRICS[event.metric],
        "baseline": baseline.name,
        "source": baseline.files[0].read_text(encoding="utf-8"),
        "data_file": data_file("public", task.input),
    }
    start = event.kit / "models" / "start"
    for path in (event.kit / "README.md", event.kit / "start.ipynb", start / MODEL_FILE, start / ABOUT_FILE):
        write_bytes(path, render(f"event/files/{path.name}.j2", **values).encode())


@dataclass(frozen=True)
class Shares:
    """How the rows are shared out, each from 0 to 1, all of them together 1.

    Public rows are in the kit, to train and validate on, and for the local test. The public board ranks by some of the
    private ones, `private_train`: submitted code is trained and validated on them, predictions of them are scored. The
    others decide.
    """

    public_train: float = 0.4
    public_test: float = 0.1
    private_train: float = 0.3
    private_test: float = 0.2


FOR_PREDICTIONS = Shares(0.5, 0.125, 0.125, 0.25)
"""For events to which predictions are sent: a third of the rows whose targets are not in the kit ranks in public."""


def split_rows(
    kin: Sequence[str], labels: NDArray[np.intp] | None, shares: Shares, *, seed: int
) -> dict[str, NDArray[np.intp]]:
    """Share rows out at random; all rows of one kin go to one dataset, so that no private target is public.

    With `labels`, the class of every row, each dataset gets as many of each class as its share. The rows of a dataset
    are in random order: the order of a file may tell its targets.

    Examples:
        >>> rows = split_rows([f"A{i}" for i in range(100)], None, Shares(), seed=0)
        >>> {name: len(of) for name, of in rows.items()}
        {'public train': 40, 'public test': 10, 'private train': 30, 'private test': 20}
    """
    wanted = np.array(astuple(shares))
    if (wanted < 0).any() or abs(wanted.sum() - 1) > 1e-6:
        given = ", ".join(f"{name} {share:g}" for name, share in zip(DATASETS, wanted, strict=True))
        raise EventError(f"the shares ({given}) add up to {wanted.sum():g}", fix="give four shares that add up to 1")
    dataset_of = _dataset_of_rows(np.asarray(kin), labels, wanted, np.random.default_rng(seed))
    shuffled = np.random.default_rng([seed, 1]).permutation(len(kin))
    rows = {name: shuffled[dataset_of[shuffled] == place] for place, name in enumerate(DATASETS)}
    for name, share in zip(DATASETS, wanted, strict=True):
        if share > 0 and not len(rows[name]):
            raise EventError(
                f"{len(kin)} rows of {len(set(kin))} formulas or groups leave none for {name}",
                fix="give more rows, or other shares",
            )
    return rows


def _dataset_of_rows(
    kin: NDArray[np.str_], labels: NDArray[np.intp] | None, wanted: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Group by group in random order, class by class: each to the dataset that is least full."""
    _, group_of, sizes = np.unique(kin, return_inverse=True, return_counts=True)
    numbers = np.zeros(len(kin), dtype=np.intp) if labels is None else labels
    counts = np.array([np.bincount(group_of, weights=numbers == number) for number in range(numbers.max() + 1)])
    # The last class that is as frequent as any in the group.
    class_of = len(counts) - 1 - counts[::-1].argmax(axis=0)
    dataset_of_group = np.empty(len(sizes), dtype=np.intp)
    for number in range(len(counts)):
        stratum = class_of == number
        room = wanted * sizes[stratum].sum()
        taken = np.zeros(len(wanted))
        for group in rng.permutation(np.flatnonzero(stratum)):
            filled = np.divide(taken, room, out=np.full(len(wanted), np.inf), where=room > 0)
            dataset_of_group[group] = np.argmin(filled)
            taken[dataset_of_group[group]] += sizes[group]
    chosen: NDArray[np.intp] = dataset_of_group[group_of]
    return chosen
