"""Which hook is called when, with what, in each setting."""

from __future__ import annotations

import pytest

SPY = """
from matbench_lite.evaluate import Model

def names(rows):
    return "".join(str(row["response"]) for row in rows)

class Spy(Model):
    def __init__(self):
        super().__init__("spy")
        self.calls = []

    def setup_environment(self, evaluation_type):
        self.calls.append(f"setup {evaluation_type}")

    def pre_train(self, dataset):
        self.calls.append("train " + " ".join(names(rows) for rows in dataset))

    def pre_person_background(self, dataset):
        self.calls.append("background " + names(dataset))

    def pre_train_person(self, dataset):
        self.calls.append("person " + names(dataset))

    def start_participant(self, **about):
        self.calls.append(f"start {about['id']}")

    def predict(self, item, **columns):
        self.calls.append(f"predict {item.task_str}")
        return 0

    def adapt(self, item, target, **columns):
        self.calls.append(f"adapt {target}")

    def end_participant(self, identifier, model_log):
        model_log["calls"] = self.calls + [f"end {identifier}"]
"""
HEADER = "id,sequence,task,choices,response,response_type,domain\n"
TEST = HEADER + "2,1,b,,2,free,x\n2,0,a,,1,free,x\n10,0,c,,3,free,x\n"
TRAIN = TEST + "2,5,e,,5,free,x\n10,6,f,,6,free,other\n30,0,g,,7,free,x\n"


@pytest.fixture
def calls(folder):
    folder.write("spy.py", SPY)
    folder.write("test.csv", TEST)
    folder.write("train.csv", TRAIN)

    def calls(setting: str, **changes: object) -> dict[str, list[str]]:
        changes = {"data_test": "test.csv", "models": ["spy.py"], "comparator": "equality", **changes}
        results = folder.run(type=setting, notes=True, **changes)
        assert results.models["spy"].error is None, results.models["spy"].error
        calls.counts = results.plan.counts
        return {group: note["calls"] for group, note in results.models["spy"].log.items()}

    return calls


def test_prediction_without_anything_to_learn_from(calls) -> None:
    assert calls("prediction") == {
        "2": ["setup prediction", "start 2", "predict a", "predict b", "end 2"],
        "10": ["setup prediction", "start 10", "predict c", "end 10"],
    }


def test_training_once_on_all_groups(calls) -> None:
    log = calls("prediction", data_pre_train="train.csv")
    # Groups of independent training data are in the order of their names as texts, as in CCOBRA.
    assert log["2"] == ["setup prediction", "train 36 125 7", "start 2", "predict a", "predict b", "end 2"]
    assert log["10"][1] == "train 36 125 7"


def test_training_on_all_other_groups(calls) -> None:
    log = calls("prediction", data_pre_train="train.csv", corresponding_data=True)
    assert log["2"] == ["setup prediction", "start 2", "train 36 7", "predict a", "predict b", "end 2"]
    assert log["10"] == ["setup prediction", "start 10", "train 125 7", "predict c", "end 10"]
    assert calls.counts.withheld == 2, "rows of tested groups that are in the training data alone"


def test_adaption_learns_after_every_prediction(calls) -> None:
    log = calls("adaption")
    assert log["2"] == ["setup adaption", "start 2", "predict a", "adapt 1", "predict b", "adapt 2", "end 2"]


def test_adaption_gives_rows_that_are_absent_from_test_before(calls) -> None:
    log = calls("adaption", data_pre_train="train.csv", corresponding_data=True)
    assert log["2"][1:5] == ["start 2", "train 36 7", "background ", "person 5"]
    assert log["10"][1:5] == ["start 10", "train 125 7", "background 6", "person "]
    assert (calls.counts.as_person, calls.counts.as_background, calls.counts.withheld) == (1, 1, 0)


def test_person_and_background_data(calls, folder) -> None:
    folder.write("person.csv", HEADER + "2,9,x,,9,free,x\n2,8,y,,8,free,x\n77,0,z,,0,free,x\n")
    folder.write("background.csv", HEADER + "10,0,x,,4,free,other\n")
    log = calls("adaption", data_pre_train_person="person.csv", data_pre_person_background="background.csv")
    assert log["2"][1:4] == ["start 2", "background ", "person 89"]
    assert log["10"][1:4] == ["start 10", "background 4", "person "]


