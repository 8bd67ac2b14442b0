"""Strangers' text, made fit for where it is shown: page, plot, terminal, CSV cell, GitHub's Markdown, LaTeX.

Whatever somebody else wrote may hold characters that move the cursor, ring, hide, or turn the direction of writing.
Each place has one function here. HTML is escaped by the templates; they clean first.
"""

from __future__ import annotations

import re

_JOINERS = {"\u200c", "\u200d"}
"""Invisible, and needed to write some languages and emoji."""
_HIDDEN = {"\u00ad", *_JOINERS}
"""Invisible, and common in honest text: left out of reports without a mark."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_GAP = "&#8203;"
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>"}
"""The last as GitHub's own documentation has it: a backslash does not keep it from being read as mathematics."""
_SPECIAL = re.compile(
    r"""
      (?P<entity>[&<>$])
    | (?P<mark>[\\`*_\[\]|~])
    | (?P<at>@)
    | (?P<glue>[\#:])(?=\S)
    | (?P<www>(?<!\w)www)(?=\.)
    | (?P<ticket>(?<!\w)(?:GH|GHSA|CVE))(?=-)
    | (?P<commit>(?<!\w)[0-9a-f]{7,}(?!\w))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    # The first two after the end of a line, the others beside each other, would mean something else.
    **{char: f"{{{char}}}" for char in "[*]`'"},
    **{char: f"\\textsuperscript{{{plain}}}" for char, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", '"': r"\textquotedbl{}", "±": r"$\pm$", "×": r"$\times$"},
    **{"−": "$-$", "†": r"\textdagger{}", "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}"},
}
"""What LaTeX does not print as it stands, or not with every font."""
_BEGINNING = re.compile(r"(?:(?P<mark>[=#]|[-+](?![\d.]))|(?P<number>\d{1,9})(?P<after>[.)])(?!\d))")
"""What makes a heading or a list at the beginning of a line, and is no number; there is one line only."""
_PLAIN = re.compile(r"[A-Za-z0-9_.+/=-](?:[A-Za-z0-9_.+/= -]*[A-Za-z0-9_.+/=-])?")


class Safe(str):
    """Text that is Markdown already: not escaped again."""

    __slots__ = ()


def clean(text: str) -> str:
    r"""One line without what does not show: control characters, direction marks, line breaks.

    Examples:
        >>> clean(" a\n\u202eb\x00 ")
        'a b'
    """
    if text.isascii() and text.isprintable():  # almost all are
        return " ".join(text.split())
    return " ".join("".join(char for char in text if char.isspace() or char.isprintable()).split())


def clean_lines(text: str) -> str:
    r"""The same for a text of several lines: line breaks, tabs and blanks stay.

    Examples:
        >>> clean_lines("a\u202eb\x00\n\tc")
        'ab\n\tc'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if char in "\n\t" or char.isprintable() or char in _JOINERS or is_blank(char))


