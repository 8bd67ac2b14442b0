"""The store: what gets in, what stays, and what other processes see meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data.parquet import write_compositions, write_targets
from matbench_lite.data.store import NewPart, commit, data_directory, file_sha256, holdings
from matbench_lite.errors import DataError, DataFormatError, DataMissingError, UnverifiedDataWarning
from matbench_lite.tasks import inputs_digest, spacegroups_digest, targets_digest

from ..waiting import wait_until

_STEELS = load_benchmark("matbench_v0.1")["matbench_steels"]
TASK = replace(
    _STEELS,
    targets_sha256=targets_digest(_STEELS.ids, np.ones(_STEELS.rows)),
    formulas_sha256=inputs_digest(_STEELS.ids, ["Fe"] * _STEELS.rows),
    spacegroups_sha256=spacegroups_digest(_STEELS.ids, [225] * _STEELS.rows),
    inputs_sha256=inputs_digest(_STEELS.ids, ["Fe"] * _STEELS.rows),
)
"""Every target is 1, every composition iron: so it is published here."""
OTHER = load_benchmark("matbench_v0.1")["matbench_expt_gap"]


def targets(number: float = 1, *, spacegroups: bool = False) -> NewPart:
    values = np.full(TASK.rows, number)
    numbers = [225] * TASK.rows if spacegroups else None
    return NewPart(
        write=lambda path: write_targets(path, values, ["Fe"] * TASK.rows, numbers),
        verified=number == 1,
        source=f"{number}.json.gz",
        digest=str(number),
        knows_spacegroups=spacegroups,
    )


def inputs() -> NewPart:
    return NewPart(
        write=lambda path: write_compositions(path, ["Fe"] * TASK.rows), verified=True, source="Fe", digest="Fe"
    )


def files(folder: Path) -> set[str]:
    return {path.name for path in (folder / TASK.benchmark).iterdir()} - {f"{TASK.name}.lock", f"{TASK.name}.json"}


def manifest(folder: Path) -> Path:
    return folder / TASK.benchmark / f"{TASK.name}.json"


def test_an_empty_store_holds_nothing_and_makes_no_folder(data_directory):
    assert holdings(TASK) == {}
    assert list(data_directory.iterdir()) == []


def test_a_commit_is_read_back_with_all_that_is_known_of_it(data_directory):
    after = commit(TASK, {"targets": targets(1, spacegroups=True), "inputs": inputs()})
    assert holdings(TASK) == after
    held = after["targets"]
    assert (held.accepted, held.source, held.digest, held.knows_spacegroups) == (False, "1.json.gz", "1", True)
    assert held.path.parent == data_directory / "matbench_v0.1"
    assert TASK.target_values.tolist() == [1.0] * 312
    assert set(TASK.inputs) == {"Fe"}


def test_a_file_is_named_after_its_content(data_directory):
    held = commit(TASK, {"targets": targets()})["targets"]
    assert held.sha256 == file_sha256(held.path)
    assert held.path.name == f"matbench_steels.targets.{held.sha256[:16]}.parquet"


def test_the_same_data_again_changes_no_file(data_directory):
    first = commit(TASK, {"targets": targets()})["targets"]
    second = commit(TASK, {"targets": targets()})["targets"]
    assert first.path == second.path
    assert files(data_directory) == {first.path.name}


def test_a_replaced_file_is_removed(data_directory):
    commit(TASK, {"targets": targets(2)})
    held = commit(TASK, {"targets": targets(3)})["targets"]
    assert files(data_directory) == {held.path.name}
    assert held.digest == "3"


def test_a_part_that_is_not_given_stays(data_directory):
    commit(TASK, {"inputs": inputs()})
    assert set(commit(TASK, {"targets": targets()})) == {"targets", "inputs"}


RULES = {
    "verified replaces unverified": (targets(2), targets(1), "1"),
    "unverified never replaces verified": (targets(1), targets(2), "1"),
    "unverified with space groups never replaces verified": (targets(1), targets(2, spacegroups=True), "1"),
    "the later of two unverified stays": (targets(2), targets(3), "3"),
    "other unverified targets replace those that know the space groups": (
        targets(2, spacegroups=True),
        targets(3),
        "3",
    ),
}


@pytest.mark.parametrize(("old", "new", "stays"), RULES.values(), ids=RULES)
def test_which_of_two_stays(old, new, stays):
    commit(TASK, {"targets": old})
    assert commit(TASK, {"targets": new})["targets"].digest == stays


@pytest.mark.parametrize("number", [1, 2], ids=["verified", "unverified"])
def test_space_groups_are_not_lost_to_the_same_targets_without_them(number):
    commit(TASK, {"targets": targets(number, spacegroups=True)})
    assert commit(TASK, {"targets": targets(number)})["targets"].knows_spacegroups


def test_space_groups_are_gained_from_the_same_targets_with_them():
    commit(TASK, {"targets": targets()})
    assert commit(TASK, {"targets": targets(spacegroups=True)})["targets"].knows_spacegroups


def test_a_file_that_was_deleted_is_replaced_by_whatever_comes():
    commit(TASK, {"targets": targets(1)})["targets"].path.unlink()
    assert commit(TASK, {"targets": targets(2)})["targets"].digest == "2"


def test_a_file_that_was_damaged_is_replaced_by_whatever_comes():
    commit(TASK, {"targets": targets(1)})["targets"].path.write_bytes(b"damaged")
    assert commit(TASK, {"targets": targets(2)})["targets"].digest == "2"


def test_what_a_killed_process_left_is_removed_by_the_next_commit(data_directory):
    held = commit(TASK, {"targets": targets()})["targets"]
    folder = data_directory / TASK.benchmark
    for name in (".matbench_steels.targets.0123.tmp", ".matbench_steels.json.0123.tmp"):
        (folder / name).write_bytes(b"half")
    (folder / "matbench_steels.inputs.0123.parquet").write_bytes(b"never committed")
    others = [folder / name for name in (".matbench_expt_gap.targets.1.tmp", "matbench_expt_gap.targets.1.parquet")]
    for other in others:
        other.write_bytes(b"of another task, perhaps being written")
    commit(TASK, {"targets": targets()})
    assert files(data_directory) == {held.path.name, *(other.name for other in others)}


def test_a_write_that_fails_leaves_the_store_as_it_was(data_directory):
    before = commit(TASK, {"targets": targets(2)})

    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise ZeroDivisionError

    broken = NewPart(write=fail, verified=True, source="", digest="")
    with pytest.raises(ZeroDivisionError):
        commit(TASK, {"targets": targets(1), "inputs": broken})
    assert holdings(TASK) == before
    commit(TASK, {})
    assert files(data_directory) == {before["targets"].path.name}


def part(**fields: object) -> bytes:
    """A manifest in form, but for some fields."""
    known = {"path": "x", "sha256": "1", "source": "", "digest": "", "added": "", **fields}
    return orjson.dumps({"schema": 2, "parts": {"targets": known}})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"schema": 1}',
        b'{"schema": 1, "parts": []}',
        b'{"schema": 1, "parts": {"targets": "x"}}',
        b'{"schema": 1, "parts": {"targets": {"path": 5}}}',
        b'{"schema": 1, "parts": {"targets": {"path": "x", "colour": "red"}}}',
        part(digest=[]),
        part(sha256=""),
        part(path="../x"),
        part(accepted="no"),
        b"\xff\xfe",
    ],
)
def test_a_damaged_manifest_says_what_to_delete(data_directory, content):
    commit(TASK, {"targets": targets()})
    manifest(data_directory).write_bytes(content)
    for ask in (lambda: holdings(TASK), lambda: commit(TASK, {"targets": targets()}), lambda: TASK.targets):
        with pytest.raises(DataFormatError, match="is damaged") as caught:
            ask()
        assert str(manifest(data_directory)) in caught.value.message
        assert caught.value.fix == "delete it and add the data of matbench_steels again"
    manifest(data_directory).unlink()
    assert set(commit(TASK, {"targets": targets()})) == {"targets"}


def test_a_manifest_of_a_later_version_is_left_alone(data_directory):
    commit(TASK, {"targets": targets()})
    later = orjson.dumps({"schema": 3, "parts": {}})
    manifest(data_directory).write_bytes(later)
    with pytest.raises(DataFormatError, match="has schema 3, this version reads 2; upgrade matbench_lite"):
        commit(TASK, {"targets": targets()})
    assert manifest(data_directory).read_bytes() == later


def test_a_damaged_file_is_named_with_what_to_do():
    held = commit(TASK, {"targets": targets()})["targets"]
    held.path.write_bytes(held.path.read_bytes()[:100])
    with pytest.raises(DataFormatError, match="were changed on this disk") as caught:
        _ = TASK.targets
    assert str(held.path) in caught.value.message
    assert "mbl data verify" in caught.value.fix


def test_the_first_schema_is_read_and_not_believed(data_directory):
    """It said whether data was verified."""
    commit(TASK, {"targets": targets(2)})
    content = orjson.loads(manifest(data_directory).read_bytes())
    assert content["parts"]["targets"].pop("accepted")
    for verified in (False, True):
        content["parts"]["targets"]["verified"] = verified
        manifest(data_directory).write_bytes(orjson.dumps({**content, "schema": 1}))
        assert holdings(TASK)["targets"].accepted is not verified
        refused = pytest.raises(DataFormatError, match="not the published")
        with refused if verified else pytest.warns(UnverifiedDataWarning):
            assert set(TASK.target_values) == {2}


def test_a_deleted_file_is_named_with_what_to_do():
    held = commit(TASK, {"targets": targets(7)})["targets"]
    held.path.unlink()
    with pytest.raises(DataMissingError, match=r"is gone; add or fetch the targets of matbench_steels again"):
        _ = TASK.targets


@pytest.mark.parametrize("place", ["/proc/nothing/here", "a file"])
def test_a_data_directory_that_cannot_be_written_is_an_error_of_the_user(monkeypatch, tmp_path, place):
    (tmp_path / "a file").touch()
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / place))
    with pytest.raises(DataError) as caught:
        commit(TASK, {"targets": targets()})
    assert "MATBENCH_LITE_DATA" in caught.value.fix


def test_the_data_directory_is_the_users_own_unless_told_otherwise(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MATBENCH_LITE_DATA", "~/here")
    assert data_directory() == tmp_path / "here"
    monkeypatch.delenv("MATBENCH_LITE_DATA")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert data_directory().is_relative_to(tmp_path)
    assert data_directory().name == "matbench_lite"


def test_nothing_is_added_to_a_benchmark_that_ships_its_data():
    with pytest.raises(DataError, match="its data comes with matbench_lite"):
        commit(load_benchmark("mini")["mini_gap"], {"targets": targets()})


def test_what_a_user_does_to_a_frame_changes_nothing_in_the_next(data_directory):
    commit(TASK, {"targets": targets(1), "inputs": inputs()})
    frame = TASK.targets
    frame.loc[:, "target"] = 9.0
    compositions = TASK.inputs
    compositions.iloc[0] = "changed"
    assert (TASK.targets["target"] == 1.0).all()
    assert TASK.inputs.iloc[0] == "Fe"
    with pytest.raises(ValueError, match="read-only"):
        TASK.target_values[0] = 9.0


@pytest.mark.slow
def test_processes_that_add_the_parts_of_one_task_end_with_all_of_them(start, synthetic, tmp_path):
    """They are forked from one that has everything imported and nothing read: all begin at once."""
    code = """
