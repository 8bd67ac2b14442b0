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
from matbench_lite.stats import Interval, holm, paired_test
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


def test_every_pair_of_a_small_board_has_its_interval(site, content, mini) -> None:
    slugs = [entry["slug"] for entry in content["entries"]]
    for task, about in zip(mini, content["tasks"], strict=True):
        number = len(site.boards[task.name].rows)
        assert len(about["pairs"]) == number * (number - 1) // 2
        for first, second, low, high, first_wins, second_wins in about["pairs"]:
            pair = site.results.pair(slugs[first], slugs[second], task)
            found = (low, high, first_wins, second_wins)
            expected = (pair.interval.low, pair.interval.high, pair.first_wins, pair.second_wins)
            assert found == pytest.approx(expected, rel=1e-6)


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
def test_the_script_computes_and_writes_what_python_does(tmp_path) -> None:
    rng = np.random.default_rng(0)
    cases = []
    for _ in range(300):
        folds, scale = int(rng.integers(2, 11)), 10.0 ** rng.integers(-4, 4)
        first, second = (scale * (1 + 0.2 * rng.normal(size=folds) + shift) for shift in (0, 0.3 * rng.random()))
        low = float(scale * rng.normal())
        high = low + float(abs(scale * rng.normal())) * 10.0 ** float(rng.integers(-3, 1))
        p = paired_test(first, second).p
        cases.append(
            {
                "first": first.tolist(),
                "second": second.tolist(),
                "ends": [low, high],
                "p": p,
                "texts": [p_value(p), spread(summarise(first.tolist())), ends(Interval(low, high), sign=True)],
            }
        )
    program = SCRIPT.read_text().partition("class MblCompare")[0]
    program += """
    const cases = JSON.parse(require("fs").readFileSync(0));
    const found = cases.map((one) => {
      const p = mblStatistics.paired(one.first, one.second);
      return { p, texts: [mblDigits.p(p), mblDigits.spread(one.first), mblDigits.interval(...one.ends)] };
    });
    console.log(JSON.stringify({ found, holm: mblStatistics.holm([0.01, 0.04, 0.03, 0.5]) }));
    """
    (tmp_path / "program.js").write_text(program)
    done = subprocess.run(
        ["node", str(tmp_path / "program.js")], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    result = json.loads(done.stdout)
    for case, found in zip(cases, result["found"], strict=True):
        assert found["p"] == pytest.approx(case["p"], abs=1e-12)
        assert [text.replace("−", "-") for text in found["texts"]] == case["texts"]
    assert result["holm"] == pytest.approx(holm([0.01, 0.04, 0.03, 0.5]).tolist())
