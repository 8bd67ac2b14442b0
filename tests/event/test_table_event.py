"""A whole event on a table of three classes: predictions and code, from the organiser's file to the final board."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from matbench_lite import load_benchmark
from matbench_lite.errors import EventError
from matbench_lite.event import benchmark_source, load_event, table_source

from .making import closed
from .test_whole_event import asked, everything, mbl, participant, rounded

BAYES = """
from sklearn.naive_bayes import GaussianNB

input = "table"


class Bayes(GaussianNB):
    def fit(self, X, y):
        assert X.dtypes.astype(str).tolist() == ["float64", "float64", "object", "float64"], X.dtypes
        assert set(y) == {"barbera", "barolo", "grignolino"}
        return super().fit(self.numbers(X), y)

    def predict_proba(self, X):
        return super().predict_proba(self.numbers(X))

    def numbers(self, X):
        return X[["alcohol", "proline"]]


def get_estimator(task):
    return Bayes()
"""
NEAREST = """
import numpy as np

input = "table"


class Nearest:
    def fit(self, X, y):
        self.names = sorted(set(y))
        self.centres = np.array([X.loc[y == name, "proline"].mean() for name in self.names])
        return self

    def predict(self, X):
        distance = np.abs(X["proline"].to_numpy()[:, None] - self.centres)
        return [self.names[place] for place in distance.argmin(axis=1)]


def get_estimator():
    return Nearest()