def brief(text: str, limit: int = 80) -> str:
    """A name as a sentence has it: cleaned, and cut where it is a text of its own.

    Examples:
        >>> brief("RF-SCM/Magpie"), brief("a long name", 7)
        ('RF-SCM/Magpie', 'a long…')
    """
    text = clean(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def for_terminal(text: str | bytes, limit: int | None = 1000) -> str:
    r"""Text for a terminal or a log: what does not show is written out; lines stay lines, and blanks are blanks.

    Takes halves of characters from odd file names, too, and what a program printed, as bytes, tabs and all.

    Examples:
        >>> for_terminal("red\x1b[31m alert")
        'red\\x1b[31m alert'
        >>> for_terminal("abcdef", limit=3)
        'abc…'
    """
    if isinstance(text, bytes):
        text = text.decode(errors="replace").expandtabs()
    shown = text if limit is None or len(text) <= limit else f"{text[:limit]}…"
    if shown.isprintable():
        return shown
    return "".join(
        c
        if c.isprintable() or c == "\n"
        else " "
        if is_blank(c)
        else c.encode("unicode_escape", "surrogatepass").decode()
        for c in shown
    )


def for_csv(text: str) -> str:
    r"""Text for a cell of a CSV file; one that a spreadsheet would take for a formula gets an apostrophe in front.

    Examples:
        >>> for_csv("=cmd()"), for_csv("\x07@SUM(A1)"), for_csv("a = b"), for_csv("-1.5")
        ("'=cmd()", "'@SUM(A1)", 'a = b', '-1.5')
    """
    text = clean_lines(text)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def from_csv(text: str) -> str:
    """A cell of a CSV file that `for_csv` has made, without the apostrophe in front.

    Examples:
        >>> from_csv("'-x1 + 2"), from_csv("'quoted'")
        ('-x1 + 2', "'quoted'")
    """
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def visible(value: object, limit: int = 300) -> str:
    r"""One line of text that a reader sees all of: no control characters, nothing that turns the direction of writing.

    Of more than `limit` characters the rest is cut off.

    Examples:
        >>> visible("two\nlines\tand \u202eturned")
        'two lines and \ufffdturned'
        >>> visible("a" * 10, limit=4)
        'aaa…'
    """
    # What is cut off anyway is not looked at: a text may be long.
    shown = " ".join("".join(map(_seen, str(value)[: 4 * limit])).split())
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def for_markdown(value: object, limit: int = 300) -> Safe:
    r"""Text inside GitHub's Markdown: shown as it was written, and nothing else happens.

    Backslashes stop Markdown and HTML. They do not stop what GitHub does to the finished page: it looks for mentions,
    issues, commits and addresses in the text itself. A zero-width space breaks those. The text is cut as by `visible`.

    Examples:
        >>> print(for_markdown("<b>[me](http://x.org)</b> | *@you*"))
        &lt;b&gt;\[me\](http:&#8203;//x.org)&lt;/b&gt; \| \*@&#8203;you\*
        >>> print(for_markdown("fixes #1"), for_markdown("1. no list"))
        fixes #&#8203;1 1\. no list
    """
    if isinstance(value, Safe):
        return value
    text = visible(value, limit)
    first = _BEGINNING.match(text)
    start = first.end() if first else 0
    beginning = "" if first is None else f"{first['number'] or ''}\\{first['mark'] or first['after']}"
    if first is not None and first["mark"] == "#" and text[1:2].strip():
        beginning += _GAP
    return Safe(beginning + _SPECIAL.sub(_replacement, text[start:]))


def for_latex(value: object, limit: int = 300) -> str:
    r"""Text inside LaTeX, cut as by `visible`: no command, no mathematics, no end of a cell or a line.

    Examples:
        >>> print(for_latex(r"50 % of \input{x}, 0.1 ± 0.2 cm⁻¹"))
        50 \% of \textbackslash{}input\{x\}, 0.1 $\pm$ 0.2 cm\textsuperscript{-}\textsuperscript{1}
        >>> print(for_latex("[a] --"))
        {[}a{]} -{}-
    """
    return re.sub("-(?=-)", "-{}", "".join(_LATEX.get(char, char) for char in visible(value, limit)))


def code(value: object, limit: int = 120) -> Safe:
    r"""A name as a piece of code; one with unusual characters as escaped text.

    Examples:
        >>> print(code("my-forest"), code("a`b|c"))
        `my-forest` a\`b\|c
    """
    text = visible(value, limit)
    return Safe(f"`{text}`") if _PLAIN.fullmatch(text) else for_markdown(text, limit)


def is_blank(char: str) -> bool:
    """Whether a character is a space of some width; those that end lines or are control characters are not."""
    return char.isspace() and char > "\x9f" and char not in "\u2028\u2029"


def _seen(char: str) -> str:
    return "" if char in _HIDDEN else char if char.isprintable() else " " if char.isspace() else "\ufffd"


def _replacement(found: re.Match[str]) -> str:
    text = found[0]
    if found["entity"]:
        return _ENTITIES[text]
    if found["mark"]:
        return f"\\{text}"
    if found["commit"]:
        # Pieces too short for a commit.
        return _GAP.join(text[start : start + 6] for start in range(0, len(text), 6))
    return f"{text}{_GAP}"
