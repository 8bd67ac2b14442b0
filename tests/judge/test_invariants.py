"""What every rule set must keep, whatever the results: tried on random competitions with equals, gaps and failures."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from matbench_lite.judge import Rules, Run, arrange, points, score
from matbench_lite.judge.judge_rules import MIN_ACCURACY, TIES, passed_runs

NAN = float("nan")
# Few values, so that there are equal ones; some exactly half of others; some useless.
R2 = st.sampled_from([-3.0, 0.0, 0.2, 0.4, 0.4004, 0.45, 0.8, 0.9, 0.9004, 1.0, NAN])
COMPONENTS = st.sampled_from([1.0, 2.0, 5.0, 85.0, 90.0, NAN])
PROPERTY = st.sampled_from([-1.0, 0.0, 0.5, 1.0, NAN])
RULES = st.builds(
    Rules,
    name=st.sampled_from(["draft", "final"]),
    ties=st.sampled_from(TIES),
    min_accuracy=st.sampled_from(MIN_ACCURACY),
)


@st.composite
def competitions(draw, most_runs: int = 3) -> list[Run]:
    algorithms = "abcde"[: draw(st.integers(2, 5))]
    runs = []
    for dataset in range(draw(st.integers(1, 3))):
        for number in range(draw(st.integers(1, most_runs))):
            for algorithm in algorithms:
                if draw(st.integers(0, 9)):  # one in ten is missing
                    values = {"r2": draw(R2), "components": draw(COMPONENTS), "property_value": draw(PROPERTY)}
                    runs.append(
                        Run(algorithm=algorithm, dataset=f"d{dataset}", run=number, r2_train=draw(R2), **values)
                    )
    assume(runs)
    return runs


def scores_of(runs: list[Run], rules: Rules, algorithms: tuple[str, ...] = ()) -> dict[str, float]:
    field = arrange(runs, algorithms=algorithms)
    return dict(zip(field.algorithms, score(field, rules).overall.tolist(), strict=True))


@given(competitions(), RULES, st.randoms())
def test_the_order_of_the_input_never_matters(runs, rules, chance: random.Random) -> None:
    shuffled = list(runs)
    chance.shuffle(shuffled)
    assert scores_of(shuffled, rules) == scores_of(runs, rules)


@given(competitions(), RULES)
def test_every_score_and_every_point_is_from_1_to_n(runs, rules) -> None:
    field = arrange(runs)
    found = score(field, rules)
    for values in (found.overall, found.by_dataset, found.points):
        assert values.min() >= 1
        assert values.max() <= len(field.algorithms) + 1e-12


@given(competitions(), RULES)
def test_equal_algorithms_score_equally(runs, rules) -> None:
    first = min(run.algorithm for run in runs)
    twin = [replace(run, algorithm="twin") for run in runs if run.algorithm == first]
    found = scores_of(runs + twin, rules)
    assert found["twin"] == found[first]


@st.composite
def dominated(draw) -> list[Run]:
    """A competition with an algorithm `worse` that is at most as good as `better` everywhere."""
    runs = draw(competitions())
    for run in [run for run in runs if run.algorithm == "a"]:
        runs.remove(run)
        best = replace(
            run,
            algorithm="better",
            r2=draw(R2.filter(np.isfinite)),
            r2_train=draw(R2.filter(np.isfinite)),
            components=draw(COMPONENTS.filter(np.isfinite)),
            property_value=draw(PROPERTY.filter(np.isfinite)),
        )
        runs.append(best)
        if draw(st.booleans()):
            less = st.sampled_from([0.0, 0.0003, 0.1, 0.5])
            runs.append(
                replace(
                    best,
                    algorithm="worse",
                    r2=best.r2 - draw(less),
                    r2_train=best.r2_train - draw(less),
                    components=best.components + draw(st.sampled_from([0, 1, 40])),
                    property_value=best.property_value - draw(less),
                )
            )
    assume(any(run.algorithm == "better" for run in runs))
    return runs


@given(dominated(), RULES)
def test_at_least_as_good_on_everything_never_scores_lower(runs, rules) -> None:
    found = scores_of(runs, rules, ("worse",))
    assert found["better"] >= found["worse"] - 1e-12


@given(competitions(), RULES, st.data())
def test_to_improve_never_lowers_the_own_score(runs, rules, data) -> None:
    place = data.draw(st.integers(0, len(runs) - 1))
    run = runs[place]
    assume(run.flaw is None and np.isfinite(run.r2_train))
    better = replace(
        run,
        r2=min(1.0, run.r2 + data.draw(st.sampled_from([0, 0.1, 2.0]))),
        r2_train=min(1.0, run.r2_train + data.draw(st.sampled_from([0, 2.0]))),
        components=max(1.0, run.components - data.draw(st.sampled_from([0, 1, 80]))),
        property_value=run.property_value + data.draw(st.sampled_from([0, 0.5])),
    )
    changed = [*runs[:place], better, *runs[place + 1 :]]
    assert scores_of(changed, rules)[run.algorithm] >= scores_of(runs, rules)[run.algorithm] - 1e-12


@given(competitions(), st.sampled_from(TIES), st.sampled_from(["test", "train-and-test"]), st.data())
def test_what_a_failing_run_is_like_changes_nothing_for_the_others(runs, ties, min_accuracy, data) -> None:
    rules = Rules(name="draft", ties=ties, min_accuracy=min_accuracy)
    place = data.draw(st.integers(0, len(runs) - 1))
    run = runs[place]
    assume(not passes(runs, rules, run))
    other = replace(
        run,
        r2=data.draw(st.sampled_from([run.r2, -5.0, NAN])),
        r2_train=data.draw(st.sampled_from([run.r2_train, -5.0])),
        components=data.draw(COMPONENTS),
        property_value=data.draw(PROPERTY),
    )
    changed = [*runs[:place], other, *runs[place + 1 :]]
    assume(not passes(changed, rules, other))
    assert scores_of(changed, rules) == scores_of(runs, rules)


def passes(runs: list[Run], rules: Rules, run: Run) -> bool:
    field = arrange(runs)
    item = next(item for item in field.datasets if item.dataset == run.dataset)
    return bool(passed_runs(item, rules)[item.numbers.index(run.run), field.algorithms.index(run.algorithm)])


@given(
    st.lists(st.integers(0, 4).map(float), min_size=1, max_size=6),
    st.lists(st.integers(-9, 9).map(float), max_size=3),
    st.sampled_from(TIES),
)
def test_failing_algorithms_leave_the_order_of_the_passing_ones(passing, failing, ties) -> None:
    alone = points(passing, [True] * len(passing), ties=ties)
    fine = [True] * len(passing) + [False] * len(failing)
    together = points(passing + failing, fine, ties=ties)
    # One more failing algorithm is one more point for each of them: differences stay.
    assert (together[: len(passing)] - alone).tolist() == pytest.approx([len(failing)] * len(passing))
    assert (together[len(passing) :] == 1).all()
