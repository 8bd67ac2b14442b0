"""Files that are damaged, endless or none at all, wherever `evaluate`, `judge` or a benchmark of one's own takes one.

Each is a message that says what is wrong and what to do: no traceback, no hang, no end of the process.
"""

from __future__ import annotations

import datetime
import decimal
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")

TABLE = "id,sequence,task,choices,response,response_type,domain\na,0,x,,1.0,free,d\nb,0,y,,2.0,free,d\n"
DEEP = 200_000


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def endless(path: Path) -> None:
    """Larger than any disk here, without taking room on it."""
    with path.open("wb") as stream:
        stream.truncate(1 << 43)


def noise(path: Path) -> None:
    path.write_bytes(b"PAR1" + bytes(range(256)) * 40 + b"PAR1")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(100_000))


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def deep(path: Path) -> None:
    inner = "[" * DEEP + "]" * DEEP
    path.write_text(f"x = {inner}" if path.suffix == ".toml" else f'{{"datasets": {inner}}}')


def cut(path: Path) -> None:
    """A table that lost its end."""
    pd.DataFrame({"id": ["a"] * 1000}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])


DAMAGE: list[Callable[[Path], None]] = [device, pipe, folder, endless, noise, zeros, circle]


@pytest.fixture
def refused(mbl, tmp_path, monkeypatch) -> Callable[..., str]:
    """Run a command in the folder of the test, and see that it refuses in words; gives what it says."""
    monkeypatch.chdir(tmp_path)

    def refused(*arguments: object) -> str:
        ended = mbl(*arguments)
        assert ended.code in (1, 2), ended.out
        assert ended.err.startswith("error:"), ended.err
        assert "\nfix:" in ended.err or " mistake:\n" in ended.err, ended.err
        assert len(ended.err) < 15_000
        return str(ended.err)

    return refused


def evaluation(**changes: object) -> str:
    document = {"type": "prediction", "data.test": "rows.csv", "models": ["dummy"], "comparator": "absdiff"}
    document |= {key.replace("data_", "data."): value for key, value in changes.items()}
    return json.dumps({"data.pre_train": document["data.test"], "corresponding_data": True} | document)


def benchmark(path: str) -> str:
    return (
        'name = "ours"\n[folds]\nsplits = 2\n[[tasks]]\nname = "gap"\ninput = "composition"\nkind = "regression"\n'
        f'target = "gap"\nunit = "eV"\n[tasks.data]\npath = {json.dumps(path)}\nid = "id"\ninput = "formula"\n'
        'target = "gap"\n'
    )


def competition(text: str, folder: Path) -> Path:
    file = folder / "competition.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("damage", [*DAMAGE, deep], ids=lambda damage: damage.__name__)
