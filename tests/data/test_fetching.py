"""Fetching from servers that fail: the right data in the store or a clear error, and nothing in between."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from matbench_lite import Submission, Task, load_benchmark
from matbench_lite.data import fetch, verify
from matbench_lite.data.download import DownloadPolicy
from matbench_lite.data.local_files import add_original
from matbench_lite.data.store import holdings
from matbench_lite.errors import DataError, DataMissingError, DownloadError

QUICK = DownloadPolicy(
    attempts=3, backoff=0.01, connect_timeout=5, read_timeout=0.3, stall_seconds=0.3, stall_bytes=2**20
)


@pytest.fixture(scope="module")
def published(synthetic, tmp_path_factory) -> tuple[Task, Path]:
    return synthetic.publish(tmp_path_factory.mktemp("published"), "matbench_jdft2d")


@pytest.fixture
def server(bad_server, published, monkeypatch) -> Iterator[Any]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with bad_server.BadServer(published[1].read_bytes()) as running:
        yield running


@pytest.fixture
def task(published) -> Task:
    return published[0]


def downloads(folder: Path) -> set[str]:
    """What is left of downloads, without the locks, which are empty."""
    return {path.name for path in folder.glob("downloads/*") if path.suffix != ".lock"}


@pytest.mark.parametrize(
    "behaviour",
    [
        "good",
        "unavailable-twice",
        "no-answer-twice",
        "cut",
        "cut-without-length",
        "cut-wrong-bytes",
        "choppy",
        "drip",
        "hold",
        "moved",
        "encoded",
    ],
)
def test_a_server_that_gives_the_file_in_the_end_fills_the_store(server, task, synthetic, data_directory, behaviour):
    policy = replace(QUICK, progress_bytes=1000)
    held = fetch(task, mirrors=[server.url(behaviour)], policy=policy)
    assert {part: not item.accepted for part, item in held.items()} == {"targets": True, "inputs": True}
    assert len(task.targets) == len(task.inputs) == 636
    assert [problem for _, problem in verify(synthetic.benchmark(task))] == [None, None]
    assert downloads(data_directory) == set()


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("missing", "404 Not Found"),
        ("forbidden", "403 Forbidden"),
        ("unavailable", "503 Service Unavailable"),
        ("no-answer", "no answer"),
        ("wrong", "wrong bytes"),
        ("page", "wrong bytes: 26 bytes of text/html"),
        ("circle", "more than 10 redirects"),
        ("cut-always", "cut off"),
    ],
)
def test_a_server_that_never_gives_it_is_an_error_and_an_empty_store(server, task, data_directory, behaviour, reason):
    with pytest.raises(DownloadError, match=reason) as caught:
        fetch(task, mirrors=[server.url(behaviour)], policy=QUICK)
    assert server.url(behaviour) in caught.value.message
    assert "--mirror" in caught.value.fix
    assert holdings(task) == {}
    kept = {"matbench_jdft2d.json.gz.part"} if behaviour == "cut-always" else set()
    assert downloads(data_directory) == kept


def test_a_mirror_that_fails_is_followed_by_the_next(server, task):
    mirrors = [server.url(behaviour) for behaviour in ("missing", "wrong", "page", "good")]
    assert set(fetch(task, mirrors=mirrors, policy=QUICK)) == {"targets", "inputs"}


def test_bytes_that_failed_to_come_once_are_not_asked_for_twice(server, task):
    with pytest.raises(DownloadError):
        fetch(task, mirrors=[server.url("cut-always")], policy=QUICK)
    half = len(server.content) // 2
    server.log.clear()
    with pytest.raises(DownloadError):
        fetch(task, mirrors=[server.url("cut-always")], policy=QUICK)
    assert server.ranges()[0] == f"bytes={half}-"


def test_data_that_is_there_needs_no_request(server, task):
    for again, requests in ((False, 1), (False, 1), (True, 2)):
        fetch(task, mirrors=[server.url("good")], policy=QUICK, again=again)
        assert len(server.log) == requests


def test_data_that_was_deleted_is_fetched_again(server, task):
    fetch(task, mirrors=[server.url("good")], policy=QUICK)["inputs"].path.unlink()
    fetch(task, mirrors=[server.url("good")], policy=QUICK)
    assert len(server.log) == 2
    assert len(task.inputs) == 636


def test_unverified_data_is_replaced(server, task, synthetic, tmp_path):
    rows = synthetic.rows_of(task)
    other = synthetic.write_split(tmp_path / "other.json.gz", ["structure", task.target], [rows[1], *rows[1:]])
    assert add_original(other, task, allow_unverified=True)["inputs"].accepted
    assert not fetch(task, mirrors=[server.url("good")], policy=QUICK)["inputs"].accepted


def test_only_targets_are_kept_if_only_they_are_asked_for(server, task, data_directory):
    held = fetch(task, targets_only=True, mirrors=[server.url("good")], policy=QUICK)
    assert set(held) == {"targets"}
    assert downloads(data_directory) == set()
    assert list((data_directory / "matbench_v0.1").glob("*.parquet")) == [held["targets"].path]
    assert set(fetch(task, targets_only=True, mirrors=[server.url("missing")], policy=QUICK)) == {"targets"}
    assert set(fetch(task, mirrors=[server.url("good")], policy=QUICK)) == {"targets", "inputs"}


def test_asking_for_data_fetches_it(server, task, monkeypatch):
    monkeypatch.delenv("MATBENCH_LITE_AUTOFETCH")
    monkeypatch.setenv("MATBENCH_LITE_MIRRORS", f"{server.url('missing')} {server.url('good')}")
    assert len(task.targets) == 636
    assert set(holdings(task)) == {"targets"}
    X, y = task.train_data(0)
    assert len(X) == len(y) == 508
    assert X.iloc[7].lattice.a == 3.5 + 0.001 * task.train_rows(0)[7]
    assert [request.path.split("/")[1] for request in server.log] == ["missing", "good", "missing", "good"]


def test_asking_for_data_that_cannot_be_fetched_says_so(server, task, monkeypatch):
    monkeypatch.delenv("MATBENCH_LITE_AUTOFETCH")
    monkeypatch.setenv("MATBENCH_LITE_MIRRORS", server.url("missing"))
    with pytest.raises(DownloadError, match="404 Not Found"):
        _ = task.targets


def test_with_fetching_turned_off_nothing_is_asked_and_the_error_says_what_to_do(server, task, monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_MIRRORS", server.url("good"))
    for ask in (lambda: task.targets, lambda: task.target_values, lambda: task.inputs, lambda: task.train_data(0)):
        with pytest.raises(DataMissingError, match="of matbench_jdft2d are not on this machine") as caught:
            ask()
        assert "mbl data fetch matbench_jdft2d" in caught.value.fix
        assert "mbl data add PATH" in caught.value.fix
        assert "matbench_jdft2d.json.gz" in caught.value.fix
    assert server.log == []


def test_a_structure_task_with_only_targets_scores_but_has_no_inputs(server, task, synthetic):
    fetch(task, targets_only=True, mirrors=[server.url("good")], policy=QUICK)
    submission = Submission(synthetic.benchmark(task), algorithm="Mean", authors=["A"], single_configuration=True)
    for fold in task.folds:
        values = task.target_values
        submission.record(task.name, fold, [values[task.train_rows(fold)].mean()] * len(task.test_rows(fold)))
    assert submission.scores[task.name].mae.mean > 0
    for ask in (lambda: task.inputs, lambda: task.train_data(0), lambda: task.test_inputs(0)):
        with pytest.raises(DataMissingError, match="its targets are, so entries can be scored") as caught:
            ask()
        assert "mbl data fetch matbench_jdft2d" in caught.value.fix


@pytest.mark.slow
def test_processes_that_fetch_the_same_task_ask_for_it_once(server, task, start):
    """One of them is slow to read the download: the other must not remove it meanwhile."""
    code = """
