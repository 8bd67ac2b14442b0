"""axe on a page that is open: all its rules in light colours, those about colours in dark ones, too."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# It would load the stylesheets a second time, as data, which a page of a folder may not.
OPTIONS = {"resultTypes": ["violations"], "preload": False}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def serious_faults(page: Page) -> list[tuple[Any, ...]]:
    """What axe calls serious or critical: scheme, rule, elements, what to do."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    faults = _serious("light", Axe().run(page, options=OPTIONS).response)
    # As the theme's own button does; that colours follow the system is tested elsewhere.
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    dark = page.evaluate("options => axe.run(options)", {**OPTIONS, "runOnly": COLOURS})
    return faults + _serious("dark", dark)


def _serious(scheme: str, response: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (scheme, fault["id"], [node["html"][:200] for node in fault["nodes"][:3]], fault["nodes"][0]["failureSummary"])
        for fault in response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
