"""Figures, tables and the report."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from matbench_lite.evaluate import Results, as_document, as_page, rank_texts, save_results
from matbench_lite.evaluate.evaluation_results import learning_curve, mean_interval
from matbench_lite.evaluate.report_plots import draw_models, symbol
from matbench_lite.view import text_width

from ..conftest import LONG
from ..site.html_page import check_policy
from .conftest import CONSTANT, hostile_results

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
    single = mean_interval(values)
    copied = mean_interval(np.repeat(values, 100), np.repeat(np.arange(20), 100))
    assert copied.high - copied.low == pytest.approx(single.high - single.low)
    assert single.low < values.mean() < single.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    trials = 300 if LONG else 100
    for _ in range(trials):
        groups = [rng.normal(loc=rng.normal(), size=rng.integers(1, 6)) for _ in range(40)]
        interval = mean_interval(np.concatenate(groups), np.repeat(np.arange(40), [len(group) for group in groups]))
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
    return as_page(hostile_results(folder, HOSTILE))


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
        "color-scheme: light dark",
        "width=device-width",
    ):
        assert part in page, part
    assert page.count('role="img"') == 3


def test_the_drawings_stay_inside(page) -> None:
    widths = re.findall(r'<svg[^>]* viewBox="0 0 (\d+) [\d.]+"', page)
    assert widths
    assert all(int(width) > 0 for width in widths)
    places = re.findall(r'(?:x1|x2)="([-\d.]+)"', page) + re.findall(r"translate\(([-\d.]+) ", page)
    assert len(places) > 30
    for x in places:
        assert 0 <= float(x) <= 460


SHIFTS = (0.0, 0.5, 0.5, 1.0)


@pytest.fixture
def equals(folder) -> Results:
    """Four models, two of them equal; the gap is predicted best by the one that is worst otherwise."""
    folder.write("constant.py", CONSTANT + "    def gap(self, item, **columns):\n        return -self.value\n")
    models = [{"filename": "constant.py", "args": {"value": -shift, "name": f"m{n}"}} for n, shift in enumerate(SHIFTS)]
    gap = {"data_column": "gap", "comparator": "absdiff", "prediction_fn_name": "gap"}
    return folder.run(models=models, aux_evaluations=[gap])


def test_equal_scores_share_a_rank(equals) -> None:
    response, gap = equals.scorers
    assert equals.ranks(response) == {"m0": 1, "m1": 2, "m2": 2, "m3": 4}
    assert list(rank_texts(equals.ranks(response)).values()) == ["1", "2=", "2=", "4"]
    document = as_document(equals)["models"]
    assert [model["rank"] for model in document.values()] == [1, 2, 2, 4]
    assert [document[name]["aux"]["gap"]["rank"] for name in equals.ranks(gap)] == list(equals.ranks(gap).values())


def test_every_column_is_ranked_by_its_own_scores(equals) -> None:
    gap = equals.scorers[1]
    means = [scores.mean for scores in equals.scores(gap).values()]
    assert means == sorted(means)
    assert list(equals.scores(gap)) != list(equals.models)
    tables = re.findall(r'aria-label="table of models".*?</table>', as_page(equals), re.DOTALL)
    shown = [re.findall(r"</svg>(m\d)", table) for table in tables]
    assert shown == [["m0", "m1", "m2", "m3"], list(equals.scores(gap))]
    assert [re.findall(r'<td class="n">(\d=?)</td><td class="name">', table) for table in tables] == [
        list(rank_texts(equals.ranks(scorer)).values()) for scorer in equals.scorers
    ]


def test_the_mark_beside_a_name_is_that_of_the_model(folder) -> None:
    """Equal models stand by name in the table, whatever their order in the file."""
    folder.write("constant.py", CONSTANT)
    results = folder.run(models=[{"filename": "constant.py", "args": {"value": 0.3, "name": name}} for name in "ba"])
    (table,) = re.findall(r'aria-label="table of models".*?</table>', as_page(results), re.DOTALL)
    assert re.findall(r'class="k(\d).*?</svg>([ab])', table, re.DOTALL) == [("1", "a"), ("0", "b")]


def test_scores_that_differ_by_rounding_alone_are_equal(folder) -> None:
    folder.write("constant.py", CONSTANT)
    values = (0.3, 0.3 - 2e-15, 0.3 + 1e-6)
    models = [{"filename": "constant.py", "args": {"value": value, "name": f"m{n}"}} for n, value in enumerate(values)]
    results = folder.run(models=models)
    assert results.models["m0"].scores["response"].mean != results.models["m1"].scores["response"].mean
    assert results.ranks(results.scorers[0]) == {"m2": 1, "m0": 2, "m1": 2}


def test_every_model_has_a_mark_of_its_own() -> None:
    marks = [symbol(number) for number in range(60)]
    assert len(set(marks)) == 60
    assert len({(one.shape, one.open) for one in marks[:12]}) == 12, "without their colours, too"
    assert len({(one.shape, one.colour) for one in marks[:12]}) == 12, "without their filling, too"
    assert len({one.letters for one in marks[12:]}) == 48
    assert all(one.letters for one in marks[12:])


def test_names_are_not_clipped(folder) -> None:
    """Fourteen models with long names: all of every name is in the drawing, on lines that are not wider than it."""
    folder.write("constant.py", CONSTANT)
    names = [f"Graph network number {n} with attention over bonds, WIDE CAPITALS, and words" for n in range(13)]
    names.append("without_any_blank_" * 6)
    models = [{"filename": "constant.py", "args": {"value": n, "name": name}} for n, name in enumerate(names)]
    results = folder.run(models=models)
    scorer = results.scorers[0]
    symbols = {name: symbol(number) for number, name in enumerate(names)}
    drawing = draw_models(results.scores(scorer), symbols, None)
    for line in drawing["lines"]:
        assert "".join(text for _, text in line["labels"]).replace(" ", "") == line["name"].replace(" ", "")
        assert all(text_width(text) <= drawing["width"] for _, text in line["labels"])
    heights = [y for line in drawing["lines"] for y in (*(y for y, _ in line["labels"]), line["marks"][0]["y"])]
    assert heights == sorted(heights)
    assert heights[-1] < drawing["height"] - 22
    page = as_page(results)
    assert len(set(re.findall(r'<svg class="key".*?</svg>', page, re.DOTALL))) == 14


def test_no_model_has_scores(folder) -> None:
    folder.write("broken.py", "1 / 0")
    results = folder.run(models=["broken.py"])
    assert results.table.empty
    assert "No model has scores." in as_page(results)
    assert as_document(results)["models"]["broken"]["error"].startswith("models/0: broken.py failed with ZeroDivision")
