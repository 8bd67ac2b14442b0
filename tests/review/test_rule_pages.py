"""The docs: a page for every code, and every page in step with the registry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from matbench_lite.review import RULES

DOCS = Path(__file__).parent.parent.parent / "leaderboard_docs"
PAGES = DOCS / "rules"


def words(text: str) -> str:
    """The text without line ends, marks and capitals: what must agree."""
    return " ".join(re.sub(r"[`*]", "", text).split()).lower()


def test_there_is_a_page_for_every_code_and_no_other() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*RULES, "index"}


@pytest.mark.parametrize("code", RULES)
def test_a_page_says_what_the_registry_says(code) -> None:
    rule = RULES[code]
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    heading, severity = page.splitlines()[0], page.splitlines()[2]
    assert heading == f"# {code}: {rule.title}"
    assert severity.startswith(f"**Severity:** {rule.severity}")
    assert ("imported from Matbench" in severity) == (rule.imported is not None)
    assert words(rule.why) in words(page)
    assert words(rule.fix) in words(page.partition("## What to do")[2])
    assert ("needs the other entries" in page) == (rule.needs == "others")
    assert ("needs the targets" in page) == (rule.needs == "targets")


def test_the_index_lists_every_code_with_its_severity_and_title() -> None:
    listed = re.findall(
        r"^\| \[(MBL\d+)\]\((MBL\d+)\.md\) \| (\w+) \| (.+) \|$", (PAGES / "index.md").read_text(), re.M
    )
    assert listed == [(code, code, rule.severity, rule.title) for code, rule in RULES.items()]


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.group == "honesty"])
def test_a_sign_of_dishonesty_states_its_rate_and_its_limits_in_both_places(code) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    rate = re.search(r"On the ten real entries: (\d+ of 10)", words(page), re.I)
    assert rate is not None
    assert "**Limits.**" in page
    row = next(line for line in (DOCS / "checks.md").read_text().splitlines() if line.startswith(f"| [{code}]"))
    assert row.split("|")[3].strip() == rate[1]


def test_links_between_the_pages_lead_somewhere() -> None:
    for path in (*PAGES.glob("*.md"), DOCS / "checks.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).is_file(), f"{path.name}: {target}"
