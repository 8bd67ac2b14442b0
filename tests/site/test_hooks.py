"""What is done to pages after mkdocs rendered them: they get smaller and safer, and say the same."""

from __future__ import annotations

import base64
import hashlib
import re

from jinja2 import Template

from matbench_lite.site.hooks import on_config, smaller, with_dialog_name, with_policy


def test_indents_and_empty_lines_between_tags_go() -> None:
    page = "<ul>\n\n      <li>\n    one <b>and</b>   <i>two</i>\n   </li>\n</ul>"
    assert smaller(page) == "<ul>\n<li>\none <b>and</b>   <i>two</i>\n</li>\n</ul>"


def test_what_a_browser_shows_or_runs_line_by_line_stays() -> None:
    for tag in ("pre", "textarea", "script"):
        kept = f'<{tag} class="x">\n\n  <b>a</b>\n\n    b\n</{tag}>'
        assert smaller(f"<p>\n  {kept}\n  </p>") == f"<p>\n{kept}\n</p>"


def test_paragraphs_of_a_text_stay_apart() -> None:
    text = "first\n\nsecond\n   third"
    assert smaller(f"<p>{text}</p>") == f"<p>{text}</p>"


def test_a_text_of_nothing_but_space_is_read_once() -> None:
    page = "<p>a" + "\n " * 1_000_000 + "b</p>"  # read anew from each of its places, it would take days
    assert smaller(page) == page


def test_the_search_dialog_gets_its_name() -> None:
    assert 'aria-label="Search"' in with_dialog_name('<div class="md-search" role="dialog">')


def test_a_script_has_a_hash_for_being_ours_not_for_being_there() -> None:
    page = with_policy("<head><title>t</title></head><script>ours()</script><script>theirs()</script>", ("ours()", "b"))
    assert page.startswith('<head>\n<meta http-equiv="Content-Security-Policy" content="')
    assert _hashes(page) == [_hash("ours()")], "and not for what the page does not have"


def test_a_page_without_scripts_allows_none_to_be_written_into_it() -> None:
    assert "script-src 'self' file:;" in with_policy("<head></head>", ())


def test_names_are_escaped_once() -> None:
    settings = on_config({"site_name": "Gaps & <more>", "site_description": None, "site_author": '"'})
    assert Template("{{ site_name }}|{{ site_name | e }}|{{ site_author }}").render(settings) == (
        "Gaps &amp; &lt;more&gt;|Gaps &amp; &lt;more&gt;|&#34;"
    )
    assert on_config(dict(settings)) == settings


def _hashes(page: str) -> list[str]:
    return re.findall(r"'sha256-([^']+)'", page)


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
