"""What a kit has beside its data: a README that a student can follow, a model to start from, and a notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matbench_lite.atomic import write_bytes
from matbench_lite.event.datasets import INPUT_COLUMNS, TEMPLATES
from matbench_lite.event.settings import Event
from matbench_lite.filling import fill
from matbench_lite.metrics import METRICS
from matbench_lite.run.model import MODEL_FILE, load_model

if TYPE_CHECKING:
    from matbench_lite.tasks import Task

START_MODEL = "start"
NOTEBOOK_FILE = "start.ipynb"
_BASELINE = "rf-magpie"


def write_kit_files(event: Event, task: Task, sizes: Mapping[str, int]) -> None:
    """Write the README, the model to start from and the notebook.

    Args:
        event: The event.
        task: What is to be predicted.
        sizes: Number of rows of each dataset.
    """
    values = {
        "event": event,
        "task": task,
        "sizes": sizes,
        "column": INPUT_COLUMNS[task.input],
        "metric": METRICS[event.metric],
        "source": load_model(_BASELINE).files[0].read_text(encoding="utf-8"),
        "data_file": "public.csv" if task.input == "composition" else "public.parquet",
        "start": START_MODEL,
    }
    for name, template in (
        ("README.md", "README.md.j2"),
        (f"models/{START_MODEL}/{MODEL_FILE}", "model.py.j2"),
        (f"models/{START_MODEL}/submission.toml", "submission.toml.j2"),
    ):
        write_bytes(event.kit / name, fill(TEMPLATES / template, values).encode())
    text = fill(TEMPLATES / "notebook.md.j2", values)
    write_bytes(event.kit / NOTEBOOK_FILE, json.dumps(notebook(text), indent=1, ensure_ascii=False).encode() + b"\n")


def notebook(text: str) -> dict[str, Any]:
    r"""A notebook from Markdown: blocks of Python become cells of code, what is between them cells of text.

    Examples:
        >>> [cell["cell_type"] for cell in notebook("Hello.\n\n```python\n1 + 1\n```\n")["cells"]]
        ['markdown', 'code']
    """
    cells: list[dict[str, Any]] = []
    for place, block in enumerate(text.split("```")):
        source = block.removeprefix("python").strip("\n") if place % 2 else block.strip("\n")
        if not source:
            continue
        cell: dict[str, Any] = {"id": f"cell-{len(cells)}", "metadata": {}, "source": source.splitlines(keepends=True)}
        if place % 2:
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        else:
            cell |= {"cell_type": "markdown"}
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
