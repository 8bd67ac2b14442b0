"""The figures of the CCOBRA program on one small file: four settings, with and without corresponding data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matbench_lite.evaluate import Results, evaluate, parse_evaluation

ORACLES = Path(__file__).parent.parent / "oracles"
SETTINGS = json.loads((ORACLES / "settings.json").read_text())
SHRINK = """
from matbench_lite.evaluate import Model

class Shrink(Model):
    def __init__(self, name, weight=None):
        super().__init__(name)
        self.weight, self.population, self.seen = weight, 0.0, []

    def pre_train(self, dataset):
        responses = [row["response"] for group in dataset for row in group]
        self.population = sum(responses) / len(responses)

    def adapt(self, item, target, **columns):
        self.seen.append(target)

    def predict(self, item, **columns):
        if self.weight is None:
            return self.population
        return (self.weight * self.population + sum(self.seen)) / (self.weight + len(self.seen))
"""


@pytest.fixture
def models(tmp_path: Path) -> list[dict[str, object]]:
    (tmp_path / "shrink.py").write_text(SHRINK)
    return [
        {"filename": str(tmp_path / "shrink.py"), "args": {"name": name, "weight": weight}}
        for name, weight in (("PopMean", None), ("Shrink2", 2), ("Shrink5", 5))
    ]


def run(models: list[dict[str, object]], setting: str, **more: object) -> Results:
    document = {"type": setting, "data.test": "groups.csv", "comparator": "absdiff", "models": models, **more}
    return evaluate(parse_evaluation(document, name="oracle", folder=ORACLES))


@pytest.mark.filterwarnings("ignore::matbench_lite.errors.EvaluationWarning")
@pytest.mark.parametrize("case", SETTINGS["absdiff"])
def test_mean_over_rows(case: str, models) -> None:
    setting, data = case.split("/")
    more = {"data.pre_train": "groups.csv", "corresponding_data": data == "corresponding"}
    results = run(models, setting, **more)
    for name, expected in SETTINGS["absdiff"][case].items():
        assert results.models[name].scores["response"].mean == pytest.approx(expected, abs=0.5e-8)


def test_without_training_data(models) -> None:
    results = run(models, "adaption")
    for name, expected in SETTINGS["no_pre_train/adaption"].items():
        digits = len(str(expected).partition(".")[2])
        assert results.models[name].scores["response"].mean == pytest.approx(expected, abs=0.5 * 10**-digits)


def test_mean_of_each_group(models) -> None:
    results = run(models, "adaption", **{"data.pre_train": "groups.csv", "corresponding_data": True})
    expected = SETTINGS["per_group/adaption/corresponding/Shrink2"]
    scores = results.models["Shrink2"].scores["response"]
    assert dict(scores.groups) == pytest.approx(expected, abs=0.5e-6)
    assert scores.mean_groups == pytest.approx(sum(expected.values()) / len(expected), abs=0.5e-6)
    assert list(results.models) == ["Shrink2", "Shrink5", "PopMean"], "the smallest error comes first"
