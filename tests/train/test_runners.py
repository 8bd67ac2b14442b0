"""Where pieces are done: limits of time and memory, threads and devices, and Ctrl-C that says what is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import RunError
from matbench_lite.train import Folds, Job, Journal, Processes, Resources, drive, load_model, runner

from ..waiting import wait_until

pytestmark = pytest.mark.slow

WriteModel = Callable[..., Path]
SAYS = "print(os.environ['OMP_NUM_THREADS'], os.environ.get('CUDA_VISIBLE_DEVICES'), os.getpid())"


def jobs(model: Path, folds: int, **limits: Any) -> list[Job]:
    protocol = Folds(task=load_benchmark("mini")["mini_gap"])
    about = {"model": load_model(model), "protocol": protocol, "resources": Resources(**limits)}
    return [Job(piece=fold, **about) for fold in range(folds)]


def test_a_fold_that_takes_too_much_memory_is_stopped_with_what_it_has_started(write_model: WriteModel) -> None:
    code = "x = b'1' * 10**9; import time; time.sleep(600)"
    eat = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    before = set(psutil.Process().children(recursive=True))
    with runner() as one:
        [(_, outcome)] = one.done(jobs(write_model(fit=eat), 1, memory_mb=700))
    assert outcome.record.error == "mini_gap fold 0: it took more than 700 MB of memory, stopped"
    assert "--memory" in outcome.record.fix
    wait_until(lambda: set(psutil.Process().children(recursive=True)) <= before)


def test_memory_that_processes_share_counts_once(write_model: WriteModel) -> None:
    forks = "x = b'1' * (3 * 10**8); [os.fork() or (time.sleep(1), os._exit(0)) for _ in range(3)]; time.sleep(1)"
    with runner() as one:
        [(_, outcome)] = one.done(jobs(write_model(fit=forks), 1, memory_mb=900))
    assert outcome.record.error is None


def test_a_time_limit_is_no_limit_of_memory(write_model: WriteModel) -> None:
    model = write_model(fit="time.sleep(600)")
    with runner() as one:
        [(_, outcome)] = one.done(jobs(model, 1, seconds=1.0, memory_mb=10_000))
    assert outcome.record.error == "mini_gap fold 0: not done after 1 s, stopped"


def test_each_process_has_its_device_and_its_threads(write_model: WriteModel) -> None:
    model = write_model(fit=f"{SAYS}; time.sleep(0.3)")
    with runner(Resources(workers=2, devices=("3", "5"))) as two:
        said = [outcome.record.printed.split() for _, outcome in two.done(jobs(model, 4, threads=2))]
    assert {threads for threads, _, _ in said} == {"2"}
    assert {device for _, device, _ in said} == {"3", "5"}
    assert len({pid for _, _, pid in said}) == 2, "a process keeps its device"


def test_a_process_that_does_another_number_of_threads_is_a_new_one(write_model: WriteModel) -> None:
    model = write_model(fit=SAYS)
    one, two = jobs(model, 2)
    with runner() as both:
        said = [
            outcome.record.printed.split()
            for _, outcome in both.done([one, replace(two, resources=Resources(threads=3))])
        ]
    assert [threads for threads, *_ in said] == ["1", "3"]
    assert said[0][2] != said[1][2]


def test_devices_are_not_given_to_a_cluster() -> None:
    with pytest.raises(RunError, match="CUDA_VISIBLE_DEVICES"):
        runner(Resources(backend="dask", devices=("0",)))


def test_what_kills_a_process_while_it_prepares_does_not_fail_a_job(write_model: WriteModel) -> None:
    with Processes(1, prepare=os.abort) as one:
        [(_, outcome)] = one.done(jobs(write_model(), 1))
    assert outcome.record.error is None


def test_nothing_is_left_when_a_runner_is_left(write_model: WriteModel) -> None:
    before = set(psutil.Process().children())
    model = write_model(fit="time.sleep(600)")
    with runner(Resources(workers=2)) as two:
        next(two.done([*jobs(write_model(name="quick"), 1), *jobs(model, 3)]))
    assert set(psutil.Process().children()) == before


def test_a_long_piece_is_seen_to_be_at_work(
    write_model: WriteModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("matbench_lite.train.driver._PULSE", 0.05)
    with runner() as one:
        drive(jobs(write_model(fit="time.sleep(0.5)"), 1), one, title="a forest")
    assert "a forest: 0 of 1 done after " in capsys.readouterr().err


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(write_model: WriteModel, tmp_path: Path) -> None:
    wait = f"if Path({str(tmp_path / 'first')!r}).exists(): time.sleep(600)"
    model = write_model(fit=f"{wait}\n        Path({str(tmp_path / 'first')!r}).touch()")
    program = [sys.executable, "-c", "from matbench_lite.cli import main; main()", "run", str(model), "-b", "mini"]
    command = [*program, "-o", str(tmp_path / "e"), "--tasks", "mini_gap"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        wait_until(lambda: bool(Journal(tmp_path / "e" / ".run" / "folds").read()) or running.poll() is not None)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=300)
    assert running.returncode == 130
    last = " ".join(said.split()).partition("stopped: ")[2]
    assert last.startswith("1 piece of 5 done in this run and kept in ")
    assert last.endswith("the same command again goes on")
