"""Commands on damaged or forged data: they say so, with what to do, and accuse no entry; or nothing has changed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.data import add
from matbench_lite.data.parquet import write_targets
from matbench_lite.data.store import file_sha256, holdings

from ..conftest import LONG
from ..flips import copy_of_folds, copy_of_mini, flips, forget_folds

MODEL = '"""A model."""\n\n\ndef get_estimator():\n    return None\n'
NOISE = {"good": 0.3, "fair": 0.5, "poor": 0.8}


@dataclass(frozen=True)
class Place:
    """A clone with three honest entries, the last of them on a branch, and data that may be damaged."""

    clone: Path
    benchmark: str
    tasks: tuple[str, ...]
    files: list[Path]

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=A. Name", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(self.clone), *who, *arguments], check=True, capture_output=True)

    @property
    def commands(self) -> dict[str, list[object]]:
        """By name, commands that show numbers or judge entries."""
        board = ["leaderboard", "-b", self.benchmark, "-s", self.clone / "submissions", "--json"]
        output = self.clone.parent / "review"
        return {
            "check": ["check", self.clone / "submissions", "--json"],
            "leaderboard": board,
            "task": [*board, "--task", self.tasks[0]],
            "review": ["review", "--base", "main", "--head", "new", "-C", self.clone, "-o", output, "--json"],
        }


def fill(place: Place) -> Place:
    """Save the entries: the truth, and some noise."""
    tasks = load_benchmark(place.benchmark).select(names=place.tasks)
    place.clone.mkdir()
    place.git("init", "--quiet", "--template=", "-b", "main")
    code = place.clone.parent / "model.py"
    code.write_text(MODEL)
    for seed, (slug, noise) in enumerate(NOISE.items()):
        rng = np.random.default_rng(seed)
        entry = Submission(
            place.benchmark,
            algorithm=f"A {slug} model",
            authors=["A. Name"],
            description="A model of a test.",
            single_configuration=True,
            external_data=False,
        )
        for task, fold in [(each, fold) for each in tasks for fold in each.folds]:
            truth = task.target_values[task.test_rows(fold)]
            entry.record(task.name, fold, truth + noise * task.mean_absolute_deviation * rng.normal(size=len(truth)))
        if slug == "poor":
            place.git("switch", "--quiet", "-c", "new")
        entry.save(place.clone / "submissions" / slug, code=code)
        place.git("add", "--all")
        place.git("commit", "--quiet", "-m", slug)
    return place


@pytest.fixture(autouse=True)
def _as_shipped() -> Iterator[None]:
    """No other test sees what was read from a copy."""
    yield
    forget_folds()


@pytest.fixture
def packaged(tmp_path, monkeypatch) -> Place:
    """All regression tasks of mini, read from a copy: general-purpose entries."""
    mini = load_benchmark("mini")
    files = copy_of_mini(tmp_path, monkeypatch, *(task.name for task in mini))
    tasks = tuple(task.name for task in mini if task.kind == "regression")
    return fill(Place(tmp_path / "clone", "mini", tasks, files))


@pytest.fixture
def stored(real_data, data_directory, tmp_path, monkeypatch) -> Place:
    """Real targets in a store."""
    name = "matbench_jdft2d"
    (added,) = add([real_data / "matbench_v0.1" / "truth" / f"{name}.parquet"], load_benchmark("matbench_v0.1"))
    assert added.error is None
    home = data_directory / "matbench_v0.1"
    shipped = copy_of_folds(tmp_path, monkeypatch, "matbench_v0.1", name)
    files = [*home.glob("*.json"), *home.glob("*.targets.*.parquet"), shipped]
    return fill(Place(tmp_path / "clone", "matbench_v0.1", (name,), files))


Mbl = Callable[..., Any]


def answers(place: Place, mbl: Mbl, *names: str) -> dict[str, tuple[int, str]]:
    """What commands show, and how they end."""
    ended = {name: mbl(*place.commands[name]) for name in names}
    return {name: (end.code, end.out) for name, end in ended.items()}


def assert_noticed(ended: Any, place: Place, where: str) -> None:
    """The message is about the data, with what to do; nothing is said of any entry."""
    assert ended.code == 1, where
    assert ended.out == "", where
    message = " ".join(ended.err.split())
    assert "error: " in message, where
    assert "fix: " in message, where
    assert any(name in message for name in load_benchmark(place.benchmark).names) or "SHA256SUMS" in message, where
    assert not any(slug in message for slug in NOISE), where
    assert "MBL" not in message, where


KINDS = ["packaged", "stored"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_bit_that_flips_is_noticed_or_shows_the_same(request, mbl, kind):
    place: Place = request.getfixturevalue(kind)
    names = list(place.commands)
    before = answers(place, mbl, *names)
    assert {code for code, _ in before.values()} == {0}
    noticed = 0
    count = 1000 if LONG else 24
    for number, where in enumerate(flips(place.files, count, seed=11)):
        # Boards are quick; of the others, one at a time.
        for name in names if LONG else ("check", "task", names[number % len(names)]):
            ended = mbl(*place.commands[name])
            if (ended.code, ended.out) != before[name]:
                assert_noticed(ended, place, f"{name}: {where}")
                noticed += 1
    assert noticed > count / 2
    assert answers(place, mbl, *names) == before


def forge(place: Place, column: str) -> None:
    """Permute a column of the targets in the store, with a manifest of the first schema that calls them verified."""
    task = load_benchmark(place.benchmark)[place.tasks[0]]
    frame = task.targets
    frame[column] = pd.array(np.roll(frame[column].array, 1), dtype=frame[column].dtype)
    path = holdings(task)["targets"].path
    write_targets(path, frame["target"].to_numpy(), frame["formula"].tolist(), frame["spacegroup"].tolist())
    manifest = path.parent / f"{task.name}.json"
    fields = orjson.loads(manifest.read_bytes())["parts"]["targets"]
    del fields["accepted"]
    fields |= {"sha256": file_sha256(path), "verified": True}
    manifest.write_bytes(orjson.dumps({"schema": 1, "parts": {"targets": fields}}))


@pytest.mark.parametrize("column", ["target", "formula", "spacegroup"])
@pytest.mark.parametrize("command", ["check", "task", "review"])
def test_forged_targets_are_noticed(mbl, stored, column, command):
    assert mbl(*stored.commands[command]).code == 0
    forge(stored, column)
    ended = mbl(*stored.commands[command])
    assert_noticed(ended, stored, command)
    message = " ".join(ended.err.split())
    assert "the targets of matbench_jdft2d on this machine are not the published ones" in message
    assert "mbl data fetch matbench_jdft2d" in message


@pytest.mark.filterwarnings("default::matbench_lite.errors.UnverifiedDataWarning")
def test_targets_that_somebody_accepted_accuse_no_entry(mbl, stored):
    """They are other targets: what they say of an entry is not what the published ones say."""
    assert [item["findings"] for item in mbl(*stored.commands["check"]).json] == [[], [], []]
    forge(stored, "target")
    manifest = next(path for path in stored.files if path.suffix == ".json")
    manifest.write_bytes(manifest.read_bytes().replace(b'"verified":true', b'"verified":false'))
    for item in mbl(*stored.commands["check"]).json:
        assert item["ok"]
        assert item["verified"] == {"matbench_jdft2d": False}
        assert [found["code"] for found in item["findings"]] == ["MBL409"]
    ended = mbl(*stored.commands["task"])
    assert "warning: the targets of matbench_jdft2d are unverified" in ended.err
    assert [row["verified"] for row in ended.json["rows"]] == [False] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_site_is_not_built_of_damaged_data(request, mbl, tmp_path, kind):
    place: Place = request.getfixturevalue(kind)
    submissions = place.clone / "submissions"
    command = ["site", "build", "-b", place.benchmark, "-s", submissions, "-o", tmp_path / "build", "--no-render"]
    assert mbl(*command).code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "build").rglob("*") if path.is_file()}
    for where in flips(place.files, len(place.files), seed=3):
        ended = mbl(*command)
        if ended.code != 0:
            assert_noticed(ended, place, where)
        assert {path: path.read_bytes() for path in (tmp_path / "build").rglob("*") if path.is_file()} == before, where
