"""Nothing in the schema of the evaluation file is without a test: every attribute has a good use and a bad one here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate import SCHEMA_FILE, Evaluation, read_evaluation

SCHEMA = json.loads(SCHEMA_FILE.read_text())
ENCODERS = "%matbench_lite%/evaluate/encoders"
SOURCE = {
    "task": "mini_gap",
    "benchmark": "mini",
    "group_by": "anion",
    "order": "random",
    "limit": {"rows": 400, "groups": 4, "rows_per_group": 9, "min_rows_per_group": 2},
}
TASKS = {"mini_gap": {"filename": f"{ENCODERS}/chemical_system.py", "classname": "ChemicalSystem", "args": {}}}
RESPONSES = {
    "mini_gap": {"filename": f"{ENCODERS}/binned_response.py", "classname": "BinnedResponse", "args": {"width": 0.5}}
}
AUX = {
    "data_column": "spacegroup",
    "comparator": "absdiff",
    "prediction_fn_name": "predict_group",
    "adaption_fn_name": "adapt_group",
    "adapt_fn_name": "adapt_group",
    "task_encoders": TASKS,
    "response_encoders": RESPONSES,
}
EVERYTHING: dict[str, Any] = {
    "$schema": "evaluation.schema.json",
    "type": "adaption",
    "data.test": [SOURCE],
    "data.pre_train": SOURCE,
    "data.pre_train_person": SOURCE,
    "data.pre_person_background": [SOURCE],
    "corresponding_data": True,
    "domains": ["mini_gap"],
    "response_types": ["free"],
    "models": [{"filename": "mean.py", "classname": "Mean", "override_name": "m", "args": {"start": 1.0}}],
    "comparator": "squareddiff",
    "task_encoders": TASKS,
    "response_encoders": RESPONSES,
    "aux_evaluations": [AUX],
    "seed": 7,
}
BAD: dict[str, Any] = {"integer": 3, "string": "x", "boolean": True}
"""A value of each kind: one that is not wanted is bad."""


def resolved(node: Mapping[str, Any]) -> dict[str, Any]:
    """A part of the schema with what it points to; what it says itself comes first."""
    return {**SCHEMA["$defs"].get(node.get("$ref", "")[8:], {}), **node}


def attributes(node: Mapping[str, Any], value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every attribute of the schema, with the place where `EVERYTHING` uses it; None where it does not."""
    node = resolved(node)
    if isinstance(value, list):
        node, value, place = resolved(node.get("items", {})), value[0], (*place, 0)
    if isinstance(node.get("additionalProperties"), dict) and value:  # by domain
        domain = next(iter(value))
        yield from attributes(node["additionalProperties"], value[domain], (*place, domain))
    for name, about in node.get("properties", {}).items():
        if about.get("deprecated"):
            continue
        used = isinstance(value, dict) and name in value
        yield name, (*place, name), resolved(about), used
        if used:
            yield from attributes(about, value[name], (*place, name))


EVERY = list(attributes(SCHEMA, EVERYTHING))
IDS = ["/".join(map(str, place)) for _, place, _, _ in EVERY]


def changed(place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """`EVERYTHING` with another value at a place."""
    document = json.loads(json.dumps(EVERYTHING))
    node: Any = document
    for step in place[:-1]:
        node = node[step]
    node[place[-1]] = value
    return document


def test_every_attribute_is_used_and_understood(folder) -> None:
    """What the file says is what the evaluation has, for every attribute there is."""
    assert [place for _, place, _, used in EVERY if not used] == []
    evaluation = read_evaluation(folder.write("evaluation.json", EVERYTHING))
    assert isinstance(evaluation, Evaluation)
    for sources in (
        evaluation.test,
        evaluation.pre_train,
        evaluation.pre_train_person,
        evaluation.pre_person_background,
    ):
        (source,) = sources
        assert {name: getattr(source, name) for name in SOURCE if name != "limit"} == {
            name: value for name, value in SOURCE.items() if name != "limit"
        }
        assert {name: getattr(source.limit, name) for name in SOURCE["limit"]} == SOURCE["limit"]
    (model,) = evaluation.models
    assert (model.path.name, model.classname, model.override_name, model.args) == (
        "mean.py",
        "Mean",
        "m",
        {"start": 1.0},
    )
    response, aux = evaluation.targets
    assert (response.column, response.comparator, response.predict, response.adapt) == (
        "response", "squareddiff", "predict", "adapt",
    )  # fmt: skip
    assert (aux.column, aux.comparator, aux.predict, aux.adapt) == (
        "spacegroup", "absdiff", "predict_group", "adapt_group",
    )  # fmt: skip
    for target in (response, aux):
        assert target.task_encoders["mini_gap"].path.name == "chemical_system.py"
        assert target.task_encoders["mini_gap"].classname == "ChemicalSystem"
        assert target.response_encoders["mini_gap"].args == {"width": 0.5}
    assert (evaluation.type, evaluation.corresponding_data, evaluation.seed) == ("adaption", True, 7)
    assert (evaluation.domains, evaluation.response_types) == (("mini_gap",), ("free",))


@pytest.mark.parametrize(("place", "about"), [(place, about) for _, place, about, _ in EVERY], ids=IDS)
def test_a_bad_value_is_named_with_its_place_and_what_is_allowed(folder, place, about) -> None:
    bad = next(value for kind, value in BAD.items() if kind not in about.get("type", "string"))
    with pytest.raises(EvaluationError) as caught:
        read_evaluation(folder.write("evaluation.json", changed(place, bad)))
    told = str(caught.value)
    assert f"{'/'.join(map(str, place))}: {json.dumps(bad)} is not allowed; give {about['x-allowed']}" in told


@pytest.mark.parametrize("key", ["task_encoders", "response_encoders"])
def test_an_encoder_class_that_is_not_in_the_file(folder, key) -> None:
    encoder = {"filename": f"{ENCODERS}/label.py", "classname": "Etikett"}
    with pytest.raises(EvaluationError, match=rf"{key}/energy/classname: there is no \w+ 'Etikett' in .*label\.py"):
        folder.run(**{key: {"energy": encoder}})


def test_paths_in_an_installed_ccobra(folder, monkeypatch) -> None:
    """As far as paths go, any package of that name is ccobra."""
    folder.write("site/ccobra/__init__.py", "")
    folder.write("site/ccobra/mean.py", (folder.path / "mean.py").read_text())
    monkeypatch.syspath_prepend(folder.path / "site")
    assert list(folder.run(models=["%ccobra%/mean.py"]).models) == ["mean"]
