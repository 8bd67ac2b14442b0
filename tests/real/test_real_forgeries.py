"""Ten forgeries made from the real entries: each is seen, and none would be accepted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.check import check_entry

PERF = Path(__file__).parents[2] / "perf"

pytestmark = [pytest.mark.real, pytest.mark.slow]

EXPECTED = {
    "labels × (1 ± 1e-5)": "MBL501",
    "labels + noise as large as the best one's errors": "MBL508",
    "the best one's errors × 0.5": "MBL505",
    "the best one's errors × 0.7": "MBL505",
    "the best one's errors with other signs": "MBL505",
    "four folds of the best, one of the second": "MBL505",
    "one fold of the best, four of the second": "MBL505",
    "mean of the two best": "MBL510",
    "half-way from a blend to the label": "MBL510",
    "10 % of the labels, ± 1e-4": "MBL501",
}
TASKS = ("steels", "expt_gap", "dielectric")


@pytest.fixture(scope="module")
def others(real_entries: Path) -> dict[str, Submission]:
    return {folder.name: Submission.load(folder) for folder in sorted(real_entries.iterdir())}


@pytest.fixture
def forging(monkeypatch: pytest.MonkeyPatch, real_store: Path) -> Iterator[object]:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    monkeypatch.syspath_prepend(str(PERF))
    import forgeries

    monkeypatch.setattr(forgeries, "TASKS", TASKS)
    yield forgeries
    sys.modules.pop("forgeries")


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_seen(forging, others, tmp_path: Path, name: str) -> None:
    entry = forging.forged(load_benchmark("matbench_v0.1"), others, forging.FORGERIES[name], "Forged")
    found = check_entry(entry.save(tmp_path / "forged"), others=others).findings
    warned = {finding.code: finding for finding in found if finding.severity == "warning"}
    assert EXPECTED[name] in warned
    assert warned[EXPECTED[name]].evidence


def test_a_relative_that_is_named_is_a_note(forging, others, tmp_path: Path) -> None:
    make = forging.FORGERIES["the best, shifted"]
    entry = forging.forged(load_benchmark("matbench_v0.1"), others, make, "Shifted")
    entry.based_on = sorted(others)
    found = check_entry(entry.save(tmp_path / "shifted"), others=others).findings
    assert {finding.severity for finding in found if finding.code in ("MBL505", "MBL510")} == {"note"}