class TestDamage:
    """Something else where a file should be."""

    def test_an_evaluation_file(self, damage, refused, tmp_path) -> None:
        damage(tmp_path / "mine.json")
        refused("evaluate", "mine.json")

    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_data_of_an_evaluation(self, damage, suffix, refused, tmp_path) -> None:
        damage(tmp_path / f"rows.{suffix}")
        (tmp_path / "mine.json").write_text(evaluation(data_test=f"rows.{suffix}"))
        assert f"rows.{suffix}" in refused("evaluate", "mine.json")

    def test_a_benchmark_file(self, damage, refused, tmp_path) -> None:
        damage(tmp_path / "ours.toml")
        refused("tasks", "--benchmark", "ours.toml")
        (tmp_path / "mine.json").write_text(
            evaluation(data_test={"task": "gap", "benchmark": "ours.toml", "group_by": "fold"})
        )
        refused("evaluate", "mine.json")
        refused("judge", "run", "dummy", "--task", "gap", "--benchmark", "ours.toml")

    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_the_table_of_a_benchmark(self, damage, suffix, refused, tmp_path) -> None:
        damage(tmp_path / f"rows.{suffix}")
        (tmp_path / "ours.toml").write_text(benchmark(f"rows.{suffix}"))
        assert f"rows.{suffix}" in refused("tasks", "--benchmark", "ours.toml")

    @pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
    def test_results_to_be_judged(self, damage, suffix, refused, tmp_path) -> None:
        damage(tmp_path / f"results.{suffix}")
        said = refused("judge", "rank", f"results.{suffix}")
        assert f"results.{suffix}" in said or "there are no runs to judge" in said  # of lines, the last may be cut off

    def test_a_competition_and_what_it_names(self, damage, refused, tmp_path) -> None:
        damage(tmp_path / "rules.toml")
        assert "rules.toml" in refused("judge", "run", "linear.py", "--competition", "rules.toml")
        damage(tmp_path / "scores.json")
        competition(
            '[[tasks]]\nname = "mini_gap"\nbenchmark = "mini"\nfeatures = "elements"\n'
            '[properties.mini_gap]\nkind = "evaluation"\npath = "scores.json"\n',
            tmp_path,
        )
        table = "algorithm,dataset,run,r2,complexity\na,mini_gap,0,0.5,3\n"
        (tmp_path / "table.csv").write_text(table)
        assert "scores.json" in refused("judge", "rank", "table.csv", "--competition", "competition.toml")

    @pytest.mark.parametrize("name", ["datasets.json", "hidden/truth.json", "one.csv", "hidden/one.csv"])
    def test_synthetic_sets(self, damage, name, refused, tmp_path) -> None:
        (tmp_path / "hidden").mkdir()
        about = {"datasets": {"one": {"target": "y", "unit": "", "rows": 2, "features": {}}}}
        (tmp_path / "datasets.json").write_text(json.dumps(about))
        truth = {"formula": "x", "noise": 0, "ranges": {}, "relevant": [], "irrelevant": []}
        hidden = {"title": "", "truth": truth, "property": {"kind": "none", "features": [], "path": ""}}
        (tmp_path / "hidden" / "truth.json").write_text(json.dumps({"datasets": {"one": hidden}}))
        for place in (tmp_path, tmp_path / "hidden"):
            (place / "one.csv").write_text("x,y,part\n1,2,test\n")
        (tmp_path / name).unlink()
        damage(tmp_path / name)
        assert Path(name).stem in refused("judge", "run", "rf-magpie", "--datasets", ".")

    def test_opinions_and_their_key(self, damage, refused, tmp_path) -> None:
        (tmp_path / "anna.toml").write_text('expert = "Anna"\ndossier = "d"\n')
        damage(tmp_path / "key.json")
        assert "key.json" in refused("judge", "trust", "anna.toml", "--key", "key.json")
        (tmp_path / "good.json").write_text('{"d": {"dataset": "x", "A": "one"}}')
        damage(tmp_path / "boris.toml")
        assert "boris.toml" in refused("judge", "trust", "boris.toml", "--key", "good.json")


@pytest.mark.parametrize("place", ["evaluation", "benchmark", "results"])
def test_a_table_that_lost_its_end(place, refused, tmp_path) -> None:
    cut(tmp_path / "rows.parquet")
    (tmp_path / "mine.json").write_text(evaluation(data_test="rows.parquet"))
    (tmp_path / "ours.toml").write_text(benchmark("rows.parquet"))
    commands = {
        "evaluation": ("evaluate", "mine.json"),
        "benchmark": ("tasks", "--benchmark", "ours.toml"),
        "results": ("judge", "rank", "rows.parquet"),
    }
    assert "rows.parquet cannot be read" in refused(*commands[place])


NO_PATHS = ["x" * 5000, "y/" * 3000 + "x", "a\x00b", ""]


