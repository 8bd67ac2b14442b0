"""Comparisons in the browser have the numbers of the boards."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
import pytest

import matbench_lite
from matbench_lite.metrics import summarise
from matbench_lite.site.compare_page import ALL_PAIRS, NEIGHBOURS, comparison_script, pairs
from matbench_lite.stats import Interval
from matbench_lite.text import ends, p_value, spread

SCRIPT = Path(matbench_lite.__file__).parent / "site" / "assets" / "compare.js"


@pytest.fixture(scope="module")
def content(site):
    text = comparison_script(site).content
    return orjson.loads(text.removeprefix("window.mblComparison=").removesuffix(";\n"))


def test_scores_by_fold_are_those_of_the_boards(site, content, mini) -> None:
    slugs = [entry["slug"] for entry in content["entries"]]
    assert slugs == list(site.results.entries)
    for task, about in zip(mini, content["tasks"], strict=True):
        assert about["name"] == task.name
        found = {slugs[int(place)]: scores for place, scores in about["scores"].items()}
        expected = {slug: result.by_fold for slug, result in site.results.on(task).items()}
        assert found.keys() == expected.keys()
        for slug, scores in found.items():
            assert scores == pytest.approx(expected[slug], rel=1e-6)


def test_every_pair_of_a_small_board_has_what_is_said_of_it(site, content, mini) -> None:
    slugs = [entry["slug"] for entry in content["entries"]]
    for task, about in zip(mini, content["tasks"], strict=True):
        number = len(site.boards[task.name].rows)
        assert len(about["pairs"]) == number * (number - 1) // 2
        for first, second, word, *found in about["pairs"]:
            both = slugs[first], slugs[second]
            pair, (won,) = site.results.pair(*both, task), site.results.rows_won([both], task)
            assert word == pair.word
            assert found == pytest.approx([pair.interval.low, pair.interval.high, pair.p, *won], rel=1e-6)


@dataclass(frozen=True)
class _Row:
    slug: str


@dataclass(frozen=True)
class _Board:
    rows: tuple[_Row, ...]


@pytest.mark.parametrize("number", [0, 1, 2, ALL_PAIRS, ALL_PAIRS + 1, 300])
def test_the_number_of_pairs_grows_with_the_entries_and_none_is_twice(number) -> None:
    listed = list(pairs(_Board(tuple(_Row(str(place)) for place in range(number)))))
    assert len({frozenset(pair) for pair in listed}) == len(listed)
    if number <= ALL_PAIRS:
        assert len(listed) == number * (number - 1) // 2
    else:
        assert {("0", str(place)) for place in range(1, number)} <= set(listed)
        assert len(listed) <= (1 + NEIGHBOURS) * number


@pytest.mark.skipif(shutil.which("node") is None, reason="no node; tests/browser does it in Chromium")
def test_the_script_writes_numbers_as_python_does(tmp_path) -> None:
    rng = np.random.default_rng(0)
    cases = []
    for _ in range(300):
        folds, scale = int(rng.integers(2, 11)), 10.0 ** rng.integers(-4, 4)
        scores = scale * (1 + 0.2 * rng.normal(size=folds))
        low = float(scale * rng.normal())
        high = low + float(abs(scale * rng.normal())) * 10.0 ** float(rng.integers(-3, 1))
        p = 10.0 ** float(rng.uniform(-5, 0))
        cases.append(
            {
                "scores": scores.tolist(),
                "ends": [low, high],
                "p": p,
                "texts": [p_value(p), spread(summarise(scores.tolist())), ends(Interval(low, high), sign=True)],
            }
        )
    program = SCRIPT.read_text().partition("class MblCompare")[0]
    program += """
    const cases = JSON.parse(require("fs").readFileSync(0));
    const digits = mblDigits;
    const found = cases.map((one) => [digits.p(one.p), digits.spread(one.scores), digits.interval(...one.ends)]);
    console.log(JSON.stringify(found));
    """
    (tmp_path / "program.js").write_text(program)
    done = subprocess.run(
        ["node", str(tmp_path / "program.js")], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    for case, found in zip(cases, json.loads(done.stdout), strict=True):
        assert [text.replace("−", "-") for text in found] == case["texts"]
