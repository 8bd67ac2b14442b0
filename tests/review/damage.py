"""Ways to damage an entry, each with the codes that must follow: errors and warnings, all of them and no others."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from entries import NOTEBOOK, add_file, changed, deadly, document, forge, forge_content, forge_table, read_table, where
from version_1 import to_version_1

from matbench_lite import load_benchmark
from matbench_lite.submission.entry_document import canonical_bytes, digest

Damage = Callable[[Path], "Path | None"]
"""Changes the entry in a folder; returns the folder if that is another one now."""


@dataclass(frozen=True)
class Case:
    """One damaged entry.

    Args:
        damage: What is done to it.
        codes: What the checks must say.
        mini: Whether it needs the entry on `mini`: its tasks, its uncertainty.
    """

    damage: Damage
    codes: frozenset[str]
    mini: bool = False


CASES: dict[str, Case] = {}


def case(name: str, *codes: str, mini: bool = False) -> Callable[[Damage], Damage]:
    def keep(damage: Damage) -> Damage:
        assert name not in CASES
        CASES[name] = Case(damage, frozenset(codes), mini)
        return damage

    return keep


def add(name: str, damage: Damage, *codes: str, mini: bool = False) -> None:
    case(name, *codes, mini=mini)(damage)


# The folder.


def renamed(name: str) -> Damage:
    return lambda folder: folder.rename(folder.with_name(name))


add("a folder name with capitals", renamed("My-Model"), "MBL101")
add("a folder name with a blank", renamed("my model"), "MBL101")
add("a folder name of markup", renamed("<script>alert(1)<&script>"), "MBL101")
add("a folder name that is too long", renamed("a" * 61), "MBL101")
add("a folder name that Windows keeps for a device", renamed("con"), "MBL101")
add("a folder name with a new line", renamed("my\nmodel"), "MBL101")


@case("a folder that is a link", "MBL101")
def _(folder: Path) -> Path:
    real = folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(real, target_is_directory=True)
    return folder


add("no submission.json", lambda folder: (folder / "submission.json").unlink(), "MBL102")
add("no predictions", lambda folder: (folder / "predictions.parquet").unlink(), "MBL102")


@case("an empty folder", "MBL102", "MBL116")
def _(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def link(name: str, target: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(target)

    return damage


add("code that is a link to a system file", link("README.md", "/etc/passwd"), "MBL103")
add("a submission.json that is a link to a system file", link("submission.json", "/etc/passwd"), "MBL103")
add("predictions that are a link to a device", link("predictions.parquet", "/dev/zero"), "MBL103")
add("a link to a folder outside", lambda folder: (folder / "up").symlink_to("/"), "MBL103", "MBL406")
add("a link that leads nowhere", lambda folder: (folder / "gone.py").symlink_to("nowhere"), "MBL103", "MBL406")
add("a pipe that nobody writes to", lambda folder: os.mkfifo(folder / "pipe.py"), "MBL103", "MBL406")


@case("a folder called submission.json", "MBL103", "MBL105")
def _(folder: Path) -> None:
    (folder / "submission.json").unlink()
    (folder / "submission.json").mkdir()


add("a file of 6 MB", lambda folder: add_file(folder, "large.txt", b"x" * 6_000_000), "MBL104")


@case("six files of 4 MB", "MBL104")
def _(folder: Path) -> None:
    for number in range(6):
        add_file(folder, f"large{number}.txt", b"x" * 4_000_000)


@case("300 files", "MBL104", "MBL406")
def _(folder: Path) -> None:
    for number in range(300):
        (folder / f"file{number}.txt").write_text("")


@case("predictions of 40 MB", "MBL104")
def _(folder: Path) -> None:
    with (folder / "predictions.parquet").open("wb") as stream:
        stream.truncate(40_000_000)


add(
    "a submission.json of 9 MB",
    lambda folder: (folder / "submission.json").write_bytes(b" " * 9_000_000) and None,
    "MBL104",
)
add("a folder in it", lambda folder: (folder / "data").mkdir(), "MBL105")
add("a hidden file", lambda folder: (folder / ".secret").write_text("x") and None, "MBL106")
add("a name with a blank", lambda folder: add_file(folder, "my model.py", b"x = 1\n"), "MBL107")
add(
    "a name that leads out of the folder",
    lambda f: forge(f, lambda d: d["files"].update({"../../etc/passwd": "0" * 64})),
    "MBL107",
    "MBL405",
)
add(
    "a name that is an absolute path",
    lambda f: forge(f, lambda d: d["files"].update({"/etc/passwd": "0" * 64})),
    "MBL107",
    "MBL405",
)
add("names that differ in case only", lambda folder: add_file(folder, "Model.py", b"x = 1\n"), "MBL107")


@case("a name that is not UTF-8", "MBL107", "MBL406")
def _(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.py")).write_text("x = 1\n")


# What is in the files.


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_pkl", ".pkl"), content)
    return buffer.getvalue()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("x"), io.BytesIO(b""))
    return buffer.getvalue()


def saved_array() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, weights=np.array([{"a": 1}], dtype=object))
    return buffer.getvalue()


EXECUTED = "matbench_lite_was_here"
"""A file that appears where the check runs, if what is in an entry is executed."""


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {EXECUTED}",)


for protocol in range(6):
    add(f"a pickle of protocol {protocol}, called notes.txt",
        lambda f, p=protocol: add_file(f, "notes.txt", pickle.dumps(Evil(), p)), "MBL108")  # fmt: skip
add("a pickle by name", lambda folder: add_file(folder, "model.pkl", b"not one, in truth\n"), "MBL108")
add("what torch saves", lambda f: add_file(f, "weights.txt", zipped(archive__data_pkl=pickle.dumps(1))), "MBL108")
add("arrays of objects", lambda folder: add_file(folder, "weights.npz", saved_array()), "MBL110")
add("a program for Linux", lambda folder: add_file(folder, "tool.py", b"\x7fELF\x02\x01\x01" + bytes(200)), "MBL109")
add("a program for Windows", lambda folder: add_file(folder, "tool", b"MZ\x90\x00" + bytes(200)), "MBL109")


@case("a script that may be executed", "MBL109")
def _(folder: Path) -> None:
    add_file(folder, "go.py", b"#!/bin/sh\nrm -rf /\n")
    (folder / "go.py").chmod(0o755)


add("a ZIP archive", lambda folder: add_file(folder, "data.txt", zipped(a=b"1")), "MBL110")
add("a tar archive", lambda folder: add_file(folder, "data.bin", tarred()), "MBL110")
add("gzipped bytes", lambda folder: add_file(folder, "notes.md", gzip.compress(b"x" * 100)), "MBL110")
add("a picture that calls itself code", lambda f: add_file(f, "plot.py", b"\x89PNG\r\n\x1a\n" + bytes(50)), "MBL110")
add("a README in Latin-1", lambda folder: add_file(folder, "README.md", "Gr\xfc\xdfe\n".encode("latin-1")), "MBL111")
add("code in UTF-16", lambda folder: add_file(folder, "other.py", "x = 1\n".encode("utf-16")), "MBL111")
add("code that is written backwards", lambda f: add_file(f, "other.py", "x = 1  # \u202e1 = x\n".encode()), "MBL112")


def notebook(**fields: Any) -> bytes:
    return json.dumps(NOTEBOOK | fields).encode()


OUTPUT = [{"cell_type": "code", "source": [], "outputs": [{"data": {"image/png": "A" * 300_000}}]}]
add("a notebook with 300 kB of output", lambda f: add_file(f, "explore.ipynb", notebook(cells=OUTPUT)), "MBL113")
add("a notebook that is no JSON", lambda f: add_file(f, "explore.ipynb", b"{"), "MBL114")
add("a notebook whose cells are a number", lambda f: add_file(f, "explore.ipynb", notebook(cells=7)), "MBL114")
add("a notebook of 100 000 brackets", lambda f: add_file(f, "explore.ipynb", b"[" * 100_000), "MBL114")
add("a web page", lambda f: add_file(f, "plot.html", b"<script>alert(1)</script>\n"), "MBL115")


@case("no code", "MBL116")
def _(folder: Path) -> None:
    for name in ("model.py", "explore.ipynb"):
        (folder / name).unlink()
        forge(folder, lambda d, name=name: d["files"].pop(name))


@case("a footer that makes the library abort", "MBL119")
def _(folder: Path) -> None:
    forge_content(folder, deadly((folder / "predictions.parquet").read_bytes()))


add("a quick run", lambda folder: forge(folder, metadata={"quick": True}), "MBL118")

# submission.json.


def written(content: bytes) -> Damage:
    return lambda folder: (folder / "submission.json").write_bytes(content) and None


def rewritten(change: Callable[[bytes], bytes]) -> Damage:
    def damage(folder: Path) -> None:
        path = folder / "submission.json"
        path.write_bytes(change(path.read_bytes()))

    return damage


def edited(**changes: Any) -> Damage:
    return lambda folder: forge(folder, **changes)


add("a cut submission.json", rewritten(lambda text: text[: len(text) // 2]), "MBL201")
add("an empty submission.json", rewritten(lambda _: b""), "MBL201")
add(
    "NaN in submission.json",
    rewritten(lambda text: text.replace(b'"metadata": {}', b'"metadata": {"a": NaN}')),
    "MBL201",
)
add(
    "1e999 in submission.json",
    rewritten(lambda text: text.replace(b'"metadata": {}', b'"metadata": {"a": 1e999}')),
    "MBL201",
)
add(
    "an integer of 5000 digits",
    rewritten(lambda t: t.replace(b'"metadata": {}', b'"metadata": {"a": ' + b"9" * 5000 + b"}")),
    "MBL201",
)
add("100 000 brackets", written(b'{"metadata": ' + b"[" * 100_000), "MBL201")
add("a list for a document", written(b"[]"), "MBL201")
add("half a character", rewritten(lambda text: text.replace(b"A. Name", b"\\ud800")), "MBL201")
add("UTF-16", rewritten(lambda text: text.decode().encode("utf-16")), "MBL202")
add("Latin-1", rewritten(lambda text: text.replace(b"A. Name", "J\xfcrgen".encode("latin-1"))), "MBL202")
add("a byte order mark", rewritten(lambda text: b"\xef\xbb\xbf" + text), "MBL202")
add("a key that occurs twice", rewritten(lambda text: text.replace(b"{", b'{"benchmark": "another",', 1)), "MBL203")
add("a version of tomorrow", edited(schema_version=3), "MBL204")
add("an unknown key", edited(colour="red"), "MBL205")
add("authors that are a text", edited(authors="A. Name"), "MBL205")
add("a missing key", lambda folder: forge(folder, lambda d: d["card"].pop("description")), "MBL205")
add("50 000 authors that are lists", edited(authors=[[]] * 50_000), "MBL205")
add("500 bad authors, and tasks that are a list behind them", edited(authors=[[]] * 500, tasks=[]), "MBL205")
add("500 bad authors, and files that are a list", edited(authors=[[]] * 500, files=[]), "MBL205")
add("tasks that are a list", edited(tasks=[]), "MBL205")
add("a fold called 0.0", lambda folder: forge(folder, lambda d: first(d).update(fold=0.0)), "MBL205")
add("a name of 10 000 characters", edited(algorithm="x" * 10_000), "MBL205")
add("a benchmark that does not exist", edited(benchmark="nothing_v1"), "MBL206")
add("a benchmark that is the path of a file", edited(benchmark="evil.toml"), "MBL206")
add(
    "a task that does not exist",
    lambda f: forge(f, lambda d: d["tasks"].update(other=next(iter(d["tasks"].values())))),
    "MBL207",
)
add("no indentation", rewritten(lambda text: json.dumps(json.loads(text), sort_keys=True).encode()), "MBL208")
add("line ends of Windows", rewritten(lambda text: text.replace(b"\n", b"\r\n")), "MBL208")


@case("7 MB of empty lists", "MBL104")
def _(folder: Path) -> None:
    content = document(folder) | {"metadata": {"a": [[]] * 2_300_000}}
    content["digest"] = digest(content)
    (folder / "submission.json").write_text(json.dumps(content, separators=(",", ":")))


@case("50 000 empty lists", "MBL208")
def _(folder: Path) -> None:
    content = document(folder) | {"metadata": {"a": [[]] * 50_000}}
    content["digest"] = digest(content)
    (folder / "submission.json").write_text(json.dumps(content, separators=(",", ":")))


add("a script in the author field", edited(authors=["<script>alert(1)</script>"]), "MBL209")
add("a picture that calls a script, never closed", edited(authors=["<img src=x onerror=alert(1) "]), "MBL209")
add("a name that is written backwards", edited(algorithm="forest\u202etset"), "MBL209")
add("a name that moves the cursor", edited(algorithm="forest\x1b[2J"), "MBL209")
add("the 45th of October", edited(created="2026-10-45T00:00:00+00:00"), "MBL210")
TOMORROW = (datetime.now(UTC) + timedelta(days=400)).isoformat(timespec="seconds")
add("a date in the future", edited(created=TOMORROW), "MBL210")

# predictions.parquet.


def table_case(
    name: str, change: Callable[[pa.Table], pa.Table], *codes: str, mini: bool = False, **options: Any
) -> None:
    """A case in which the table is another one and its checksum is right."""
    add(name, lambda folder: forge_table(folder, change(read_table(folder)), **options), *codes, mini=mini)


def put(column: str, rows: Any, value: Any) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        at = rows(table) if callable(rows) else rows
        return changed(table, column, lambda values: values.__setitem__(at, value))

    return change


def rows_of(task: str, fold: int, count: int | None = None) -> Callable[[pa.Table], np.ndarray]:
    return lambda table: where(table, task, fold)[:count]


def null(column: str, rows: Callable[[pa.Table], np.ndarray]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        values = table[column].to_pylist()
        for at in rows(table):
            values[at] = None
        return table.set_column(table.column_names.index(column), column, pa.array(values, table[column].type))

    return change


def first_fold(table: pa.Table) -> int:
    """Where the second fold begins."""
    return int(np.flatnonzero(table["fold"].to_numpy() != 0)[0])


def second_fold(table: pa.Table) -> int:
    return int(np.flatnonzero(table["fold"].to_numpy() > 1)[0])


def swapped(table: pa.Table) -> pa.Table:
    first, second = first_fold(table), second_fold(table)
    return pa.concat_tables([table.slice(first, second - first), table.slice(0, first), table.slice(second)])


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def damaged_bytes(change: Callable[[bytes], bytes]) -> Damage:
    return lambda folder: forge_content(folder, change((folder / "predictions.parquet").read_bytes()))


add("cut predictions", damaged_bytes(cut), "MBL301")
add("no bytes at all", damaged_bytes(lambda _: b""), "MBL301")
add("text for Parquet", damaged_bytes(lambda _: b"task,fold,prediction\n"), "MBL301")
add("a footer of noise", damaged_bytes(lambda c: c[:-200] + bytes(range(192)) + c[-8:]), "MBL301")
add("a page header of noise", damaged_bytes(lambda c: c[:4] + bytes(40) + c[44:]), "MBL301")


@case("a page that unpacks to 60 MB", "MBL302")
def _(folder: Path) -> None:
    name = "x" * 60_000_000
    bomb = pa.table(
        {
            "task": pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array([name])),
            "fold": pa.array([0], pa.uint8()),
            "prediction": pa.array([0.0]),
        }
    )
    forge_table(folder, bomb, compression="zstd", write_statistics=False)


table_case("a row group for every row", lambda t: t.slice(0, 1001), "MBL302", row_group_size=1)
table_case("text for numbers", lambda t: t.set_column(2, "prediction", t["prediction"].cast(pa.string())), "MBL303")
table_case("float32 for float64", lambda t: t.set_column(2, "prediction", t["prediction"].cast(pa.float32())), "MBL303")
table_case("another column", lambda t: t.append_column("mood", t["fold"]), "MBL303")
table_case("no column for the fold", lambda t: t.drop_columns(["fold"]), "MBL303")
table_case("an Arrow schema of its own", lambda t: t, "MBL303", store_schema=True)
table_case("an empty cell for the task", null("task", lambda _: np.array([0])), "MBL303")
table_case("1000 columns", lambda t: pa.table({f"c{n}": t["fold"].slice(0, 1) for n in range(1000)}), "MBL303")
table_case("swapped folds", swapped, "MBL304")
table_case("a fold that occurs twice", lambda t: pa.concat_tables([t, t.slice(0, first_fold(t))]), "MBL305")
table_case("an unknown fold", put("fold", lambda t: slice(0, first_fold(t)), 9), "MBL304", "MBL306")
table_case("rows in a jumble", lambda t: t.take(np.random.default_rng(0).permutation(len(t))), "MBL304")
table_case("another task's name", lambda t: t.set_column(0, "task", pa.array(["x" * 500] * len(t))), "MBL207", "MBL306")
table_case("one row too few", lambda t: t.slice(1), "MBL305")
table_case("one row too many", lambda t: pa.concat_tables([t.slice(0, 1), t]), "MBL305")
table_case("no rows", lambda t: t.slice(0, 0), "MBL305")
table_case("a missing fold", lambda t: t.slice(first_fold(t)), "MBL306")
add(
    "a fold that submission.json does not list",
    lambda f: forge(f, lambda d: next(iter(d["tasks"].values()))["folds"].pop(0)),
    "MBL306",
    "MBL311",
)
add(
    "a fold that is listed twice",
    lambda f: forge(f, lambda d: (a := next(iter(d["tasks"].values()))["folds"]).append(a[0])),
    "MBL306",
)
table_case("NaN", put("prediction", [0, 3], np.nan), "MBL307")
table_case("infinity", put("prediction", [0], -np.inf), "MBL307")
table_case("an empty cell", null("prediction", lambda _: np.array([1])), "MBL307")
table_case("1e200", put("prediction", [0], 1e200), "MBL308")
table_case("a probability of 1.2", put("prediction", rows_of("mini_is_ductile", 2, 1), 1.2), "MBL308", mini=True)
table_case("a label of 0.5", put("prediction", rows_of("mini_is_stable", 0, 1), 0.5), "MBL308", mini=True)
table_case("a negative std", put("std", rows_of("mini_gap", 1, 2), -1.0), "MBL309", mini=True)
table_case("a std of some rows only", null("std", rows_of("mini_gap", 0, 3)), "MBL309", mini=True)
table_case("NaN for a std", put("std", rows_of("mini_gap", 0, 3), np.nan), "MBL307", mini=True)
table_case("an interval without its lower end", null("lower", rows_of("mini_n", 0)), "MBL309", mini=True)
table_case("a prediction outside its own interval", put("lower", rows_of("mini_n", 0, 1), 1e6), "MBL309", mini=True)
table_case("a std for labels", put("std", rows_of("mini_is_stable", 0), 1.0), "MBL309", "MBL403", mini=True)
add(
    "values for labels",
    lambda f: forge(f, lambda d: d["tasks"]["mini_is_stable"].update(predictions="value")),
    "MBL310",
    mini=True,
)
add("probabilities for values", lambda f: forge(f, lambda d: d["tasks"]["mini_gap"].update(predictions="probability")),
    "MBL308", "MBL310", mini=True)  # fmt: skip


def only(folder: Path, keep: Callable[[str, int], bool]) -> None:
    """Keep some folds, in both files."""
    table = read_table(folder)
    names, folds = table["task"].to_pylist(), table["fold"].to_pylist()
    kept = table.filter(pa.array([keep(name, fold) for name, fold in zip(names, folds, strict=True)]))

    def change(content: dict[str, Any]) -> None:
        for name, about in list(content["tasks"].items()):
            about["folds"] = [fields for fields in about["folds"] if keep(name, fields["fold"])]
            if not about["folds"]:
                del content["tasks"][name]

    forge(folder, change)
    forge_table(folder, kept, values=True)


add("a task of four folds", lambda f: only(f, lambda name, fold: name != "mini_gap" or fold < 4), "MBL311", mini=True)
add(
    "one fold of one task",
    lambda f: only(f, lambda name, fold: name == "mini_gap" and fold == 0),
    "MBL311",
    "MBL312",
    mini=True,
)

# Whether it is what was saved.


def first(content: dict[str, Any]) -> dict[str, Any]:
    """What is said of the first fold of the first task."""
    return next(iter(content["tasks"].values()))["folds"][0]


def unforged(folder: Path) -> None:
    content = document(folder) | {"created": "2024-01-01T00:00:00+00:00"}
    (folder / "submission.json").write_bytes(canonical_bytes(content))


add("an edit by hand", unforged, "MBL401")
add(
    "a forged digest",
    lambda f: (f / "submission.json").write_bytes(canonical_bytes(document(f) | {"digest": "0" * 64})) and None,
    "MBL401",
)


@case("an edited prediction", "MBL402", "MBL403")
def _(folder: Path) -> None:
    pq.write_table(put("prediction", [0], 9.0)(read_table(folder)), folder / "predictions.parquet", store_schema=False)


table_case("an edited prediction with a forged checksum", put("prediction", [0], 9.0), "MBL403")
add("a digest of the predictions that is made up", lambda f: forge(f, values_sha256="0" * 64), "MBL403")


def of_version_1(change: Callable[[dict[str, Any]], Any]) -> Damage:
    return lambda folder: forge(to_version_1(folder), change)


@case("an edited prediction of version 1 with every digest forged", "MBL408")
def _(folder: Path) -> None:
    forge_table(to_version_1(folder), put("prediction", [0], 9.0)(read_table(folder)), values=True)


add("an edited score of version 1", of_version_1(lambda d: first(d)["scores"].update(mae=0.001)), "MBL408")
add("a score of 300 digits of version 1", of_version_1(lambda d: first(d)["scores"].update(mae=1.5e300)), "MBL408")
add("a score in version 2", lambda f: forge(f, lambda d: first(d).update(scores={"mae": 0.1})), "MBL205")
add("a card in version 1", of_version_1(lambda d: d.update(card={})), "MBL205")
add("edited code", lambda f: (f / "model.py").write_text("x = 2\n") and None, "MBL404")
add("a README that is gone", lambda f: (f / "README.md").unlink(), "MBL405")
add("a file that nobody listed", lambda f: (f / "more.py").write_text("x = 1\n") and None, "MBL406")
add(
    "other folds", lambda f: forge(f, lambda d: next(iter(d["tasks"].values())).update(folds_sha256="0" * 64)), "MBL407"
)

# Whether it is honest.


def predicted(task: str, fold: int, values: Callable[[np.ndarray], Any]) -> Callable[[pa.Table], pa.Table]:
    """Other predictions for a fold, from its targets."""

    def change(table: pa.Table) -> pa.Table:
        truth = load_benchmark("mini")[task].test_targets(fold).to_numpy()
        return put("prediction", rows_of(task, fold), values(truth))(table)

    return change


def everywhere(task: str, values: Callable[[np.ndarray], Any]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        for fold in range(5):
            table = predicted(task, fold, values)(table)
        return table

    return change


def forged(name: str, change: Callable[[pa.Table], pa.Table], *codes: str) -> None:
    """A case in which every digest is right: nothing but a person can tell."""

    def damage(folder: Path) -> None:
        forge_table(folder, change(read_table(folder)), values=True)

    add(name, damage, *codes, mini=True)


def same_errors(truth: np.ndarray) -> np.ndarray:
    return truth + np.where(np.arange(len(truth)) % 2 == 0, 1.0, -0.5)


forged("the targets themselves", everywhere("mini_log_kvrh", lambda truth: truth), "MBL501")
forged("the targets through float32", everywhere("mini_log_kvrh", lambda t: t.astype(np.float32)), "MBL501")
forged("every label right", everywhere("mini_is_stable", lambda truth: truth.astype(float)), "MBL501")
forged("the same errors in every fold", everywhere("mini_log_kvrh", same_errors), "MBL502", "MBL512")
forged("one value for all", everywhere("mini_e_form", lambda truth: np.full(len(truth), 1.5)), "MBL503")
forged(
    "a fold copied from another",
    lambda t: put(
        "prediction",
        rows_of("mini_e_form", 3),
        t["prediction"].to_numpy()[where(t, "mini_e_form", 2)][: len(where(t, "mini_e_form", 3))],
    )(t),
    "MBL504",
    "MBL513",
)
add("fine-tuning, not declared", edited(description="We fine-tuned a pretrained network."), "MBL506")
add(
    "weights from elsewhere, not declared",
    lambda f: add_file(f, "net.py", b"net = AutoModel.from_pretrained('x')\n"),
    "MBL506",
)


@case("parameters chosen for each task", "MBL507", mini=True)
def _(folder: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        for number, about in enumerate(content["tasks"].values()):
            for fold in about["folds"]:
                fold["params"] = {"depth": number, "seed": number}

    forge(folder, change)


# What it declares.


def declared(**changes: Any) -> Damage:
    return lambda folder: forge(folder, lambda d: d["card"].update(changes))


HOME = "https://github.com/materialsproject/matbench/tree/main/benchmarks"
add("one configuration for all tasks? Nothing said", declared(single_configuration=None), "MBL601")
add("other data? Nothing said", declared(external_data=None), "MBL602")
add("other data? None, as a text", declared(external_data="None."), "MBL602")
add("nobody", edited(authors=[]), "MBL603")
add("no description", edited(description=" "), "MBL604")
add("imported from nowhere", edited(imported={"from": "matbench", "url": "https://example.org"}), "MBL606")
add("imported from somewhere else", edited(imported={"from": "a friend"}), "MBL606")
add(
    "imported, but changed before",
    edited(imported={"from": "matbench", "url": HOME, "hash_matches": False}),
    "MBL607",
    "MBL605",
)