@pytest.mark.parametrize("name", NO_PATHS, ids=["a long name", "a long path", "a null byte", "nothing"])
class TestNoPath:
    """Texts that can be the path of nothing."""

    def test_in_an_evaluation(self, name, refused, tmp_path) -> None:
        (tmp_path / "rows.csv").write_text(TABLE)
        for changes in (
            {"data_test": f"{name}.csv"},
            {"data_pre_train": [f"{name}.parquet"]},
            {"models": [f"{name}.py"]},
            {"models": [{"filename": name}]},
            {"comparator": f"{name}.py"},
            {"task_encoders": {"d": f"{name}.py"}},
            {"data_test": {"task": "gap", "benchmark": f"{name}.toml", "group_by": "fold"}},
        ):
            (tmp_path / "mine.json").write_text(evaluation(**changes))
            refused("evaluate", "mine.json")

    def test_in_a_benchmark(self, name, refused, tmp_path) -> None:
        (tmp_path / "ours.toml").write_text(benchmark(name))
        refused("tasks", "--benchmark", "ours.toml")

    def test_in_a_competition(self, name, refused, tmp_path) -> None:
        text = json.dumps(name)
        task = '[[tasks]]\nname = "mini_gap"\nbenchmark = "mini"\n[properties.mini_gap]\n'
        for part in (
            f"[datasets]\nfolder = {text}\n",
            f'[[tasks]]\nname = "gap"\nbenchmark = {json.dumps(name + ".toml")}\n',
            f'{task}kind = "function"\npath = {text}\n',
        ):
            competition(part, tmp_path)
            refused("judge", "run", "dummy", "--competition", "competition.toml", "--runs", "1")


@pytest.mark.parametrize("name", ["x" * 5000, "y/" * 3000 + "x"], ids=["a long name", "a long path"])
def test_arguments_that_can_be_no_path(name, refused, tmp_path) -> None:
    (tmp_path / "rows.csv").write_text(TABLE)
    (tmp_path / "mine.json").write_text(evaluation())
    refused("evaluate", f"{name}.json")
    refused("evaluate", "mine.json", "--output", name)
    refused("evaluate", "mine.json", "--cache", name)
    refused("tasks", "--benchmark", f"{name}.toml")
    refused("judge", "rank", f"{name}.csv")
    (tmp_path / "table.csv").write_text("algorithm,dataset,run,r2,complexity,property\na,d,0,0.9,7,1\n")
    refused("judge", "rank", "table.csv", "--page", f"{name}.html")
    refused("judge", "run", f"{name}.py", "--task", "mini_gap", "--benchmark", "mini")
    refused("judge", "run", "dummy", "--competition", f"{name}.toml")
    refused("judge", "run", "dummy", "--datasets", name)
    refused("judge", "trust", f"{name}.toml", "--key", f"{name}.json")


class TestOutside:
    """What a file names lies below its own folder."""

    @pytest.fixture
    def here(self, tmp_path, monkeypatch) -> Path:
        here = tmp_path / "here"
        (here / "below").mkdir(parents=True)
        pd.DataFrame({"id": ["a", "b", "c", "d"], "formula": ["Fe"] * 4, "gap": [1.0, 2, 3, 4]}).to_csv(
            tmp_path / "rows.csv", index=False
        )
        (tmp_path / "measure.py").write_text("open('ran', 'w')\ndef measure(case):\n    return 1.0\n")
        (here / "link.csv").symlink_to(tmp_path / "rows.csv")
        (here / "link.py").symlink_to(tmp_path / "measure.py")
        (here / "linked").symlink_to(tmp_path)
        return here

    @pytest.mark.parametrize(
        "path", ["../rows.csv", "below/../../rows.csv", "/etc/passwd", "link.csv", "linked/rows.csv"]
    )
    def test_of_a_benchmark(self, path, here, refused) -> None:
        (here / "ours.toml").write_text(benchmark(path))
        assert "leads out of the folder of this file" in refused("tasks", "--benchmark", here / "ours.toml")

    def test_what_lies_below_is_fine(self, here, mbl, tmp_path) -> None:
        (tmp_path / "rows.csv").rename(here / "below" / "rows.csv")
        for path in ("below/rows.csv", "below/../below/rows.csv", str(here / "below" / "rows.csv")):
            (here / "ours.toml").write_text(benchmark(path))
            assert mbl("tasks", "--benchmark", here / "ours.toml").code == 0

    @pytest.mark.parametrize("path", ["../measure.py", "link.py", "linked/measure.py"])
    def test_code_of_a_competition_is_not_run(self, path, here, refused) -> None:
        file = competition(
            '[[tasks]]\nname = "mini_gap"\nbenchmark = "mini"\nfeatures = "elements"\n'
            f'[properties.mini_gap]\nkind = "function"\npath = "{path}"\n',
            here,
        )
        (here / "t.csv").write_text("algorithm,dataset,run,r2,complexity\na,mini_gap,0,0.5,3\n")
        assert "leads out of the folder" in refused("judge", "rank", here / "t.csv", "--competition", file)
        assert not list(here.parent.rglob("ran"))

    @pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/b", "", "a\x00"])
    def test_a_synthetic_set_whose_name_is_a_path(self, name, here, refused) -> None:
        about = {"target": "y", "unit": "", "rows": 1, "features": {}}
        (here / "datasets.json").write_text(json.dumps({"datasets": {name: about}}))
        (here / "hidden").mkdir()
        (here / "hidden" / "truth.json").write_text(json.dumps({"datasets": {name: {}}}))
        assert "has a dataset named" in refused("judge", "run", "dummy", "--datasets", here)

    def test_a_synthetic_set_names_no_code(self, here, refused, tmp_path, mbl) -> None:
        assert mbl("judge", "datasets", "hall_petch", "--output", here / "sets").code == 0
        file = here / "sets" / "hidden" / "truth.json"
        hidden = json.loads(file.read_text())
        hidden["datasets"]["hall_petch"]["property"] |= {"kind": "function", "path": str(tmp_path / "measure.py")}
        file.write_text(json.dumps(hidden))
        said = refused("judge", "run", "dummy", "--datasets", here / "sets", "--runs", "1")
        assert "its property names the file" in said
        assert not list(tmp_path.rglob("ran"))