import time
from matbench_lite.data import fetch
def wait(event, arguments):
    if event == "import" and arguments[0] == "matbench_lite.data.original":
        time.sleep(seconds)
sys.addaudithook(wait)
print("ready", flush=True)
held = fetch(task, mirrors=[mirror])
assert all(not part.accepted for part in held.values())
"""
    children = [start(code, task=task, mirror=server.url("hold"), seconds=seconds) for seconds in (0.7, 0)]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)  # for both to ask, or to wait for the one that does
    server.gate.set()
    assert [child.communicate()[1] for child in children] == ["", ""]
    assert len(server.log) == 1
    assert set(holdings(task)) == {"targets", "inputs"}


def test_a_download_that_could_not_be_added_is_used_by_the_next_try(server, task, data_directory):
    bad = replace(task, targets_sha256="0" * 64)
    with pytest.raises(DataError, match="a bug of ours"):
        fetch(bad, mirrors=[server.url("good")], policy=QUICK)
    assert downloads(data_directory) == {"matbench_jdft2d.json.gz"}
    fetch(task, mirrors=[server.url("missing")], policy=QUICK)
    assert len(server.log) == 1
    assert downloads(data_directory) == set()


def test_a_folder_on_this_machine_is_a_mirror(task, published):
    assert set(fetch(task, mirrors=[str(published[1].parent)])) == {"targets", "inputs"}


def test_there_is_nothing_to_fetch_for_mini(monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_DATA", "/proc/nowhere")
    held = fetch(load_benchmark("mini")["mini_gap"], again=True)
    assert {part: item.source for part, item in held.items()} == dict.fromkeys(("targets", "inputs"), "matbench_lite")


def test_a_store_that_cannot_be_written_is_said_before_anything_is_fetched(server, task, monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_DATA", "/proc/nowhere")
    with pytest.raises(DataError, match="the data directory /proc/nowhere cannot be written"):
        fetch(task, mirrors=[server.url("good")], policy=QUICK)
    assert server.log == []
