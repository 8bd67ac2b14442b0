"""The CCOBRA program and this one on the same files: the same scores, row by row."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from matbench_lite.errors import EvaluationWarning
from matbench_lite.evaluate import evaluate

pytestmark = pytest.mark.slow

MODEL = '''
import ccobra


class MostFrequent(ccobra.CCobraModel):
    """The most frequent answer, the person's own before that of all; ties by the alphabet."""

    def __init__(self, name="MFA"):
        super().__init__(name, ["syllogistic", "logic"], ["single-choice", "multiple-choice", "verify"])
        self.population, self.person, self.times = {}, {}, []

    def count(self, counts, item, response):
        answers = counts.setdefault(item.task_str, {})
        text = ccobra.tuple_to_string(response)
        answers[text] = answers.get(text, 0) + 1

    def pre_train(self, dataset):
        for person in dataset:
            for row in person:
                self.count(self.population, row["item"], row["response"])

    def pre_person_background(self, dataset):
        for row in dataset:
            self.count(self.person, row["item"], row["response"])

    def adapt(self, item, target, **kwargs):
        self.count(self.person, item, target)

    def predict(self, item, **kwargs):
        for counts in (self.person, self.population):
            answers = counts.get(item.task_str)
            if answers:
                return self.parsed(item, min(answers, key=lambda text: (-answers[text], text)))
        if item.response_type == "verify":
            return True
        return item.choices[:1] if item.response_type == "multiple-choice" else item.choices[-1]

    def parsed(self, item, text):
        if item.response_type == "verify":
            return text == "True"
        answers = [[part.split(";") for part in answer.split("/")] for answer in text.split("|")]
        return answers if item.response_type == "multiple-choice" else answers[0]

    def predict_rt(self, item, **kwargs):
        return sum(self.times) / len(self.times) if self.times else 5.0

    def adapt_rt(self, item, target, **kwargs):
        self.times.append(target)
