"""The entries of the site that the browser opens: a usual board, a wicked entry, and one with errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from matbench_lite import Benchmark, Submission
from matbench_lite.tasks import Task

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = '<img src=x onerror="window.hacked = 1; alert(1)">'
LINK = "[click](javascript:window.hacked=1) ![i](http://evil.example/i.png) <http://evil.example/>"
BRACES = "{{ 7 * 7 }} {% raw %} ${7*7} {: onclick=alert(1) }"
TURNED = "\u202eevil\u202c \u2067left\u2069 \u200f"
LONG = "W" * 400
FORMULA = '=HYPERLINK("http://evil.example";"click")'
WICKED = [SCRIPT, IMAGE, LINK, BRACES, TURNED, LONG, FORMULA, "</pre></div></body>", "# Heading\n\n---\n\n```", "‮‮"]
NAME = f"={IMAGE}{BRACES}{TURNED}{'W' * 300}"
"""The name of the wicked entry: one line of at most 500 characters."""


def write_entries(benchmark: Benchmark, folder: Path) -> None:
    """Write all entries below a folder."""
    code = folder.parent / "model.py"
    code.write_text('"""A model."""\n')
    for place in range(4):
        _entry(benchmark, place, algorithm=f"Noise {place}").save(folder / f"noise-{place}", code=code)
    structure = [task.name for task in benchmark.select(input="structure")]
    _entry(benchmark, 4, algorithm="Structures", tasks=structure).save(folder / "structures", code=code)
    labels = _entry(benchmark, 5, algorithm="Labels only", certain=False)
    labels.save(folder / "labels", code=code)
    special = _entry(benchmark, 6, algorithm="One task", tasks=["mini_gap"], certain=False)
    special.save(folder / "one-task", code=code)
    _wicked(benchmark, folder / "wicked")
    broken = _entry(benchmark, 8, algorithm=f"Broken {SCRIPT} {BRACES}")
    broken.save(folder / "broken", code=code)
    (folder / "broken" / "model.py").write_text("# changed after it was saved\n")


def _entry(
    benchmark: Benchmark, seed: int, *, tasks: list[str] | None = None, certain: bool = True, **about
) -> Submission:
    """An entry whose noise grows with the seed; where it is certain of itself, it says how much."""
    about = {"authors": ["A. Author"], "description": "The truth plus noise.", **about}
    references = [f"@article{{noise{seed}, title = {{Noise {seed}}}}}"]
    entry = Submission(benchmark, single_configuration=True, external_data=False, **{"references": references, **about})
    for task in benchmark.select(names=tasks):
        for fold, prediction, std in _predictions(task, seed):
            if task.kind == "classification":
                entry.record(task.name, fold, prediction if certain else prediction > 0.5)
            else:
                entry.record(task.name, fold, prediction, std=std if certain else None)
    entry.created = f"{2020 + seed}-05-01T00:00:00+00:00"
    return entry


def _predictions(task: Task, seed: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    for fold in task.folds:
        truth = task.target_values[task.test_rows(fold)]
        error = rng.normal(size=len(truth)) * (1 + 0.4 * seed)
        std = np.full(len(truth), 0.2 * (1 + 0.4 * seed) * float(np.std(task.target_values)))
        prediction = 1 / (1 + np.exp(-(2 * truth - 1) - error)) if truth.dtype == bool else truth + std * error
        yield fold, prediction, std


def _wicked(benchmark: Benchmark, folder: Path) -> None:
    """An entry with something wicked in every text that it may have."""
    everything = "\n\n".join(WICKED)
    line = " ".join(WICKED).replace("\n", " ")[:500]
    entry = _entry(
        benchmark,
        7,
        algorithm=NAME,
        authors=[text.replace("\n", " ")[:500] for text in WICKED],
        description=everything,
        references=WICKED,
        requirements=[text.replace("\n", " ") for text in WICKED],
        metadata={**{text: text for text in WICKED}, "nested": {"list": WICKED}},
    )
    entry.external_data = everything
    entry.provenance = {"hardware": {"gpus": WICKED, "cpu": IMAGE}, **{text: text for text in WICKED}}
    for task in benchmark:
        for fold, held in entry.recorded(task.name).items():
            params = {SCRIPT: IMAGE, "long": LONG, "formula": FORMULA, "braces": BRACES}
            entry._keep(task.name, fold, type(held)(**{**vars(held), "params": params}))
    model = folder.parent.parent / "wicked.py"
    model.write_text(f"# {line}\n")
    entry.save(folder, code=model)
    (folder / "README.md").write_text(everything)
    (folder / f"a{IMAGE.replace('/', '')}.py").write_text("# a file of a wicked name\n")
    (folder / "page.html").write_text(SCRIPT)
    (folder / "note.ipynb").write_text(json.dumps({"cells": [{"source": everything}]}))
