"""What is done to pages after mkdocs rendered them: they get smaller, and say the same."""

from __future__ import annotations

from matbench_lite.site.hooks import on_post_page


def test_indents_and_empty_lines_between_tags_go() -> None:
    page = "<ul>\n\n      <li>\n    one <b>and</b>   <i>two</i>\n   </li>\n</ul>"
    assert on_post_page(page) == "<ul>\n<li>\none <b>and</b>   <i>two</i>\n</li>\n</ul>"


def test_what_a_browser_shows_or_runs_line_by_line_stays() -> None:
    for tag in ("pre", "textarea", "script"):
        kept = f'<{tag} class="x">\n\n  <b>a</b>\n\n    b\n</{tag}>'
        assert on_post_page(f"<p>\n  {kept}\n  </p>") == f"<p>\n{kept}\n</p>"


def test_paragraphs_of_a_text_stay_apart() -> None:
    text = "first\n\nsecond\n   third"
    assert on_post_page(f"<p>{text}</p>") == f"<p>{text}</p>"


def test_a_text_of_nothing_but_space_is_read_once() -> None:
    page = "<p>a" + "\n " * 1_000_000 + "b</p>"  # read anew from each of its places, it would take days
    assert on_post_page(page) == page


def test_the_search_dialog_gets_its_name() -> None:
    assert 'aria-label="Search"' in on_post_page('<div class="md-search" role="dialog">')
