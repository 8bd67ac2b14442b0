"""What stands on the pages is what the boards say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matbench_lite.site.build import make_site, publish
from matbench_lite.submission import REPRODUCTIONS, keep_reproduction, read_document
from matbench_lite.text import MISSING, place_range, spread
from matbench_lite.view import board_document

from ..reproduced import FOLD
from .conftest import republish
from .entries import checked, record
from .html_page import Element, read, table


def name(cell: Element) -> str:
    return cell.find("bdi")[0].text


def test_the_home_page_has_all_general_purpose_entries_and_all_tasks(site, docs, mini) -> None:
    rows = table(read(docs / "index.md"), "board")
    assert [name(row["entry"]) for row in rows] == [row.algorithm for row in site.general.rows]
    assert set(mini.names) <= set(rows[0])
    for row, shown in zip(site.general.rows, rows, strict=True):
        for task in mini:
            cell = row.tasks.get(task.name)
            text = shown[task.name].text
            if cell is None:
                assert text == MISSING
            else:
                assert float(shown[task.name].attributes["data-v"]) == pytest.approx(cell.scaled_error, rel=1e-7)
                assert float(text) == pytest.approx(cell.scaled_error, abs=0.006)
                assert ("leading" in shown[task.name].classes) == cell.leading


def test_an_entry_that_requires_structure_says_so_beside_its_name(docs) -> None:
    rows = table(read(docs / "index.md"), "board")
    chips = {name(row["entry"]): [chip.text for chip in row["entry"].find("span", class_="mbl-chip")] for row in rows}
    assert chips["Structures"] == ["requires structure"]
    assert chips["Noise 0.2"] == []


def test_the_board_of_a_task_has_every_number_of_it(site, docs, mini) -> None:
    for task in mini:
        board = site.boards[task.name]
        rows = table(read(docs / "tasks" / f"{task.name}.md"), "board")
        assert [(row["rank"].text, row["places"].text, name(row["entry"])) for row in rows] == [
            (str(row.rank), place_range(row.first_place, row.last_place), row.algorithm) for row in board.rows
        ]
        words = [(row.word or "best") + (" wide" if row.wide else "") for row in board.rows]
        assert [row["word"].text for row in rows] == words
        for row, shown in zip(board.rows, rows, strict=True):
            assert shown["score"].text == spread(row.score)
            assert float(shown["score"].attributes["data-v"]) == pytest.approx(row.score.mean, rel=1e-7)
            assert f"{row.interval.low:.8g} to {row.interval.high:.8g}" == shown["interval"].attributes["data-v"]
            for metric, value in row.metrics.items():
                expected = value.max if metric == "max_error" else value.mean
                assert float(shown[metric].attributes["data-v"]) == pytest.approx(expected, rel=1e-7)


def test_the_first_sentence_of_a_task_is_its_headline(site, docs, mini) -> None:
    for task in mini:
        page = read(docs / "tasks" / f"{task.name}.md")
        assert page.find("p", class_="mbl-headline")[0].text == site.boards[task.name].headline


def test_what_is_said_over_tasks_is_the_same_on_both_pages_and_for_machines(site, docs, mini) -> None:
    for page in ("index.md", "statistics.md"):
        assert read(docs / page).find("p", class_="mbl-headline")[0].text == site.general.headline
    assert board_document(site.general, mini)["headline"] == site.general.headline


def test_units_stand_in_headers_and_never_in_cells(docs, mini) -> None:
    page = read(docs / "tasks" / "mini_gap.md")
    head = next(head for head in page.find("th") if head.attributes.get("data-key") == "score")
    assert head.text == "MAE eV"
    assert not [row for row in table(page, "board") if "eV" in row["score"].text]


def test_the_page_of_an_entry_answers_whether_to_trust_it(docs, site) -> None:
    page = read(docs / "entries" / "best.md")
    trust = {term.text: answer.text for term, answer in zip(page.find("dt"), page.find("dd"), strict=True)}
    assert trust["Verified?"].strip().startswith("Yes.")
    assert site.date in trust["Verified?"]
    assert "general-purpose" in trust["What kind?"]
    assert trust["One configuration for all tasks?"] == "Yes, declared."
    assert trust["Trained on other data?"].startswith("No")
    assert len(table(page, "scores")) == 7


def test_a_reproduced_entry_says_so_beside_its_name_and_on_its_page(published, mini) -> None:
    folder = published / "submissions" / "gaps"
    keep_reproduction(published / REPRODUCTIONS, "gaps", read_document(folder), replace(FOLD, fold=3))
    republish(published, mini)
    docs = published / "build" / "docs"
    for page in ("entries.md", "tasks/mini_gap.md"):
        rows = table(read(docs / page), "board" if "tasks" in page else "entries")
        chips = {
            name(row["entry"]): [chip.text for chip in row["entry"].find("span", class_="mbl-chip")] for row in rows
        }
        assert (chips["Gaps"], chips["Noise 0.2"]) == (["reproduced"], [])
        shown = {name(row["entry"]): row["reproduced"].text for row in rows}
        assert shown == {"Gaps": "equal 2026-11-18", "Noise 0.2": MISSING}
    trust = [answer.text for answer in read(docs / "entries" / "gaps.md").find("dd")]
    digest = read_document(folder)["values_sha256"][:12]
    said = f"Yes, equal. Its code was trained again: mini_gap fold 3 on 2026-11-18; predictions {digest}."
    assert said in [answer.strip() for answer in trust]
    assert "There is no record of its code being trained again." in (docs / "entries" / "best.md").read_text()
    keep_reproduction(published / REPRODUCTIONS, "gaps", read_document(folder), replace(FOLD, verdict="not reproduced"))
    republish(published, mini)
    assert "<strong>No.</strong> Its code was trained again" in (docs / "entries" / "gaps.md").read_text()


def test_plots_are_on_the_page_of_an_entry_once(docs) -> None:
    page = read(docs / "entries" / "best.md")
    ids = [element.attributes["id"] for element in page.find("*") if element.attributes.get("id")]
    assert len(ids) == len(set(ids))
    kinds = [figure.attributes["class"] for figure in page.find("figure")]
    assert sum("parity" in kind for kind in kinds) == 5  # the regression tasks
    assert sum("roc_curve" in kind for kind in kinds) == 2
    assert sum("periodic_table" in kind for kind in kinds) == 7
    assert sum("calibration" in kind for kind in kinds) == 7


def test_an_entry_with_errors_is_listed_with_its_findings_and_nowhere_else(docs, site) -> None:
    assert list(site.with_errors) == ["broken"]
    page = read(docs / "entries.md")
    listed = page.find("ul", class_="mbl-findings")
    assert len(listed) == 1
    for finding in site.checked["broken"].findings:
        assert finding.code in listed[0].text
    assert "Broken" not in (docs / "index.md").read_text()
    assert not (docs / "entries" / "broken.md").exists()


def test_the_comparison_that_is_shown_first_is_that_of_the_two_best(docs, site) -> None:
    page = read(docs / "compare.md")
    two = [row.slug for row in site.general.rows[:2]]
    rows = table(page, "comparison")
    assert set(two) <= set(rows[0])
    assert len(rows) == len(
        set(site.results.entries[two[0]].complete_tasks) & set(site.results.entries[two[1]].complete_tasks)
    )


def test_without_entries_every_page_is_there_and_says_so(mini, tmp_path) -> None:
    publish(make_site({}, mini), tmp_path)
    assert "No general-purpose entry yet" in (tmp_path / "docs" / "index.md").read_text()
    assert "No entry has recorded all folds" in (tmp_path / "docs" / "tasks" / "mini_gap.md").read_text()
    assert "it takes two entries" in (tmp_path / "docs" / "compare.md").read_text()
    assert "No entry yet." in (tmp_path / "docs" / "entries.md").read_text()
    assert "No general-purpose entry" in (tmp_path / "docs" / "statistics.md").read_text()


def test_an_entry_with_a_fold_missing_is_named_on_the_page_of_the_task(mini, tmp_path) -> None:
    entry = record(mini, 0.1, tasks=["mini_gap"])
    del entry._folds["mini_gap"][3]
    entry.save(tmp_path / "part")
    site = make_site({"part": checked("part", tmp_path / "part", entry)}, mini)
    publish(site, tmp_path / "build")
    assert "4 of 5 folds recorded" in (tmp_path / "build" / "docs" / "tasks" / "mini_gap.md").read_text()
    assert "it is on no board" in (tmp_path / "build" / "docs" / "entries" / "part.md").read_text()


def test_an_entry_with_all_tasks_that_is_not_ranked_is_named_with_the_reason(mini, tmp_path) -> None:
    entry = record(mini, 0.1, algorithm="Tuned", single_configuration=False)
    entry.save(tmp_path / "tuned")
    publish(make_site({"tuned": checked("tuned", tmp_path / "tuned", entry)}, mini), tmp_path / "build")
    for page in ("index.md", "statistics.md"):
        notes = [note.text for note in read(tmp_path / "build" / "docs" / page).find("p", class_="mbl-note")]
        assert any(
            note.startswith(
                "Not ranked, though it has all tasks of the set: Tuned (task-specific: all 7 tasks, but configured by "
                "hand for each task)."
            )
            for note in notes
        )
