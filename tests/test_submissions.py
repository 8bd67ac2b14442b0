"""The entries in `submissions/` pass what everybody's have to pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.check import Checked, check_entries
from matbench_lite.submission import read_reproductions
from matbench_lite.train import load_model, reproduce

from .real.conftest import filled_by

SUBMISSIONS = Path(__file__).parents[1] / "submissions"
ALARMS = {"dummy": {"MBL503"}}
"""What people have to look at: the dummy does predict constants."""

pytestmark = pytest.mark.skipif(
    not SUBMISSIONS.is_dir(), reason="the entries are in the repository, not in the package"
)


def passing(checked: dict[str, Checked]) -> None:
    assert checked.keys() == {path.name for path in SUBMISSIONS.iterdir() if path.is_dir()}
    for slug, found in checked.items():
        assert found.ok, (slug, found.findings)
        assert {item.code for item in found.findings if item.severity != "note"} == ALARMS.get(slug, set()), slug


def test_they_pass_without_the_targets() -> None:
    """Digests, form, declarations, and how they stand beside each other."""
    checked = check_entries(SUBMISSIONS, committed=True)
    passing(checked)
    for found in checked.values():
        assert {reason.split(" of ")[0] for reason in found.not_run.values()} == {"needs the targets"}


@pytest.mark.real
@pytest.mark.slow
def test_every_score_is_that_of_the_predictions(
    real_data: Path, once: Callable[[str, Callable[[Path], None]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = once("real-targets", filled_by(real_data / "matbench_v0.1" / "truth"))  # those of tests/real
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(targets / "store"))
    checked = check_entries(SUBMISSIONS, committed=True)
    passing(checked)
    for slug, found in checked.items():
        assert set(found.not_run) <= {"MBL508", "MBL509", "MBL511"}, slug  # five entries are few
        assert set(found.verified.values()) == {True}, slug


def test_every_one_of_them_was_reproduced() -> None:
    """Its code was trained again, and predictions and code are still those: `mbl reproduce` wrote the records."""
    found = read_reproductions(path for path in SUBMISSIONS.iterdir() if path.is_dir())
    assert {slug: one.verdict for slug, one in found.items()} == {
        path.name: "equal" for path in SUBMISSIONS.iterdir() if path.is_dir()
    }


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("slug", ["dummy", "gbt-magpie", "rf-magpie", "ridge-magpie"])
def test_their_code_still_makes_their_predictions(
    slug: str, real_data: Path, once: Callable[[str, Callable[[Path], None]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On steels, whose inputs follow from the formulas; rf-structure takes minutes."""
    originals = once("real-originals", filled_by(real_data / "matbench_v0.1" / "original"))
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(originals / "store"))
    entry, found = reproduce(SUBMISSIONS / slug, task="matbench_steels", fold=1, run_submitted_code=True)
    packages = entry.document["provenance"]["packages"]
    as_then = all(f"{name} {packages[name]}" in found.versions for name in ("numpy", "scikit-learn"))
    assert found.verdict in (("equal",) if as_then else ("equal", "within spread"))


def test_the_code_of_every_entry_still_gives_its_model() -> None:
    """Entries are sealed with their code, which imports features from where they were."""
    tasks = {None: "mini_gap", "composition": "mini_gap", "structure": "mini_e_form"}
    for slug in sorted(path.name for path in SUBMISSIONS.iterdir() if path.is_dir()):
        (file,) = (SUBMISSIONS / slug).glob("*.py")
        model = load_model(file)
        assert hasattr(model.estimator(load_benchmark("mini")[tasks[model.input]]), "fit"), slug
