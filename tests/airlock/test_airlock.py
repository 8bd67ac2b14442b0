"""Whatever a decoder does, the process that asked for it goes on, and the next file is decoded."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.airlock import Limits, close, describe, inside, restore
from matbench_lite.board import read_entries
from matbench_lite.check import check_entry
from matbench_lite.errors import AirlockError, DataFormatError, MachineError

from ..waiting import wait_until
from . import bad_decoders as bad

SHORT = Limits(seconds=0.2, megabytes=300)
PATIENT = Limits(seconds=20, megabytes=300)


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_plain_data_and_bytes_come_back() -> None:
    about = {"a": [1, 2.5, None, True, "ü"], "__array__": ["<f8", 0, 8], "raised": 1, "failed": 2}
    reply = inside(bad.echo, about, b"first", b"", b"third" * 100_000)
    assert reply.content == about
    assert [array.tobytes() for array in reply.arrays.values()] == [b"first", b"", b"third" * 100_000]


def test_arrays_come_back_as_they_were_and_read_only() -> None:
    arrays = inside(bad.columns, None).arrays
    expected = bad.columns(None, ())[1]
    for name, array in expected.items():
        assert arrays[name].tolist() == array.tolist(), name
        assert not arrays[name].flags.writeable
    assert {name: str(array.dtype) for name, array in arrays.items()}["floats"] == "float32"


DEADLY = {
    bad.abort: "SIGABRT",
    bad.fault: "SIGSEGV",
    bad.spin: "more than 0.2 s",
    bad.spin_in_c: "more than 0.2 s",
    bad.swell: "more than 300 MB",
    bad.leave: "without an answer",
    bad.recurse: "RecursionError",
    bad.raise_other: "LookupError: nothing",
    bad.objects: "no file can give",
}


@pytest.mark.parametrize("decoder", DEADLY, ids=lambda decoder: decoder.__name__)
def test_the_end_of_a_decoder_is_an_error_and_the_next_file_is_decoded(decoder) -> None:
    with pytest.raises(AirlockError, match=DEADLY[decoder]):
        inside(decoder, None, limits=PATIENT if decoder is bad.swell else SHORT)
    assert inside(bad.echo, "still here").content == "still here"


def test_what_earlier_files_left_in_the_child_is_no_fault_of_the_next() -> None:
    for decoder, about, expected in ((bad.need, 150, 150 * 125_000), (bad.stumble, None, "fine")):
        inside(bad.litter, 150, limits=PATIENT)
        assert inside(decoder, about, limits=PATIENT).content == expected


@pytest.mark.parametrize("program", ["/nowhere/python", shutil.which("false")])
def test_a_child_that_cannot_be_started_is_the_fault_of_no_file(monkeypatch, tmp_path: Path, program) -> None:
    entry = Submission("mini", algorithm="Zero")
    entry.record("mini_gap", 0, [0.0] * 100)
    folder = entry.save(tmp_path / "zero")
    close()
    monkeypatch.setattr(sys, "executable", program)
    for look in (check_entry, Submission.load):
        with pytest.raises(MachineError, match=r"strangers' files cannot be started.*; see that") as caught:
            look(folder)
        assert "zero" not in str(caught.value)
    with pytest.raises(MachineError):
        read_entries(tmp_path, load_benchmark("mini"))
    monkeypatch.undo()
    assert Submission.load(folder).algorithm == "Zero"


def test_one_that_waits_for_ever_is_ended_by_the_clock(monkeypatch) -> None:
    inside(bad.echo, None)  # it has started: that may take longer
    monkeypatch.setattr("matbench_lite.airlock._START", 1)
    with pytest.raises(AirlockError, match="does not come to an end"):
        inside(bad.sleep, None, limits=Limits(seconds=0.01))


def test_an_error_of_ours_is_the_same_outside() -> None:
    with pytest.raises(DataFormatError, match="it is crooked; straighten it") as caught:
        inside(bad.raise_ours, None)
    assert caught.value.fix == "straighten it"


def test_what_a_decoder_prints_is_no_answer() -> None:
    assert inside(bad.print_much, None).content == "fine"


def test_the_child_is_started_once_for_many_files() -> None:
    numbers = {inside(bad.process_number, None).content for _ in range(20)}
    assert len(numbers) == 1
    assert os.getpid() not in numbers


def test_limits_are_those_of_one_file_not_of_all_before_it() -> None:
    close()
    for _ in range(30):
        inside(bad.echo, "x" * 100_000, b"y" * 1_000_000, limits=SHORT)


def test_nothing_is_written_and_few_files_are_opened(tmp_path: Path) -> None:
    assert inside(bad.write, str(tmp_path / "stolen")).content in ("OSError", "PermissionError")
    assert not (tmp_path / "stolen").exists() or (tmp_path / "stolen").stat().st_size == 0
    assert inside(bad.many_files, None).content < 100


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's")
def test_there_is_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = inside(bad.call_home, server.getsockname()[1]).content
    probe = subprocess.run(["unshare", "--user", "--net", "true"], check=False, capture_output=True)
    if probe.returncode:
        pytest.skip(f"this system gives no network namespace: {probe.stderr.decode().strip()}")
    assert found == "OSError"


def test_a_child_that_somebody_killed_is_started_again() -> None:
    first = inside(bad.process_number, None).content
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not _runs(first))
    assert inside(bad.process_number, None).content != first


def _runs(number: int) -> bool:
    """Whether a process is there and not a zombie."""
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False


def test_threads_take_turns() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: inside(bad.echo, number).content, range(100)))
    assert found == list(range(100))


def _in_a_fork(queue) -> None:
    queue.put((inside(bad.process_number, None).content, inside(bad.echo, "fork").content))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_an_airlock_of_its_own() -> None:
    here = inside(bad.process_number, None).content
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_in_a_fork, args=(queue,))
    process.start()
    there, echoed = queue.get(timeout=60)
    process.join()
    assert there != here
    assert echoed == "fork"
    assert inside(bad.process_number, None).content == here


PROGRAM = """
    import sys, time
    from tests.airlock import bad_decoders as bad
    from matbench_lite.airlock import Limits, inside
    print(inside(bad.process_number, None).content, flush=True)
    {then}
