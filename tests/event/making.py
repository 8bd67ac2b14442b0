"""Events, models and submissions for the tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from matbench_lite import load_benchmark
from matbench_lite.event import Event, benchmark_source, clock, create_event, load_event, open_kit, pack, receive
from matbench_lite.event.received import Received
from matbench_lite.run import load_model

DUMMY = """
from sklearn.dummy import DummyClassifier, DummyRegressor

input = "composition"


def get_estimator(task):
    return DummyRegressor(strategy="quantile", quantile={quantile}) if task.kind == "regression" else DummyClassifier()
"""


def make_event(folder: Path, *, mode: str = "predictions", task: str = "mini_gap", **changes: object) -> Event:
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
        benchmark_source(bench, bench[task]),
        split_seed=1,
    )


def write_model(folder: Path, *, participant: str = "Team A", quantile: float = 0.5, source: str | None = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(source if source is not None else DUMMY.format(quantile=quantile))
    (folder / "submission.toml").write_text(f'participant = "{participant}"\ntitle = "Quantile {quantile}"\n')
    return folder


def closed(event: Event) -> Event:
    """The same event, whose closing has passed."""
    file = event.folder / "event.toml"
    past = f"{clock() - timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}"
    lines = [f"closing = {past}" if line.startswith("closing") else line for line in file.read_text().splitlines()]
    file.write_text("\n".join(lines) + "\n")
    return load_event(event.folder)


_packed: dict[tuple[str, ...], bytes] = {}


def send(event: Event, model: Path) -> Received:
    """Pack a model, as a participant does, and take it in, as the organiser does."""
    submission = model.with_suffix(".zip")
    # Events of one kind are copies of each other, so that one training is enough for all of them.
    key = (event.public_task.targets_sha256 or "", *(path.read_text() for path in sorted(model.iterdir())))
    if key not in _packed:
        _packed[key] = pack(open_kit(event.kit), load_model(model), submission).read_bytes()
    submission.write_bytes(_packed[key])
    return receive(event, submission)
