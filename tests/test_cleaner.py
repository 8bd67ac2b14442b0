"""Escaped text comes out of a Markdown renderer as it went in, whatever it is."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from matbench_lite.cleaner import Safe, code, for_markdown, visible

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ALPHABET = st.one_of(st.sampled_from("\\`*_{}[]()#+-.!|<>&~:@$=/'\"^ \n\t1aw9F"), st.characters())
TEXTS = st.lists(
    st.one_of(
        st.text(ALPHABET, max_size=12),
        st.sampled_from(
            [
                "http://a.b",
                "www.a.b",
                "@user",
                "#12",
                "GH-1",
                "deadbeef1234",
                "<b>",
                "&amp;",
                "](x)",
                "\u202e",
                "1. ",
                "- ",
                "---",
            ]
        ),
    ),
    max_size=8,
).map("".join)
LINKS = re.compile(r"@\w|#\w|\bGH-\d|\bwww\.|\w://|\b[0-9a-f]{7,40}\b", re.IGNORECASE)


def text_of(markup: str) -> str:
    """The text of a piece of a page that may hold nothing but text."""
    without = markup.replace("<span>$</span>", "$")
    assert "<" not in without, markup
    return html.unescape(without).replace("\u200b", "")


@given(TEXTS)
@example("a\\")
@example("\\`*_{}[]()#+-.!|~")
@example("#")
@example("1) x")
def test_text_comes_through_a_paragraph_a_list_a_cell_and_a_quote(text: str) -> None:
    shown = visible(text)
    escaped = for_markdown(text)
    assert "\n" not in escaped
    if not shown:
        assert escaped == ""
        return
    places = {
        "paragraph": (f"{escaped}\n", r"<p>(.*)</p>\n"),
        "sentence": (f"Words {escaped} words.\n", r"<p>Words (.*) words\.</p>\n"),
        "item": (f"- {escaped}\n", r"<ul>\n<li>(.*)</li>\n</ul>\n"),
        "quote": (f"> {escaped}\n", r"<blockquote>\n<p>(.*)</p>\n</blockquote>\n"),
        "cell": (f"| a | b |\n| --- | --- |\n| {escaped} | x |\n", r"(?s).*<tr>\n<td>(.*)</td>\n<td>x</td>\n</tr>.*"),
    }
    for place, (markdown, pattern) in places.items():
        found = re.fullmatch(pattern, RENDERER.render(markdown))
        assert found, (place, markdown, RENDERER.render(markdown))
        assert text_of(found[1]) == shown, place


@given(TEXTS)
def test_nothing_is_left_for_github_to_make_a_link_of(text: str) -> None:
    rendered = RENDERER.render(f"x {for_markdown(text)} x")
    finished = html.unescape(re.sub(r"<[^>]*>", "", rendered))
    assert not LINKS.search(finished)


@given(TEXTS)
def test_a_name_is_code_only_if_it_is_plain(text: str) -> None:
    made = code(text)
    if made.startswith("`"):
        assert re.fullmatch(r"`[A-Za-z0-9_.+/= -]+`", made)
        assert RENDERER.render(made) == f"<p><code>{made[1:-1]}</code></p>\n"
    else:
        assert made == for_markdown(visible(text, 120), 120)


@given(TEXTS)
def test_what_is_visible_has_no_control_characters(text: str) -> None:
    shown = visible(text)
    assert shown.replace("\ufffd", "?").isprintable()
    assert shown == " ".join(shown.split())


@pytest.mark.parametrize("limit", [1, 2, 10, 100])
def test_long_text_is_cut(limit: int) -> None:
    assert len(visible("ab " * 1000, limit)) <= limit


def test_what_is_markdown_already_is_not_escaped_again() -> None:
    once = for_markdown("*a*")
    assert for_markdown(once) is once
    assert isinstance(once, Safe)
