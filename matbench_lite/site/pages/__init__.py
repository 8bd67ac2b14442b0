"""One module per kind of page; each has `publish(site)`, which gives all files of its kind."""

from matbench_lite.site.files import Publisher
from matbench_lite.site.pages import compare, downloads, entries, entry, guide, home, reference, statistics, task

PUBLISHERS: tuple[Publisher, ...] = tuple(
    module.publish for module in (home, task, entries, entry, compare, statistics, downloads, guide, reference)
)
