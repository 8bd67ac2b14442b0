"""The recipe for a check, followed in a copy of the package: a rule and a module; `mbl check` and the site have it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matbench_lite import Submission

PACKAGE = Path(__file__).parent.parent.parent / "matbench_lite"
NEW = '''"""Names that nobody would remember."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.submission import Finding


def check_dullness(material: Material) -> Iterator[Finding]:
    """Names that are those of numbers."""
    if material.slug in ("zero", "one", "two"):
        yield RULES["MBL199"].found(f"the folder is called {material.slug!r}")
'''
RULE = """
[MBL199]
title = "A dull name"
why = "Nobody remembers it, and `zero` says < nothing > of the model."
fix = "choose another with `mbl seal`"
severity = "warning"
"""
PROGRAM = "import sys; from matbench_lite.cli.app import run; sys.exit(run(sys.argv[1:]))"

pytestmark = pytest.mark.slow


def test_a_check_is_a_rule_and_a_module_and_its_page_comes_by_itself(tmp_path: Path) -> None:
    package = tmp_path / "code" / "matbench_lite"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("*.pyc.*"))
    rules = package / "check" / "rules"
    (rules / "dull_names.py").write_text(NEW)
    with (rules / "check_rules.toml").open("a") as stream:
        stream.write(RULE)
    said = {"description": "Zero.", "external_data": False, "single_configuration": True}
    entry = Submission("mini", algorithm="Zero", authors=["A. Name"], **said)
    for fold in range(5):
        entry.record("mini_gap", fold, [0.0] * 100)
    (tmp_path / "model.py").write_text("print(0)\n")
    entry.save(tmp_path / "submissions" / "zero", code=tmp_path / "model.py")

    def mbl(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(package.parent), "MATBENCH_LITE_DATA": str(tmp_path / "store")},
            capture_output=True,
            text=True,
            check=False,
        )

    (checked,) = json.loads(mbl("check", "submissions", "--json").stdout)
    (found,) = (finding for finding in checked["findings"] if finding["code"] == "MBL199")
    assert found == {
        "code": "MBL199",
        "severity": "warning",
        "message": "the folder is called 'zero'",
        "fix": "choose another with `mbl seal`",
    }
    built = mbl("site", "build", "--benchmark", "mini", "--output", "pages", "--no-render")
    assert built.returncode == 0, built.stderr
    rules = tmp_path / "pages" / "docs" / "guide" / "rules"
    text = (rules / "MBL199.md").read_text()
    assert "# MBL199: A dull name\n\n**Severity:** warning\n\nNobody remembers it, and `zero` says < nothing >" in text
    assert "## What to do\n\nChoose another with `mbl seal`.\n" in text
    assert "| [MBL199](MBL199.md) | warning | A dull name |" in (rules / "index.md").read_text()
