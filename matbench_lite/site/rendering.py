"""Rendering the pages with mkdocs; what has not changed since it was last rendered is not rendered again.

Almost all of the time of mkdocs goes into two steps: making HTML of a page's Markdown (of the API reference most of
all), and taking that HTML apart for the search. What they give is kept as derived data, under a key of all that they
read. The rest, mkdocs does every time: the navigation and the frame around a page, the search index as a whole, the
checks of links and anchors.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from logging.handlers import MemoryHandler
from pathlib import Path
from shutil import rmtree
from typing import Any

from matbench_lite.atomic import finish_replacing_folder, replace_folder
from matbench_lite.data import derived_directory
from matbench_lite.derived import Shelf, key
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.text import slug

_PACKAGE = Path(__file__).parent.parent
_REFERENCE = "::: "
"""What begins a part of the API reference: it follows from our sources, not from the page alone."""
_THE_PAGE = "\0page"


def render_site(folder: Path) -> Path:
    """Render the pages; a warning of mkdocs (a broken link, a page that is missing) is an error.

    The folder has `mkdocs.yml` and the pages; that of the HTML pages comes back. The site that was there is replaced
    when the new one is complete: whoever looks sees the one or the other.
    """
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, MkDocsException

    logger = logging.getLogger("mkdocs")
    heard = MemoryHandler(capacity=10_000, flushLevel=sys.maxsize)
    heard.setLevel(logging.WARNING)
    logger.addHandler(heard)
    try:
        config = load_config(str(folder / "mkdocs.yml"), strict=True)
        target = Path(config["site_dir"])
        draft = target.with_name(f".{target.name}.new")
        finish_replacing_folder(target)
        rmtree(draft, ignore_errors=True)  # of a build that was killed
        config["site_dir"] = str(draft)
        rendered = _Rendered(config)
        config.plugins["matbench_lite"] = rendered
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
    except (Abort, MkDocsException) as error:
        said = "\n  ".join(record.getMessage() for record in heard.buffer) or str(error)
        raise MatbenchLiteError(
            f"mkdocs could not render {folder}:\n  {said}", fix="correct the page that it names"
        ) from error
    finally:
        logger.removeHandler(heard)
    replace_folder(draft, target)
    rendered.keep()
    return target


class _Rendered:
    """For mkdocs, as a plugin: puts what was rendered before in its place, and remembers what is rendered now."""

    def __init__(self, config: Any) -> None:
        self._shelf = Shelf(derived_directory(), f"pages-{slug(config['site_name'], 'site')}", __name__)
        self._used: set[str] = set()
        self._new: dict[str, Any] = {}
        self._reference = ""
        # Whatever is installed may have a part in a page: the theme, Markdown and its extensions, the highlighter.
        installed = sorted(path.name for folder in sys.path for path in Path(folder).glob("*-info"))
        files = [config["config_file_path"], *(hook.__file__ for hook in config["hooks"].values())]
        self._facts = key(sys.version, *installed, *(Path(path).read_text(encoding="utf-8") for path in files))

    def on_files(self, files: Any, **_: Any) -> None:
        """All parts of the reference have one key: under which page an object is listed depends on all of them."""
        pages = (file.content_string for file in files.documentation_pages())
        if parts := [page for page in pages if _REFERENCE in page]:
            sources = (f"{path} {path.read_text(encoding='utf-8')}" for path in sorted(_PACKAGE.rglob("*.py")))
            self._reference = key(*parts, *sources)

    def on_nav(self, _: Any, *, config: Any, **__: Any) -> None:
        """All plugins are ready, and no page was read yet."""
        self._registers = []
        if "mkdocstrings" in config.plugins:
            anchors, handlers = config.plugins["autorefs"], config.plugins["mkdocstrings"].handlers
            # With these, the reference leaves something behind that other pages and files are made of.
            self._registers = [
                (handlers, "get_handler"),
                (anchors, "register_anchor"),
                (handlers.inventory, "register"),
            ]
        (self._index,) = (plugin.search_index for name, plugin in config.plugins.items() if name.endswith("search"))
        self._add_to_index = self._index.add_entry_from_context
        self._index.add_entry_from_context = self._index_page

    def on_pre_page(self, page: Any, **_: Any) -> None:
        """From here on, the page has its own way to be rendered."""
        page.render = partial(self._render_page, page)

    def keep(self) -> None:
        """Keep what this site is made of. Called when it is complete: what mkdocs warns of is never kept."""
        self._shelf.put(self._new)
        self._shelf.retain(self._used)

    def _render_page(self, page: Any, config: Any, files: Any) -> None:
        from mkdocs.structure.toc import get_toc

        reference = self._reference if _REFERENCE in page.markdown else ""
        name = key("page", self._facts, reference, page.file.src_uri, page.markdown)
        stored = self._shelf.get(name)
        # Links are as they are because their targets are there.
        if stored is None or any(files.get_file_from_path(target) is None for target in stored["targets"]):
            self._render_anew(name, page, config, files)
            return
        self._used.add(name)
        page.content, page.toc, page._title_from_render = stored["html"], get_toc(stored["toc"]), stored["title"]
        page.present_anchor_ids = set(stored["anchors"])
        page.links_to_anchors = {files.get_file_from_path(target): links for target, links in stored["links"].items()}
        for (owner, method), calls in zip(self._registers, stored["registered"], strict=True):
            for arguments, options in calls:
                getattr(owner, method)(*(page if each == _THE_PAGE else each for each in arguments), **options)

    def _render_anew(self, name: str, page: Any, config: Any, files: Any) -> None:
        with ExitStack() as stack:
            registered = [stack.enter_context(_calls(owner, method, page)) for owner, method in self._registers]
            asked = stack.enter_context(_calls(files, "get_file_from_path", page))
            type(page).render(page, config, files)
        targets = list(dict.fromkeys(path for (path,), _ in asked))
        if None not in map(files.get_file_from_path, targets):
            self._used.add(name)
            self._new[name] = {
                "html": page.content,
                "toc": _tokens(page.toc),
                "title": page._title_from_render,
                "anchors": sorted(page.present_anchor_ids),
                "links": {file.src_uri: links for file, links in (page.links_to_anchors or {}).items()},
                "targets": targets,
                "registered": registered,
            }

    def _index_page(self, page: Any) -> None:
        indexed = (page.url, str(page.title), str(page.meta), str(_tokens(page.toc)), page.content)
        name = key("search", self._facts, *indexed)
        self._used.add(name)
        stored = self._shelf.get(name)
        if stored is None:
            before = len(self._index.entries)
            self._add_to_index(page)
            self._new[name] = self._index.entries[before:]
        else:
            self._index.entries += stored


@contextmanager
def _calls(owner: Any, method: str, page: Any) -> Iterator[list[Any]]:
    """The arguments of all calls of a method meanwhile; a text stands for the page."""
    calls: list[Any] = []
    call = getattr(owner, method)

    def remember(*arguments: Any, **options: Any) -> Any:
        calls.append(([_THE_PAGE if each is page else each for each in arguments], options))
        return call(*arguments, **options)

    setattr(owner, method, remember)
    yield calls
    delattr(owner, method)


def _tokens(toc: Iterable[Any]) -> list[dict[str, Any]]:
    """A table of contents as the Markdown library gives it."""
    return [{"name": at.title, "id": at.id, "level": at.level, "children": _tokens(at.children)} for at in toc]
