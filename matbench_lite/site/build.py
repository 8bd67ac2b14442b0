"""Building the site: check, rank, publish, render, serve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from shutil import copyfile
from typing import Any

from matbench_lite.board import Results, stated_benchmark
from matbench_lite.check import Checked, check_entries
from matbench_lite.errors import EntryError, MatbenchLiteError
from matbench_lite.site import (
    compare_page,
    config,
    downloads_page,
    entries_page,
    entry_page,
    general_pages,
    guide_pages,
    task_page,
)
from matbench_lite.site.page_files import File, load_assets, write
from matbench_lite.site.rendering import render_site
from matbench_lite.site.site import Site
from matbench_lite.submission import read_reproductions
from matbench_lite.tasks import Benchmark

PAGES = (general_pages, task_page, entries_page, entry_page, compare_page, downloads_page, guide_pages)
"""One module per kind of page; each has `publish(site)`, which gives all files of its kind."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What was built: a folder with `mkdocs.yml` and `docs`, and the site as HTML, None if it was not rendered.

    Numbers are those of the files written to `docs` and of the entries on the boards; those with errors stay off them.
    """

    folder: Path
    html: Path | None
    pages: int
    entries: int
    with_errors: Mapping[str, Checked]


def build_site(
    submissions: Path, output: Path, benchmark: Benchmark, *, docs: Path | None = None, render: bool = True
) -> Built:
    """Build the site of a benchmark: `mkdocs.yml`, `docs` (the pages as Markdown, and data files) and `site` (HTML).

    There is one folder per entry; those with errors stay off the boards and are listed. The folder of hand-written
    pages may be left out. An `EntryError` if there is no folder of entries, a `MatbenchLiteError` if mkdocs fails.
    """
    import pyarrow as pa

    # Files are read one after the other: the allocator of pyarrow would keep what the largest of them needed.
    pa.set_memory_pool(pa.system_memory_pool())
    if not submissions.is_dir():
        raise EntryError(f"there is no folder {submissions}", fix="give the folder that holds the entries")
    found = check_entries(submissions, benchmark=benchmark)
    checked = {slug: entry for slug, entry in found.items() if _belongs(entry, benchmark)}
    site = make_site(checked, benchmark, docs=docs)
    pages = publish(site, output)
    return Built(
        folder=output,
        html=render_site(output) if render else None,
        pages=pages,
        entries=len(site.results.entries),
        with_errors=site.with_errors,
    )


def _belongs(entry: Checked, benchmark: Benchmark) -> bool:
    """Whether an entry is of the benchmark, or of none that can be read; those of others have sites of their own."""
    stated = entry.submission.benchmark.name if entry.submission else stated_benchmark(entry.folder)
    return stated in (None, benchmark.name)


def make_site(checked: Mapping[str, Checked], benchmark: Benchmark, *, docs: Path | None = None) -> Site:
    """What publishers need, from what the checks found."""
    entries = {slug: found.submission for slug, found in checked.items() if found.ok and found.submission is not None}
    results = Results(benchmark, entries, reproduced=read_reproductions(checked[slug].folder for slug in entries))
    return Site(benchmark=benchmark, results=results, checked=checked, docs=docs)


def publish(site: Site, output: Path) -> int:
    """Write all pages, and give their number; what an earlier build left there goes."""
    published = chain.from_iterable(module.publish(site) for module in PAGES)
    return write_pages(output, published, config.configuration(site), by="mbl site build")


def write_pages(output: Path, files: Iterable[File], settings: Mapping[str, Any], *, by: str) -> int:
    """Write the files of a site and what all sites share to `docs`, and beside it what mkdocs reads: its settings.

    What an earlier build left in `docs` goes. `by` is the command that does it; the number of files in `docs` comes
    back.
    """
    folder = output / "docs"
    written = {write(folder, file) for file in (*load_assets(), *files)}
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path not in written:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    (output / "mkdocs.yml").write_text(config.configuration_text(settings, by=by), encoding="utf-8")
    copyfile(config.HOOKS, output / config.HOOKS.name)
    return len(written)


def site_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server of the HTML pages in a folder, reachable from this machine alone; port 0 takes a free one."""
    if not (folder / "index.html").is_file():
        raise MatbenchLiteError(f"there is no site in {folder}", fix="run `mbl site build` first")
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


class _Quiet(SimpleHTTPRequestHandler):
    """Does not print a line per request."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
