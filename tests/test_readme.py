"""The README tells the truth: its ten lines run, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from matbench_lite import Submission

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.slow
def test_the_ten_lines_record_score_and_save_a_real_model(tmp_path, monkeypatch, capsys) -> None:
    code = next(text for language, text in BLOCKS if language == "python")
    shown = next(text for language, text in BLOCKS if text.startswith("Submission: "))
    (tmp_path / "forest.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "forest.py", "exec"), {})
    printed = capsys.readouterr().out
    # The last digits of a forest may differ between versions of scikit-learn; names, folds and units may not.
    number = re.compile(r"[\d.]+ ± [\d.]+")
    assert number.sub("#", printed) == number.sub("#", shown)
    for ours, stated in zip(number.findall(printed), number.findall(shown), strict=True):
        assert float(ours.split()[0]) == pytest.approx(float(stated.split()[0]), rel=0.05)
    entry = Submission.load("submissions/element-forest")
    assert entry.complete_tasks == ("mini_log_kvrh", "mini_gap")
    assert (tmp_path / "submissions/element-forest/forest.py").read_text() == code


def test_files_that_the_documents_name_exist() -> None:
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "leaderboard_docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