def test_person_data_and_rows_absent_from_test_come_by_sequence(calls, folder) -> None:
    folder.write("person.csv", HEADER + "2,9,x,,9,free,x\n2,4,y,,4,free,x\n")
    log = calls("adaption", data_pre_train="train.csv", corresponding_data=True, data_pre_train_person="person.csv")
    assert "person 459" in log["2"]


def test_coverage_shows_the_whole_group_before(calls) -> None:
    log = calls("coverage", data_pre_train="train.csv", corresponding_data=True)
    assert log["2"] == ["setup coverage", "start 2", "train 36 7", "person 12", "predict a", "predict b", "end 2"]


def test_loo_coverage_shows_all_other_rows_to_a_fresh_copy(calls) -> None:
    log = calls("loo-coverage", data_pre_train="train.csv", corresponding_data=True)
    assert log["2_0"] == ["setup loo-coverage", "start 2", "train 36 7", "person 2", "predict a", "end 2"]
    assert log["2_1"] == ["setup loo-coverage", "start 2", "train 36 7", "person 1", "predict b", "end 2"]
    assert log["10_0"] == ["setup loo-coverage", "start 10", "train 125 7", "person ", "predict c", "end 10"]


def test_groups_come_in_natural_order(folder) -> None:
    folder.write("ids.csv", HEADER + "".join(f"{group},0,a,,1,free,x\n" for group in (10, 9, 100)))
    assert list(folder.run(data_test="ids.csv").plan.test) == [9, 10, 100]
    folder.write("ids.csv", HEADER + "".join(f"{group},0,a,,1,free,x\n" for group in ("b", "a", "B")))
    assert list(folder.run(data_test="ids.csv").plan.test) == ["B", "a", "b"]


def test_items_say_what_is_asked(folder) -> None:
    folder.write(
        "ask.py",
        """
        from matbench_lite.evaluate import Model
        class Ask(Model):
            def predict(self, item, **columns):
                assert item.identifier == "ann" and item.sequence_number == 3
                assert item.domain == "logic" and item.response_type == "single-choice"
                assert item.task == [["All", "a", "b"], ["Some", "b", "c"]]
                assert item.task_str == "All;a;b/Some;b;c" == item.input
                assert item.choices == [[["All", "a", "c"]], [[3]], [[True]]]
                assert item.choices_str == "All;a;c|3|True"
                assert columns == {"age": 30}
                item.choices.clear(), item.task.clear()
                return item.choices[0]
        """,
    )
    folder.write(
        "ask.csv", HEADER[:-1] + ",age\nann,3,All;a;b/Some;b;c,All;a;c|3|True,All;a;c,single-choice,logic,30\n"
    )
    results = folder.run(data_test="ask.csv", models=["ask.py"], comparator=None)
    assert results.models["Ask"].error is None, results.models["Ask"].error
    assert results.models["Ask"].scores["response"].mean == 1


def test_a_model_that_does_not_fit_the_data_is_named(folder) -> None:
    folder.write(
        "words.py",
        """
        from matbench_lite.evaluate import Model
        class Words(Model):
            def __init__(self):
                super().__init__("words", ["syllogistic"], ["single-choice"])
        """,
    )
    failure = folder.run(models=["words.py"]).models["words"].error
    assert failure.startswith("words does not support the domain energy of the test data")


def test_a_class_of_ccobra_is_asked_in_every_setting(folder) -> None:
    own = SPY.replace("from matbench_lite.evaluate import Model", "class CCobraModel:\n    pass")
    own = own.replace("(Model)", "(CCobraModel)").replace('super().__init__("spy")', 'self.name = "spy"')
    folder.write("spy.py", own)
    for setting in ("prediction", "adaption", "coverage", "loo-coverage"):
        assert folder.run(type=setting, models=["spy.py"]).models["spy"].error is None, setting
