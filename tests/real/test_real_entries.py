"""The ten real entries of Matbench's leaderboard come in, and their published numbers come out."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from matbench_lite import Submission
from matbench_lite.matbench import compare_published, read_results, write_results

from ..conftest import LONG
from .conftest import slug_of

pytestmark = [pytest.mark.real, pytest.mark.slow]

ENTRIES = {
    "CrabNet": ("CrabNet", 10),
    "GN-OA": ("GN-OA v1", 1),
    "RFLR": ("RF-Regex Steels", 1),
    "TPOT": ("TPOT-Mat", 1),
    "alignn": ("ALIGNN", 9),
    "automatminer_expressv2020": ("AMMExpress v2020", 13),
    "coNGN": ("coNGN", 9),
    "darwin": ("Darwin", 4),
    "dummy": ("Dummy", 13),
    "rf": ("RF-SCM/Magpie", 13),
}
EXPLAINED = {"GN-OA": {("matbench_mp_e_form", "mape"): 5}, "coNGN": {("matbench_mp_is_metal", "rocauc"): 5}}


OUT_AGAIN = list(ENTRIES) if LONG else ["RFLR", "TPOT", "coNGN", "darwin"]
"""Numbers, labels and probabilities, few tasks and many. The others have nothing that these have not."""


@pytest.fixture(autouse=True)
def targets(real_store: Path, data_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))


def load(real_entries: Path, name: str) -> Submission:
    return Submission.load(real_entries / slug_of(name))


def original(real_data: Path, name: str) -> dict[str, Any]:
    return orjson.loads(gzip.decompress((real_data / "matbench_entries" / name / "results.json.gz").read_bytes()))


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_comes_in_and_its_published_scores_are_reproduced_or_explained(real_entries, name) -> None:
    submission = load(real_entries, name)
    algorithm, tasks = ENTRIES[name]
    assert (submission.algorithm, len(submission.complete_tasks)) == (algorithm, tasks)
    assert submission.authors
    assert submission.requirements
    assert submission.imported["hash_matches"]

    differences = compare_published(submission)
    assert Counter((item.task, item.metric) for item in differences) == EXPLAINED.get(name, {})
    assert all(item.reason for item in differences)


@pytest.mark.parametrize("name", ["GN-OA", "darwin", "coNGN"])
def test_what_came_in_says_the_same_before_it_is_saved(real_data, real_entries, name) -> None:
    submission, loaded = (
        read_results(real_data / "matbench_entries" / name / "results.json.gz"),
        load(real_entries, name),
    )
    assert compare_published(loaded) == compare_published(submission)
    assert loaded.imported == submission.imported
    assert loaded.metadata == submission.metadata


@pytest.mark.parametrize("name", ENTRIES)
def test_every_published_error_and_label_score_is_reproduced_to_1e_9(real_data, real_entries, name) -> None:
    """Said once more without our comparison: straight from the file."""
    scores = load(real_entries, name).scores
    compared = 0
    for task, content in original(real_data, name)["tasks"].items():
        for fold in range(5):
            published, recomputed = content["results"][f"fold_{fold}"]["scores"], scores[task].folds[fold]
            for metric in published.keys() - {"rocauc", "mape"}:
                assert recomputed[metric] == pytest.approx(published[metric], rel=1e-9), (task, fold, metric)
                compared += 1
            if "mape" in published and name != "GN-OA":
                assert recomputed["mape"] == pytest.approx(published["mape"], rel=1e-6), (task, fold)
    assert compared == ENTRIES[name][1] * 15


def test_the_true_roc_auc_of_congn_comes_out(real_entries) -> None:
    submission = load(real_entries, "coNGN")
    assert submission.scores["matbench_mp_is_metal"].rocauc.mean == pytest.approx(0.954047, abs=5e-7)
    published = submission.imported["scores"]["matbench_mp_is_metal"]["rocauc"]
    assert sum(published) / 5 == pytest.approx(0.908885, abs=5e-7)


@pytest.mark.parametrize("name", OUT_AGAIN)
def test_what_goes_out_again_says_the_same(real_data, real_entries, tmp_path, name) -> None:
    before = original(real_data, name)
    after = orjson.loads(write_results(load(real_entries, name), tmp_path / "out.json").read_bytes())
    assert after["user_metadata"] == before["user_metadata"]
    assert after["datestamp"] == before["datestamp"]
    for task, content in before["tasks"].items():
        for fold, stored in content["results"].items():
            written = after["tasks"][task]["results"][fold]
            assert written["data"] == stored["data"]
            assert written["parameters"] == stored["parameters"]
            for metric, value in stored["scores"].items():
                if (name, metric) != ("GN-OA", "mape"):
                    tolerance = 1e-6 if metric == "mape" else 1e-9
                    assert written["scores"][metric] == pytest.approx(value, rel=tolerance), (task, fold, metric)
