"""Tasks of the registry as data: groups, order, limits, and what goes wrong."""

from __future__ import annotations

import pytest
from pymatgen.core import Composition

from matbench_lite import load_benchmark
from matbench_lite.data import load_spacegroups
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.benchmark_rows import anion, chemical_system, prototype, read_registry
from matbench_lite.evaluate.evaluation_file import Limit, RegistrySource

MINI = load_benchmark("mini")


def source(task: str = "mini_gap", group_by: str = "chemsys", order: str = "file", **limit: int) -> RegistrySource:
    return RegistrySource(
        key="data.test", task=task, benchmark=None, group_by=group_by, order=order, limit=Limit(**limit)
    )


@pytest.mark.parametrize(
    ("group_by", "group_of"),
    [
        ("chemsys", chemical_system),
        ("anion", anion),
        ("formula", str),
        ("n_elements", lambda text: len(elements(text))),
    ],
)
def test_groups_of_formulas(group_by, group_of) -> None:
    frame = read_registry(source(group_by=group_by), seed=0)
    assert list(frame["formula"]) == list(MINI["mini_gap"].targets["formula"])
    assert list(frame["id"]) == [group_of(formula) for formula in frame["formula"]]


def elements(formula: str) -> set[str]:
    return {str(element) for element in Composition(formula)}


def test_groups_of_structures() -> None:
    space = read_registry(source("mini_n", "spacegroup"), seed=0)
    numbers = load_spacegroups(MINI["mini_n"])
    assert list(space["id"]) == [str(number) for number in numbers]
    prototypes = read_registry(source("mini_n", "prototype"), seed=0)
    expected = [prototype(*pair) for pair in zip(space["formula"], numbers, strict=True)]
    assert list(prototypes["id"]) == expected


def test_groups_that_are_the_folds_of_the_benchmark() -> None:
    task = MINI["mini_gap"]
    frame = read_registry(source(group_by="fold"), seed=0)
    assert list(frame["row"][frame["id"] == 3]) == list(task.test_ids(3))


def test_rows_of_numbers_and_of_labels() -> None:
    number = read_registry(source(), seed=0).iloc[0]
    assert (number["choices"], number["response_type"], number["domain"]) == ("real", "free", "mini_gap")
    assert number["response"] == MINI["mini_gap"].target_values[0]
    label = read_registry(source("mini_is_ductile"), seed=0).iloc[0]
    assert (label["choices"], label["response_type"]) == ("True|False", "single-choice")


def test_order() -> None:
    by_file = read_registry(source(group_by="n_elements"), seed=0)
    rows = by_file[by_file["id"] == 2]
    assert list(rows["sequence"]) == list(range(len(rows)))
    assert list(rows["row"]) == sorted(rows["row"])
    shuffled = [read_registry(source(group_by="n_elements", order="random"), seed=seed) for seed in (0, 0, 1)]
    assert list(shuffled[0]["row"]) == list(shuffled[1]["row"]) != list(shuffled[2]["row"])
    assert sorted(shuffled[0]["row"]) == sorted(by_file["row"])
    by_formula = read_registry(source(group_by="n_elements", order="formula"), seed=0)
    assert list(by_formula["formula"]) == sorted(by_file["formula"])


def test_limits() -> None:
    assert list(read_registry(source(rows=7), seed=0)["row"]) == list(MINI["mini_gap"].ids[:7])
    groups = read_registry(source(group_by="anion", groups=3), seed=0)["id"]
    assert len(set(groups)) == 3
    drawn = [read_registry(source(group_by="anion", groups=3, order="random"), seed=seed)["id"] for seed in range(4)]
    assert len({frozenset(some) for some in drawn}) > 1
    sizes = read_registry(source(group_by="anion", min_rows_per_group=20), seed=0)["id"].value_counts()
    assert sizes.min() >= 20
    few = read_registry(source(group_by="anion", min_rows_per_group=20, rows_per_group=4), seed=0)["id"].value_counts()
    assert set(few) == {4}
    assert set(few.index) == set(sizes.index)


