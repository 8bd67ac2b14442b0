"""Small files that look like the published ones, and tasks whose checksums are those of these files."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd

from matbench_lite import Benchmark, Task, load_benchmark
from matbench_lite.data.chemistry import reduced_formulas_of_strings
from matbench_lite.tasks import inputs_digest, spacegroups_digest, targets_digest

PUBLISHED = load_benchmark("matbench_v0.1")
METALS = ("Fe", "Co", "Ni", "Cu", "Zn", "Mn", "Cr", "V", "Ti", "Sc")
ANIONS = ("O", "S", "Se", "F", "Cl")


def write_split(path: Path, columns: list[str], rows: list[list[Any]]) -> Path:
    """Write pandas "split" JSON, gzipped; the same rows give the same bytes."""
    content = {"index": list(range(len(rows))), "columns": columns, "data": rows}
    text = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def structure(row: int, *, pairs: int = 1) -> dict[str, Any]:
    """A cell with pairs of atoms, another one for every row; cubic for one pair."""
    edge = 3.5 + 0.001 * row
    sites = [
        {"species": [{"element": element, "occu": 1}], "abc": abc, "label": element, "properties": {"magmom": 0.5}}
        for z in np.arange(pairs) / pairs
        for element, abc in ((METALS[row % 10], [0.0, 0.0, z]), (ANIONS[row % 5], [0.5, 0.5, (z + 0.5) % 1]))
    ]
    return {
        "@module": "pymatgen.core.structure",
        "@class": "Structure",
        "charge": None,
        "lattice": {"matrix": [[edge, 0.0, 0.0], [0.0, edge, 0.0], [0.0, 0.0, edge]]},
        "sites": sites,
    }


def composition(row: int) -> str:
    """A formula as in the steels: fractions of several elements."""
    return f"{METALS[row % 10]}0.{600 + row % 300}{ANIONS[row % 5]}0.1"


def formulas(task: Task) -> list[str]:
    """The formula of every row, not reduced."""
    if task.input == "composition":
        return [composition(row) for row in range(task.rows)]
    return [f"{METALS[row % 10]}{ANIONS[row % 5]}" for row in range(task.rows)]


def target(task: Task, row: int) -> float | bool:
    return bool(row % 3) if task.kind == "classification" else round(1.5 + row / 7, 4)


def rows_of(task: Task) -> list[list[Any]]:
    make = structure if task.input == "structure" else composition
    return [[make(row), target(task, row)] for row in range(task.rows)]


def publish(
    folder: Path, name: str, *, rows: int | None = None, spacegroups: list[int | None] | None = None
) -> tuple[Task, Path]:
    """Write the file of a task and change the registry's checksums so that it is the published one.

    With the registry's number of rows the shipped folds fit, too. Space groups are in the registry alone: no original
    file states them.
    """
    task = PUBLISHED[name] if rows is None else replace(PUBLISHED[name], rows=rows)
    content = rows_of(task)
    path = write_split(folder / task.original.name, [task.input, task.target], content)
    values = np.array([value for _, value in content])
    return (
        replace(
            task,
            original=replace(task.original, sha256=hashlib.sha256(path.read_bytes()).hexdigest(), urls=()),
            targets_sha256=targets_digest(task.ids, values),
            formulas_sha256=inputs_digest(task.ids, reduced_formulas_of_strings(formulas(task))),
            spacegroups_sha256=None if spacegroups is None else spacegroups_digest(task.ids, spacegroups),
            inputs_sha256=None if task.input == "structure" else inputs_digest(task.ids, [text for text, _ in content]),
        ),
        path,
    )


def benchmark(*tasks: Task) -> Benchmark:
    return replace(PUBLISHED, tasks=tasks)


def targets_frame(task: Task) -> pd.DataFrame:
    """The targets of a synthetic task, as people pass them on."""
    values = [target(task, row) for row in range(task.rows)]
    return pd.DataFrame({"mbid": task.ids, "target": values, "composition": formulas(task)})
