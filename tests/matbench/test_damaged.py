"""Damaged and hostile results: a clear error each, within bounds of time and memory."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.matbench import MatbenchError, MatbenchKeyError, MatbenchTypeError, read_results


def steels(document, fold: str = "fold_0") -> dict:
    return document["tasks"]["matbench_steels"]["results"][fold]


def drop_fold(document) -> None:
    del document["tasks"]["matbench_steels"]["results"]["fold_3"]


def empty_fold(document) -> None:
    document["tasks"]["matbench_steels"]["results"]["fold_3"] = {"data": {}}


def extra_fold(document) -> None:
    document["tasks"]["matbench_steels"]["results"]["fold_5"] = steels(document)


def extra_row(document) -> None:
    steels(document)["data"]["mb-steels-999"] = 1000.0


def missing_row(document) -> None:
    del steels(document)["data"]["mb-steels-003"]


def row_of_another_fold(document) -> None:
    missing_row(document)
    steels(document)["data"]["mb-steels-001"] = 1000.0


def unknown_task(document) -> None:
    document["tasks"]["matbench_bogus"] = {**document["tasks"]["matbench_steels"], "dataset_name": "matbench_bogus"}


def renamed_task(document) -> None:
    document["tasks"]["matbench_jdft2d"] = document["tasks"].pop("matbench_steels")


def put(*path, value):
    """A change to one place in a document."""

    def change(document) -> None:
        *steps, last = path
        for step in steps:
            document = document[step]
        document[last] = value

    change.__name__ = f"{path[-1]}={value!r:.20}"
    return change


FOLD = ("tasks", "matbench_steels", "results", "fold_0")
ROW = (*FOLD, "data", "mb-steels-003")
CASES = [
    (drop_fold, MatbenchError, "'fold_3' not recorded"),
    (empty_fold, MatbenchError, "'fold_3' not recorded"),
    (extra_fold, MatbenchKeyError, "'fold_5', which is none of its folds"),
    (extra_row, MatbenchError, r"0 missing, 1 unknown \('mb-steels-999'\)"),
    (missing_row, MatbenchError, r"1 missing \('mb-steels-003'\), 0 unknown"),
    (row_of_another_fold, MatbenchError, "1 missing .*, 1 unknown"),
    (unknown_task, MatbenchKeyError, "no task 'matbench_bogus'.*use one of matbench_steels"),
    (renamed_task, MatbenchError, "matbench_jdft2d holds the results of matbench_steels"),
    (put(*ROW, value=float("nan")), MatbenchLiteError, "1 predictions are NaN or infinite .*mb-steels-003"),
    (put(*ROW, value=float("inf")), MatbenchLiteError, "NaN or infinite"),
    (put(*ROW, value="1000.0"), MatbenchTypeError, "predictions are float, str, not decimal numbers"),
    (put(*ROW, value=1000), MatbenchTypeError, "predictions are float, int"),
    (put(*ROW, value=True), MatbenchTypeError, "predictions are bool, float"),
    (put(*ROW, value=None), MatbenchTypeError, "NoneType"),
    (put(*ROW, value=[1.0]), MatbenchTypeError, "list"),
    (put(*FOLD, "data", value=[1.0, 2.0]), MatbenchTypeError, "not an object by row id"),
    (put(*FOLD, "data", value="many"), MatbenchTypeError, "not an object by row id"),
    (put(*FOLD, "parameters", value=[1]), MatbenchTypeError, "parameters is a JSON list"),
    (put(*FOLD, "scores", value=None), MatbenchTypeError, "scores are None"),
    (put(*FOLD, "scores", value={"mae": 1.0}), MatbenchKeyError, "lacks 'mape', 'max_error', 'rmse'"),
    (put(*FOLD, "scores", "mae", value="0.1"), MatbenchTypeError, "mae is '0.1', not a decimal number"),
    (put(*FOLD, "extra", value=1), MatbenchKeyError, "has 'extra'"),
    (put(*FOLD, "uncertainty", value=[1]), MatbenchTypeError, "uncertainties are a JSON list"),
    (put(*FOLD, "uncertainty", value={"mb-steels-003": {}}), MatbenchError, "uncertainties are of other rows"),
    (put("tasks", value={}), MatbenchTypeError, "at least one task"),
    (put("tasks", value=[]), MatbenchTypeError, "at least one task"),
    (put("tasks", "matbench_steels", value=7), MatbenchTypeError, "a task is 7"),
    (put("tasks", "matbench_steels", "results", value=7), MatbenchTypeError, "results of matbench_steels are 7"),
    (put("tasks", "matbench_steels", "dataset_name", value=["x"]), MatbenchKeyError, "no task a JSON list"),
    (put("benchmark_name", value="matbench_v9"), MatbenchError, "the benchmark is 'matbench_v9'"),
    (put("tasks", "matbench_glass", "benchmark_name", value="v9"), MatbenchError, "a task is of 'v9'"),
    (put("user_metadata", value="mine"), MatbenchTypeError, "user_metadata is 'mine'"),
    (put("version", value=None), MatbenchTypeError, "version is None"),
    (put("datestamp", value="yesterday"), MatbenchError, "datestamp is 'yesterday'"),
    (put("more", value=1), MatbenchError, "has 'more', which Matbench does not know"),
]


@pytest.mark.parametrize(("change", "kind", "message"), CASES, ids=lambda item: getattr(item, "__name__", ""))
def test_what_is_wrong_is_named(document, write, change, kind, message) -> None:
    change(document)
    with pytest.raises(kind, match=message) as caught:
        read_results(write(document))
    assert isinstance(caught.value, MatbenchLiteError)


def test_mixed_labels_and_probabilities_are_refused(document, write) -> None:
    data = document["tasks"]["matbench_glass"]["results"]["fold_0"]["data"]
    data[next(iter(data))] = 0.5
    with pytest.raises(MatbenchTypeError, match="all booleans or all decimal numbers"):
        read_results(write(document))


def test_probabilities_outside_their_range_are_refused(document, write) -> None:
    data = document["tasks"]["matbench_expt_is_metal"]["results"]["fold_0"]["data"]
    data[next(iter(data))] = 1.5
    with pytest.raises(MatbenchLiteError, match=r"outside \[0, 1\]"):
        read_results(write(document))


def test_a_prediction_outside_its_own_interval_is_refused(document, write) -> None:
    fold = steels(document)
    fold["uncertainty"] = {row: {"ci_lower": -2.0, "ci_upper": 2.0, "std": 1.0} for row in fold["data"]}
    with pytest.raises(MatbenchLiteError, match="below the prediction"):
        read_results(write(document))


def test_std_for_some_rows_only_is_refused(document, write) -> None:
    fold = steels(document)
    fold["uncertainty"] = {row: {"ci_lower": y, "ci_upper": y, "std": 1.0} for row, y in fold["data"].items()}
    fold["uncertainty"]["mb-steels-003"]["std"] = None
    with pytest.raises(MatbenchError, match="std is not a decimal number in every row, nor null in every row"):
        read_results(write(document))


@pytest.mark.parametrize("key", ["@module", "version", "tasks", "user_metadata", "datestamp", "hash"])
def test_a_missing_key_is_named(document, write, key) -> None:
    del document[key]
    with pytest.raises(MatbenchError, match=f"lacks '{key}'"):
        read_results(write(document, rehash=False))


def test_a_truncated_gzip_is_named(document, write) -> None:
    path = write(document)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(MatbenchError, match="is a damaged gzip file"):
        read_results(path)


def test_a_flipped_byte_in_a_gzip_is_named(document, write) -> None:
    path = write(document)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(MatbenchError):
        read_results(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not valid JSON"),
        (b"PK\x03\x04", "is not valid JSON"),
        (b"\xff\xfe", "is not valid JSON"),
        (b"[1, 2]", "holds a JSON list, not an object"),
        (b'{"a": ', "is not valid JSON"),
        (b"\x1f\x8b", "is a damaged gzip file"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, content, message) -> None:
    path = tmp_path / "results.json.gz"
    path.write_bytes(content)
    with pytest.raises(MatbenchError, match=message):
        read_results(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path) -> None:
    for path in (tmp_path / "nowhere.json.gz", tmp_path):
        with pytest.raises(MatbenchError, match="there is no file"):
            read_results(path)


def test_metadata_of_many_levels_is_refused(document, write) -> None:
    nested: dict = {}
    for _ in range(60):
        nested = {"a": [nested]}
    document["user_metadata"] = nested
    with pytest.raises(MatbenchError, match="more than 50 levels"):
        read_results(write(document))


BOMBS = {
    # 2 GB of zeros in 2 MB: gzip files may be put one behind the other.
    "zeros": (lambda: gzip.compress(b"\0" * 100_000_000, 1) * 20, "more than 128 MB of text"),
    "deep nesting": (lambda: gzip.compress(b'{"a":' * 900_000 + b"1" + b"}" * 900_000, 1), "is not valid JSON"),
    "deep nesting of lists": (lambda: b"[" * 900_000, "is not valid JSON"),
    "deeper nesting": (lambda: gzip.compress(b"[" * 100_000_000, 1), "more values than a result"),
    "millions of empty lists": (lambda: gzip.compress(b"[" + b"[]," * 40_000_000 + b"1]", 1), "more values than"),
    "millions of keys": (lambda: ("{" + ",".join(f'"{n:x}":0' for n in range(2_400_000)) + "}").encode(), "lacks"),
    "a long number": (lambda: b'{"a": ' + b"1" * 1_000_000 + b"}", "lacks|is not valid JSON"),
}


@pytest.mark.slow
def test_hostile_files_cost_little(tmp_path) -> None:
    """All of them in one process, which dies of those that cost much: by its memory, or by 20 s for one of them."""
    script = textwrap.dedent("""
        import json, re, signal, sys
        from pathlib import Path
        from matbench_lite.matbench import MatbenchError, read_results
        said = {}
        for path in map(Path, sys.argv[1:]):
            signal.setitimer(signal.ITIMER_PROF, 20)  # processor time: a busy machine does not count
            try:
                read_results(path)
            except MatbenchError as error:
                said[path.name] = str(error)
        # Not ru_maxrss: that begins with what the process of the tests had when it forked.
        peak = int(re.search("VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1])
        print(json.dumps([said, peak / 1e3]))
    """)
    for name, (make, _) in BOMBS.items():
        (tmp_path / name).write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-c", script, *(str(tmp_path / name) for name in BOMBS)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000)),
    )
    said, peak_mb = json.loads(done.stdout)
    for name, (_, message) in BOMBS.items():
        assert any(part in said[name] for part in message.split("|")), name
        assert len(said[name]) < 500
    assert peak_mb < 600


def test_a_huge_plain_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with path.open("wb") as stream:
        stream.truncate(2_000_000_000)
    with pytest.raises(MatbenchError, match="more than 128 MB of text"):
        read_results(path)
