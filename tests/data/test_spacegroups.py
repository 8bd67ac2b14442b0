"""Space groups: from the file where it has them, else computed once."""

from __future__ import annotations

import pandas as pd
import pytest
from pymatgen.core import Lattice, Structure

from matbench_lite import load_benchmark
from matbench_lite.data import add, load_spacegroups
from matbench_lite.data.store import file_sha256, holdings
from matbench_lite.errors import DataMissingError, UnverifiedDataWarning

ROCK_SALT, CESIUM_CHLORIDE, DIAMOND = 225, 221, 227


@pytest.fixture
def stored(synthetic, tmp_path):
    """A structure task whose original file, which states no space groups, is in the store."""
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=20)
    (added,) = add([path], synthetic.benchmark(task))
    assert added.error is None
    return task


def test_those_of_the_file_are_taken_as_they_are(synthetic, tmp_path):
    numbers = [None, *range(1, 20)]
    task, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=20, spacegroups=numbers)
    path = tmp_path / "targets.parquet"
    synthetic.targets_frame(task).assign(spg_num=numbers).to_parquet(path)
    assert all(added.error is None for added in add([path], synthetic.benchmark(task)))
    expected = pd.Series(numbers, index=task.ids, dtype="Int16", name="spacegroup")
    pd.testing.assert_series_equal(load_spacegroups(task), expected)


def test_those_that_no_file_states_are_computed_and_kept(stored, monkeypatch):
    expected = pd.Series(CESIUM_CHLORIDE, index=stored.ids, dtype="Int16", name="spacegroup")
    pd.testing.assert_series_equal(load_spacegroups(stored), expected)
    held = holdings(stored)["spacegroups"]
    assert not held.accepted
    assert held.digest == holdings(stored)["inputs"].sha256
    with monkeypatch.context() as patch:
        patch.setattr("matbench_lite.data.access._spacegroups", None)  # what is kept is read, not computed
        pd.testing.assert_series_equal(load_spacegroups(stored), expected)
    held.path.unlink()
    pd.testing.assert_series_equal(load_spacegroups(stored), expected)


def test_kept_ones_that_were_changed_are_computed_again(stored):
    before = load_spacegroups(stored)
    held = holdings(stored)["spacegroups"]
    pd.DataFrame({"spacegroup": pd.array([7] * 20, "Int16")}).to_parquet(held.path)
    pd.testing.assert_series_equal(load_spacegroups(stored), before)
    assert file_sha256(holdings(stored)["spacegroups"].path) == held.sha256


def test_other_structures_have_other_space_groups(stored, synthetic, tmp_path):
    """Kept numbers belong to the structures they were computed from."""
    rock_salt = Structure.from_spacegroup(ROCK_SALT, Lattice.cubic(5.6), ["Na", "Cl"], [[0, 0, 0], [0.5, 0.5, 0.5]])
    unpublished = synthetic.replace(stored, name="matbench_phonons", targets_sha256="", target="last phdos peak")
    for structure, number in ((synthetic.structure(0), CESIUM_CHLORIDE), (rock_salt.as_dict(), ROCK_SALT)):
        path = tmp_path / "matbench_phonons.json.gz"
        synthetic.write_split(path, ["structure", "last phdos peak"], [[structure, float(row)] for row in range(20)])
        (added,) = add([path], synthetic.benchmark(unpublished), allow_unverified=True)
        assert added.error is None
        with pytest.warns(UnverifiedDataWarning):
            assert set(load_spacegroups(unpublished)) == {number}
        assert holdings(unpublished)["spacegroups"].accepted


def test_they_are_given_even_if_they_cannot_be_kept(stored):
    lock = holdings(stored)["inputs"].path.parent / "matbench_jdft2d.lock"
    lock.unlink()
    lock.mkdir()  # which no process can take
    assert set(load_spacegroups(stored)) == {CESIUM_CHLORIDE}
    assert "spacegroups" not in holdings(stored)


def test_a_structure_without_one_has_a_missing_value(synthetic, tmp_path):
    """Two atoms in one place, as some published structures have: no symmetry search ends well."""
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=3)
    rows = synthetic.rows_of(task)
    rows[1][0]["sites"][1] = rows[1][0]["sites"][0]
    synthetic.write_split(path, ["structure", task.target], rows)
    (added,) = add([path], synthetic.benchmark(task), allow_unverified=True)
    assert added.error is None
    for _ in range(2):
        with pytest.warns(UnverifiedDataWarning):
            assert load_spacegroups(task).tolist() == [CESIUM_CHLORIDE, pd.NA, CESIUM_CHLORIDE]


def test_a_task_of_mini_has_them_computed(data_directory):
    task = load_benchmark("mini")["mini_e_form"]
    assert "spacegroup" not in task.targets
    spacegroups = load_spacegroups(task)
    assert spacegroups.index.equals(task.ids)
    assert spacegroups.between(1, 230).all()
    assert spacegroups.nunique() > 20
    assert not (data_directory / "mini").exists()


def test_a_users_own_task_has_them_computed(tmp_path):
    diamond = Structure.from_spacegroup("Fd-3m", Lattice.cubic(3.57), ["C"], [[0, 0, 0]])
    table = pd.DataFrame({"id": range(6), "crystal": [diamond.to_json()] * 6, "y": [float(row) for row in range(6)]})
    table.to_csv(tmp_path / "own.csv", index=False)
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\n[[tasks]]\nname = "y"\ninput = "structure"\nkind = "regression"\ntarget = "y"\nunit = "1"\n'
        '[tasks.data]\npath = "own.csv"\nid = "id"\ninput = "crystal"\ntarget = "y"\n'
    )
    assert set(load_spacegroups(load_benchmark(path)["y"])) == {DIAMOND}


def test_a_composition_task_has_none_and_says_so():
    with pytest.raises(DataMissingError, match="mini_gap has no structures: no space groups; choose a structure task"):
        load_spacegroups(load_benchmark("mini")["mini_gap"])


def test_a_task_with_targets_only_says_what_is_missing(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=20)
    synthetic.targets_frame(task).to_parquet(tmp_path / "targets.parquet")
    assert all(added.error is None for added in add([tmp_path / "targets.parquet"], synthetic.benchmark(task)))
    with pytest.raises(DataMissingError, match="the inputs of matbench_jdft2d are not on this machine"):
        load_spacegroups(task)