'''
PEER = """
import json, sys
from ccobra.benchmark import Benchmark, Evaluator

scores = {}
for path in sys.argv[1:]:
    table, _ = Evaluator(Benchmark(path, argmodel=(None, None)), is_silent=True).evaluate()
    columns = [name for name in table.columns if name.startswith("score_")]
    scores[path] = [[str(row["id"]), int(row["sequence"]), *(float(row[name]) for name in columns)]
                    for _, row in table.iterrows()]
print(json.dumps(scores))
"""
QUANTIFIERS = ("All", "Some", "No", "Some not")
SETTINGS = ("prediction", "adaption", "coverage", "loo-coverage")


def syllogisms(rng: random.Random, people: list[Any]) -> pd.DataFrame:
    """Several people, with tasks that are repeated and tasks that are not; rows in no order."""
    rows = []
    for person in people:
        tasks = [f"{first};a;b/{second};b;c" for first in QUANTIFIERS for second in QUANTIFIERS[:2]]
        tasks = rng.sample(tasks, 5)
        tasks += rng.sample(tasks, 3)
        choices = [f"{quantifier};{pair}" for quantifier in QUANTIFIERS for pair in ("a;c", "c;a")] + ["NVC"]
        for sequence, task in enumerate(tasks):
            response = rng.choice([*choices[:3], "NVC"])
            rows.append((person, sequence, task, "|".join(choices), response, "single-choice", "syllogistic"))
    rng.shuffle(rows)
    columns = ["id", "sequence", "task", "choices", "response", "response_type", "domain"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(age=30, rt=[round(rng.random() * 9, 2) for _ in range(len(frame))])


def other_questions(rng: random.Random, people: list[Any]) -> pd.DataFrame:
    """Conclusions to verify, and questions with several answers."""
    rows: list[tuple[Any, ...]] = []
    for person in people:
        for sequence in range(4):
            rows.append((person, sequence, f"A/if;A;B{sequence % 3}", "B", rng.choice([True, False]), "verify"))
        for sequence in range(4, 8):
            answer = "|".join(sorted(rng.sample(["B", "not;B", "C"], rng.randint(1, 3))))
            rows.append((person, sequence, f"A/or;A;{sequence % 2}", "B|not;B|C", answer, "multiple-choice"))
    columns = ["id", "sequence", "task", "choices", "response", "response_type"]
    return pd.DataFrame(rows, columns=columns).assign(domain="logic", rt=1.0)


@pytest.fixture
def cases(tmp_path: Path) -> dict[str, Path]:
    rng = random.Random(3)
    (tmp_path / "mfa.py").write_text(MODEL)
    replaced = MODEL.replace("import ccobra", "from matbench_lite import evaluate as ccobra").replace(
        "CCobraModel", "Model"
    )
    (tmp_path / "ours.py").write_text(replaced)
    numbers, names = [12, 3, 7, 101, 5], ["eve", "Bob", "ann"]
    everybody = syllogisms(rng, numbers)
    everybody.to_csv(tmp_path / "numbers.csv", index=False)
    everybody[everybody["sequence"] % 3 != 0].to_csv(tmp_path / "part.csv", index=False)
    syllogisms(rng, names).to_csv(tmp_path / "names.csv", index=False)
    other_questions(rng, names).to_csv(tmp_path / "logic.csv", index=False)
    other_questions(rng, numbers).to_csv(tmp_path / "background.csv", index=False)
    more = syllogisms(rng, numbers).assign(sequence=lambda frame: frame["sequence"] + 50)
    more.to_csv(tmp_path / "more.csv", index=False)
    pd.concat([everybody, other_questions(rng, numbers).assign(sequence=lambda f: f["sequence"] + 20)]).to_csv(
        tmp_path / "both.csv", index=False
    )
    base = {"models": ["mfa.py"]}
    aux = {
        "data_column": "rt",
        "comparator": "absdiff",
        "prediction_fn_name": "predict_rt",
        "adapt_fn_name": "adapt_rt",
    }
    documents: dict[str, dict[str, Any]] = {}
    for setting in SETTINGS:
        for data in ("numbers", "names", "logic"):
            for corresponding in (True, False):
                documents[f"{setting}-{data}-{corresponding}"] = {
                    "type": setting, "data.test": f"{data}.csv", "data.pre_train": f"{data}.csv",
                    "corresponding_data": corresponding, **base,
                }  # fmt: skip
        documents[f"{setting}-aux"] = {
            "type": setting, "data.test": "numbers.csv", "data.pre_train": "names.csv", "aux_evaluations": [aux],
            "domains": ["syllogistic"], "response_types": ["single-choice"], **base,
        }  # fmt: skip
    documents["adaption-nvc"] = {"type": "adaption", "data.test": "numbers.csv", "comparator": "nvc", **base}
    # Rows of the training data that are absent from test, in the same domain and in another one.
    documents["adaption-part"] = {
        "type": "adaption", "data.test": "part.csv", "data.pre_train": "numbers.csv", "corresponding_data": True, **base
    }  # fmt: skip
    documents["adaption-both"] = {
        "type": "adaption", "data.test": "part.csv", "data.pre_train": "both.csv", "corresponding_data": True, **base
    }  # fmt: skip
    documents["adaption-person"] = {
        "type": "adaption", "data.test": ["part.csv", "names.csv"], "data.pre_train_person": "more.csv",
        "data.pre_person_background": "background.csv", **base,
    }  # fmt: skip
    paths = {}
    for name, document in documents.items():
        paths[name] = tmp_path / f"{name}.json"
        paths[name].write_text(json.dumps(document))
    return paths


def test_the_same_scores_row_by_row(peers, cases) -> None:
    command = [sys.executable, "-W", "ignore", "-c", PEER, *map(str, cases.values())]
    environment = os.environ | {"PYTHONPATH": str(peers)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    peer = json.loads(done.stdout.splitlines()[-1])
    for name, path in cases.items():
        document = json.loads(path.read_text()) | {"models": ["ours.py"]}
        path.write_text(json.dumps(document))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvaluationWarning)
            results = evaluate(path)
        model = results.models["MFA"]
        assert model.error is None, f"{name}: {model.error}"
        records = [record for rows in results.plan.test.values() for record in rows]
        ours = [
            [str(record.item.identifier), record.item.sequence_number, *(scored.score for scored in row)]
            for record, row in zip(records, model.rows, strict=True)
        ]
        assert sorted(ours) == sorted(peer[str(path)]), name
        assert len({row[2] for row in ours}) > 1, f"{name}: all scores are the same, which shows nothing"
