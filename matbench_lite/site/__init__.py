"""The site: boards and entries as static pages that work offline."""

from matbench_lite.site.build import Built, build_site

__all__ = ["Built", "build_site"]
