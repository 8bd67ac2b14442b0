"""Boards of the ten real entries: Matbench's published numbers and order, and what they do not say: how sure it is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results, general_board, task_board
from matbench_lite.stats import differences

from .conftest import slug_of

ORACLE = Path(__file__).parents[1] / "oracles" / "variance.json"

pytestmark = [pytest.mark.real, pytest.mark.slow]

BENCHMARK = load_benchmark("matbench_v0.1")
PUBLISHED_METRIC = {"regression": "mae", "classification": "rocauc"}
"""What Matbench ranks by; its "rocauc" is of labels, and so the balanced accuracy."""


@pytest.fixture(scope="module")
def entries(real_entries: Path) -> dict[str, Submission]:
    return {folder.name: Submission.load(folder) for folder in sorted(real_entries.iterdir())}


@pytest.fixture(scope="module")
def published(entries: dict[str, Submission]) -> dict[str, dict[str, float]]:
    """By task and entry, the mean over folds of the scores stored in the files."""
    means: dict[str, dict[str, float]] = {task.name: {} for task in BENCHMARK}
    for slug, entry in entries.items():
        for name, scores in entry.imported["scores"].items():
            means[name][slug] = np.mean(scores[PUBLISHED_METRIC[BENCHMARK[name].kind]])
    return means


@pytest.fixture
def results(entries: dict[str, Submission], real_store: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    return Results(BENCHMARK, entries)


@pytest.mark.parametrize("task", BENCHMARK, ids=lambda task: task.name)
def test_means_and_order_are_the_published_ones(results, published, task) -> None:
    board = task_board(results, task)
    stated = published[task.name]
    assert {row.slug: row.score.mean for row in board.rows} == pytest.approx(stated, rel=1e-9)
    order = sorted(stated, key=stated.__getitem__, reverse=task.kind == "classification")
    assert [row.slug for row in board.rows] == order
    assert all(row.verified for row in board.rows)
    assert all(row.interval.low < row.score.mean < row.interval.high for row in board.rows)


LEADING = {
    "steels": ["tpot", "rflr", "automatminer-expressv2020", "crabnet"],
    "jdft2d": ["congn", "automatminer-expressv2020", "alignn"],
    "phonons": ["congn", "alignn"],
    "expt_gap": ["darwin"],
    "dielectric": ["congn", "automatminer-expressv2020", "crabnet", "alignn"],
    "log_gvrh": ["congn"],
    "log_kvrh": ["congn"],
    "mp_e_form": ["congn"],
}
"""Who leads, best first, as far as the guide to the statistics says so; on the tasks of Matbench."""


def test_the_leading_groups_are_those_of_the_guide(results) -> None:
    boards = {name: task_board(results, BENCHMARK[f"matbench_{name}"]) for name in LEADING}
    assert {name: [row.slug for row in board.rows if row.leading] for name, board in boards.items()} == LEADING
    wide = {(name, row.slug) for name, board in boards.items() for row in board.rows if row.wide}
    assert wide == {("steels", "crabnet")}
    assert boards["phonons"].headline == "coNGN leads; ALIGNN cannot be told apart from it."
    assert boards["steels"].headline.endswith("; CrabNet scatters too widely to say.")
    assert boards["log_gvrh"].headline == "coNGN leads, and is told apart from all others."


@pytest.mark.parametrize("task", BENCHMARK, ids=lambda task: task.name)
def test_every_difference_from_the_best_is_that_of_the_oracle(results, task) -> None:
    oracle = json.loads(ORACLE.read_text())
    expected, every = oracle["tasks"][task.name], results.all_pairs(task)
    told = differences(every.moments, weight=oracle["k"])
    best = every.place_of[slug_of(expected["best"])]
    for name, values in expected["against_best"].items():
        pair = (every.place_of[slug_of(name)], best)
        found = {value: float(getattr(told, value)[pair]) for value in values}
        assert found == pytest.approx(values, rel=1e-6), name


def test_the_constant_guess_is_known(results) -> None:
    assert results.references == {"dummy"}


def with_errors(entry: Submission, factor: float, noise: float, seed: int, *, most_rows: int = 20_000) -> Submission:
    """A copy of an entry on its smaller regression tasks: errors scaled, and noise added, as a share of their mean."""
    rng = np.random.default_rng(seed)
    copy = Submission(BENCHMARK, algorithm=f"{entry.algorithm} copy {seed}", single_configuration=True)
    for task in entry.complete_tasks:
        if BENCHMARK[task].kind == "regression" and BENCHMARK[task].rows < most_rows:
            for fold, held in entry.recorded(task).items():
                truth = BENCHMARK[task].target_values[BENCHMARK[task].test_rows(fold)]
                errors = held.predictions.prediction - truth
                noisy = factor * errors + noise * np.abs(errors).mean() * rng.normal(size=len(errors))
                copy.record(task, fold, truth + noisy)
    return copy


@pytest.mark.parametrize("newcomers", ["74 degraded copies", "five near-copies of the best"])
def test_worse_newcomers_move_no_original_into_or_out_of_a_leading_group(
    results, entries, real_store, monkeypatch, newcomers
) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    slugs = sorted(set(entries) - {"dummy"})
    if newcomers.startswith("74"):
        added = {f"copy-{n}": with_errors(entries[slugs[n % 9]], 1 + 0.02 * (n % 9), 0.5, n) for n in range(74)}
    else:
        leaders = ["congn", "alignn", "tpot", "darwin", "automatminer-expressv2020"]
        added = {f"near-{slug}": with_errors(entries[slug], 1.002, 0, 0) for slug in leaders}
    after = Results(BENCHMARK, {**entries, **added})
    for task in BENCHMARK:
        if task.kind == "regression" and task.rows < 20_000:
            before = {place.slug: place for place in results.places(task)}
            found = {place.slug: place for place in after.places(task)}
            assert {slug: found[slug].leading for slug in before} == {
                slug: held.leading for slug, held in before.items()
            }
            for slug, place in before.items():
                if place.word is not None:
                    assert (found[slug].word, found[slug].p) == (place.word, pytest.approx(place.p, rel=1e-9))


def test_a_probability_has_its_true_rocauc_and_a_label_has_none(results) -> None:
    rows = {row.slug: row for row in task_board(results, BENCHMARK["matbench_mp_is_metal"]).rows}
    assert rows["congn"].metrics["rocauc"].mean == pytest.approx(0.954047, abs=1e-6)
    assert rows["rf"].labels_only
    assert "rocauc" not in rows["rf"].metrics


def test_all_general_purpose_entries_are_ranked_on_the_common_tasks(results, published) -> None:
    board = general_board(results, "common")
    assert [row.slug for row in board.ranked] == ["congn", "alignn", "automatminer-expressv2020", "crabnet", "rf"]
    assert (board.rows[-1].slug, board.rows[-1].rank) == ("dummy", None)
    for row in board.rows:
        scaled = [published[name][row.slug] / BENCHMARK[name].mean_absolute_deviation for name in board.ranked_tasks]
        assert row.geometric_mean == pytest.approx(np.exp(np.mean(np.log(scaled))), rel=1e-9)
        assert row.first_place is None
    assert board.headline == (
        "coNGN is first over 8 tasks: geometric mean of scaled errors 0.130 (95 %: 0.05 to 0.33), best on 7 of them. "
        "8 tasks are few: nothing is said of the order on others. The first that does not require a structure is "
        "AMMExpress v2020, with 0.277."
    )


def test_with_ten_tasks_or_more_places_on_others_are_given(results) -> None:
    every, regression = general_board(results, "all"), general_board(results, "regression")
    assert [row.slug for row in every.ranked] == ["automatminer-expressv2020", "rf"]
    assert [(row.slug, row.first_place, row.last_place) for row in regression.ranked] == [
        ("automatminer-expressv2020", 1, 3), ("crabnet", 1, 3), ("rf", 2, 3),
    ]  # fmt: skip
    assert regression.headline.endswith("On other tasks like these, CrabNet could be first as well (95 %).")


def test_near_copies_of_the_best_change_no_order_over_tasks(results, entries, real_store, monkeypatch) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    copy = with_errors(entries["congn"], 1.002, 0, 0, most_rows=200_000)
    for fold, held in entries["congn"].recorded("matbench_mp_is_metal").items():
        copy.record("matbench_mp_is_metal", fold, held.predictions.prediction)
    before = general_board(results).ranked
    after = general_board(Results(BENCHMARK, {**entries, **{f"near-{number}": copy for number in range(5)}})).ranked
    assert [row.slug for row in after if not row.slug.startswith("near-")] == [row.slug for row in before]
    assert len(after) == len(before) + 5
    was = {row.slug: row for row in before}
    for row in after:
        if row.slug in was:
            assert row.geometric_mean == was[row.slug].geometric_mean
            assert (row.interval.low, row.interval.high) == pytest.approx(
                (was[row.slug].interval.low, was[row.slug].interval.high), rel=1e-9
            )
