"""Figures, tables and the report."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from matbench_lite.evaluate import save_results
from matbench_lite.evaluate.output.document import as_document
from matbench_lite.evaluate.output.page import as_page
from matbench_lite.evaluate.results.statistics import learning_curve, mean_interval

from ..conftest import LONG
from ..site.html_page import check_policy

CONSTANT = """
from matbench_lite.evaluate import Model

class Constant(Model):
    def __init__(self, value=0.0, name="constant"):
        super().__init__(name)
        self.value = value

    def predict(self, item, **columns):
        return self.value

    def end_participant(self, identifier, model_log):
        model_log["value"] = self.value
"""
MEMORY = """
from matbench_lite.evaluate import Model

class Memory(Model):
    def __init__(self):
        super().__init__("memory")
        self.answers = {}

    def adapt(self, item, target, **columns):
        self.answers[item.task_str] = target

    def predict(self, item, **columns):
        return self.answers.get(item.task_str, 0.0)
"""


def test_means_over_rows_and_over_groups(folder) -> None:
    folder.write("constant.py", CONSTANT)
    scores = folder.run(models=["constant.py"]).models["constant"].scores["response"]
    assert scores.mean == pytest.approx(np.mean([1, 2, 4, 5, 9]))
    assert scores.mean_groups == pytest.approx(np.mean([1.5, 4.5, 9]))
    assert scores.groups == {"a": 1.5, "b": 4.5, "c": 9.0}
    assert scores.interval.low < scores.mean < scores.interval.high
    assert scores.interval_groups.low < scores.mean_groups < scores.interval_groups.high


def test_one_group_has_no_interval(folder) -> None:
    header, *rows = (folder.path / "rows.csv").read_text().splitlines()
    folder.write("one.csv", "\n".join([header, *rows[:2]]) + "\n")
    scores = folder.run(data_test="one.csv").models["mean"].scores["response"]
    assert scores.interval is None
    assert scores.interval_groups is None


def test_models_are_sorted_by_what_is_better(folder) -> None:
    folder.write("constant.py", CONSTANT)
    models = [{"filename": "constant.py", "args": {"value": value, "name": str(value)}} for value in (0.0, 4.0, 9.0)]
    by_error = folder.run(models=models)
    means = [model.scores["response"].mean for model in by_error.models.values()]
    assert means == sorted(means)
    by_accuracy = folder.run(models=models, comparator="equality")
    means = [model.scores["response"].mean for model in by_accuracy.models.values()]
    assert means == sorted(means, reverse=True)
    assert list(by_accuracy.models)[-1] == "0.0"


@pytest.mark.parametrize(("setting", "flagged"), [("coverage", True), ("loo-coverage", False), ("adaption", False)])
def test_a_memorising_model_is_flagged_in_coverage(folder, setting, flagged) -> None:
    folder.write("memory.py", MEMORY)
    results = folder.run(type=setting, models=["memory.py", "mean.py"])
    assert results.models["memory"].memorising is flagged
    assert results.models["mean"].memorising is False
    assert ("memorising</span>" in as_page(results)) is flagged


def test_a_constant_guess_is_the_scale(folder) -> None:
    reference = folder.run().references["response"]
    assert reference.perfect == 0
    values = np.array([1, 2, 4, 5, 9])
    assert reference.constant == pytest.approx(np.abs(values - values.mean()).mean())


def test_learning_curve(folder) -> None:
    scores = folder.run(type="adaption").models["mean"].scores["response"]
    assert [(point.labels, point.groups) for point in scores.learning_curve] == [(0, 3), (1, 2)]
    assert scores.learning_curve[0].mean == pytest.approx(np.mean([1, 4, 9]))
    assert scores.learning_curve[1].mean == pytest.approx(np.mean([2 - 0.5, 5 - 2]))
    assert folder.run().models["mean"].scores["response"].learning_curve == ()


def test_whole_groups_are_drawn_for_the_interval_of_the_mean() -> None:
    """Rows that are copies of each other are no evidence: a hundred of them do not make the interval narrower."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=20)
    single = mean_interval([[value] for value in values])
    copied = mean_interval([[value] * 100 for value in values])
    assert copied.high - copied.low == pytest.approx(single.high - single.low)
    assert single.low < values.mean() < single.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    trials = 300 if LONG else 100
    for trial in range(trials):
        groups = [rng.normal(loc=rng.normal(), size=rng.integers(1, 6)) for _ in range(40)]
        interval = mean_interval(groups, seed=trial)
        hits += interval.low < 0 < interval.high
    assert 0.90 < hits / trials < 0.985


def test_curve_points_of_few_groups_have_no_interval() -> None:
    points = learning_curve([[1.0, 2.0], [2.0, 1.0], [1.5], [1.0], [3.0]])
    assert points[0].interval is not None
    assert points[1].interval is None


# On disk


