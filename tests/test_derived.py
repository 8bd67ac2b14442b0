"""What is kept is believed only as long as nothing that it follows from has changed: facts, code, the file itself."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import matbench_lite
from matbench_lite.derived import Shelf, imported_sources, key, sources_digest

PACKAGE = Path(matbench_lite.__file__).parent
METRICS = "matbench_lite.metrics"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_was_put_is_there_and_a_nan_is_none(tmp_path) -> None:
    shelf = Shelf(tmp_path, "sums", METRICS)
    assert shelf.get(key("a")) is None
    shelf.put({key("a"): [1.5, math.nan], key("b"): {"x": "y"}})
    for reader in (shelf, Shelf(tmp_path, "sums", METRICS)):
        assert reader.get(key("a")) == [1.5, None]
        assert reader.missing([key("a"), key("b"), key("c")]) == [key("c")]


def test_a_large_value_takes_little_room_in_memory(tmp_path) -> None:
    shelf = Shelf(tmp_path, "sums", METRICS)
    page = {"html": "<p>some of it again and again</p>" * 10_000}
    shelf.put({key("a"): page, key("b"): "x"})
    for reader in (shelf, Shelf(tmp_path, "sums", METRICS)):
        assert reader.get(key("a")) == page
        assert reader.get(key("b")) == "x"
        assert sum(map(len, reader._loaded().values())) < 10_000


def test_keys_do_not_run_into_one_another() -> None:
    assert len({key("a", "bc"), key("ab", "c"), key("abc"), key("a", "b", "c")}) == 4


def test_a_damaged_file_is_not_believed_whichever_byte_it_is(tmp_path) -> None:
    Shelf(tmp_path, "sums", METRICS).put({key("a"): 1.5})
    (path,) = files(tmp_path)
    content = path.read_bytes()
    for position in range(0, len(content), 7):
        path.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        assert Shelf(tmp_path, "sums", METRICS).get(key("a")) is None
        assert not path.exists(), "it is removed, so that it is made again"
    path.write_bytes(content)
    assert Shelf(tmp_path, "sums", METRICS).get(key("a")) == 1.5


def test_many_small_additions_become_few_files(tmp_path) -> None:
    shelf = Shelf(tmp_path, "sums", METRICS)
    for number in range(100):
        shelf.put({key(str(number)): number})
    assert len(files(tmp_path)) <= 17
    again = Shelf(tmp_path, "sums", METRICS)
    assert [again.get(key(str(number))) for number in range(100)] == list(range(100))


def test_what_nobody_asks_for_is_forgotten_once_it_is_the_majority(tmp_path) -> None:
    shelf = Shelf(tmp_path, "sums", METRICS)
    for number in range(5):
        shelf.put({key(str(number)): number})
    shelf.retain({key("3"), key("4"), key("no such value")})
    assert Shelf(tmp_path, "sums", METRICS).missing([key("0")]) == []
    shelf.retain({key("3"), key("4")})
    for reader in (shelf, Shelf(tmp_path, "sums", METRICS)):
        assert [reader.get(key(str(number))) for number in range(5)] == [None, None, None, 3, 4]
    assert len(files(tmp_path)) == 1


WRITER = """
import sys
from pathlib import Path
from matbench_lite.derived import Shelf, key
for number in range(25):
    shelf = Shelf(Path(sys.argv[1]), "race", "matbench_lite.metrics")
    shelf.put({key(str(number)): {"number": number, "text": "x" * 5000}})
    assert shelf.get(key(str(number))) == {"number": number, "text": "x" * 5000}
"""


def test_processes_that_write_at_once_do_no_harm(tmp_path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert {path.suffix for path in files(tmp_path)} == {".parquet"}, "no temporary file is left"
    shelf = Shelf(tmp_path, "race", METRICS)
    assert not any(value["number"] != number for number in range(25) if (value := shelf.get(key(str(number)))))


USER = """
import sys
from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results, compare, task_board
bench = load_benchmark("mini")
task = bench["mini_gap"]
entries = {name: Submission(bench, algorithm=name) for name in "ab"}
for number, entry in enumerate(entries.values()):
    for fold in task.folds:
        entry.record(task.name, fold, [float(number)] * 100)
results = Results(bench, entries)
task_board(results, task), compare(results, ["a", "b"]), results.anatomy("a", task)
print(*sorted(name for name in sys.modules if name.startswith("matbench_lite")))
"""


def test_the_sources_of_a_result_are_all_that_was_imported_to_compute_it() -> None:
    done = subprocess.run([sys.executable, "-c", USER], check=True, capture_output=True, text=True)
    missing = set(done.stdout.split()) - set(imported_sources("matbench_lite.board.results"))
    assert missing == set()


@pytest.mark.parametrize("changed", ["metrics/regression.py", "submission/fold_predictions.py", "tasks/task.py"])
def test_any_changed_source_that_can_change_a_score_changes_the_key(tmp_path, changed: str) -> None:
    digest = "from matbench_lite.derived import sources_digest; print(sources_digest('matbench_lite.board.result'))"
    shutil.copytree(PACKAGE, tmp_path / "matbench_lite", ignore=shutil.ignore_patterns("*.pyc.*"))
    before, after = (_printed(tmp_path, digest), _printed(tmp_path, digest, changed))
    assert before == sources_digest("matbench_lite.board.result")
    assert after != before


def test_a_change_that_cannot_change_a_score_keeps_the_key(tmp_path) -> None:
    digest = "from matbench_lite.derived import sources_digest; print(sources_digest('matbench_lite.board.result'))"
    shutil.copytree(PACKAGE, tmp_path / "matbench_lite", ignore=shutil.ignore_patterns("*.pyc.*"))
    assert _printed(tmp_path, digest, "cli/app.py") == sources_digest("matbench_lite.board.result")


def _printed(folder: Path, code: str, changed: str | None = None) -> str:
    if changed is not None:
        path = folder / "matbench_lite" / changed
        path.write_text(path.read_text() + "# changed\n")
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
