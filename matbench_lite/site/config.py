"""What mkdocs renders the pages with: written beside them, so that any mkdocs can render them again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matbench_lite.cleaner import clean
from matbench_lite.site import addresses
from matbench_lite.site.guide_pages import packages
from matbench_lite.site.page_files import load_assets
from matbench_lite.site.site import Site

HOOKS = Path(__file__).parent / "hooks.py"
_LINK = re.compile(r"\]\(([^)#:]+\.md)")


def configuration(site: Site) -> dict[str, Any]:
    """The content of `mkdocs.yml`."""
    look = common_configuration(f"matbench_lite: {site.benchmark.title}", navigation(site))
    own = _settings("leaderboards")
    return {**look, **own, "plugins": [*look["plugins"], *own["plugins"]]}


def common_configuration(name: str, pages: list[Any]) -> dict[str, Any]:
    """What the sites of leaderboards and of events have in common: how they look and work.

    The name is escaped by the hooks; the pages are the navigation.
    """
    look, assets = _settings("all"), load_assets()
    look["theme"] |= {"logo": assets.logo.path, "favicon": assets.logo.path}
    look["extra"] = {"polyfills": [assets.early.path]}
    look["extra_css"] = [assets.style.path]
    look["extra_javascript"] = [assets.script.path]
    return {"site_name": clean(name), **look, "nav": pages}


def _settings(whose: str) -> dict[str, Any]:
    """What no site says of itself: "all" of them, or those of "leaderboards".

    Pages are opened from a folder, too, where no server turns "x/" into "x/index.html": no address is that of a folder.
    The search finds names by their parts: "dielectric" in matbench_dielectric.
    """
    text = (Path(__file__).parent / "assets" / "mkdocs.json").read_text(encoding="utf-8")
    settings: dict[str, Any] = json.loads(text)[whose]
    return settings


def configuration_text(settings: Mapping[str, Any], *, by: str) -> str:
    """The file that mkdocs reads its settings from; `by` is the command that writes it."""
    first = f"# Written by `{by}`. To render the pages again: `mkdocs build --strict` in this folder.\n"
    return first + json.dumps(settings, indent=2, ensure_ascii=False) + "\n"  # JSON is YAML


def navigation(site: Site) -> list[dict[str, Any]]:
    """The tabs; pages of entries are not in it: every page would have a line for each of them."""
    tasks = [{site.short(task.name): addresses.source(addresses.task_page(task.name))} for task in site.benchmark]
    guide = [f"{addresses.GUIDE}/{name}" for name in _reading_order(site)]
    python = [{package.name: addresses.source(package.address)} for package in packages()]
    return [
        {"Leaderboard": addresses.source(addresses.HOME)},
        {"Tasks": tasks},
        {"Entries": addresses.source(addresses.ENTRIES)},
        {"Compare": addresses.source(addresses.COMPARE)},
        {"Statistics": addresses.source(addresses.STATISTICS)},
        {"Guide": [*guide, {"Rule codes": f"{addresses.GUIDE}/rules/index.md"}]},
        {"Python": python},
        {"Downloads": addresses.source(addresses.DOWNLOADS)},
    ]


def _reading_order(site: Site) -> list[str]:
    """Hand-written pages in the order in which the first of them links to them; then all others."""
    pages = [name for name in site.guides if name.endswith(".md") and not name.startswith("rules/")]
    first = _LINK.findall(site.guides["index.md"].read_text(encoding="utf-8")) if "index.md" in pages else []
    order = dict.fromkeys(["index.md", *first, *pages])
    return [name for name in order if name in pages]