def test_the_table_is_tidy(folder, tmp_path) -> None:
    folder.write("constant.py", CONSTANT)
    results = folder.run(models=["constant.py", "mean.py"])
    save_results(results, tmp_path / "out")
    csv = pd.read_csv(tmp_path / "out" / "results.csv")
    parquet = pd.read_parquet(tmp_path / "out" / "results.parquet")
    assert list(csv.columns) == list(parquet.columns)
    assert len(csv) == 2 * 5
    assert not csv.duplicated(["model", "id", "sequence", "evaluation"]).any()
    for table in (csv, parquet):
        assert table["truth"].dtype == float
        assert np.allclose(np.abs(table["truth"] - table["prediction"]), table["score"])


def test_identifiers_of_two_kinds_can_be_saved(folder, tmp_path) -> None:
    header = "id,sequence,task,choices,response,response_type,domain\n"
    folder.write("numbers.csv", header + "1,0,x,,1,free,energy\n")
    results = folder.run(data_test=["rows.csv", "numbers.csv"])
    assert list(results.plan.test) == [1, "a", "b", "c"]
    save_results(results, tmp_path / "out")
    assert set(pd.read_parquet(tmp_path / "out" / "results.parquet")["id"]) == {"1", "a", "b", "c"}


def test_the_document_has_what_a_program_needs(folder, tmp_path) -> None:
    folder.write("constant.py", CONSTANT)
    results = folder.run(type="adaption", models=["constant.py", "mean.py"])
    document = json.loads(json.dumps(as_document(results), allow_nan=False))
    assert list(document["models"]) == ["mean", "constant"]
    model = document["models"]["constant"]
    assert model["mean"] == pytest.approx(4.2)
    assert model["mean_groups"] == pytest.approx(5.0)
    assert model["groups"] == {"a": 1.5, "b": 4.5, "c": 9.0}
    assert model["interval"][0] < 4.2 < model["interval"][1]
    assert model["learning_curve"][0]["labels"] == 0
    assert model["log"]["a"] == {"value": 0.0}
    assert document["lower_is_better"] is True
    assert document["counts"]["rows"] == 5


# The page

HOSTILE = '<script>alert(1)</script>"&{{ 7 * 7 }}\u202e'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.fixture
def page(folder) -> str:
    """A report with everything in it, and hostile names everywhere."""
    folder.write("constant.py", CONSTANT)
    folder.write("broken.py", f"raise RuntimeError({HOSTILE!r})")
    quoted = HOSTILE.replace('"', '""')
    rows = [f'"{quoted}{group}",{row},"{quoted}",,{group + row},free,d' for group in range(6) for row in range(3)]
    folder.write("rows.csv", "id,sequence,task,choices,response,response_type,domain\n" + "\n".join(rows) + "\n")
    folder.write(
        "enc.py",
        f"""
        from matbench_lite.evaluate import ResponseEncoder, TaskEncoder
        class Task(TaskEncoder):
            def encode_task(self, task):
                return {HOSTILE!r}
        class Response(ResponseEncoder):
            def encode_response(self, response, task):
                return {HOSTILE!r}
        """,
    )
    models = [
        {"filename": "constant.py", "args": {"name": HOSTILE}, "override_name": HOSTILE},
        "mean.py",
        "broken.py",
    ]
    results = folder.run(
        type="adaption", models=models, task_encoders={"d": "enc.py"}, response_encoders={"d": "enc.py"}
    )
    return as_page(results)


def test_every_text_is_escaped(page) -> None:
    tags = Tags()
    tags.feed(page)
    assert "script" not in {tag for tag, _ in tags.tags}
    assert page.count("&lt;script&gt;alert(1)") > 10
    assert "{{ 7 * 7 }}" in page
    assert "\u202e" not in page
    check_policy(page)


def test_the_page_needs_nothing_else(page) -> None:
    tags = Tags()
    tags.feed(page)
    for tag, attributes in tags.tags:
        for name in ("src", "href", "xlink:href", "data", "action"):
            assert attributes.get(name, "data:,") == "data:,", f"{tag} {name}"
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(r"url\(|@import|https?://", page)


def test_the_page_has_its_parts(page) -> None:
    for part in (
        "How fast does a model learn a group",
        "How fast does it learn?",
        "Where does it fail?",
        "The most frequent answers",
        "What the models noted",
        "has no scores.",
        "prefers-color-scheme: dark",
        "width=device-width",
    ):
        assert part in page, part
    assert page.count("<svg") == 3


def test_the_drawings_stay_inside(page) -> None:
    for svg in re.findall(r'<svg viewBox="0 0 (\d+) ([\d.]+)".*?</svg>', page, re.DOTALL):
        width = float(svg[0])
        assert width > 0
    for x in re.findall(r'(?:cx|x1|x2)="([-\d.]+)"', page):
        assert 0 <= float(x) <= 460


def test_no_model_has_scores(folder) -> None:
    folder.write("broken.py", "1 / 0")
    results = folder.run(models=["broken.py"])
    assert results.table.empty
    assert "No model has scores." in as_page(results)
    assert as_document(results)["models"]["broken"]["error"].startswith("models/0: broken.py failed with ZeroDivision")
