"""How near the training data of the 13 tasks is: 500 rows of each, beside a search among all."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pymatgen.core import Composition
from scipy.spatial.distance import cdist

from matbench_lite import Submission, Task, load_benchmark
from matbench_lite.board import NOWHERE, Relatives, Results, read_relatives, targets_state, task_board

pytestmark = [pytest.mark.real, pytest.mark.slow]

BENCHMARK = load_benchmark("matbench_v0.1")
ROWS = 500


@cache
def fractions(formula: str) -> np.ndarray:
    found = np.zeros(95)
    for element, share in Composition(formula).fractional_composition.items():
        found[element.Z] = share
    return found


def relatives(task: Task) -> Relatives:
    return read_relatives(task, targets_state(task).digest)


@pytest.fixture(autouse=True)
def _on_real_data(real_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))


@pytest.mark.parametrize("task", BENCHMARK, ids=lambda task: task.name)
def test_distances_are_those_of_a_search_among_all(task: Task) -> None:
    found = relatives(task)
    formulas = task.targets["formula"].to_numpy(dtype=object)
    chosen = np.random.default_rng(0).permutation(len(found.rows))[:ROWS]
    for fold in task.folds:
        of_fold = chosen[found.folds[chosen] == fold]
        known = {formula: fractions(formula) for formula in formulas[task.train_rows(fold)]}
        rows = np.array([fractions(formula) for formula in formulas[found.rows[of_fold]]])
        apart = cdist(rows, np.array(list(known.values())), "cityblock") / 2
        least = apart.min(axis=1)
        assert found.distances[of_fold] == pytest.approx(np.where(least < 0.25 + 1e-7, least, np.inf), abs=1e-7)
        systems = {frozenset(np.flatnonzero(one)) for one in known.values()}
        assert found.new_system[of_fold].tolist() == [frozenset(np.flatnonzero(row)) not in systems for row in rows]
        near = found.nearest[of_fold]
        assert np.isin(near[near != NOWHERE], task.train_rows(fold)).all()
        beside = np.array([fractions(formula) for formula in formulas[near]])
        to_nearest = np.where(near == NOWHERE, np.inf, np.abs(rows - beside).sum(axis=1) / 2)
        assert to_nearest == pytest.approx(found.distances[of_fold], abs=1e-7)


def test_formulas_that_are_unseen_mostly_have_a_relative() -> None:
    share = {name: 1 - relatives(BENCHMARK[f"matbench_{name}"]).without.mean() for name in ("glass", "steels")}
    # 85 % of glass by floating point alone: 191 rows are at 5 at.% exactly.
    assert share == pytest.approx({"glass": 0.888, "steels": 0.987}, abs=5e-4)


def test_structure_tasks_have_rows_of_unseen_chemical_systems() -> None:
    counts = {task.name: int(relatives(task).new_system.sum()) for task in BENCHMARK.select(input="structure")}
    assert counts == {
        "matbench_jdft2d": 433,
        "matbench_phonons": 977,
        "matbench_dielectric": 2632,
        "matbench_log_gvrh": 5914,
        "matbench_log_kvrh": 5914,
        "matbench_perovskites": 3098,
        "matbench_mp_gap": 26470,
        "matbench_mp_is_metal": 26340,
        "matbench_mp_e_form": 29101,
    }


def test_on_log_gvrh_unseen_chemical_systems_are_easier_and_on_mp_e_form_no_rows_are(real_entries: Path) -> None:
    results = Results(BENCHMARK, {folder.name: Submission.load(folder) for folder in sorted(real_entries.iterdir())})
    said = task_board(results, BENCHMARK["matbench_log_gvrh"]).remarks
    assert said[1].startswith("On unseen chemical systems, 4 of 5 entries have a lower scaled error than on all rows")
    assert task_board(results, BENCHMARK["matbench_mp_e_form"]).remarks == []
    (steels, *_) = task_board(results, BENCHMARK["matbench_steels"]).rows
    assert (steels.without_relatives.rows, steels.without_relatives.scaled_error) == (4, None)
