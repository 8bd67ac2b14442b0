"""Hand-written pages as they are, a page for every rule, and the API reference by mkdocstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from matbench_lite.lazy import listed
from matbench_lite.review import RULES
from matbench_lite.site import addresses
from matbench_lite.site.page_files import File, page_file
from matbench_lite.site.site import Site

_PACKAGE = Path(__file__).parent.parent
_INTERNAL = {"cli", "site", "view"}
"""What is used through the program, not from Python."""


def publish(site: Site) -> Iterator[File]:
    """Guides, notes, the pages of the rules, and a page of the reference for each package."""
    of_rules = {file.path: file for file in rule_pages(site.guides)}
    for name, path in site.guides.items():
        if f"{addresses.GUIDE}/{name}" not in of_rules:
            yield File(f"{addresses.GUIDE}/{name}", path)
    yield from of_rules.values()
    for package in packages():
        yield page_file("site/reference.md.j2", address=package.address, title=package.name, package=package)


def rule_pages(guides: Mapping[str, Path]) -> Iterator[File]:
    """A page for every rule, made from the rule itself, and the list of all of them.

    Of the hand-written pages, `rules/<code>.md` has what there is to say beyond the rule, `rules/index.md` what there
    is to say of all of them; one that begins with a title is the page as it is.
    """
    # Rules are Markdown, and ours: escaped, what is code in them would show as entities.
    rules = [
        replace(rule, title=Markup(rule.title), why=Markup(rule.why), fix=Markup(rule.fix)) for rule in RULES.values()
    ]
    groups = {name: list(members) for name, members in groupby(rules, lambda rule: rule.group)}
    yield _rule_page(guides, "index", "Every code", "site/rules.md.j2", "intro", groups=groups)
    for rule in rules:
        yield _rule_page(guides, rule.code, f"{rule.code}: {rule.title}", "site/rule.md.j2", "more", rule=rule)


def _rule_page(guides: Mapping[str, Path], name: str, title: str, template: str, further: str, **values: Any) -> File:
    address, path = addresses.rule_page(name), guides.get(f"rules/{name}.md")
    text = "" if path is None else path.read_text(encoding="utf-8").strip()
    if path is not None and text.startswith("# "):
        return File(addresses.source(address), path)
    values[further] = Markup(text)
    return page_file(template, address=address, title=title, **values)


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package by its full name, the first line of its docstring, and the names that it lists."""

    name: str
    about: str
    names: tuple[str, ...]

    @property
    def address(self) -> str:
        """Its page."""
        return f"reference/{self.name.partition('.')[2] or 'index'}.html"


@cache
def packages() -> tuple[Package, ...]:
    """The packages that have public names, `matbench_lite` itself first; read, not imported: some are heavy.

    Examples:
        >>> [package.name for package in packages()][:2]
        ['matbench_lite', 'matbench_lite.board']
    """
    paths = [_PACKAGE / "__init__.py", *sorted(_PACKAGE.glob("*/__init__.py"))]
    found = [_read(path) for path in paths if path.parent.name not in _INTERNAL]
    return tuple(package for package in found if package.names)


def _read(path: Path) -> Package:
    text = path.read_text(encoding="utf-8")
    # Constants, classes, functions.
    names = sorted(listed(text), key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    return Package(
        name=".".join(path.parent.relative_to(_PACKAGE.parent).parts),
        about=(ast.get_docstring(ast.parse(text)) or "").partition("\n")[0],
        names=tuple(name for name in names if not name.startswith("__")),
    )
