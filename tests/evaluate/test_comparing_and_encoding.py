"""Comparators, encoders, and the texts they work on."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate import COMPARATORS, as_document, as_page, convert_to_basic_types, tuple_to_string, unnest
from matbench_lite.evaluate.benchmark_rows import anion, chemical_system, prototype
from matbench_lite.evaluate.encoders.binned_response import BinnedResponse
from matbench_lite.evaluate.items import FrozenRow, frozen, plain_value, split_choices

EQUALITY, ABSDIFF, SQUAREDDIFF, NVC = (COMPARATORS[name]() for name in ("equality", "absdiff", "squareddiff", "nvc"))
CHOICES = [[["a"]], [["b"]], [["c"]], [["d"]]]
A, B, C, D = CHOICES


@pytest.mark.parametrize(
    ("prediction", "target", "score"),
    [
        ([["NVC"]], [["NVC"]], 1),
        ("NVC", [["NVC"]], 1),
        ([["All", "a", "c"]], [["All", "c", "a"]], 0),
        (True, True, 1),
        (True, [[True]], 1),
        (0, False, 0),
        (2.5, [[2.5]], 1),
    ],
)
def test_equality_compares_texts(prediction, target, score) -> None:
    assert EQUALITY.compare(prediction, target, "single-choice", []) == score


@pytest.mark.parametrize(
    ("prediction", "target", "score"),
    [([A], [A], 1), ([A, B], [A], 0.75), ([B], [A], 0.5), ([A, B, C, D], [], 0), ([], [], 1)],
)
def test_multiple_choice_scores_the_share_of_choices_on_which_both_agree(prediction, target, score) -> None:
    assert EQUALITY.compare(prediction, target, "multiple-choice", CHOICES) == score
    chosen, true = ([choice in some for choice in CHOICES] for some in (prediction, target))
    assert score == 1 - np.mean(np.abs(np.array(chosen, dtype=float) - np.array(true)))


def test_multiple_choice_wants_a_list() -> None:
    with pytest.raises(EvaluationError, match="a multiple-choice prediction is 'a', not a list"):
        EQUALITY.compare("a", [A], "multiple-choice", CHOICES)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_differences(prediction, target) -> None:
    assert ABSDIFF.compare([[prediction]], target, "free", []) == abs(prediction - target)
    assert SQUAREDDIFF.compare(str(prediction), [[target]], "free", []) == (prediction - target) ** 2


@pytest.mark.parametrize(
    "value", [np.float32(2), np.float64(2), np.int8(2), np.array(2.0), [np.float64(2)], "2", 2, [[2]]]
)
def test_numbers_of_any_kind(value) -> None:
    assert ABSDIFF.compare(plain_value(value), 0.5, "free", []) == 1.5


@pytest.mark.parametrize("value", ["two", None, [1, 2], float("nan"), "inf", []])
def test_what_is_no_number_is_refused(value) -> None:
    with pytest.raises(EvaluationError, match="is not a finite number"):
        ABSDIFF.compare(value, 1.0, "free", [])


def test_numpy_scalars_are_accepted_everywhere(folder) -> None:
    folder.write(
        "numpy_model.py",
        """
        import numpy as np
        from matbench_lite.evaluate import Model
        class Numpy(Model):
            def predict(self, item, **columns):
                return {"n": np.float32(1.5), "i": np.int64(3), "b": np.bool_(True)}[item.task_str]
        """,
    )
    folder.write(
        "n.csv",
        "id,sequence,task,choices,response,response_type,domain\n"
        "1,0,n,,1.5,free,d\n1,1,i,,3,free,d\n1,2,b,x,True,verify,d\n",
    )
    results = folder.run(data_test="n.csv", models=["numpy_model.py"], comparator="equality")
    assert results.models["Numpy"].error is None, results.models["Numpy"].error
    assert list(results.table["score"]) == [1.0, 1.0, 1.0]


def test_nvc() -> None:
    other = [["All", "a", "c"]]
    assert [
        NVC.compare(*pair, "single-choice", []) for pair in (("NVC", [["NVC"]]), (other, other), ("NVC", other))
    ] == [1, 1, 0]


def test_a_score_that_is_no_number_is_the_models_failure(folder) -> None:
    folder.write(
        "nan.py",
        """
        from matbench_lite.evaluate import Model
        class Nan(Model):
            def predict(self, item, **columns):
                return float("nan")
        """,
    )
    message = folder.run(models=["nan.py"]).models["Nan"].error
    assert message.startswith("Nan failed in predict, group 'a', sequence 0, task 'Al2O3': the prediction nan is not")


# Texts

LEAF = st.text("abAB -", min_size=1).filter(lambda text: text.strip() == text and text not in ("inf", "nan"))
TERMS = st.lists(LEAF, min_size=1, max_size=3)
PARTS = st.lists(TERMS, min_size=1, max_size=3)


@given(st.lists(PARTS, min_size=1, max_size=3))
def test_choices_survive_being_written_and_read(choices) -> None:
    assert split_choices(tuple_to_string(choices)) == choices


def test_basic_types() -> None:
    texts = ["True", "False", "3", "-2.5", "1e3", "NVC", "", " x"]
    assert convert_to_basic_types(texts) == [True, False, 3, -2.5, 1000.0, "NVC", "", " x"]
    assert unnest([[["a"]]]) == "a"
    assert unnest([["a", "b"]]) == ["a", "b"]
    assert unnest(3) == 3


def test_what_is_frozen_can_be_copied() -> None:
    value = frozen([["a", ["b"]]])
    row = FrozenRow(response=value, gap=1.5)
    for copied in (copy.deepcopy(row), dict(row)):
        copied["more"] = 1
    assert copy.deepcopy(value) == [["a", ["b"]]]
    copy.deepcopy(value)[0].append(1)
    again = pickle.loads(pickle.dumps(row))
    assert again == row
    for attempt in (
        lambda: again.update(a=1),
        lambda: again["response"].append(1),
        lambda: again["response"][0].sort(),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            attempt()


# Families and encoders


def test_families() -> None:
    assert chemical_system("LiFePO4") == "Fe-Li-O-P"
    assert [anion(formula) for formula in ("NaCl", "LiFePO4", "NiAl", "He", "CsF")] == ["Cl", "O", "Ni", "He", "F"]
    assert prototype("MgAl2O4", None) == "AB2C4-unknown"
    assert prototype("NaCl", 225) == "AB-225"
    with pytest.raises(EvaluationError, match="'Xx' is not an element"):
        anion("XxO")


@pytest.mark.parametrize(
    ("value", "bin_"), [(0.0, "[0, 0.5)"), (0.5, "[0.5, 1)"), (-0.1, "[-0.5, 0)"), ([[7]], "[7, 7.5)")]
)
def test_bins_hold_their_lower_end(value, bin_) -> None:
    assert BinnedResponse(width=0.5).encode_response(value, [["x"]]) == bin_


@pytest.mark.parametrize("width", [0, -1, float("inf"), "1"])
def test_bins_need_a_width(width) -> None:
    with pytest.raises(EvaluationError, match=r"args.width is .*; give a positive number"):
        BinnedResponse(width=width)


def test_most_frequent_answers(folder) -> None:
    """Ties are all named; what is verified is part of the answer; several choices are one answer."""
    folder.write(
        "words.csv",
        """
        id,sequence,task,choices,response,response_type,domain
        1,0,FeO,x|y,x,single-choice,one
        1,1,FeO,x|y,y,single-choice,one
        1,2,FeO,x|y,y,single-choice,one
        1,3,Fe2O3,x|y,x,single-choice,one
        2,0,NaCl,z,True,verify,two
        2,1,MgO,x|y,x|y,multiple-choice,two
        """,
    )
    folder.write(
        "last.py",
        """
        from matbench_lite.evaluate import Model
        class Last(Model):
            def predict(self, item, **columns):
                if item.response_type == "verify":
                    return False
                return item.choices[-1:] if item.response_type == "multiple-choice" else item.choices[-1]
        """,
    )
    encoders = "%matbench_lite%/evaluate/encoders"
    results = folder.run(
        data_test="words.csv",
        models=["last.py"],
        comparator=None,
        task_encoders=dict.fromkeys(("one", "two"), f"{encoders}/chemical_system.py"),
        response_encoders=dict.fromkeys(("one", "two"), f"{encoders}/label.py"),
    )
    assert results.models["Last"].error is None, results.models["Last"].error
    assert results.answers["response"] == {
        "Cl-Na": {"data": "z;True", "models": {"Last": "z;False"}},
        "Fe-O": {"data": "x, y", "models": {"Last": "y"}},
        "Mg-O": {"data": "x|y", "models": {"Last": "y"}},
    }


PHASES = """
from matbench_lite.evaluate import Model

