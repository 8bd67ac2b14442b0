"""The entry on disk: what is saved is what is read, and every change is seen."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matbench_lite import MatbenchLiteError, Submission, load_benchmark
from matbench_lite.errors import EntryError
from matbench_lite.submission import SCHEMA_FILE
from matbench_lite.submission.entry_document import canonical_bytes, digest
from matbench_lite.submission.examination import read_entry

BENCH = load_benchmark("mini")


def assert_same(first: Submission, second: Submission) -> None:
    assert first._document() == second._document()
    for task in first.tasks:
        for fold, held in first.recorded(task.name).items():
            other = second.recorded(task.name)[fold]
            assert held.predictions.arrays.keys() == other.predictions.arrays.keys()
            for name, array in held.predictions.arrays.items():
                assert array.dtype == other.predictions.arrays[name].dtype
                assert np.array_equal(array, other.predictions.arrays[name])


def rewrite(folder: Path, **changes) -> None:
    """Change submission.json and forge its digest, as somebody who knows the format would."""
    path = folder / "submission.json"
    document = json.loads(path.read_bytes()) | changes
    document["digest"] = digest(document)
    path.write_bytes(canonical_bytes(document))


def rewrite_table(folder: Path, table: pa.Table, **options) -> None:
    """Replace the predictions and forge the checksum of the file."""
    pq.write_table(table, folder / "predictions.parquet", **({"store_schema": False} | options))
    content = (folder / "predictions.parquet").read_bytes()
    rewrite(folder, predictions_sha256=hashlib.sha256(content).hexdigest())


def test_what_is_saved_is_what_is_read(submission, entry) -> None:
    assert_same(submission, Submission.load(entry))


@settings(max_examples=25)
@given(
    values=st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=5).map(lambda few: (few * 100)[:100]),
    text=st.text(st.characters(codec="utf-8"), max_size=50),
    params=st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text(max_size=5)),
)
def test_whatever_is_recorded_is_what_is_read(tmp_path, values, text, params) -> None:
    folder = tmp_path / "any"
    shutil.rmtree(folder, ignore_errors=True)
    sub = Submission(BENCH, algorithm="Any", description=text, metadata={"text": text})
    sub.record("mini_gap", 2, values, params=params)
    sub.save(folder)
    back = Submission.load(folder)
    assert_same(sub, back)
    assert back.description == text


def test_saving_twice_gives_the_same_bytes(submission, entry, tmp_path) -> None:
    for name, saved in (("again", submission), ("loaded", Submission.load(entry))):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(entry / "README.md", folder)
        saved.save(folder, code=entry / "model.py")
        for file in ("submission.json", "predictions.parquet", "model.py", "README.md"):
            assert (folder / file).read_bytes() == (entry / file).read_bytes()


def test_submission_json_is_readable_and_holds_no_predictions(entry) -> None:
    content = (entry / "submission.json").read_bytes()
    document = json.loads(content)
    assert content == canonical_bytes(document)
    assert set(document["files"]) == {"model.py", "README.md"}
    assert len(content) < 20_000
    assert document["tasks"]["mini_gap"]["folds"][0]["params"] == {"depth": 3}
    assert document["code"] == ["model.py"]
    assert b"scores" not in content, "they are computed"


def test_the_identity_of_an_entry_does_not_depend_on_time_or_provenance(submission, entry, tmp_path) -> None:
    before = json.loads((entry / "submission.json").read_bytes())
    submission.created = "2020-01-01T00:00:00+00:00"
    submission.provenance["hardware"] = {"cpu": "another"}
    after = json.loads((submission.save(tmp_path / "other") / "submission.json").read_bytes())
    assert before["values_sha256"] == after["values_sha256"]
    assert before["digest"] != after["digest"]


@pytest.mark.parametrize("name", ["submission.json", "predictions.parquet", "model.py", "README.md"])
def test_any_changed_byte_is_noticed(entry, name) -> None:
    path = entry / name
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    places = rng.choice(len(content), size=min(60, len(content)), replace=False)
    for place in [0, len(content) - 1, *places]:
        changed = bytearray(content)
        changed[place] ^= int(rng.integers(1, 256))
        path.write_bytes(changed)
        with pytest.raises(MatbenchLiteError):
            Submission.load(entry)
    for changed in (content[:-1], content + b"\n", b"", content[: len(content) // 2]):
        path.write_bytes(changed)
        with pytest.raises(MatbenchLiteError):
            Submission.load(entry)
    path.write_bytes(content)
    Submission.load(entry)


@given(content=st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
@pytest.mark.parametrize("name", ["submission.json", "predictions.parquet"])
def test_no_bytes_crash_the_reader(entry, name, content) -> None:
    (entry / name).write_bytes(content)
    if name == "predictions.parquet":
        rewrite(entry, predictions_sha256=hashlib.sha256(content).hexdigest())
    with pytest.raises(MatbenchLiteError):
        Submission.load(entry)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@given(data=st.data())
def test_no_value_anywhere_in_submission_json_crashes_the_reader(submission, entry, data) -> None:
    path = entry / "submission.json"
    document = json.loads(canonical_bytes({**submission._document(), "files": {}, "digest": ""}))
    node, steps = document, data.draw(st.integers(1, 4))
    for _ in range(steps):
        keys = sorted(node) if isinstance(node, dict) else range(len(node))
        key = data.draw(st.sampled_from(list(keys)))
        if isinstance(node[key], dict | list) and node[key]:
            parent, node = node, node[key]
        else:
            parent = node
            break
        parent = node
    keys = sorted(parent) if isinstance(parent, dict) else range(len(parent))
    parent[data.draw(st.sampled_from(list(keys)))] = data.draw(JSON)
    path.write_bytes(canonical_bytes(document))
    with pytest.raises(MatbenchLiteError):
        Submission.load(entry)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"a": "\\ud800"}', "not valid JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "not an object"),
        (b"{}", "schema_version None"),
        (b'{"schema_version": 3}', "schema_version 3"),
        (b'{"schema_version": 2}', '"card" is a required property'),
        (b'{"schema_version": true}', "schema_version True"),
        (b" " * 9_000_000, "bytes, at most"),
    ],
)
def test_bad_json_is_named(entry, content, message) -> None:
    (entry / "submission.json").write_bytes(content)
    with pytest.raises(EntryError, match=message):
        Submission.load(entry)


def test_unknown_keys_are_reported_with_their_place(entry) -> None:
    document = json.loads((entry / "submission.json").read_bytes())
    document["tasks"]["mini_gap"]["note"] = "hello"
    document["colour"] = "red"
    (entry / "submission.json").write_bytes(canonical_bytes(document))
    with pytest.raises(EntryError, match=r"(?s)tasks/mini_gap: .*'note'.*submission.json: .*'colour'"):
        Submission.load(entry)


def test_predictions_of_other_folds_are_refused(entry) -> None:
    document = json.loads((entry / "submission.json").read_bytes())
    document["tasks"]["mini_gap"]["folds_sha256"] = "0" * 64
    rewrite(entry, tasks=document["tasks"])
    with pytest.raises(EntryError, match="are for other folds"):
        Submission.load(entry)


def changed(table: pa.Table, name: str, change) -> pa.Table:
    values = table[name].to_numpy().copy()
    change(values)
    return table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))


TAMPERED = {
    "a changed prediction": (lambda t: changed(t, "prediction", lambda v: v.__setitem__(0, 9.0)), "values_sha256"),
    "NaN": (lambda t: changed(t, "prediction", lambda v: v.__setitem__(0, np.nan)), "NaN or infinity in prediction"),
    "a probability of 1.2": (lambda t: changed(t, "prediction", lambda v: v.__setitem__(-1, 1.2)), r"outside \[0, 1\]"),
    "a label of 0.5": (
        lambda t: changed(t, "prediction", lambda v: v.__setitem__(550, 0.5)),
        "labels other than 0 and 1",
    ),
    "a negative std": (lambda t: t.set_column(3, "std", negated(t["std"])), "std that is not above 0"),
    "one row too few": (lambda t: t.slice(1), "has 99 rows, the fold has 100"),
    "one row too many": (lambda t: pa.concat_tables([t.slice(0, 1), t]), "has 101 rows"),
    "swapped folds": (lambda t: pa.concat_tables([t.slice(100, 100), t.slice(0, 100), t.slice(200)]), "out of order"),
    "a missing fold": (
        lambda t: t.slice(100),
        r"lists folds \[0, 1, 2, 3, 4\], predictions.parquet has \[1, 2, 3, 4\]",
    ),
    "an unknown fold": (lambda t: changed(t, "fold", lambda v: v.__setitem__(slice(0, 100), 9)), "fold 9 is unknown"),
    "no rows": (lambda t: t.slice(0, 0), "has 0 rows"),
    "text for numbers": (lambda t: t.set_column(2, "prediction", t["prediction"].cast(pa.string())), "of type string"),
    "an extra column": (lambda t: t.append_column("mood", t["fold"]), "a column 'mood'"),
    "no fold column": (lambda t: t.drop_columns(["fold"]), "needs each of task, fold, prediction"),
    "an empty cell": (lambda t: t.set_column(2, "prediction", with_null(t["prediction"])), "empty cells"),
    "an empty std": (lambda t: t.set_column(3, "std", with_null(t["std"])), "std for some rows only"),
    "an unknown task": (lambda t: t.set_column(0, "task", pa.array(["x"] * len(t))), "the task 'x'"),
}


def negated(column: pa.ChunkedArray) -> pa.Array:
    return pa.array([None if v is None else -v for v in column.to_pylist()], column.type)


def with_null(column: pa.ChunkedArray) -> pa.Array:
    return pa.array([None, *column.to_pylist()[1:]], column.type)


@pytest.mark.parametrize("case", TAMPERED)
def test_tampered_predictions_are_refused_even_with_forged_checksums(entry, case) -> None:
    change, message = TAMPERED[case]
    rewrite_table(entry, change(pq.read_table(entry / "predictions.parquet")))
    with pytest.raises(EntryError, match=message):
        Submission.load(entry)


def test_predictions_split_over_row_groups_are_read(entry) -> None:
    rewrite_table(entry, pq.read_table(entry / "predictions.parquet"), row_group_size=77)
    assert read_entry(entry).folds["mini_gap"][4].predictions.prediction.shape == (100,)


def test_a_file_that_carries_an_arrow_schema_is_refused(entry) -> None:
    rewrite_table(entry, pq.read_table(entry / "predictions.parquet"), store_schema=True)
    with pytest.raises(EntryError, match="Arrow schema of its own"):
        Submission.load(entry)


@pytest.mark.slow
def test_a_decompression_bomb_is_refused_unread(entry) -> None:
    """A page that truly unpacks to 150 MB, for a single row."""
    bomb = pa.table(
        {
            "task": pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(["x" * 150_000_000])),
            "fold": pa.array([0], pa.uint8()),
            "prediction": pa.array([0.0]),
        }
    )
    rewrite_table(entry, bomb, compression="zstd", write_statistics=False)
    del bomb
    assert (entry / "predictions.parquet").stat().st_size < 200_000
    # Not `getrusage`: on Linux, its peak is at first that of the process that started this one.
    code = (
        "import re, sys; from pathlib import Path; from matbench_lite import MatbenchLiteError, Submission\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "before = peak()\n"
        "try: Submission.load(sys.argv[1])\n"
        "except MatbenchLiteError as error: print(error)\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(entry)], check=True, capture_output=True, text=True)
    message, growth = done.stdout.splitlines()
    assert "would unpack to 150," in message
    assert int(growth) < 75_000  # kilobytes


def test_a_link_is_never_followed(entry, tmp_path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes((entry / "model.py").read_bytes())
    (entry / "model.py").unlink()
    (entry / "model.py").symlink_to(secret)
    with pytest.raises(EntryError, match=r"model\.py is not a regular file"):
        Submission.load(entry)


def test_files_that_nobody_listed_or_that_are_gone_are_named(entry) -> None:
    (entry / "extra.py").write_text("")
    with pytest.raises(EntryError, match=r"there is extra\.py, which submission\.json does not list"):
        Submission.load(entry)
    (entry / "extra.py").unlink()
    (entry / "model.py").unlink()
    with pytest.raises(EntryError, match=r"model\.py is listed in submission\.json but missing"):
        Submission.load(entry)


def test_no_folder_at_all_is_a_clear_error(tmp_path) -> None:
    with pytest.raises(EntryError, match=r"there is no folder .*; give the folder of an entry"):
        Submission.load(tmp_path / "nowhere")


def test_saving_over_another_algorithms_entry_needs_to_be_meant(submission, entry) -> None:
    submission.algorithm = "Another"
    with pytest.raises(EntryError, match="holds the entry of 'Test' on 'mini', not of 'Another' on 'mini'"):
        submission.save(entry)
    submission.save(entry, overwrite=True)
    assert Submission.load(entry).algorithm == "Another"


def test_an_empty_submission_is_not_saved(tmp_path) -> None:
    with pytest.raises(EntryError, match="nothing is recorded"):
        Submission(BENCH, algorithm="Empty").save(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_code_that_is_not_there_is_named_and_nothing_is_written(submission, tmp_path) -> None:
    with pytest.raises(EntryError, match="no code file"):
        submission.save(tmp_path / "new", code=tmp_path / "missing.py")
    assert not (tmp_path / "new").exists()


def test_what_is_out_of_form_is_said_before_it_is_written(submission, tmp_path) -> None:
    submission.algorithm = "two\nlines"
    with pytest.raises(EntryError, match="algorithm"):
        submission.save(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_no_reader_would_take_is_not_written(submission, tmp_path) -> None:
    deep: dict[str, object] = {}
    for _ in range(100):
        deep = {"deeper": deep}
    submission.metadata = deep
    with pytest.raises(EntryError, match="nested more than"):
        submission.save(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_provenance_is_shown_and_can_be_edited(submission, tmp_path) -> None:
    assert submission.provenance["packages"]["numpy"] == np.__version__
    assert {"python", "platform", "git", "hardware", "matbench_lite"} <= set(submission.provenance)
    submission.provenance["hardware"] = {"gpus": ["8 x A100"]}
    assert Submission.load(submission.save(tmp_path / "new")).provenance["hardware"] == {"gpus": ["8 x A100"]}


@pytest.mark.parametrize("name", ["submission.schema.json", "submission-1.schema.json"])
def test_each_schema_is_a_valid_json_schema(name) -> None:
    import jsonschema_rs

    jsonschema_rs.meta.validate(json.loads(SCHEMA_FILE.with_name(name).read_text()))


def test_a_submission_lives_in_monty(submission) -> None:
    from monty.json import MontyDecoder, MontyEncoder, MSONable

    assert isinstance(submission, MSONable)
    back = json.loads(json.dumps(submission, cls=MontyEncoder), cls=MontyDecoder)
    assert isinstance(back, Submission)
    assert_same(submission, back)


def test_without_targets_an_entry_is_saved_and_read(entry) -> None:
    sub = Submission("matbench_v0.1", algorithm="No targets here")
    sub.record("matbench_steels", 0, np.zeros(63))
    folder = sub.save(entry.parent / "no-targets")
    assert Submission.load(folder).recorded("matbench_steels")[0].stated is None
    assert "no targets here" in repr(Submission.load(folder))
