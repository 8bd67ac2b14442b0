"""One Jinja environment for the whole package: what a template prints is made fit for where it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError
from jinja2.loaders import DictLoader
from markupsafe import Markup

import matbench_lite
from matbench_lite import templating
from matbench_lite.templating import render

PACKAGE = Path(matbench_lite.__file__).parent
HOSTILE = "<b>*@you*</b>\u202e\x07"


@pytest.fixture
def templates(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Templates by name, in the place of those of the package."""
    texts: dict[str, str] = {}
    for environment in [templating._environment(kind) for kind in (None, *templating._KINDS)]:
        monkeypatch.setattr(environment, "loader", DictLoader(texts))
    return texts


def test_there_is_one() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    places = [path.name for path, text in sources.items() if "Environment(" in text or "jinja2.Template" in text]
    assert places == ["templating.py"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a/page.html.j2", "&lt;b&gt;*@you*&lt;/b&gt;"),
        ("a/page.md.j2", "&lt;b&gt;*@you*&lt;/b&gt;"),
        ("a/comment.md.j2", "&lt;b&gt;*@you*&lt;/b&gt;"),
        ("a/comment/page.md.j2", "&lt;b&gt;\\*@&#8203;you\\*&lt;/b&gt;\ufffd\ufffd"),
        ("a/latex/table.tex.j2", r"\textless{}b\textgreater{}{*}@you{*}\textless{}/b\textgreater{}" "\ufffd\ufffd"),
        ("a/files/README.md.j2", HOSTILE),
    ],
)
def test_the_folder_of_a_template_says_what_becomes_of_a_text(templates, name, shown) -> None:
    templates[name] = "{{ text }}"
    assert render(name, text=HOSTILE) == shown


def test_html_that_we_made_is_no_comment_and_a_comment_that_we_made_no_html(templates) -> None:
    templates |= {"b/page.html.j2": "{{ made }}{{ text | code }}", "b/comment/page.md.j2": "{{ made }}"}
    assert render("b/page.html.j2", made=Markup("<b>"), text="<i>") == "<b>&amp;lt;i&amp;gt;"
    assert render("b/comment/page.md.j2", made=Markup("<b>")) == "&lt;b&gt;"


@pytest.mark.parametrize("name", ["c/page.html.j2", "c/comment/page.md.j2", "c/files/a.toml.j2"])
def test_a_value_that_is_missing_is_an_error(templates, name) -> None:
    templates[name] = "{{ nobody_gave_it }}"
    with pytest.raises(UndefinedError, match="nobody_gave_it"):
        render(name)


def test_quoted_texts_are_toml(templates) -> None:
    templates["d/files/a.toml.j2"] = "title = {{ title | quoted }}"
    assert render("d/files/a.toml.j2", title='say "hi"') == 'title = "say \\"hi\\""'


def test_every_template_can_be_read() -> None:
    found = [path for path in PACKAGE.rglob("*.j2") if "templates" in path.parts]
    assert len(found) > 40
    for path in found:
        package, _, place = path.relative_to(PACKAGE).as_posix().partition("/templates/")
        templating._environment(None).get_template(f"{package}/{place}")
