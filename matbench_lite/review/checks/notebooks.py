"""Notebooks: code is welcome, megabytes of its output are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from matbench_lite.airlock import inside
from matbench_lite.errors import AirlockError
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
        size = _output_size(content)
        if size is None:
            yield NOT_A_NOTEBOOK.found(f"{name} is not a Jupyter notebook", file=name)
        elif size > MAX_OUTPUTS:
            yield OUTPUTS.found(
                f"the outputs in {name} take {size:,} bytes, at most {MAX_OUTPUTS:,} are allowed",
                file=name,
                evidence={"output bytes": size},
            )


def _output_size(content: bytes) -> int | None:
    """How many bytes the outputs of a notebook take; None if it is none."""
    try:
        size = inside(notebook_decoder, None, content).content
    except AirlockError:
        return None
    return size if isinstance(size, int) else None


def notebook_decoder(_: None, blobs: Sequence[memoryview]) -> tuple[int | None, Mapping[str, Any]]:
    """In the airlock: the size of the outputs in a notebook."""
    try:
        notebook = orjson.loads(blobs[0])
    except orjson.JSONDecodeError:  # too deep included
        return None, {}
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return None, {}
    return sum(len(orjson.dumps(cell["outputs"])) for cell in cells if cell.get("outputs")), {}
