"""The numbers that were worked out for this project are reproduced."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matbench_lite.judge import Run, arrange, harmonic_mean, judge, rule_set, score, simplicity
from matbench_lite.judge.expression import Simplifier, parse

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "judging.json").read_text())
RUNS = [
    Run(
        algorithm=algorithm,
        dataset=dataset,
        run=number,
        r2=r2,
        components=ORACLE["components"][dataset][algorithm][number],
        property_value=ORACLE["property"][dataset][algorithm][number],
    )
    for dataset, algorithms in ORACLE["r2"].items()
    for algorithm, values in algorithms.items()
    for number, r2 in enumerate(values)
]


@pytest.mark.parametrize("ties", ["competition", "average"])
def test_the_draft_rules_give_the_known_scores(ties) -> None:
    expected = ORACLE["rules"][f"draft, ties {ties}"]
    field = arrange(RUNS)
    scores = score(field, replace(rule_set("draft"), ties=ties))
    assert dict(zip(field.algorithms, scores.overall, strict=True)) == pytest.approx(expected, abs=1e-6)


def test_the_judgement_has_the_same_scores_and_names_the_winner() -> None:
    judgement = judge(RUNS, rule_set("draft"), draws=20)
    assert judgement.winners == ("A",)
    found = {row.algorithm: row.score for row in judgement.algorithms}
    assert found == pytest.approx(ORACLE["rules"]["draft, ties competition"], abs=1e-6)


def test_simplicity_is_on_the_known_scale() -> None:
    for components, expected in ORACLE["simplicity"].items():
        assert float(simplicity(int(components))) == expected


def test_components_are_counted_as_known(simplifier: Simplifier) -> None:
    for text, expected in ORACLE["sympy_components"].items():
        assert simplifier.simplify(parse(text)).components == expected, text


def test_the_harmonic_mean_is_the_known_one() -> None:
    for text, expected in ORACLE["harmonic_mean"].items():
        assert float(harmonic_mean(np.array([float(part) for part in text.split(",")]))) == pytest.approx(
            expected, abs=5e-9
        )


def test_the_final_rules_worked_out_by_hand() -> None:
    """D2 of the oracle. Medians: R2 .71, .61, .7104, .05; components 30, 12, 30, 1; property .5, 1, .5, 1.

    R2 .710 and .710 are equal: 4, 2, 4, 1 points. Simplicity -2.1, -1.5, -2.1, 0: 2, 3, 2, 4. Property: 2, 4, 2, 4.
    """
    runs = [run for run in RUNS if run.dataset == "D2"]
    points = score(arrange(runs), rule_set("final")).points[0]
    assert points.tolist() == [[4, 2, 2], [2, 3, 4], [4, 2, 2], [1, 4, 4]]
