"""A matrix of damaged entries: each gives its own codes, none crashes the check or takes it beyond its bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked_matrix import check_all, codes
from damage import CASES
from entries import save_sound_entry

from matbench_lite.review import RULES, check_entry

WITHOUT_A_CASE = {
    "MBL117": "needs another entry: test_beside_others.py",
    "MBL505": "needs another entry: test_beside_others.py",
    "MBL409": "a note: test_checking.py",
    "MBL605": "a note: test_checking.py",
    "MBL608": "a note: test_checking.py",
}


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_sound_entry(tmp_path_factory.mktemp("sound") / "entry")


@pytest.fixture(scope="session")
def matrix(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    return check_all(sound, tmp_path_factory.mktemp("damaged"), list(CASES))


def test_the_entry_that_is_damaged_has_no_finding_at_all(sound) -> None:
    assert check_entry(sound).findings == ()


@pytest.mark.parametrize("name", CASES)
def test_each_damage_gives_its_own_codes(matrix, name) -> None:
    assert codes(matrix["found"][name]) == CASES[name].codes


@pytest.mark.parametrize("name", CASES)
def test_each_finding_says_what_to_do(matrix, name) -> None:
    for finding in matrix["found"][name]["findings"]:
        assert finding["message"].replace("\n", "").isprintable()
        assert len(finding["fix"]) > 5
        assert len(finding["message"]) < 1200


def test_the_whole_matrix_stays_within_500_megabytes(matrix) -> None:
    assert matrix["peak_bytes"] < 500e6


def test_there_is_a_case_for_every_code() -> None:
    covered = set().union(*(case.codes for case in CASES.values())) | set(WITHOUT_A_CASE)
    assert {code for code in RULES if not code.startswith("MBL7")} == covered
    assert len(CASES) >= 60


def test_what_has_an_error_is_not_passed_and_what_is_read_is_told(matrix) -> None:
    for name, found in matrix["found"].items():
        errors = [finding for finding in found["findings"] if finding["severity"] == "error"]
        assert found["ok"] == (not errors), name


def test_nothing_in_an_entry_was_executed(matrix) -> None:
    assert matrix["found"]
    assert not Path("/tmp/matbench_lite_was_here").exists()
