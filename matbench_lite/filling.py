"""Text files from templates: what is made for people to edit. Pages are made elsewhere, where all text is escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def fill(template: Path, values: Mapping[str, object]) -> str:
    r"""Fill a template; the filter `quoted` writes a text as TOML and JSON have it.

    Args:
        template: A Jinja file.
        values: What it needs; a missing one is an error.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as home:
        ...     template = Path(home) / "a.toml.j2"
        ...     _ = template.write_text("title = {{ title | quoted }}")
        ...     fill(template, {"title": 'say "hi"'})
        'title = "say \\"hi\\""'
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["quoted"] = lambda text: json.dumps(text, ensure_ascii=False)
    return str(environment.get_template(template.name).render(values))