"""


WHILE_IT_WORKS = pytest.param(
    "inside(bad.spin_as_an_orphan, None, limits=Limits(seconds=600))",
    marks=pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when its time is up"),
)


@pytest.mark.parametrize("then", ["", "import os; os._exit(1)", "time.sleep(600)", WHILE_IT_WORKS])
def test_the_child_ends_with_its_parent_however_that_ends(then: str) -> None:
    program = textwrap.dedent(PROGRAM).format(then=then)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    if "sleep" in then:
        process.kill()
    process.wait()
    process.stdout.close()
    wait_until(lambda: not _runs(child))


def test_the_working_folder_may_be_anywhere(tmp_path: Path, monkeypatch) -> None:
    close()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numpy.py").write_text("raise SystemExit('not this one')")
    assert inside(bad.echo, 1).content == 1
    close()


FORGED = [
    ([["a", "<f8", 3]], b"\0" * 16),
    ([["a", "<f8", -1]], b"\0" * 16),
    ([["a", "|O", 1]], b"\0" * 16),
    ([["a", "<f8", 1.0]], b"\0" * 16),
    ([["a", "<U4", 1]], b"\0" * 16),
    ([[1, "<f8", 1]], b"\0" * 16),
    ([["a", "<f8"]], b"\0" * 16),
    ([["a", "<f8", 2**62]], b"\0" * 16),
]


@pytest.mark.parametrize(("about", "blob"), FORGED)
def test_a_forged_description_of_arrays_is_refused(about, blob) -> None:
    with pytest.raises((ValueError, TypeError)):
        restore(about, blob)


def test_a_description_and_its_inverse() -> None:
    arrays = {"a": np.array([1.5, -0.0, np.nan]), "b": np.array([True, False]), "c": np.empty(0, dtype=np.float32)}
    about, blobs = describe(arrays)
    back = restore(about, b"".join(blobs))
    assert {name: array.tobytes() for name, array in back.items()} == {n: a.tobytes() for n, a in arrays.items()}
