"""The best score by date."""

from __future__ import annotations

from matbench_lite.board import Results, history


def test_each_step_is_better_than_all_before_it(mini, noisy) -> None:
    entries = {}
    for slug, year, noise in (("first", 2021, 0.5), ("worse", 2022, 0.9), ("better", 2023, 0.1), ("late", 2024, 0.2)):
        entries[slug] = noisy(mini, noise, tasks=["mini_gap", "mini_is_stable"])
        entries[slug].created = f"{year}-01-01T00:00:00+00:00"
    entries["undated"] = noisy(mini, 0.001, tasks=["mini_gap"])
    results = Results(mini, entries)
    found = history(results, mini["mini_gap"])
    assert [(row.date[:4], row.slug) for row in found.rows] == [("2021", "first"), ("2023", "better")]
    assert found.rows[0].score.mean > found.rows[1].score.mean
    assert [row.slug for row in history(results, mini["mini_is_stable"]).rows] == ["first", "better"]
    assert len(found.to_frame()) == 2


def test_a_task_without_entries_has_no_history(mini) -> None:
    assert history(Results(mini, {}), mini["mini_gap"]).rows == ()
