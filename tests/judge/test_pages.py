"""Pages: complete, without scripts or requests, and hostile texts stay texts."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from matbench_lite.judge import Run, arrange, judge, rule_set
from matbench_lite.judge.dossiers import Opinion, combine, make_dossier
from matbench_lite.judge.judge_pages import dossier_page, judgement_page, pareto_front, pareto_plots

from ..site.html_page import check_policy

NASTY = "<script>alert(1)</script>\"' {{ 7*7 }} \u202e</td><img src=x onerror=y>"


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def runs_of(values: dict[str, tuple[float, float]], dataset: str = "d", **rest) -> list[Run]:
    return [
        Run(algorithm=name, dataset=dataset, run=0, r2=r2, components=size, **{"property_value": 1.0, **rest})
        for name, (size, r2) in values.items()
    ]


def check_harmless(page: str) -> None:
    found = Tags(page)
    assert not {"script", "iframe", "object", "img"} & set(found.tags)
    for name, value in found.attributes:
        assert not name.startswith("on")
        if name in ("href", "src"):
            assert re.fullmatch(r"#\w+|data:,", value or "")
    assert "\u202e" not in page
    check_policy(page)
    assert "http://" not in page
    assert "https://" not in page
    assert "{{" not in page.replace("{{ 7*7 }}", "")


def test_the_page_says_who_won_why_and_who_failed() -> None:
    runs = runs_of({"good": (5, 0.9), "large": (50, 0.95), "poor": (7, 0.1)}) + runs_of({"good": (5, 0.9)}, dataset="e")
    page = judgement_page(judge(runs, rule_set("draft"), draws=20), title="A competition")
    for part in (
        "A competition",
        "good wins",
        "is not more than half of the best",
        "the run is missing",
        "Would another rule have another winner?",
        "not beaten on both are good (5 components, R2 0.900), large (50 components, R2 0.950)",
    ):
        assert part in page
    check_harmless(page)


def test_hostile_texts_stay_texts() -> None:
    runs = runs_of({NASTY: (5, 0.9), "b": (9, 0.8)}, dataset=NASTY, expression=NASTY, problem=None)
    runs += [replace(runs[0], run=1, problem=NASTY), replace(runs[0], run=2, notes=(NASTY,), asked=NASTY)]
    notes = {letter: dict.fromkeys(("accuracy", "simplicity", "soundness"), NASTY) for letter in "AB"}
    key = {"k": {"dataset": NASTY, "A": NASTY, "B": "b"}}
    trust = combine([Opinion(expert=NASTY, dossier="k", trust={"A": 1, "B": 2}, notes=notes)], key)
    judgement = judge(runs, rule_set("final"), draws=5)
    check_harmless(judgement_page(judgement, title=NASTY, trust=trust))
    dossier = dossier_page(make_dossier(arrange(runs), NASTY, rule_set("draft")))
    check_harmless(dossier)
    assert "alert(1)" in dossier  # the formula, as text


def test_one_algorithm_equal_algorithms_and_void_ones_have_a_page() -> None:
    for values in ({"a": (1, 0.5)}, {"a": (1, 0.5), "b": (1, 0.5)}, {"a": (float("nan"), 0.5), "b": (3, -4.0)}):
        check_harmless(judgement_page(judge(runs_of(values), rule_set("final"), draws=5)))


def test_twenty_algorithms_with_long_names_have_a_page() -> None:
    values = {f"an algorithm with quite a long name, number {n}": (3 + n, 0.9 - 0.01 * n) for n in range(20)}
    page = judgement_page(judge(runs_of(values), rule_set("draft"), draws=20))
    assert page.count("number 19") > 5
    check_harmless(page)


@pytest.mark.parametrize(
    ("values", "front"),
    [
        ({"a": (5, 0.8), "b": (20, 0.9), "c": (30, 0.85)}, ("a", "b")),
        ({"a": (5, 0.8), "b": (5, 0.8)}, ("a", "b")),
        ({"a": (5, 0.8), "b": (5, 0.9)}, ("b",)),
        ({"a": (5, 0.8), "b": (4, 0.8)}, ("b",)),
        ({}, ()),
    ],
)
def test_the_front_holds_those_that_nobody_beats(values, front) -> None:
    assert pareto_front(values) == front


def test_the_first_plot_has_the_means_of_those_with_all_datasets() -> None:
    runs = runs_of({"a": (4, 0.8), "b": (9, 0.9)}) + runs_of({"a": (16, 0.6)}, dataset="e")
    first, *others = pareto_plots(judge(runs, rule_set("final"), draws=5))
    (point,) = first["points"]
    assert (point["name"], point["components"], point["r2"]) == ("a", pytest.approx(8), pytest.approx(0.7))
    assert first["left_out"] == ["b"]
    assert [plot["title"] for plot in others] == ["d", "e"]
