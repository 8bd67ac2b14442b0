"""The example of the guide runs as it is written there; fewer runs, datasets and processes, unless there is time."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from matbench_lite.cli.app import run

from ..conftest import LONG

DOCS = Path(__file__).parents[2] / "leaderboard_docs"


def commands() -> list[list[str]]:
    """The commands in the guide's example, in order."""
    text = (DOCS / "judging.md").read_text()
    example = text[text.index("## An example that runs") :]
    blocks = re.findall(r"```sh\n(.*?)```", example, re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    if not LONG:
        lines = [line.replace("--jobs 2", "--jobs 1") for line in lines]
    return [shlex.split(line)[1:] for line in lines if line.startswith("mbl ")]


@pytest.mark.slow
def test_the_example_of_the_guide_runs(tmp_path, monkeypatch, capsys, structure_features, data_directory) -> None:
    shutil.copytree(structure_features, data_directory, dirs_exist_ok=True)
    shutil.copytree(DOCS / "judging", tmp_path / "judging")
    monkeypatch.chdir(tmp_path / "judging")
    if not LONG:
        few = 'folder = "datasets"\nnames = ["alloy_gap", "debye_temperature", "saddle"]'
        for file in (Path("synthetic.toml"), Path("real.toml")):
            text = file.read_text().replace("runs = 10", "runs = 1")
            file.write_text(text.replace('folder = "datasets"', few))
    ended = {" ".join(arguments[:2]): run(arguments) for arguments in commands()}
    assert ended == {"judge datasets": 0, "judge run": 0, "judge rank": 0, "judge dossier": 0}
    capsys.readouterr()
    for rules in ("draft", "final"):
        assert run(["judge", "rank", "synthetic", "-c", "synthetic.toml", "--rules", rules, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["winners"] == ["formula-search"]
        by_name = {row["algorithm"]: row["datasets"] for row in found["algorithms"]}
        # What each method can find, it finds.
        assert by_name["formula-search"]["debye_temperature"]["property_value"] == 1.0
        assert by_name["polynomial"]["saddle"]["property_value"] == 1.0
        assert by_name["linear-model"]["alloy_gap"]["property_value"] == 0.0
    for page in ("synthetic.html", "real.html", "dossier/for_experts/mini_log_kvrh.html"):
        assert "<svg" in Path(page).read_text()
