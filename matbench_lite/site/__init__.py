"""The site: boards and entries as static pages that work offline."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.site.build import (
        Built as Built, build_site as build_site, site_server as site_server, write_pages as write_pages,
    )
    from matbench_lite.site.config import common_configuration as common_configuration
    from matbench_lite.site.page_files import File as File, page_file as page_file
    from matbench_lite.site.rendering import render_site as render_site
else:
    __getattr__, __dir__ = lazy(__name__)