import os, traceback
import matbench_lite.data.original, matbench_lite.data.parquet, pymatgen.core
from matbench_lite.data import add
children = []
for path in paths:
    children.append(os.fork())
    if children[-1] == 0:
        try:
            for _ in range(5):
                (added,) = add([path], bench)
                assert added.error is None, added.error
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""
    task, original = synthetic.publish(tmp_path, "matbench_steels", spacegroups=[225] * TASK.rows)
    table = tmp_path / "targets.parquet"
    synthetic.targets_frame(task).assign(spg_num=225).to_parquet(table)
    with start(code, paths=[original, original, table], bench=synthetic.benchmark(task)) as process:
        assert process.communicate()[1] == ""
    assert process.returncode == 0
    held = holdings(task)
    assert set(held) == {"targets", "inputs"}
    assert all(not part.accepted for part in held.values())
    assert "spacegroup" in task.targets
    assert files(data_directory()) == {part.path.name for part in held.values()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::matbench_lite.errors.UnverifiedDataWarning")
def test_a_reader_never_fails_while_another_process_replaces_the_data(start, tmp_path):
    """Each commit of the other process removes the file that this one may be about to open."""
    code = """
import numpy as np
from matbench_lite.data.parquet import write_targets
from matbench_lite.data.store import NewPart, commit
for number in range(3, 1_000_000):
    values = np.full(task.rows, float(number))
    def write(path):
        write_targets(path, values, ["Fe"] * task.rows)
    new = NewPart(write=write, verified=False, source="", digest=str(number))
    commit(task, {"targets": new})
    if stop.exists():
        break
"""
    commit(TASK, {"targets": targets(2)})
    seen = []

    def read() -> bool:
        frame = TASK.targets
        assert frame["target"].nunique() == 1
        seen.append(frame["target"].iloc[0])
        return len(set(seen)) > 20

    with start(code, task=TASK, stop=tmp_path / "stop") as child:
        try:
            wait_until(read, pause=0)
        finally:
            (tmp_path / "stop").touch()
        assert child.stderr.read() == ""
    assert seen == sorted(seen)


def test_two_processes_take_turns(start, tmp_path):
    """A commit waits for the one before it: neither writes over what the other has added."""
    code = """
import time
from matbench_lite.data.store import NewPart, commit
def say(text):
    with open(log, "a") as stream:
        stream.write(text + "\\n")
def write(path):
    say("begin")
    print("writing", flush=True)
    time.sleep(0.3)
    path.write_bytes(part.encode())
    say("end")
commit(task, {part: NewPart(write=write, verified=True, source="", digest="")})
"""
    log = tmp_path / "log"
    with start(code, task=OTHER, part="targets", log=log) as first:
        assert first.stdout.readline() == "writing\n"
        with start(code, task=OTHER, part="inputs", log=log) as second:
            assert [child.communicate()[1] for child in (first, second)] == ["", ""]
    assert log.read_text().split() == ["begin", "end"] * 2
    assert set(holdings(OTHER)) == {"targets", "inputs"}
