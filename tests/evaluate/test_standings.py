"""Who is better: the report, its document and comparisons of its folder say what boards would say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results, task_board
from matbench_lite.evaluate import as_document, as_page, evaluate, parse_evaluation, save_results
from matbench_lite.stats import Design, differences, moments, verdicts
from matbench_lite.train import compare_tables, predictions_table

from .conftest import CONSTANT, ROWS, Folder

RECALLED = """
from matbench_lite.evaluate import Model

ANSWERS = {answers!r}

class Recalled(Model):
    def __init__(self, name):
        super().__init__(name)

    def predict(self, item, **columns):
        return ANSWERS[self.name][item.task_str]
"""

TURNED = {"better": "worse", "worse": "better", "equivalent": "equivalent", "not told apart": "not told apart"}


@settings(max_examples=6)
@given(seed=st.integers(0, 1000), higher=st.booleans())
def test_words_p_intervals_and_places_agree(tmp_path_factory, seed, higher) -> None:
    """In every output; groups of several rows are one cluster each, in one fold."""
    rng = np.random.default_rng(seed)
    folder = Folder(tmp_path_factory.mktemp("evaluation"))
    group = np.repeat(np.arange(12), rng.integers(1, 6, 12))
    truth = rng.integers(0, 3, len(group)) if higher else rng.normal(size=len(group))
    lines = [
        f"{name},{row},x{row},0|1|2,{value},free,d" for row, (name, value) in enumerate(zip(group, truth, strict=True))
    ]
    folder.write("rows.csv", "\n".join(["id,sequence,task,choices,response,response_type,domain", *lines]))
    models = {}
    for number, level in enumerate(rng.choice([0.1, 0.12, 0.5, 1.0], 4)):
        answers = truth + level * rng.normal(size=len(group))
        answers = np.where(rng.random(len(group)) < level / 2, 7, truth) if higher else answers
        models[f"m{number}"] = dict(zip((f"x{row}" for row in range(len(group))), answers.tolist(), strict=True))
    folder.path.joinpath("recalled.py").write_text(RECALLED.format(answers=models))
    named = [{"filename": "recalled.py", "args": {"name": name}} for name in models]
    results = folder.run(models=named, comparator="equality" if higher else "absdiff")
    (scorer,) = results.scorers
    places, document, page = results.places(scorer), as_document(results), as_page(results)
    best = places[0]
    errors = {
        name: np.array([row[0].score for row in model.rows]) * (-1 if higher else 1)
        for name, model in results.models.items()
    }
    design = Design(folds=np.zeros(len(group), dtype=int), clusters=np.sort(group), scatter=1.0)
    losses = [errors[place.slug] + higher for place in places]
    told = differences(moments(losses, design))
    said = verdicts(told)
    assert [(place.first_place, place.last_place) for place in places] == said.places()
    for number, place in enumerate(places):
        stated = document["models"][place.slug]
        assert (stated["rank"], stated["word"], stated["p"]) == (place.rank, place.word, place.p)
        assert (stated["first_place"], stated["last_place"]) == (place.first_place, place.last_place)
        assert stated["leading"] == (place.word != "worse")
        assert (place.word or "best") in page
        if place is not best:
            assert (place.word, TURNED[place.word]) == (said.word(number, 0), said.word(0, number))
            assert place.p == pytest.approx(told.p[number, 0])
            excluded = not stated["difference_interval"][0] <= 0 <= stated["difference_interval"][1]
            assert excluded == (place.p < 0.01)
            one, other = (results.models[name].scores["response"].mean for name in (place.slug, best.slug))
            assert stated["difference"] == pytest.approx(one - other)


def test_folds_of_a_task_are_judged_as_on_its_leaderboard(tmp_path) -> None:
    data = {"task": "mini_gap", "group_by": "fold"}
    document = {"type": "prediction", "data.test": data, "data.pre_train": data, "corresponding_data": True}
    document["models"] = ["dummy", "ridge-magpie"]
    results = evaluate(parse_evaluation(document, name="folds", folder=tmp_path))
    bench = load_benchmark("mini")
    task, entries = bench["mini_gap"], {}
    for name, model in results.models.items():
        entries[name] = Submission(bench, algorithm=name)
        predicted = np.split(np.array([float(row[0].prediction) for row in model.rows]), task.n_folds)
        for fold in task.folds:
            entries[name].record(task.name, fold, predicted[fold])
    board = {row.slug: row for row in task_board(Results(bench, entries), task).rows}
    save_results(results, tmp_path)
    (compared,) = compare_tables(*(predictions_table(tmp_path).query("model == @name") for name in entries))
    for place in results.places(results.scorers[0]):
        row = board[place.slug]
        assert (place.rank, place.word, place.first_place, place.last_place) == (
            row.rank, row.word, row.first_place, row.last_place,
        )  # fmt: skip
        if place.word:
            assert place.p == pytest.approx(row.p, rel=1e-6)
            assert place.difference == pytest.approx(row.difference, rel=1e-6)
            assert compared.p == pytest.approx(place.p, rel=1e-6)
            assert {compared.word, TURNED[compared.word]} >= {place.word}
    scores = results.models["dummy"].scores["response"]
    assert scores.interval_groups.low == pytest.approx(board["dummy"].interval.low, rel=1e-6)


def test_nothing_is_said_of_a_single_group(folder) -> None:
    folder.write("constant.py", CONSTANT)
    folder.write("rows.csv", ROWS[: ROWS.index("b,0")])
    results = folder.run(models=["constant.py", "mean.py"])
    assert {(place.first_place, place.word) for place in results.places(results.scorers[0])} == {(None, None)}
    assert "nothing says how sure that is" in as_page(results)
