"""Hand-written pages, as they are; and a page for every rule code that has none."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.review import RULES
from matbench_lite.site import addresses
from matbench_lite.site.files import File
from matbench_lite.site.site import Site
from matbench_lite.site.templating import page

RULES_INDEX = f"{addresses.GUIDE}/rules/index.html"


def publish(site: Site) -> Iterator[File]:
    """Guides, notes, and the pages of the rules."""
    for name, path in site.guides.items():
        yield File(f"{addresses.GUIDE}/{name}", path)
    for code, rule in RULES.items():
        if f"rules/{code}.md" not in site.guides:
            address = addresses.rule_page(code)
            yield File(addresses.source(address), page("rule.md.j2", address=address, title=code, rule=rule))
    if "rules/index.md" not in site.guides:
        text = page("rules.md.j2", address=RULES_INDEX, title="Rule codes", rules=RULES.values())
        yield File(addresses.source(RULES_INDEX), text)
