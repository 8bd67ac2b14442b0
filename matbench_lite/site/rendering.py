"""From pages to HTML: mkdocs, as a library, on the folder that the publishers wrote."""

from __future__ import annotations

import logging
from pathlib import Path
from shutil import rmtree

from matbench_lite.atomic import finish_replacing_folder, replace_folder
from matbench_lite.errors import MatbenchLiteError


def render_site(folder: Path) -> Path:
    """Render the pages; a warning of mkdocs (a broken link, a page that is missing) is an error.

    The site that was there is replaced when the new one is complete: whoever looks sees the one or the other.

    Args:
        folder: Has `mkdocs.yml` and the pages.

    Returns:
        The folder of the HTML pages.

    Raises:
        MatbenchLiteError: If mkdocs warns or fails.
    """
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, MkDocsException

    logger = logging.getLogger("mkdocs")
    heard = _Heard()
    logger.addHandler(heard)
    try:
        config = load_config(str(folder / "mkdocs.yml"), strict=True)
        target = Path(config["site_dir"])
        draft = target.with_name(f".{target.name}.new")
        finish_replacing_folder(target)
        rmtree(draft, ignore_errors=True)  # of a build that was killed
        config["site_dir"] = str(draft)
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
    except (Abort, MkDocsException) as error:
        said = "\n  ".join(heard.messages) or str(error)
        raise MatbenchLiteError(
            f"mkdocs could not render {folder}:\n  {said}", fix="correct the page that it names"
        ) from error
    finally:
        logger.removeHandler(heard)
    replace_folder(draft, target)
    return target


class _Heard(logging.Handler):
    """Keeps what mkdocs warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
