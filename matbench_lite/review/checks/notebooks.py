"""Notebooks: code is welcome, megabytes of its output are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule

MAX_OUTPUTS = 250_000
"""Bytes of all outputs of one notebook: a few tables and a small plot."""

OUTPUTS = Rule(
    code="MBL113",
    severity="error",
    title="Too much output in a notebook",
    why="Outputs make a notebook large, hide the code from a reviewer, and change with every run.",
    fix="clear it (jupyter nbconvert --clear-output --inplace FILE) and run `mbl seal`",
)
NOT_A_NOTEBOOK = Rule(
    code="MBL114",
    severity="error",
    title="Not a notebook",
    why="A file named .ipynb is JSON with a list of cells; GitHub and this site show it as such.",
    fix="save it again in Jupyter, or give it another name, and run `mbl seal`",
)
RULES = (OUTPUTS, NOT_A_NOTEBOOK)


def check(material: Material) -> Iterator[Finding]:
    """Every notebook of the entry."""
    for name, content in material.examined.files.items():
        if not name.lower().endswith(".ipynb"):
            continue
        cells = _cells(content)
        if cells is None:
            yield NOT_A_NOTEBOOK.found(f"{name} is not a Jupyter notebook", file=name)
            continue
        size = sum(len(orjson.dumps(cell["outputs"])) for cell in cells if cell.get("outputs"))
        if size > MAX_OUTPUTS:
            yield OUTPUTS.found(
                f"the outputs in {name} take {size:,} bytes, at most {MAX_OUTPUTS:,} are allowed",
                file=name,
                evidence={"output bytes": size},
            )


def _cells(content: bytes) -> list[dict[str, Any]] | None:
    """The cells of a notebook as plain data; None if it is none."""
    try:
        notebook = orjson.loads(content)
    except orjson.JSONDecodeError:  # too deep included
        return None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return None
    return cells
