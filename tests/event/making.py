"""Events, models and submissions for the tests."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import FileLock

from matbench_lite import load_benchmark
from matbench_lite.event import (
    Event,
    Received,
    Shares,
    benchmark_source,
    clock,
    create_event,
    load_event,
    open_kit,
    pack,
    receive,
)
from matbench_lite.event.event_data import read_inputs
from matbench_lite.train import load_model

DUMMY = """
import numpy as np

input = "composition"


class Quantile:
    def fit(self, X, y):
        self.value = np.quantile(y, {quantile}) if y.dtype == float else y.mean() > 0.5
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


def get_estimator(task):
    return Quantile()
"""
"""The same value for every row; for classes, a label. Without scikit-learn, which takes a second to load."""


def make_event(
    folder: Path,
    *,
    mode: str = "predictions",
    task: str = "mini_gap",
    source: Any = None,
    shares: Shares | None = None,
    **changes: object,
) -> Event:
    bench, now = load_benchmark("mini"), clock()
    settings = Event(
        folder=folder,
        name="gaps",
        title="Band gaps",
        mode=mode,  # type: ignore[arg-type]
        opening=now - timedelta(days=1),
        public_opening=now - timedelta(hours=1),
        closing=now + timedelta(days=1),
        metric="",
        inner_folds=3,
    )
    return create_event(
        replace(settings, **changes),  # type: ignore[arg-type]
        source or benchmark_source(bench, bench[task]),
        shares=shares,
        split_seed=1,
    )


def write_model(folder: Path, *, participant: str = "Team A", quantile: float = 0.5, source: str | None = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(source if source is not None else DUMMY.format(quantile=quantile))
    (folder / "submission.toml").write_text(f'participant = "{participant}"\ntitle = "Quantile {quantile}"\n')
    return folder


Predict = Callable[[int, str, pd.Index], Any]
"""Numbers, or the columns of `predictions.csv`, of one inner fold, part and its row ids."""


def send_numbers(event: Event, folder: Path, predict: Predict, *, participant: str = "Mallory") -> Received:
    """Send a `predictions.csv` that any program could have written."""
    kit = open_kit(event.kit)
    asked = read_inputs(event.kit, kit.task).index
    frames = []
    for fold in kit.folds:
        for part, ids in (("valid", kit.task.ids[fold.valid]), ("test", asked)):
            said = predict(fold.number, part, ids)
            columns = said if isinstance(said, dict) else {"prediction": said}
            frames.append(pd.DataFrame({"fold": fold.number, "part": part, "id": ids, **columns}))
    folder.mkdir()
    pd.concat(frames).to_csv(folder / "predictions.csv", index=False)
    (folder / "submission.toml").write_text(f'participant = "{participant}"\n')
    return receive(event, folder)


def closed(event: Event) -> Event:
    """The same event, whose closing has passed."""
    file = event.folder / "event.toml"
    past = f"{clock() - timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}"
    lines = [f"closing = {past}" if line.startswith("closing") else line for line in file.read_text().splitlines()]
    file.write_text("\n".join(lines) + "\n")
    return load_event(event.folder)


Send = Callable[[Event, Path], Received]


def sender(kept: Path) -> Send:
    """How models are sent; what was packed is kept in a folder."""

    def send(event: Event, model: Path) -> Received:
        """Pack a model, as a participant does, and take it in, as the organiser does."""
        # Events of one kind are copies of each other, so that one training is enough for all of them.
        what = [event.public_task.targets_sha256, *(path.read_text() for path in sorted(model.iterdir()))]
        packed = kept / f"{hashlib.sha256(repr(what).encode()).hexdigest()}.zip"
        with FileLock(packed.with_suffix(".lock")):
            if not packed.exists():
                pack(open_kit(event.kit), load_model(model), packed)
        submission = model.with_suffix(".zip")
        shutil.copy(packed, submission)
        return receive(event, submission)

    return send
