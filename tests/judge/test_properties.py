"""Properties: of formulas after simplification, of predictions, of evaluations elsewhere, of the organiser's own."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import JudgingError
from matbench_lite.judge.expression import Simplifier, parse
from matbench_lite.judge.expression.formula_tree import tree_distance, tree_size
from matbench_lite.judge.judge_dataset import Dataset
from matbench_lite.judge.properties import Case, PropertySpec, measure_property


def value_of(spec: PropertySpec, dataset: Dataset, simplifier: Simplifier, text: str | None = None, **rest) -> float:
    formula = None if text is None else parse(text, dataset.features)
    case = Case(
        algorithm=rest.get("algorithm", "mine"),
        dataset=dataset,
        run=0,
        predictions=rest.get("predictions"),
        beyond=rest.get("beyond"),
        formula=formula,
        simplified=None if formula is None else simplifier.simplify(formula, dataset.positive),
        simplifier=simplifier,
    )
    return measure_property(case, spec)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("70 + 740/sqrt(grain_size)", 1.0),
        ("grain_size + humidity", 0.8),
        ("grain_size*humidity/humidity + batch - batch", 1.0),  # x/x uses no x
        ("humidity + batch + holding_time + sample_width + furnace_temperature", 0.0),
        (None, 0.0),
    ],
)
def test_absence_is_the_share_of_irrelevant_features_left_out(text, expected, datasets, simplifier) -> None:
    spec = PropertySpec(kind="absence")
    assert value_of(spec, datasets["hall_petch"], simplifier, text) == pytest.approx(expected)


def test_absence_counts_decoys(datasets, simplifier) -> None:
    spec = PropertySpec(kind="absence")
    assert value_of(spec, datasets["young_modulus"], simplifier, "20*hardness") == pytest.approx(2 / 3)
    named = replace(spec, features=("bulk",))
    assert value_of(named, datasets["young_modulus"], simplifier, "20*hardness") == 1.0


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("debye_temperature", "138*sqrt(melting_point/(mass*cbrt(volume)**2))", 1.0),
        ("debye_temperature", "200*melting_point**0.5*mass**-0.5*volume**-0.3333", 1.0),  # another factor
        ("debye_temperature", "138*sqrt(melting_point/mass)/volume**0.4", 0.0),
        ("alloy_gap", "gap_a + x*(gap_b - gap_a - 0.6) + 0.6*x**2 + 3", 1.0),  # another constant
        ("alloy_gap", "gap_a + x*(gap_b - gap_a)", 0.0),
        ("alloy_gap", None, 0.0),
    ],
)
def test_equivalence_to_the_known_formula(name, text, expected, datasets, simplifier) -> None:
    assert value_of(PropertySpec(kind="equivalence"), datasets[name], simplifier, text) == expected


def test_proximity_grows_with_likeness(datasets, simplifier) -> None:
    spec = PropertySpec(kind="proximity")
    values = [
        value_of(spec, datasets["arrhenius"], simplifier, text)
        for text in (
            "time",
            "-0.12*activation_energy - 10",
            "log_prefactor - 100*activation_energy/temperature",
            "log_prefactor - 120.272*activation_energy/temperature",
        )
    ]
    assert value_of(spec, datasets["arrhenius"], simplifier, None) == values[0] == 0.0
    assert values[-1] == pytest.approx(1.0, abs=1e-6)
    assert values == sorted(values)
    assert len(set(values)) == len(values)


def test_bounds_are_the_share_of_possible_predictions(datasets, simplifier) -> None:
    spec = PropertySpec(kind="bounds", low=1.0)
    guess = {"predictions": np.array([0.9, 1.0, 1.5]), "beyond": np.array([2.0])}
    assert value_of(spec, datasets["refractive_index"], simplifier, **guess) == 0.75
    assert value_of(replace(spec, high=1.2), datasets["refractive_index"], simplifier, **guess) == 0.25


def test_extrapolation_is_r2_beyond_the_training_range(datasets, simplifier) -> None:
    spec, dataset = PropertySpec(kind="extrapolation"), datasets["varshni"]
    truth = dataset.beyond.y.to_numpy()
    assert value_of(spec, dataset, simplifier, beyond=truth) == 1.0
    assert value_of(spec, dataset, simplifier, beyond=np.full(len(truth), truth.mean())) == 0.0


def test_an_evaluation_gives_the_error_with_groups_left_out(datasets, simplifier, tmp_path) -> None:
    file = tmp_path / "scores.json"
    scores = {"mine": {"mean": 0.1, "mean_groups": 0.25}}
    file.write_text(json.dumps({"lower_is_better": True, "models": scores}))
    spec = PropertySpec(kind="evaluation", path=str(file))
    assert value_of(spec, datasets["saddle"], simplifier) == -0.25
    with pytest.raises(JudgingError, match="no 'median' of a model 'mine'; it has mine"):
        value_of(replace(spec, name="median"), datasets["saddle"], simplifier)
    with pytest.raises(JudgingError, match="not the result of an evaluation"):
        value_of(replace(spec, path=str(tmp_path)), datasets["saddle"], simplifier)
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"lower_is_better": False, "models": scores}))
    assert value_of(replace(spec, name="mean", path=str(other)), datasets["saddle"], simplifier) == 0.1
    failed = tmp_path / "failed.json"
    failed.write_text(json.dumps({"models": {"mine": {"error": "no"}}}))
    assert np.isnan(value_of(replace(spec, path=str(failed)), datasets["saddle"], simplifier))


def test_what_an_evaluation_writes_is_read(datasets, simplifier, tmp_path) -> None:
    from matbench_lite.evaluate import evaluate, save_results

    source = {"task": "mini_gap", "group_by": "anion"}
    file = tmp_path / "families.json"
    settings = {"type": "prediction", "corresponding_data": True, "data.test": source, "data.pre_train": source}
    file.write_text(json.dumps({**settings, "models": ["dummy"]}))
    save_results(evaluate(file, output=tmp_path / "out"), tmp_path / "out")
    spec = PropertySpec(kind="evaluation", path=str(tmp_path / "out" / "scores.json"))
    error = -value_of(spec, datasets["saddle"], simplifier, algorithm="dummy")
    assert 0.5 < error < 5  # eV


def test_a_function_of_the_organisers_own(datasets, simplifier, tmp_path) -> None:
    file = tmp_path / "own.py"
    file.write_text("def measure(case): return len(case.formula.features)\ndef broken(case): return 1/0\nx = 1")
    spec = PropertySpec(kind="function", path=str(file))
    assert value_of(spec, datasets["saddle"], simplifier, "x1*x2") == 2.0
    with pytest.raises(JudgingError, match=r"broken of .* raised ZeroDivisionError for mine on saddle"):
        value_of(replace(spec, name="broken"), datasets["saddle"], simplifier, "x1")
    with pytest.raises(JudgingError, match="has no function x"):
        value_of(replace(spec, name="x"), datasets["saddle"], simplifier, "x1")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (PropertySpec(kind="bounds"), "no bounds are given"),
        (PropertySpec(kind="bounds", low=0.0), "judged by predictions"),
        (PropertySpec(kind="extrapolation"), "no rows to extrapolate"),
        (PropertySpec(kind="absence"), "no irrelevant features"),
    ],
)
def test_a_property_that_cannot_be_measured_says_so(spec, message, datasets, simplifier) -> None:
    with pytest.raises(JudgingError, match=message):
        value_of(spec, datasets["alloy_gap"], simplifier, "x")


def test_no_property_is_equal_for_all(datasets, simplifier) -> None:
    assert value_of(PropertySpec(), datasets["saddle"], simplifier) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("x", "x", 0),
        ("x", "y", 1),
        (["+", "x", "y"], ["+", "x", ["*", 2, "y"]], 2),
        (["sin", ["+", "x", 1]], ["+", "x", 2.5], 1),
        # The example of Zhang and Shasha's paper: f(d(a c(b)) e) and f(c(d(a b)) e).
        (["f", ["d", "a", ["c", "b"]], "e"], ["f", ["c", ["d", "a", "b"]], "e"], 2),
    ],
)
def test_tree_distances_worked_out_by_hand(one, other, distance) -> None:
    assert tree_distance(one, other) == tree_distance(other, one) == distance


trees = st.recursive(
    st.sampled_from(["x", "y", 1]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+*"), inner, inner).map(list), st.tuples(st.just("sin"), inner).map(list)
    ),
    max_leaves=6,
)


@given(trees, trees, trees)
def test_the_tree_distance_is_a_distance(a, b, c) -> None:
    assert tree_distance(a, a) == 0
    assert tree_distance(a, b) == tree_distance(b, a)
    assert tree_distance(a, c) <= tree_distance(a, b) + tree_distance(b, c)
    assert abs(tree_size(a) - tree_size(b)) <= tree_distance(a, b) <= tree_size(a) + tree_size(b)
