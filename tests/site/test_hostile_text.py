"""Whatever an entry says about itself, it stays text."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import orjson
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

import matbench_lite
from matbench_lite.cleaner import clean, clean_lines
from matbench_lite.site import config
from matbench_lite.site.page_files import front_matter, page
from matbench_lite.view import Cell, Column, Table

from ..hostile_titles import HOSTILE, SEEN, hostile_board, hostile_pages, hostile_site
from ..whole_site import REFERENCES, WICKED
from .html_page import Element, check_policy, parse, read

PACKAGE = Path(matbench_lite.__file__).parent
OURS = {"early", "site", "comparison"}
"""The scripts that pages load beside those of the theme."""


@pytest.mark.slow
def test_nothing_of_it_becomes_an_element(contents) -> None:
    for path, content in contents.items():
        for script in content.find("script"):
            source = script.attributes.get("src")
            name = Path(source or "").name.split(".")[0]
            assert source is None or "javascripts/" in source or name in OURS
            assert "hacked" not in script.text
        for element in content.find("*"):
            assert not [name for name in element.attributes if name.startswith("on")], (path, element.tag)
            assert element.tag not in ("iframe", "object", "embed", "base")
            for attribute in ("href", "src"):
                value = element.attributes.get(attribute) or ""
                assert "evil.example" not in value
                assert not value.lower().startswith(("javascript:", "data:text", "vbscript:"))


@pytest.mark.slow
def test_all_of_it_is_still_to_be_read(contents, html) -> None:
    text = contents[html / "entries" / "wicked.html"].find("article")[0].text
    for wicked in WICKED:
        assert clean_lines(wicked) in text


@pytest.mark.slow
def test_direction_marks_are_gone_and_names_are_isolated(html, contents) -> None:
    for path in contents:
        assert not re.search("[\u200f\u202a-\u202e\u2066-\u2069]", path.read_text(encoding="utf-8"))
    board = contents[html / "index.html"].find("section", id="board")[0]
    assert all(cell.find("bdi") for cell in board.find("th", scope="row"))


@pytest.mark.slow
def test_the_search_index_holds_no_tags_of_it(html) -> None:
    index = orjson.loads((html / "search" / "search_index.json").read_bytes())
    for document in index["docs"]:
        for text in (document["title"], document["text"]):
            tags = {element.tag for element in parse(text).find("*")}
            assert tags <= {"p", "code", "pre", "li", "ol", "ul", "sub", "sup"}, text[:200]
    script = (html / "search" / "search_index.js").read_text()
    assert orjson.loads(script.removeprefix("var __index = ")) == index


@pytest.mark.slow
def test_no_cell_of_a_csv_file_begins_like_a_formula(wicked_build) -> None:
    files = sorted((wicked_build / "docs" / "data").glob("*.csv"))
    assert files
    for path in files:
        with path.open(newline="") as stream:
            for row in csv.reader(stream):
                for cell in row:
                    number = re.fullmatch(r"[-+]?[0-9.e+-]+|-?inf|nan", cell)
                    assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell


@pytest.mark.slow
def test_scripts_of_data_cannot_be_broken_out_of(wicked_build) -> None:
    (path,) = (wicked_build / "docs" / "assets").glob("bibtex.*.js")
    script = path.read_text(encoding="utf-8")
    assert "</script" not in script
    content = orjson.loads(script.removeprefix("window.mblBibtex=").removesuffix(";\n"))
    assert content["wicked"] == "\n\n".join(REFERENCES)


@pytest.mark.slow
def test_only_code_is_published_of_the_files_of_an_entry(wicked_build) -> None:
    names = {path.name for path in (wicked_build / "docs" / "entries" / "wicked").iterdir()}
    assert names == {"submission.json", "predictions.parquet", "wicked.py", "note.ipynb", "badge.svg", "references.bib"}
    assert {"page.html", "picture.svg"} <= {
        path.name for path in (wicked_build.parent / "submissions/wicked").iterdir()
    }


@pytest.mark.slow
@pytest.mark.parametrize("pages", [hostile_site, hostile_board, hostile_pages])
def test_what_whoever_sets_it_up_says_stays_text(pages, once) -> None:
    for path in sorted(pages(once).rglob("*.html")):
        content = read(path)
        if pages is hostile_pages:
            assert SEEN in content.find("main")[0].text, path
        else:
            assert content.find("title")[0].text.endswith(SEEN), path
        assert "&amp;amp;" not in path.read_text(encoding="utf-8"), "escaped twice"
        assert not re.search("[\u202e\x07]", path.read_text(encoding="utf-8"))
        assert not [script for script in content.find("script") if "hacked" in script.text], path
        assert not [image for image in content.find("img") if image.attributes.get("src") == "x"], path


@pytest.mark.slow
def test_every_page_begins_with_a_policy(html, once) -> None:
    folders = {folder: {"index.html", "404.html"} for folder in (html, hostile_site(once), hostile_board(once))}
    folders[hostile_pages(once)] = {"report.html", "judgement.html", "dossier.html"}
    for folder, names in folders.items():
        paths = sorted(folder.rglob("*.html"))
        assert names <= {path.name for path in paths}
        for path in paths:
            check_policy(path.read_text(encoding="utf-8"))


def test_no_page_is_made_in_another_way() -> None:
    """mkdocs makes pages, whose policy the hooks write, and one template of ours has its own: all others extend it."""
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".j2", ".js")]
    made = [path.name for path in files if re.search("<!doctype|<html|<head>$", path.read_text(), re.I | re.M)]
    assert made == ["page.html.j2"]
    extending = {path.name for path in files if '{% extends "view/page.html.j2" %}' in path.read_text()}
    assert extending == {"report.html.j2", "judgement.html.j2", "dossier.html.j2"}


TEXT = st.text(max_size=60)


@given(TEXT)
@example(HOSTILE)
@example("a\n---\nb: c \x85\u2028 !ENV [HOME] ${HOME}")
def test_the_configuration_holds_one_line_whatever_the_title(title) -> None:
    settings = config.common_configuration(title, [])
    assert yaml.safe_load(config.configuration_text(settings, by="mbl site build")) == settings
    assert settings["site_name"] == clean(title)


@given(TEXT)
@example("a\n---\nb: c")
@example("\ud83d\ude00 <x> & \x85\u2028")
def test_the_head_of_a_page_is_one_yaml_mapping_whatever_the_title(title) -> None:
    text = front_matter(title=title, hide=["toc"])
    assert text.startswith("---\n")
    assert text.endswith("\n---\n\n")
    content = yaml.safe_load(text.removeprefix("---\n").removesuffix("---\n\n"))
    assert set(content) == {"title", "hide"}
    assert "<" not in content["title"]


@given(TEXT, TEXT)
@example("</td><script>x</script>", '" onload="x')
@example("&lt;b&gt;", "\x00\x1b")
def test_a_cell_is_one_cell_whatever_it_says(text, note) -> None:
    column = Column(
        key="entry", header="entry", kind="name", foreign=True, cells=[Cell(text=text, value=text, note=note)]
    )
    content = parse(Table(id="t", label=note, columns=[column], slugs=[text]).__html__())
    cells = content.find("tbody")[0].find("th")
    assert len(cells) == 1
    assert {element.tag for element in content.find("tbody")[0].find("*")} == {"tr", "th", "bdi"}
    assert set(cells[0].attributes) <= {"scope", "class", "data-v", "title"}
    assert cells[0].text == " ".join(cells[0].text.split())


def test_every_template_escapes() -> None:
    text = page("site/rule.md.j2", address="guide/rules/x.html", title="t", rule=_Rule(), more="<b>more</b>")
    assert "<b>" not in text
    assert "&lt;b&gt;" in text


class _Rule:
    code = title = severity = why = fix = "<b>bold</b>"
    imported = needs = None


def test_elements_are_read_as_a_browser_reads_them() -> None:
    content = parse('<div><p class="a b">x<br>y</p><img src="z"/></div>')
    assert isinstance(content.find("p", class_="b")[0], Element)
    assert content.find("p")[0].text == "xy"