class Phases(Model):
    def predict(self, item, **columns):
        return 0.0

    def predict_phase(self, item, **columns):
        return "solid"
"""


def test_most_frequent_answers_of_other_columns(folder) -> None:
    """Each column has encoders and a table of its own; a model may be called what it likes."""
    folder.write("phases.py", PHASES)
    encoders = "%matbench_lite%/evaluate/encoders"
    aux = {
        "data_column": "phase",
        "prediction_fn_name": "predict_phase",
        "task_encoders": {"energy": f"{encoders}/chemical_system.py"},
        "response_encoders": {"energy": f"{encoders}/label.py"},
    }
    models = [{"filename": "phases.py", "override_name": "data"}]
    results = folder.run(models=models, aux_evaluations=[aux])
    assert results.answers == {
        "phase": {
            "Al-O": {"data": "solid", "models": {"data": "solid"}},
            "Cl-Na": {"data": "liquid", "models": {"data": "solid"}},
            "Fe-O": {"data": "liquid, solid", "models": {"data": "solid"}},
        }
    }
    assert "The most frequent answers for phase" in as_page(results)
    assert as_document(results)["answers"]["phase"]["Cl-Na"] == {"data": "liquid", "models": {"data": "solid"}}


@pytest.mark.parametrize("place", ["comparator", "task_encoders", "response_encoders"])
def test_a_comparator_or_encoder_that_fails_is_named(folder, place) -> None:
    folder.write(
        "failing.py",
        """
        from matbench_lite.evaluate import Comparator, ResponseEncoder, TaskEncoder
        class Scales(Comparator):
            def compare(self, prediction, target, response_type, choices):
                raise KeyError("scales")
        class Tasks(TaskEncoder):
            def encode_task(self, task):
                raise KeyError("tasks")
        class Responses(ResponseEncoder):
            def encode_response(self, response, task):
                raise KeyError("responses")
        """,
    )
    changes = {place: "failing.py" if place == "comparator" else {"energy": "failing.py"}}
    message = folder.run(**changes).models["mean"].error
    name = {"comparator": "Scales", "task_encoders": "Tasks", "response_encoders": "Responses"}[place]
    assert f"sequence 0, task 'Al2O3': {name} raised KeyError: '{name.lower()}'" in message
