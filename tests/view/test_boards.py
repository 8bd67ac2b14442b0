"""Plots of leaderboards: the order, the places and the findings are those of the board."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from matbench_lite import Benchmark
from matbench_lite.board import GeneralBoard, GeneralRow, History, HistoryRow, Results, general_board, task_board
from matbench_lite.metrics import summarise
from matbench_lite.stats import Friedman
from matbench_lite.text import place_range
from matbench_lite.view import Plot, best_by_date, critical_difference, error_bars, rank_intervals, scaled_errors
from matbench_lite.view.rank_plots import joined


def rows_of(plot: Plot) -> list[ElementTree.Element]:
    """The groups that belong to an entry or a task, from above."""
    return [group for group in ElementTree.fromstring(plot.svg).iter("g") if group.find("title") is not None]


def dot(row: ElementTree.Element) -> float:
    return float(row.find("circle").get("cx"))


def general(count: int) -> GeneralBoard:
    rows = tuple(
        GeneralRow(
            slug=f"e{place}",
            algorithm=f"Entry {place}",
            category="general-purpose",
            rank=place,
            mean_rank=float(place),
            first_place=max(1, place - 1),
            last_place=place,
        )
        for place in range(1, count + 1)
    )
    test = Friedman(statistic=9.0, p=0.001) if count > 1 else None
    return GeneralBoard(task_set="all", ranked_tasks=("a", "b", "c"), best=(), rows=rows, friedman=test)


def test_error_bars_follow_the_board(results: Results, mini: Benchmark) -> None:
    task = mini["mini_e_form"]
    board = task_board(results, task)
    by_fold = {slug: result.by_fold for slug, result in results.on(task).items()}
    rows = rows_of(error_bars(board, by_fold))
    assert [row.findall("text")[0].text for row in rows] == [
        place_range(row.first_place, row.last_place) for row in board.rows
    ]
    places = [dot(row) for row in rows]
    assert places == sorted(places)
    for drawn, row in zip(rows, board.rows, strict=True):
        assert (drawn.get("class") == "first") == row.leading
        folds = next(path for path in drawn.iter("path") if "points" in path.get("class", ""))
        assert folds.get("d").count("M") == task.n_folds
        low, high = re.search(r"M([\d.]+) [\d.]+H([\d.]+)", _whisker(drawn)).groups()
        assert float(low) <= dot(drawn) <= float(high)


def test_a_high_score_is_good_for_classification(results: Results, mini: Benchmark) -> None:
    board = task_board(results, mini["mini_is_stable"])
    plot = error_bars(board)
    places = [dot(row) for row in rows_of(plot)]
    assert places == sorted(places, reverse=True)
    assert "highest balanced accuracy" in plot.description
    assert "folds" not in plot.caption.replace("mean over the folds", "")


def test_without_targets_there_are_no_intervals(results: Results, mini: Benchmark) -> None:
    board = task_board(results, mini["mini_gap"])
    unverified = replace(board, rows=tuple(replace(row, interval=None, verified=False) for row in board.rows))
    plot = error_bars(unverified)
    assert "95 % interval" not in plot.caption + plot.description
    assert "whisker" not in plot.svg
    assert 'class="ring"' in plot.svg


def test_a_wild_entry_is_an_arrow_at_the_edge(results: Results, mini: Benchmark) -> None:
    board = task_board(results, mini["mini_gap"])
    wild = replace(board.rows[-1], score=summarise([1e60] * 5), interval=None)
    *others, last = rows_of(error_bars(replace(board, rows=(*board.rows[:-1], wild))))
    assert last.find("circle") is None
    assert any(path.get("class") == "arrow" for path in last.iter("path"))
    assert dot(others[-1]) - dot(others[0]) > 100


def test_long_boards_are_cut_and_say_so(mini: Benchmark, results: Results) -> None:
    board = task_board(results, mini["mini_gap"])
    long = replace(board, rows=board.rows * 10)
    plot = error_bars(long)
    assert len(rows_of(plot)) == 30
    assert "The first 30 of 80 entries" in plot.caption
    assert "The first 30 of 50 entries" in critical_difference(general(50)).caption
    assert "The first 30 of 50 entries" in rank_intervals(general(50)).caption


def test_empty_boards_have_no_plot(results: Results, mini: Benchmark) -> None:
    board = task_board(results, mini["mini_gap"])
    assert error_bars(replace(board, rows=())) is None
    assert scaled_errors(general(3), mini) is None
    assert critical_difference(general(1)) is None
    assert rank_intervals(general(1)) is None
    assert best_by_date(History(task="t", metric="mae", unit="eV", rows=())) is None


def test_scaled_errors_go_from_the_task_done_best_to_the_one_done_worst(results: Results, mini: Benchmark) -> None:
    board = general_board(results)
    rows = rows_of(scaled_errors(board, mini))
    errors = sorted((best.scaled_error, best.task.removeprefix("mini_").replace("_", " ")) for best in board.best)
    assert [row.findall("text")[0].text for row in rows] == [name for _, name in errors]
    assert [dot(row) for row in rows] == sorted(dot(row) for row in rows)
    others = [path.get("d").count("M") for row in rows for path in row.iter("path") if "quiet" in path.get("class", "")]
    assert others == [len(board.rows) - 1] * len(rows)


@given(st.lists(st.floats(1, 20), min_size=1, max_size=15), st.floats(0.1, 10))
def test_joined_entries_are_those_closer_than_the_critical_difference(means: list[float], distance: float) -> None:
    means = sorted(means)
    groups = joined(means, distance)
    together = {pair for group in groups for pair in combinations(group, 2)}
    assert together == {(a, b) for a, b in combinations(range(len(means)), 2) if means[b] - means[a] < distance}
    assert {place for group in groups for place in group} == set(range(len(means)))
    assert not any(set(one) < set(other) for one in groups for other in groups)


def test_the_critical_difference_is_drawn_to_scale() -> None:
    board = general(6)
    plot = critical_difference(board)
    dots = [dot(row) for row in rows_of(plot)]
    per_rank = dots[1] - dots[0]
    start, end = re.search(r'class="scale" d="M([\d.]+) .*?H([\d.]+)', plot.svg).groups()
    assert abs((float(end) - float(start)) / per_rank - board.critical_difference) < 0.05
    assert f"{board.critical_difference:.2f}" in plot.caption


def test_no_difference_is_said() -> None:
    board = replace(general(4), friedman=Friedman(statistic=1.0, p=0.8))
    assert "no difference among the entries at all (p = 0.80)" in critical_difference(board).caption


def test_rank_intervals_name_those_that_could_be_first() -> None:
    plot = rank_intervals(general(4))
    assert plot.description.startswith("On other tasks Entry 1 and Entry 2 could be first.")
    assert [row.get("class") for row in rows_of(plot)] == ["first", "first", None, None]


def test_with_few_tasks_no_places_are_drawn() -> None:
    board = general(4)
    few = replace(board, rows=tuple(replace(row, first_place=None, last_place=None) for row in board.rows))
    assert rank_intervals(few) is None
    assert critical_difference(few) is not None


def test_the_critical_difference_goes_by_mean_rank_whatever_the_order_of_the_board() -> None:
    board = general(4)
    swapped = (replace(board.rows[0], mean_rank=2.0), replace(board.rows[1], mean_rank=1.0), *board.rows[2:])
    dots = [dot(row) for row in rows_of(critical_difference(replace(board, rows=swapped)))]
    assert dots == sorted(dots)


def steps(*dates: str) -> History:
    rows = tuple(
        HistoryRow(
            date=date,
            slug=f"e{place}",
            algorithm=f"Entry {place}",
            score=summarise([1.0 / (place + 1)] * 5),
            scaled_error=0.5,
            verified=True,
        )
        for place, date in enumerate(dates)
    )
    return History(task="t", metric="mae", unit="eV", rows=rows)


def test_history_goes_down_with_time() -> None:
    plot = best_by_date(steps("2021-04-08T23:15:08+00:00", "2022-01-01T00:00:00+00:00", "2024-01-20T03:15:09+00:00"))
    circles = [row.find("circle") for row in rows_of(plot)]
    assert [float(c.get("cx")) for c in circles] == sorted(float(c.get("cx")) for c in circles)
    assert [float(c.get("cy")) for c in circles] == sorted(float(c.get("cy")) for c in circles)
    assert "from 1.00 to 0.333 eV in 3 steps" in plot.description
    texts = [text.text for text in ElementTree.fromstring(plot.svg).iter("text")]
    assert {"Entry 0", "Entry 1", "Entry 2", "2022", "2023", "2024"} <= set(texts)


def test_dates_from_anywhere_in_time_can_be_drawn() -> None:
    for dates in (
        ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"),
        ("2024-01-01T00:00:00+00:00", "2024-01-02T00:00:01+00:00"),
        ("2024-05-01T00:00:00+00:00", "2024-07-01T00:00:00+00:00"),
    ):
        plot = best_by_date(steps(*dates))
        assert len(rows_of(plot)) == 2
        assert "tick middle" in plot.svg


def test_where_nothing_has_moved_there_is_no_history() -> None:
    assert best_by_date(steps("2024-01-01T00:00:00+00:00")) is None
    assert best_by_date(steps("2024-01-01T00:00:00+00:00", "2024-01-01T00:00:01+00:00")) is None
    assert best_by_date(steps("2024-01-01T00:00:00+00:00", "2024-13-45T00:00:00+00:00")) is None


def _whisker(row: ElementTree.Element) -> str:
    return next(path.get("d") for path in row.iter("path") if path.get("class") == "whisker")