def test_items_have_the_input_of_their_row(folder) -> None:
    folder.write(
        "look.py",
        """
        from matbench_lite.evaluate import Model
        class Look(Model):
            def predict(self, item, row, formula, **columns):
                assert item.row == row and item.task_str == formula and item.domain == "mini_n"
                return item.input.density
        """,
    )
    results = folder.run(
        data_test={"task": "mini_n", "group_by": "chemsys", "limit": 3}, models=["look.py"], comparator=None
    )
    assert results.models["Look"].error is None, results.models["Look"].error
    densities = [structure.density for structure in MINI["mini_n"].inputs.iloc[:3]]
    assert sorted(results.table["prediction"]) == pytest.approx(sorted(densities))
    assert results.scorers[0].comparator.get_name() == "absolute difference", "the default for numbers"


def test_equality_is_the_default_for_labels(folder) -> None:
    data = {"task": "mini_is_ductile", "group_by": "anion", "limit": 20}
    results = folder.run(data_test=data, notes=True, models=["dummy"], comparator=None)
    assert results.scorers[0].comparator.get_name() == "accuracy"


def test_a_benchmark_of_ones_own(folder) -> None:
    folder.write(
        "own.toml",
        """
        name = "own"
        title = "Own"
        description = "Two alloys."
        [folds]
        splits = 2
        [[tasks]]
        name = "hardness"
        input = "composition"
        kind = "regression"
        target = "hardness"
        unit = "GPa"
        description = "Measured."
        [tasks.data]
        path = "alloys.csv"
        id = "sample"
        input = "formula"
        target = "hardness"
        """,
    )
    folder.write("alloys.csv", "sample,formula,hardness,oven,day\ns1,FeNi,1.0,b,9\ns2,FeCr,2.0,a,2\ns3,FeMn,3.0,b,1\n")
    data = {"task": "hardness", "benchmark": "own.toml", "group_by": "oven", "order": "day"}
    results = folder.run(data_test=data, comparator=None, models=["mean.py"])
    assert {group: [record.item.row for record in rows] for group, rows in results.plan.test.items()} == {
        "a": ["s2"],
        "b": ["s3", "s1"],
    }
    folder_data = {**data, "group_by": "hardness"}
    with pytest.raises(
        EvaluationError, match=r"data.test/group_by: 'hardness' is not allowed; give one of chemsys.*oven"
    ):
        folder.run(data_test=folder_data, comparator=None)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"task": "mini_gpa"}, "data.test/task: there is no task 'mini_gpa'; give one of"),
        ({"benchmark": "mini", "task": "x"}, "data.test/task: there is no task 'x'; give one of mini_"),
        ({"benchmark": "maxi"}, "data.test/benchmark: there is no benchmark 'maxi'"),
        ({"benchmark": "own.toml"}, 'data.test/benchmark: "own.toml" does not exist; give matbench_v0.1, mini'),
        ({"group_by": "colour"}, "data.test/group_by: 'colour' is not allowed; give one of chemsys, anion, spacegroup"),
        ({"group_by": "target"}, "data.test/group_by: 'target' is not allowed: it would tell the target"),
        ({"group_by": "spacegroup"}, "'spacegroup' needs structures, mini_gap has compositions; give chemsys, anion"),
        ({"group_by": "prototype"}, "'prototype' needs structures"),
        ({"order": "target"}, "data.test/order: 'target' is not allowed: it would tell the target; give one of file"),
        ({"order": "size"}, "data.test/order: 'size' is not allowed; give one of file, random, formula"),
        ({"limit": 0}, "data.test/limit: 0 is not allowed; give a number of rows, or an object"),
        ({"limit": {"rows": 0}}, "data.test/limit/rows: 0 is not allowed; give a whole number of 1 or more"),
        ({"limit": {"people": 1}}, 'data.test/limit: unknown key "people"; use rows, groups, rows_per_group'),
        (
            {"limit": {"min_rows_per_group": 501}},
            'data.test/limit: {"min_rows_per_group": 501} leaves no rows of mini_gap; give a smaller min_rows',
        ),
        ({"group": "anion"}, 'data.test: unknown key "group"; did you mean "group_by"?'),
    ],
)
def test_sources_that_cannot_be_used(folder, changes, told) -> None:
    with pytest.raises(EvaluationError) as caught:
        folder.run(data_test={"task": "mini_gap", "group_by": "anion", **changes}, comparator=None)
    assert told in str(caught.value)