"""
"""Labels alone: there is no predict_proba."""


def write_wine(path: Path) -> pd.DataFrame:
    """Wines with numbers, texts and missing values."""
    data = load_wine(as_frame=True)
    frame = data.frame[["alcohol", "proline"]].assign(
        batch=[f"b{row % 7}" for row in range(len(data.frame))],
        sugar=np.where(np.arange(len(data.frame)) % 5, 1.5, np.nan),
        grape=np.array(["barolo", "grignolino", "barbera"])[data.target],
    )
    frame.to_csv(path, index=False)
    return frame


def create(organiser: Path, *more: object) -> Path:
    organiser.mkdir()
    write_wine(organiser / "wine.csv")
    said = mbl(
        *("event", "create", "grapes", "--data", "wine.csv", "--target", "grape", "--input", "table"),
        *("--inner-folds", 3, "--opening", "2026-01-01", "--closing", "2999-01-01", *more),
        cwd=organiser,
    )
    assert "columns of a table" in said
    return organiser / "grapes"


def final(event: Path, organiser: Path) -> dict[str, Any]:
    """The test score of every participant on the final board."""
    closed(load_event(event))
    rows = asked("event", "board", event, cwd=organiser)["private_board"]["rows"]
    return {row["submission"]["participant"]: row["test"]["mean"] for row in rows}


@pytest.mark.slow
def test_an_event_of_predictions(tmp_path: Path) -> None:
    event = create(tmp_path / "organiser")
    anna, anna_model = participant(tmp_path / "anna", event / "kit", "Anna", BAYES)
    ben, _ = participant(tmp_path / "ben", event / "kit", "Ben", NEAREST)
    carl, _ = participant(tmp_path / "carl", event / "kit", "Carl")  # the model to start from
    for kit in (anna, ben, carl):
        mbl("event", "pack", "models/mine", cwd=kit)
        mbl("event", "check", "submission-mine.zip", cwd=kit)
        mbl("event", "receive", event, kit / "submission-mine.zip", cwd=event.parent)
    with zipfile.ZipFile(anna / "submission-mine.zip") as archive:
        header = archive.read("predictions.csv").splitlines()[0]
    classes = ("barbera", "barolo", "grignolino")
    assert header.decode() == ",".join(["fold", "part", "id", *(f"probability of {name}" for name in classes)])
    mbl("event", "score", event, cwd=event.parent)
    tried = asked("try", anna_model, "-b", "benchmark.toml", "--inner-folds", 3, cwd=anna)[0]
    public = asked("event", "board", event, cwd=event.parent)["public_board"]
    shown = {row["submission"]["participant"]: row["submission"]["own_valid"] for row in public["rows"]}
    assert shown["Anna"] == rounded(tried["scores"]["mean"]["valid"]["balanced_accuracy"])
    assert {line["state"] for line in public["submissions"]} == {"scored"}
    scores = final(event, event.parent)
    # Which rows are private is drawn anew for each event.
    assert min(scores.values()) > 0.5
    private = pd.read_parquet(event / "private" / "data" / "private.parquet")
    assert set(private["id"]).isdisjoint(pd.read_parquet(event / "kit" / "data" / "public.parquet")["id"])
    assert "target" not in pd.read_parquet(event / "kit" / "data" / "private_inputs.parquet")


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_an_event_of_code_ranked_by_log_loss(tmp_path: Path) -> None:
    event = create(
        tmp_path / "organiser", "--mode", "code", "--metric", "log_loss", "--final", "bagged", "--split-seed", 1
    )
    _, anna_model = participant(tmp_path / "anna", event / "kit", "Anna", BAYES)
    _, ben_model = participant(tmp_path / "ben", event / "kit", "Ben", NEAREST)
    _, carl_model = participant(tmp_path / "carl", event / "kit", "Carl")
    _, dora_model = participant(tmp_path / "dora", event / "kit", "Dora", NEAREST.replace("self.names[place]", "place"))
    mbl("event", "receive", event, anna_model, ben_model, carl_model, dora_model, cwd=event.parent)
    mbl("event", "score", event, "--run-submitted-code", cwd=event.parent, code=1)
    status = {each["participant"]: each for each in asked("event", "status", event, cwd=event.parent)["submissions"]}
    states = {name: each["state"] for name, each in status.items()}
    assert states == {"Anna": "scored", "Ben": "error", "Carl": "scored", "Dora": "error"}
    assert "probabilities are needed" in status["Ben"]["trace"]
    assert "predictions are no class" in status["Dora"]["trace"]
    tried = asked(
        *("try", anna_model, "-b", event / "private" / "benchmark.toml", "--inner-folds", 3, "-o", tmp_path / "again"),
        cwd=event.parent,
    )[0]
    scores = final(event, event.parent)
    assert scores["Anna"] == float(f"{tried['scores']['bagged']['test'][-1]['log_loss']:.4g}") < scores["Carl"]
    assert b"no class" not in everything(event / "board")


def test_every_dataset_gets_its_share_of_every_class(tmp_path: Path) -> None:
    event = load_event(create(tmp_path / "organiser", "--mode", "code", "--split-seed", 1))
    whole = write_wine(tmp_path / "wine.csv")["grape"].value_counts(normalize=True)
    for task in (event.public_task, event.private_task):
        assert task.classes == ("barbera", "barolo", "grignolino")
        for part in (task.train_rows(0), task.test_rows(0)):
            shares = task.targets["target"].iloc[part].value_counts(normalize=True)
            assert (shares - whole).abs().max() < 0.06


def test_rows_of_the_same_inputs_and_rows_of_a_group_stay_together(tmp_path: Path) -> None:
    frame = write_wine(tmp_path / "wine.csv")
    twice = pd.concat([frame, frame.head(20)])
    twice.to_csv(tmp_path / "twice.csv", index=False)
    source = table_source(tmp_path / "twice.csv", target="grape", input="table")
    assert source.columns == ("alcohol", "proline", "batch", "sugar")
    assert source.kin[:20] == source.kin[-20:]
    (tmp_path / "grapes.toml").write_text(
        'name = "grapes"\n[folds]\nsplits = 3\n[[tasks]]\nname = "grape"\ninput = "table"\nkind = "classification"\n'
        'target = "grape"\n[tasks.data]\npath = "named.csv"\nid = "name"\ncolumns = ["alcohol"]\ntarget = "grape"\n'
        'group = "batch"\n'
    )
    frame.assign(name=[f"w{row}" for row in range(len(frame))]).to_csv(tmp_path / "named.csv", index=False)
    bench = load_benchmark(tmp_path / "grapes.toml")
    assert len(set(benchmark_source(bench, bench["grape"]).kin)) == 7


def test_a_column_that_is_named_as_one_of_the_events_own_is_refused(tmp_path: Path) -> None:
    write_wine(tmp_path / "wine.csv").rename(columns={"sugar": "part"}).to_csv(tmp_path / "wine.csv", index=False)
    with pytest.raises(EventError, match=r"named 'part'.*rename it"):
        table_source(tmp_path / "wine.csv", target="grape", input="table")
