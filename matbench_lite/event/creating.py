"""Setting an event up: the settings, the kit for participants, and the private folder."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import EventError
from matbench_lite.event.datasets import TEMPLATES, write_dataset, write_inputs
from matbench_lite.event.kit_files import write_kit_files
from matbench_lite.event.settings import SETTINGS_FILE, Event, load_event, ranking_metrics
from matbench_lite.event.splitting import WITHOUT_PRIVATE_TRAINING, Shares, split_rows
from matbench_lite.filling import fill
from matbench_lite.metrics import ranking_metric
from matbench_lite.run.inner import inner_folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.event.source import Source

_PRIVATE_MODE = 0o700
SPLIT_FILE = "split.json"


def create_event(event: Event, source: Source, *, shares: Shares | None = None, split_seed: int | None = None) -> Event:
    """Make the folder of an event: `event.toml`, `kit` for participants, `private` for nobody else.

    The folder appears whole or not at all.

    Args:
        event: The settings; its folder must not be there. An empty metric becomes the one that ranks such tasks.
        source: The rows.
        shares: How they are shared out; by default for the mode of the event.
        split_seed: Seed of the split; by default a random one, kept in the private folder.

    Returns:
        The event, as read back from its folder.

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
    event = replace(event, metric=event.metric or ranking_metric(task.kind))
    if event.metric not in ranking_metrics(task.kind):
        raise EventError(
            f"{event.metric} cannot rank a {task.kind}", fix=f"use one of {', '.join(ranking_metrics(task.kind))}"
        )
    folder = event.folder
    if folder.exists():
        raise EventError(f"{folder} is there already", fix="choose another --output, or remove it")
    shares = shares or (Shares() if event.mode == "code" else WITHOUT_PRIVATE_TRAINING)
    if event.mode == "code" and not shares.private_train:
        raise EventError("submitted code needs private rows to train on", fix="give private train a share")
    seed = secrets.randbelow(2**32) if split_seed is None else split_seed
    labels = source.frame["target"].to_numpy(dtype=bool) if task.kind == "classification" else None
    rows = split_rows(source.formulas, labels, shares, seed=seed)
    staged = replace(event, folder=folder.with_name(f".{folder.name}.{secrets.token_hex(6)}.tmp"))
    try:
        _write(staged, source, rows, seed)
        _try_folds(load_event(staged.folder))
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged.folder.rename(folder)
    except OSError as error:
        raise EventError(f"{folder} cannot be written: {error.strerror}", fix="choose another --output") from error
    finally:
        shutil.rmtree(staged.folder, ignore_errors=True)
    return load_event(folder)


def _write(event: Event, source: Source, rows: Mapping[str, NDArray[np.intp]], seed: int) -> None:
    private = event.private
    private.mkdir(parents=True, mode=_PRIVATE_MODE)
    names = {"benchmark": event.name, "title": event.title}
    for folder, which in ((event.kit, "public"), (private, "private")):
        train, test = rows[f"{which} train"], rows[f"{which} test"]
        write_dataset(folder, source, name=which, train=train, test=test, **names)
    if event.mode == "predictions":
        write_inputs(event.kit, source, rows["private test"])
    sizes = {name: len(of) for name, of in rows.items()}
    write_bytes(private / SPLIT_FILE, (json.dumps({"seed": seed, "rows": sizes}, indent=2) + "\n").encode())
    settings = fill(TEMPLATES / f"{SETTINGS_FILE}.j2", _values(event)).encode()
    write_bytes(event.folder / SETTINGS_FILE, settings)
    write_bytes(event.kit / SETTINGS_FILE, settings)
    write_kit_files(event, source.task, sizes)


def _try_folds(event: Event) -> None:
    """Make the inner folds once: too few rows are known now, not when the first submission has come."""
    for task in {id(task): task for task in (event.public_task, event.valid_task)}.values():
        inner_folds(task, 0, n_folds=event.inner_folds, seed=event.seed)


def _values(event: Event) -> dict[str, Any]:
    values = {name: getattr(event, name) for name in event.__dataclass_fields__}
    times = {name: _toml_time(value) for name, value in values.items() if isinstance(value, datetime)}
    limits = {name: asdict(values[name]) for name in ("participant", "arrival", "training")}
    return {**values, **times, **limits}


def _toml_time(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
