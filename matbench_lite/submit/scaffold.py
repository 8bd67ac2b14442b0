"""Making the folder of a new entry."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from matbench_lite.atomic import write_bytes
from matbench_lite.check import MAX_SLUG, is_slug
from matbench_lite.errors import EntryError, RepositoryError
from matbench_lite.git import own_git
from matbench_lite.submission import ABOUT_FILE
from matbench_lite.templating import render
from matbench_lite.train import MODEL_FILE, about_model, load_model

DEFAULT_BASELINE = "rf-magpie"


def make_entry_folder(folder: Path, *, baseline: str = DEFAULT_BASELINE, author: str | None = None) -> list[Path]:
    """Make a folder with a model that runs, `about.toml` and a README, and give these files.

    The name of the folder is the slug of the entry, the model starts from the source of the baseline; who makes it is
    by default the name that git knows. An `EntryError` if the folder is there already, or its name cannot be a slug.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as home:
        ...     [path.name for path in make_entry_folder(Path(home) / "my-model", author="A. Name")]
        ['model.py', 'about.toml', 'README.md']
    """
    slug = folder.name
    if not is_slug(slug):
        suggestion = "-".join(re.findall("[a-z0-9]+", slug.lower()))[:MAX_SLUG].strip("-")
        raise EntryError(
            f"{slug!r} cannot be the name of an entry: at most {MAX_SLUG} small letters, digits and single dashes",
            fix=f"try {suggestion if is_slug(suggestion) else 'my-model'}",
        )
    if folder.exists():
        raise EntryError(f"{folder} already exists", fix="choose another name, or remove it")
    model = load_model(baseline)
    source = model.files[0].read_text(encoding="utf-8")
    values = {
        "slug": slug,
        "source": source,
        "baseline": baseline,
        "authors": [author or _git_name() or "Your Name"],
        "description": (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0],
        "requirements": list(about_model(model).get("requirements", ())),
    }
    files = [folder / name for name in (MODEL_FILE, ABOUT_FILE, "README.md")]
    for file in files:
        write_bytes(file, render(f"submit/files/{file.name}.j2", **values).encode())
    return files


def _git_name() -> str | None:
    try:
        asked = own_git(seconds=10).ask("config", "user.name")
    except RepositoryError:
        return None
    return " ".join(asked.output.decode(errors="replace").split()) or None