ODD = {
    "lists": [[1.0]] * 4,
    "lists of lists": [[["x"]]] * 4,
    "objects": [{"a": 1}] * 4,
    "bytes": [b"\xff\x00"] * 4,
    "dates": [datetime.date(2024, 1, 1)] * 4,
    "times": pd.date_range("2024-01-01", periods=4),
    "spans": pd.to_timedelta([1, 2, 3, 4]),
    "decimals": [decimal.Decimal("1.5")] * 4,
    "nothing": [None] * 4,
    "truth": [True, False] * 2,
    "categories": pd.Categorical(list("abab")),
    "infinity": [np.inf] * 4,
    "no numbers": [1.5, np.nan, 1e30, -0.0],
    "large": [2**63 - 1] * 4,
    "negative": [-1] * 4,
    "texts": ["x"] * 4,
    "empty texts": [""] * 4,
}
EVALUATED = {
    "id": list("abcd"),
    "sequence": [0] * 4,
    "task": ["x"] * 4,
    "choices": [""] * 4,
    "response": [1.0, 2.0, 3.0, 4.0],
    "response_type": ["free"] * 4,
    "domain": ["d"] * 4,
    "more": [1] * 4,
}
OWN = {"id": list("abcd"), "formula": ["Fe", "Al", "Cu", "Zn"], "gap": [1.0, 2.0, 3.0, 4.0], "group": list("aabb")}
RESULTS = {
    "algorithm": list("abab"),
    "dataset": ["d"] * 4,
    "run": [0, 0, 1, 1],
    "r2": [0.5] * 4,
    "complexity": [3] * 4,
    "property": [1.0] * 4,
    "expression": ["x"] * 4,
    "predictions": [[1.0]] * 4,
}


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD)
def test_columns_of_another_type_are_taken_or_refused(odd, mbl, tmp_path, monkeypatch) -> None:
    """Each column of a Parquet table in turn: a result or a message."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(evaluation(data_test="rows.parquet"))
    (tmp_path / "ours.toml").write_text(benchmark("rows.parquet") + 'group = "group"\ncluster = "group"\n')
    for columns, command in (
        (EVALUATED, ("evaluate", "mine.json", "--restart")),
        (OWN, ("tasks", "--benchmark", "ours.toml")),
        (RESULTS, ("judge", "rank", "rows.parquet", "--draws", 5)),
    ):
        for name in columns:
            pd.DataFrame(columns | {name: ODD[odd]}).to_parquet("rows.parquet")
            ended = mbl(*command)
            assert ended.code == 0 or "error:" in ended.err or "has no scores" in ended.err, (name, ended.err)
            assert "Traceback" not in ended.err
