"""The expert track: representative runs, pages without names, opinions, and a stated rule to combine them."""

from __future__ import annotations

import json
import re

import pytest

from matbench_lite.errors import JudgingError
from matbench_lite.judge import Competition, Run, arrange, rule_set
from matbench_lite.judge.dossiers import (
    Opinion,
    combine,
    make_dossier,
    opinion_form,
    read_opinion,
    representative,
    write_dossiers,
)

NAMES = ("Secret-Alpha", "Secret-Beta", "Secret-Gamma")


@pytest.fixture
def runs(datasets) -> list[Run]:
    truth = datasets["saddle"].testing(0).y.to_numpy()
    formulas = ("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1", "-0.6*x1 + 3.6*x2 - 1.5", None)
    return [
        Run(
            algorithm=name,
            dataset="saddle",
            run=number,
            r2=0.9 - 0.1 * place - 0.01 * number,
            components=12.0,
            property_value=1.0,
            predictions=tuple(truth + place),
            expression=formula,
            simplified=formula,
        )
        for place, (name, formula) in enumerate(zip(NAMES, formulas, strict=True))
        for number in range(4)
    ]


def test_the_representative_is_the_best_or_the_one_nearest_the_median() -> None:
    values = [0.5, 0.7, float("nan"), 0.9, 0.71, 0.2]
    runs = [Run(algorithm="a", dataset="d", run=n, r2=v, components=1, property_value=1) for n, v in enumerate(values)]
    assert representative(runs, "draft").run == 3
    assert representative(runs, "final").run == 1  # the median of the five is 0.7
    assert representative([runs[2]], "draft") is None


def test_a_dossier_hides_names_and_its_key_opens_them(runs, datasets_folder, tmp_path) -> None:
    competition = Competition(folder=datasets_folder, names=("saddle",), rules=rule_set("final"))
    _, written = write_dossiers(runs, competition, ["saddle"], tmp_path / "dossier")
    shown = "".join(path.read_text() for path in (tmp_path / "dossier" / "for_experts").iterdir())
    assert not re.search("secret|alpha|beta|gamma", shown, re.IGNORECASE)
    for part in ("Model A", "Model B", "Model C", "<math", "predicted y", "nearest to the median", "no formula"):
        assert part in shown
    key = json.loads(written.read_text())
    (letters,) = key.values()
    assert sorted(letters.values()) == sorted([*NAMES, "saddle"])
    # A second dossier leaves the letters of the first as they are.
    write_dossiers(runs, competition, ["saddle"], tmp_path / "dossier")
    assert key.items() < json.loads(written.read_text()).items()


def test_letters_do_not_follow_the_order_of_names(runs) -> None:
    field = arrange(runs)
    orders = {
        tuple(m.run.algorithm for m in make_dossier(field, "saddle", rule_set("draft")).models) for _ in range(60)
    }
    assert len(orders) > 2


def test_a_dossier_without_anything_to_show_is_refused(runs) -> None:
    with pytest.raises(JudgingError, match="no runs on steels"):
        make_dossier(arrange(runs), "steels", rule_set("draft"))
    void = [Run(algorithm="a", dataset="saddle", run=0)]
    with pytest.raises(JudgingError, match="no run on saddle counts"):
        make_dossier(arrange(void), "saddle", rule_set("draft"))


def test_the_form_is_filled_in_and_read(runs, tmp_path) -> None:
    dossier = make_dossier(arrange(runs), "saddle", rule_set("draft"))
    form = tmp_path / "form.toml"
    form.write_text(opinion_form(dossier))
    with pytest.raises(JudgingError) as empty:
        read_opinion(form, dossier.key)
    assert "expert: is empty" in str(empty.value)
    assert "A.trust: 0 is not a rank" in str(empty.value)
    filled = opinion_form(dossier).replace('expert = ""', 'expert = "E"').replace("trust = 0", "trust = 1")
    form.write_text(filled.replace('soundness = ""', 'soundness = "odd <b>"', 1))
    opinion = read_opinion(form, dossier.key)
    assert opinion.trust == {"A": 1.0, "B": 1.0, "C": 1.0}
    assert opinion.notes["A"]["soundness"] == "odd <b>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('expert = "E"\ndossier = "other"', "dossier: 'other' is not in the key; it has k"),
        ('expert = "E"\ndossier = "k"\n[A]\ntrust = 1', "B: is missing: every model needs a trust rank"),
        ('expert = "E"\ndossier = "k"\n[A]\ntrust = "first"\n[B]\ntrust = 1', "A.trust: 'first' is not a number"),
        ('expert = "E"\ndossier = "k"\n[A]\ntrust = 1\n[B]\ntrust = 2\n[C]\ntrust = 3', "C: is not a known key"),
        ('expert = "E"\ndossier = "k"\n[A]\ntrust = 1\nmood = "good"\n[B]\ntrust = 1', "A.mood: is not a known key"),
        ("expert = ", "is not a TOML file"),
    ],
)
def test_mistakes_in_an_opinion_are_named(text, message, tmp_path) -> None:
    path = tmp_path / "opinion.toml"
    path.write_text(text)
    with pytest.raises(JudgingError, match=re.escape(message)):
        read_opinion(path, {"k": {"dataset": "d", "A": "a", "B": "b"}})


KEY = {"k1": {"dataset": "d", "A": "x", "B": "y", "C": "z"}, "k2": {"dataset": "e", "A": "z", "B": "y"}}


def opinion(expert: str, dossier: str, **trust: float) -> Opinion:
    return Opinion(expert=expert, dossier=dossier, trust=trust, notes={})


def test_one_expert_decides_alone() -> None:
    trust = combine([opinion("E", "k1", A=2, B=1, C=3)], KEY)
    assert trust.winners == ("y",)
    assert [row.algorithm for row in trust.algorithms] == ["y", "x", "z"]


def test_equal_ranks_share_and_their_scale_does_not_matter() -> None:
    for ranks in ({"A": 1, "B": 1, "C": 2}, {"A": 1, "B": 1, "C": 3}, {"A": 5, "B": 5, "C": 9}):
        trust = combine([opinion("E", "k1", **ranks)], KEY)
        assert trust.winners == ("x", "y")
        assert [row.mean_rank for row in trust.algorithms] == [1.5, 1.5, 3.0]


def test_several_experts_count_the_same_and_so_do_datasets() -> None:
    opinions = [
        opinion("E", "k1", A=1, B=2, C=3),
        opinion("F", "k1", A=2, B=1, C=3),
        opinion("G", "k1", A=1, B=2, C=3),
        opinion("E", "k2", A=1, B=2),
    ]
    trust = combine(opinions, KEY)
    found = {row.algorithm: row for row in trust.algorithms}
    # d: x (1+2+1)/3, y (2+1+2)/3, z 3. e: z first, y second, x has no model and is last.
    assert found["x"].mean_rank == pytest.approx((4 / 3 + 3) / 2)
    assert found["y"].mean_rank == pytest.approx((5 / 3 + 2) / 2)
    assert found["z"].mean_rank == pytest.approx((3 + 1) / 2)
    assert trust.winners == ("y",)
    assert trust.experts == ("E", "F", "G")
    assert found["z"].ranks == {"d": {"E": 3, "F": 3, "G": 3}, "e": {"E": 1}}


def test_an_expert_has_one_opinion() -> None:
    with pytest.raises(JudgingError, match="E has two opinions"):
        combine([opinion("E", "k1", A=1, B=2, C=3)] * 2, KEY)
    with pytest.raises(JudgingError, match="no opinions"):
        combine([], KEY)
