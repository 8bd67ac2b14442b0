"""Reading pages as a browser would: elements, their attributes and their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "path"}
_POLICY = re.compile(
    r'\s*<!doctype html>\s*<html[^>]*>\s*<head>\s*<meta http-equiv="Content-Security-Policy" content="([^"]*)">'
)
_ALLOWED = {"style-src": {"'unsafe-inline'"}, "img-src": {"data:"}}
"""What a policy may allow beside the files of the site."""


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def find(self, tag: str, **attributes: str) -> list[Element]:
        """All elements inside it of a tag, with these attributes ("class_" for one of its classes)."""
        return [element for element in self._inside() if tag in ("*", element.tag) and element._has(attributes)]

    def _inside(self) -> Iterator[Element]:
        """All elements inside it, as they follow one another on the page."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            if element is not self:
                yield element
            waiting += [child for child in reversed(element.children) if isinstance(child, Element)]

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> set[str]:
        return set((self.attributes.get("class") or "").split())

    def _has(self, attributes: dict[str, str]) -> bool:
        return all(
            value in self.classes if name == "class_" else self.attributes.get(name) == value
            for name, value in attributes.items()
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("page", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        places = [place for place, element in enumerate(self.open) if element.tag == tag]
        if places:
            del self.open[places[-1] :]

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(text: str) -> Element:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.open[0]


def read(path: Path) -> Element:
    return parse(path.read_text(encoding="utf-8"))


def table(page: Element, board: str) -> list[dict[str, Element]]:
    """The rows of a table: cells by the keys of their columns."""
    section = next(iter(page.find("section", id=board)))
    keys = [head.attributes["data-key"] for head in section.find("thead")[0].find("th")]
    rows = section.find("tbody")[0].find("tr")
    return [dict(zip(keys, [c for c in row.children if isinstance(c, Element)], strict=True)) for row in rows]


def check_policy(page: str) -> None:
    """First in its head, a page has a policy: only scripts with a hash are written into it, nothing comes from afar."""
    found = _POLICY.match(page)
    assert found, page[:300]
    assert b'<meta charset="utf-8">' in page.encode()[:1024], "a browser looks no further for the encoding"
    policy = {name: set(values) for name, *values in (directive.split() for directive in found[1].split(";"))}
    assert policy["base-uri"] == policy["form-action"] == {"'none'"}
    assert policy.get("object-src", policy["default-src"]) == {"'none'"}
    for name, values in policy.items():
        allowed = {"'none'", "'self'", "file:"} | _ALLOWED.get(name, set())
        assert {
            value for value in values - allowed if name != "script-src" or not value.startswith("'sha256-")
        } == set()
