"""Rules at their edges: minimal accuracy, missing runs, NaN, the gate before judging, equals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from matbench_lite.errors import JudgingError, UnknownNameError
from matbench_lite.judge import Run, arrange, grouped_failures, judge, points, rule_set, score, sensitivity
from matbench_lite.judge.judge_rules import simplicity

NAN = float("nan")
DRAFT, FINAL = rule_set("draft"), rule_set("final")


def runs_of(values: dict[str, list[float]], dataset: str = "d", **rest) -> list[Run]:
    """Runs by R2; everything else equal."""
    given = {"components": 5.0, "property_value": 1.0, **rest}
    return [
        Run(algorithm=name, dataset=dataset, run=number, r2=r2, **given)
        for name, numbers in values.items()
        for number, r2 in enumerate(numbers)
    ]


def scores_of(runs, rules=DRAFT, **options) -> dict[str, float]:
    field = arrange(runs, **options)
    return dict(zip(field.algorithms, score(field, rules).overall.tolist(), strict=True))


@pytest.mark.parametrize("ties", ["average", "competition", "dense"])
def test_places_are_scipys(ties) -> None:
    method = {"competition": "min"}.get(ties, ties)
    values = np.random.default_rng(0).integers(0, 4, size=(50, 6)).astype(float)
    expected = 6 - stats.rankdata(-values, method=method, axis=1) + 1
    assert points(values, np.ones_like(values, dtype=bool), ties=ties).tolist() == expected.tolist()


@pytest.mark.parametrize(("r2", "passes"), [(0.475, False), (0.4750001, True), (0.48, True), (0.2, False)])
def test_exactly_half_of_the_best_fails(r2, passes) -> None:
    judgement = judge(runs_of({"best": [0.95], "other": [r2]}), DRAFT, draws=5)
    assert [failure.algorithm for failure in judgement.failures] == ([] if passes else ["other"])


def test_where_no_r2_is_above_zero_all_fail() -> None:
    judgement = judge(runs_of({"a": [0.0], "b": [-0.5]}), DRAFT, draws=5)
    assert {row.score for row in judgement.algorithms} == {1.0}
    assert all("no R2 is above 0" in failure.reason for failure in judgement.failures)
    assert len(judgement.failures) == 2


def test_a_failing_run_has_one_point_on_all_criteria_though_it_is_the_simplest() -> None:
    runs = [*runs_of({"good": [0.9]}), *runs_of({"constant": [0.0]}, components=1.0, property_value=9.0)]
    field = arrange(runs)
    assert score(field, DRAFT).points[0].tolist() == [[1, 1, 1], [2, 2, 2]]
    assert score(field, replace(DRAFT, min_accuracy="off")).points[0].tolist() == [[1, 2, 2], [2, 1, 1]]


def test_minimal_accuracy_may_forgive_who_has_learnt_well() -> None:
    runs = [*runs_of({"a": [0.9]}, r2_train=0.9), *runs_of({"b": [0.2]}, r2_train=0.8)]
    runs += [*runs_of({"c": [0.2]}, r2_train=0.45), *runs_of({"d": [0.2]}), *runs_of({"e": [0.8]})]
    strict = {failure.algorithm for failure in judge(runs, DRAFT, draws=5).failures}
    mild = judge(runs, replace(DRAFT, min_accuracy="train-and-test"), draws=5).failures
    assert strict == {"b", "c", "d"}
    assert {failure.algorithm for failure in mild} == {"c", "d"}
    assert mild[0].reason == ("R2 0.200 is not more than half of the best, 0.900, and on training rows it is no better")


def test_missing_runs_and_datasets_get_one_point_and_are_named() -> None:
    runs = runs_of({"a": [0.9, 0.9], "b": [0.8]}) + runs_of({"a": [0.9]}, dataset="e")
    judgement = judge(runs, DRAFT, algorithms=["absent"], draws=5)
    found = {row.algorithm: row.score for row in judgement.algorithms}
    assert found["absent"] == 1
    missing = {(f.algorithm, f.dataset, f.run) for f in judgement.failures}
    assert missing == {("b", "d", 1), ("b", "e", 0), *(("absent", *place) for place in [("d", 0), ("d", 1), ("e", 0)])}
    # Run 0 of d: 2, 3, 3 points; run 1: 1 each. Their means: 1.5, 2, 2. Dataset e: 1.
    assert found["b"] == pytest.approx((3 / (1 / 1.5 + 1 / 2 + 1 / 2) + 1) / 2)


def test_a_run_that_everybody_should_have_done_counts_for_nobody() -> None:
    assert scores_of(runs_of({"a": [0.9], "b": [0.9]}), n_runs=4) == pytest.approx({"a": 1.25, "b": 1.25})


@pytest.mark.parametrize("field", ["r2", "components", "property_value"])
def test_any_nan_gets_one_point_on_everything_and_is_named(field) -> None:
    broken = replace(runs_of({"b": [0.95]})[0], **{field: NAN})
    judgement = judge([*runs_of({"a": [0.3]}), broken], DRAFT, draws=5)
    assert {row.algorithm: row.score for row in judgement.algorithms} == {"a": 2.0, "b": 1.0}
    assert judgement.failures[0].reason.startswith("no number for")


def test_the_final_rules_take_a_missing_run_as_the_worst() -> None:
    complete = {"a": [0.9, 0.9, 0.9], "b": [0.91, 0.91, 0.91]}
    assert scores_of(runs_of(complete), FINAL)["b"] > scores_of(runs_of(complete), FINAL)["a"]
    # One of three missing moves the median by a place; two of three: there is none.
    one, two = {**complete, "b": [0.91, 0.91]}, {**complete, "b": [0.91]}
    assert scores_of(runs_of(one), FINAL)["b"] > scores_of(runs_of(one), FINAL)["a"]
    assert scores_of(runs_of(two), FINAL)["b"] == 1
    reasons = [failure.reason for failure in judge(runs_of(two), FINAL, draws=5).failures]
    assert reasons == ["the run is missing"] * 2 + ["half of its runs or more are missing: there is no median"]


def test_final_simplicity_does_not_tell_85_components_from_90() -> None:
    runs = [*runs_of({"a": [0.9]}, components=85.0), *runs_of({"b": [0.9]}, components=90.0)]
    assert scores_of(runs, FINAL) == {"a": 2.0, "b": 2.0}
    assert scores_of(runs, DRAFT) == {"a": 2.0, "b": 1.5}
    assert simplicity(85) == simplicity(90)


def test_r2_is_compared_to_three_decimals() -> None:
    assert scores_of(runs_of({"a": [0.9001], "b": [0.9004]})) == {"a": 2.0, "b": 2.0}


def test_the_gate_keeps_out_who_does_not_beat_the_baseline_on_most_datasets() -> None:
    by_dataset = {"d": {"linear": 0.5, "good": 0.9, "half": 0.9}, "e": {"linear": 0.5, "good": 0.6, "half": 0.5}}
    runs = [run for name, values in by_dataset.items() for run in runs_of({k: [v] for k, v in values.items()}, name)]
    judgement = judge(runs, replace(DRAFT, qualify="linear"), draws=5)
    assert [row.algorithm for row in judgement.algorithms] == ["good"]
    assert [(item.algorithm, item.beaten, item.datasets) for item in judgement.disqualified] == [("half", 1, 2)]
    with pytest.raises(JudgingError, match="no runs of it"):
        judge(runs, replace(DRAFT, qualify="dummy"))
    with pytest.raises(JudgingError, match="no algorithm beats"):
        judge([run for run in runs if run.algorithm != "good"], replace(DRAFT, qualify="linear"))


def test_runs_of_the_baseline_do_not_take_part() -> None:
    runs = runs_of({"dummy": [-0.01], "a": [0.9], "b": [0.8]})
    assert len(judge(runs, replace(DRAFT, qualify="dummy"), draws=5).algorithms) == 2
    assert len(judge(runs, DRAFT, draws=5).algorithms) == 3


def test_a_run_that_is_there_twice_and_an_empty_field_are_refused() -> None:
    with pytest.raises(JudgingError, match="run 0 of a on d is there twice"):
        arrange(runs_of({"a": [0.9]}) * 2)
    with pytest.raises(JudgingError, match="no runs to judge"):
        arrange([])
    with pytest.raises(UnknownNameError, match="did you mean 'final'"):
        rule_set("finale")


def test_the_winner_of_every_draw_is_certain_and_equals_share() -> None:
    clear = sensitivity(arrange(runs_of({"a": [0.9] * 4, "b": [0.8] * 4})), DRAFT, draws=50)
    assert clear.wins == {"a": 1.0, "b": 0.0}
    equal = sensitivity(arrange(runs_of({"a": [0.9], "b": [0.9]})), DRAFT, draws=50)
    assert equal.wins == {"a": 0.5, "b": 0.5}
    assert len(clear.others) == 5
    assert all(other.winners == ("a",) for other in clear.others)


def test_an_uncertain_winner_is_said_to_be_so() -> None:
    runs = [
        run
        for number in range(6)
        for run in runs_of({"a": [0.9 if number % 2 else 0.8], "b": [0.85]}, dataset=f"d{number}")
    ]
    found = sensitivity(arrange(runs), DRAFT, draws=400)
    assert 0.2 < found.wins["a"] < 0.8
    assert sum(found.wins.values()) == pytest.approx(1)
    assert sensitivity(arrange(runs), DRAFT, draws=400).wins == found.wins


def test_the_reasons_follow_from_the_numbers() -> None:
    runs = [
        *runs_of({"winner": [0.9]}, components=9.0),
        *runs_of({"second": [0.8]}, components=5.0, property_value=0.0),
    ]
    judgement = judge(runs, DRAFT, draws=20)
    assert judgement.winners == ("winner",)
    assert judgement.why[1] == (
        "Against second it leads in accuracy (+1.00 points) and property (+1.00 points) and is behind in "
        "simplicity (−1.00)."
    )
    assert "100 %" in judgement.why[-1]


def test_runs_that_are_not_accurate_enough_are_told_together() -> None:
    """Their reasons differ in numbers alone; a run that is missing has another reason, and a row of its own."""
    judgement = judge(runs_of({"good": [0.9, 0.8, 0.9], "poor": [0.3, 0.2]}), DRAFT, draws=1)
    rows = [(row.algorithm, row.runs, row.reason) for row in grouped_failures(judgement.failures)]
    assert sorted(rows) == [
        ("poor", "0, 1", "R2 0.300 is not more than half of the best, 0.900 (run 0)"),
        ("poor", "2", "the run is missing"),
    ]
