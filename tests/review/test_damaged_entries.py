"""A matrix of damaged entries: each gives its own codes, none crashes the check or takes it beyond its bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from checked_matrix import check_all, codes
from damage import CASES

from matbench_lite.check import check_entry
from matbench_lite.review import RULES

WITHOUT_A_CASE = {
    "MBL117": "needs another entry: test_beside_others.py",
    "MBL120": "needs another entry: test_names.py",
    **dict.fromkeys(("MBL505", "MBL508", "MBL509", "MBL510", "MBL511"), "needs other entries: test_beside_others.py"),
    **dict.fromkeys(("MBL512", "MBL513", "MBL514", "MBL515"), "test_mistakes.py"),
    "MBL409": "a note: test_checking.py",
    "MBL605": "a note: test_checking.py",
    "MBL608": "a note: test_checking.py",
}


@pytest.fixture(scope="session")
def matrix(sound: Path, once: Callable[..., Path]) -> dict:
    def build(folder: Path) -> None:
        found = check_all(sound, folder / "damaged", list(CASES))
        (folder / "found.json").write_text(json.dumps(found))

    return json.loads((once("damaged-entries", build) / "found.json").read_text())


def test_the_entry_that_is_damaged_has_no_finding_at_all(sound) -> None:
    assert check_entry(sound).findings == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_each_damage_gives_its_own_codes(matrix, name) -> None:
    assert codes(matrix["found"][name]) == CASES[name].codes


@pytest.mark.slow
def test_each_finding_says_what_to_do(matrix) -> None:
    for name, found in matrix["found"].items():
        for finding in found["findings"]:
            assert finding["message"].replace("\n", "").isprintable(), name
            assert len(finding["fix"]) > 5, name
            assert len(finding["message"]) < 1200, name


@pytest.mark.slow
def test_the_whole_matrix_stays_within_500_megabytes(matrix) -> None:
    assert matrix["peak_bytes"] < 500e6


def test_there_is_a_case_for_every_code() -> None:
    covered = set().union(*(case.codes for case in CASES.values())) | set(WITHOUT_A_CASE)
    assert {code for code in RULES if not code.startswith("MBL7")} == covered
    assert len(CASES) >= 60


@pytest.mark.slow
def test_what_has_an_error_is_not_passed_and_what_is_read_is_told(matrix) -> None:
    for name, found in matrix["found"].items():
        errors = [finding for finding in found["findings"] if finding["severity"] == "error"]
        assert found["ok"] == (not errors), name
