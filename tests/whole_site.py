"""The one site that is rendered for all tests: a usual board, a wicked entry, entries with errors, guides, reference.

Rendering takes longer than all else about a site, and the API reference most of that: what looks at HTML, as text or in
a browser, looks at this.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from matbench_lite import Benchmark, Submission, load_benchmark
from matbench_lite.check import Finding, check_entries
from matbench_lite.site.build import make_site, publish, render_site
from matbench_lite.tasks import Task

Once = Callable[[str, Callable[[Path], None]], Path]
"""The fixture `once`."""
GUIDES = Path(__file__).parent.parent / "leaderboard_docs"
SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = '<img src=x onerror="window.hacked = 1; alert(1)">'
LINK = "[click](javascript:window.hacked=1) ![i](http://evil.example/i.png) <http://evil.example/>"
BRACES = "{{ 7 * 7 }} {% raw %} ${7*7} {: onclick=alert(1) }"
TURNED = "\u202eevil\u202c \u2067left\u2069 \u200f"
LONG = "W" * 400
FORMULA = '=HYPERLINK("http://evil.example";"click")'
WICKED = (
    SCRIPT,
    IMAGE,
    LINK,
    BRACES,
    TURNED,
    LONG,
    FORMULA,
    "</pre></div></body>",
    "</div></td></table></script></style></title>",
    "# Heading\n\n---\n\n```",
    "\u202e\u202e",
    '" onmouseover="alert(1)" x="',
    "=HYPERLINK(1) | +1 | @SUM(1)",
    "a\u2028b\u2029c `code` **bold** _em_ ~~del~~ [^1] [[x]] :smile: <!-- c -->",
    "http://evil.example/auto <https://evil.example/> www.evil.example",
    "::: matbench_lite.Submission",
    "\u0391\u0301" * 40,
)
LINES = [" ".join(text.split())[:500] for text in WICKED]
REFERENCES = ["@misc{x, title={</pre><script>window.hacked = 1</script>}}", *WICKED]
NAME = f"={IMAGE}{BRACES}{TURNED}{'W' * 300}"
"""The name of the wicked entry: one line of at most 500 characters."""
OFF = "<b>off</b>"
"""The wicked name of an entry that stays off the boards."""


def pages_of_whole_site(once: Once) -> Path:
    """The folder of the entries (`submissions`) and of what mkdocs renders (`build`)."""
    return once("site-pages", _publish)


def whole_site(once: Once) -> Path:
    """The folder of the HTML pages."""
    pages = pages_of_whole_site(once)

    def render(folder: Path) -> None:
        shutil.copytree(pages / "build", folder / "build")
        render_site(folder / "build")

    return once("site-html", render) / "build" / "site"


def _publish(folder: Path) -> None:
    submissions = folder / "submissions"
    submissions.mkdir()
    mini = load_benchmark("mini")
    _write_entries(mini, submissions)
    checked = check_entries(submissions, benchmark=mini)
    # The checks refuse the wicked entry. The pages must hold even if they did not, and quoted what it says.
    assert not checked["wicked"].ok
    quoted = [Finding(code="MBL101", severity="warning", message=text, fix=text, file=text) for text in WICKED]
    errors = [replace(finding, severity="error") for finding in quoted]
    checked["wicked"] = replace(checked["wicked"], findings=tuple(quoted))
    checked[OFF] = replace(checked["broken"], slug=OFF, findings=tuple(errors))
    publish(make_site(checked, mini, docs=GUIDES), folder / "build")


def _write_entries(benchmark: Benchmark, folder: Path) -> None:
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
    entry = _entry(
        benchmark,
        7,
        algorithm=NAME,
        authors=LINES,
        description=everything + "\n\n" + "long " * 2000,
        references=REFERENCES,
        requirements=LINES,
        metadata={**{text: list(WICKED) for text in WICKED}, "nested": {"list": list(WICKED)}},
        imported={"from": "matbench", "url": "javascript:alert(1)"},
    )
    entry.external_data = everything
    entry.provenance = {"hardware": {"gpus": list(WICKED), "cpu": IMAGE}, **{text: text for text in WICKED}}
    for task in benchmark:
        for fold, held in entry.recorded(task.name).items():
            params = {SCRIPT: IMAGE, "long": LONG, "formula": FORMULA, "braces": BRACES}
            entry._keep(task.name, fold, type(held)(**{**vars(held), "params": params}))
    model = folder.parent.parent / "wicked.py"
    model.write_text(f"# {' '.join(LINES)[:500]}\nprint('</script>')\n")
    entry.save(folder, code=model)
    (folder / "README.md").write_text(everything)
    (folder / f"a{IMAGE.replace('/', '')}.py").write_text("# a file of a wicked name\n")
    (folder / "page.html").write_text(SCRIPT)
    (folder / "picture.svg").write_text("<svg onload='window.hacked = 1'/>")
    (folder / "note.ipynb").write_text(json.dumps({"cells": [{"source": everything}]}))
