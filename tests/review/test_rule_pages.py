"""The docs: a page for every code, made from its rule and what there is to say beyond."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from matbench_lite.review import RULES
from matbench_lite.site.guide_pages import rule_pages

DOCS = Path(__file__).resolve().parent.parent.parent / "leaderboard_docs"
PAGES = DOCS / "rules"


def words(text: str) -> str:
    """The text without line ends, marks and capitals: what must agree."""
    return " ".join(re.sub(r"[`*]", "", text).split()).lower()


@cache
def pages() -> dict[str, str]:
    """The pages of the site by the name of their file, without the front matter."""
    guides = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")}
    return {Path(file.path).name: file.content.partition("---\n\n")[2] for file in rule_pages(guides)}


def test_there_is_a_page_for_every_code_and_no_other() -> None:
    assert set(pages()) == {f"{code}.md" for code in (*RULES, "index")}


def test_what_is_written_by_hand_belongs_to_a_rule_and_does_not_repeat_it() -> None:
    for path in PAGES.glob("*.md"):
        assert path.stem in {*RULES, "index"}
        text = path.read_text(encoding="utf-8")
        assert text.strip()
        assert not re.search(r"^#|\*\*Severity", text, re.M), path.name
        assert text.strip() in pages()[path.name]


@pytest.mark.parametrize("code", RULES)
def test_a_page_says_what_the_registry_says(code) -> None:
    rule = RULES[code]
    page = pages()[f"{code}.md"]
    heading, severity = page.splitlines()[0], page.splitlines()[2]
    assert heading == f"# {code}: {rule.title}"
    assert severity.startswith(f"**Severity:** {rule.severity}")
    assert ("imported from Matbench" in severity) == (rule.imported is not None)
    assert words(rule.why) in words(page)
    assert words(rule.fix) in words(page.partition("## What to do")[2])
    assert ("needs the other entries" in page) == (rule.needs == "others")
    assert ("needs the targets" in page) == (rule.needs == "targets")
    assert "&" not in page


def test_a_page_with_a_title_of_its_own_is_kept_as_it_is(tmp_path) -> None:
    (tmp_path / "MBL101.md").write_text("# Names here\n\nAs you like.\n")
    (made,) = (file for file in rule_pages({"rules/MBL101.md": tmp_path / "MBL101.md"}) if "MBL101" in file.path)
    assert made.content == tmp_path / "MBL101.md"


def test_the_index_lists_every_code_with_its_severity_and_title() -> None:
    listed = re.findall(r"^\| \[(MBL\d+)\]\((MBL\d+)\.md\) \| (\w+) \| (.+) \|$", pages()["index.md"], re.M)
    assert listed == [(code, code, rule.severity, rule.title) for code, rule in RULES.items()]


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.group == "honesty"])
def test_a_sign_of_dishonesty_states_its_rate_and_its_limits_in_both_places(code) -> None:
    page = pages()[f"{code}.md"]
    rate = re.search(r"On the ten real entries: (\d+ of 10)", words(page), re.I)
    assert rate is not None
    assert "**Limits.**" in page
    row = next(line for line in (DOCS / "checks.md").read_text().splitlines() if line.startswith(f"| [{code}]"))
    assert row.split("|")[3].strip() == rate[1]


def test_links_between_the_pages_lead_somewhere() -> None:
    texts = {PAGES / name: text for name, text in pages().items()}
    texts |= {path: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    for path, text in texts.items():
        for target in re.findall(r"\]\(([^)#:]+\.md)\)", text):
            there = (path.parent / target).resolve()
            assert there in texts, f"{path.name}: {target}"
