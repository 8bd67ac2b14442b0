"""No model holds the answer of a row before it has predicted that row: seen with a model that keeps all it is shown."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matbench_lite.errors import EvaluationWarning
from matbench_lite.evaluate import Results, evaluate

from ..conftest import LONG

WITNESS = """
import copy
from matbench_lite.evaluate import Model

class Witness(Model):
    '''Keeps everything, looks for the secret of the row in it, and predicts whether it was there.'''

    def __init__(self):
        super().__init__("witness")
        self.seen = []

    def pre_train(self, dataset):
        self.seen.append(copy.deepcopy(dataset))

    def pre_train_person(self, dataset):
        self.seen.append(list(dataset))

    def pre_person_background(self, dataset):
        self.seen.append(dataset)

    def start_participant(self, **about):
        self.seen.append(about)

    def predict(self, item, **columns):
        return self.looked_for("response", item, columns)

    def predict_other(self, item, **columns):
        return self.looked_for("other", item, columns)

    def looked_for(self, target, item, columns):
        self.seen.append((item, columns))
        secret = f"{target}-{item.identifier}-{item.sequence_number}-{item.task_str}"
        return "known" if secret in repr(self.seen) else "unknown"

    def adapt(self, item, target, **columns):
        self.seen.append((item, target, columns))

    def adapt_other(self, item, target, **columns):
        self.seen.append((item, target, columns))
"""
COLUMNS = ("id", "sequence", "task", "choices", "response", "response_type", "domain", "other", "note")


def frame(rows: list[tuple[str, int, int, str]]) -> pd.DataFrame:
    """Rows whose answers tell which rows they are of."""
    made = []
    for group, sequence, task, domain in rows:
        place = f"{group}-{sequence}-t{task}"
        made.append(
            (group, sequence, f"t{task}", "a|b", f"response-{place}", "single-choice", domain, f"other-{place}", task)
        )
    return pd.DataFrame(made, columns=COLUMNS)


GROUPS = st.sampled_from(["a", "b", "c"])
ROW = st.tuples(GROUPS, st.integers(0, 4), st.integers(0, 2), st.sampled_from(["x", "y"]))
ROWS = st.lists(ROW, min_size=1, max_size=8, unique_by=lambda row: row[:2])
MAYBE = st.none() | ROWS
# An example is a whole evaluation.
FEW = settings(max_examples=settings.default.max_examples // 2)


def run(folder: Path, setting: str, corresponding: bool, **data: list[tuple[str, int, int, str]] | None) -> Results:
    (folder / "witness.py").write_text(WITNESS)
    aux = {"data_column": "other", "prediction_fn_name": "predict_other", "adaption_fn_name": "adapt_other"}
    document = {
        "type": setting,
        "models": ["witness.py"],
        "corresponding_data": corresponding,
        "aux_evaluations": [aux],
    }
    for name, rows in data.items():
        if rows is not None:
            frame(rows).to_csv(folder / f"{name}.csv", index=False)
            document[f"data.{name}"] = f"{name}.csv"
    (folder / "evaluation.json").write_text(json.dumps(document))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvaluationWarning)
        results = evaluate(folder / "evaluation.json")
    assert results.models["witness"].error is None, results.models["witness"].error
    return results


@FEW
@given(
    setting=st.sampled_from(["prediction", "adaption", "loo-coverage"]),
    corresponding=st.booleans(),
    test=ROWS,
    train=MAYBE,
    person=MAYBE,
    background=MAYBE,
    shared=st.booleans(),
)
def test_no_answer_is_known_before_it_is_asked_for(
    setting, corresponding, test, train, person, background, shared
) -> None:
    """Any data, overlapping or not: the training data may be the test data, and so may those of the person.

    Of the response and of the other column alike, a row is known only if it is in the training data, nothing keeps the
    two apart, and a note says how many there are.
    """
    if shared and train is not None:
        train = [*{row[:2]: row for row in [*train, *test]}.values()]
        person, background = person and [*test], background and [*test]
    with tempfile.TemporaryDirectory() as temporary:
        data = {"test": test, "pre_train": train, "pre_person_background": background}
        if setting != "loo-coverage":
            data["pre_train_person"] = person
        results = run(Path(temporary), setting, corresponding, **data)
    leaking = set() if corresponding or train is None else {row[:3] for row in test} & {row[:3] for row in train}
    assert {evaluation: known(results, evaluation) for evaluation in ("response", "other")} == {
        "response": leaking,
        "other": leaking,
    }
    assert results.plan.counts.leaking == len(leaking)
    assert any("models are shown the answers" in note for note in results.notes) == bool(leaking)


def known(results: Results, evaluation: str) -> set[tuple[str, int, int]]:
    """The rows whose answer was there before it was asked for: group, sequence, task."""
    table = results.table[results.table["evaluation"] == evaluation]
    assert set(table["prediction"]) <= {"known", "unknown"}
    found = table[table["prediction"] == "known"]
    return {(row.id, row.sequence, int(row.task[1:])) for row in found.itertuples()}


@settings(max_examples=200 if LONG else 8)
@given(test=ROWS)
def test_the_witness_would_find_an_answer_that_is_shown(test) -> None:
    """In coverage, and where training and test data are the same and nothing keeps them apart, it finds every one."""
    with tempfile.TemporaryDirectory() as temporary:
        assert set(run(Path(temporary), "coverage", False, test=test).table["prediction"]) == {"known"}
        results = run(Path(temporary), "prediction", False, test=test, pre_train=test)
    assert set(results.table["prediction"]) == {"known"}
    assert results.plan.counts.leaking == len(test)
    assert any("models are shown the answers" in note for note in results.notes)


def test_rows_of_the_registry_are_known_by_their_id_whatever_group_they_are_in(folder) -> None:
    """Grouped in two ways, a row of the tested group would come back under another name."""
    folder.write(
        "ids.py",
        """
        from matbench_lite.evaluate import Model
        class Ids(Model):
            def __init__(self):
                super().__init__("ids")
                self.rows = set()
            def pre_train(self, dataset):
                self.rows = {row["row"] for group in dataset for row in group}
            def predict(self, item, row, **columns):
                return float(row in self.rows)
        """,
    )
    test = {"task": "mini_gap", "group_by": "anion", "limit": {"groups": 3}}
    for order in ("file", "random"):
        train = {"task": "mini_gap", "group_by": "n_elements", "order": order}
        results = folder.run(
            data_test=test, data_pre_train=train, corresponding_data=True, models=["ids.py"], comparator="absdiff"
        )
        assert set(results.table["prediction"]) == {0.0}


@pytest.mark.parametrize(
    "change", ["rows[0].append(3)", "rows[0][0]['seen'] = 1", "rows[0][0]['response'][0][0] = 'x'"]
)
def test_what_one_model_is_shown_cannot_be_changed_for_the_next(folder, change) -> None:
    folder.write(
        "vandal.py",
        f"""
        from matbench_lite.evaluate import Model
        class Vandal(Model):
            def pre_train(self, rows):
                {change}
        """,
    )
    folder.write(
        "words.csv", "id,sequence,task,choices,response,response_type,domain\na,0,t,x|y,x,free,d\nb,0,t,x|y,y,free,d\n"
    )
    data = {"data_test": "words.csv", "data_pre_train": "words.csv", "corresponding_data": True}
    failure = folder.run(models=["vandal.py"], comparator=None, **data).models["Vandal"].error
    assert "the data of an evaluation cannot be changed: copy it first" in failure
