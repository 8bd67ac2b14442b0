"""The site: boards and entries as static pages that work offline."""

from matbench_lite.site.build import Built, build_site, site_server, write_pages
from matbench_lite.site.config import common_configuration, configuration_files
from matbench_lite.site.page_files import Assets, File, load_assets, page
from matbench_lite.site.rendering import render_site

__all__ = [
    "Assets", "Built", "File", "build_site", "common_configuration", "configuration_files", "load_assets", "page",
    "render_site", "site_server", "write_pages",
]  # fmt: skip
