"""A benchmark, an event, an evaluation and a competition with something hostile in every text that they may have.

`whole_site` has an entry of this kind; here it is those who set up the board that cannot be trusted.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pandas as pd

from matbench_lite import Benchmark, load_benchmark
from matbench_lite.check import check_entries
from matbench_lite.evaluate import as_page
from matbench_lite.event import Event, benchmark_source, build_board, clock, create_event, private_board, public_board
from matbench_lite.judge import Run, arrange, judge, rule_set
from matbench_lite.judge.competition import load_datasets, write_datasets
from matbench_lite.judge.dossiers import Opinion, combine, make_dossier
from matbench_lite.judge.judge_dataset import FORMULAS
from matbench_lite.judge.judge_pages import dossier_page, judgement_page
from matbench_lite.site.build import make_site, publish, render_site

from .evaluate.conftest import Folder, hostile_results
from .site.entries import record
from .whole_site import Once

SEEN = '=cmd() Gaps & <more> <script>window.hacked=1</script>"><img src=x onerror="window.hacked=1">evil'
"""What is to be read of a hostile text."""
HOSTILE = SEEN.replace("evil", "\u202e\x07evil")
NAME = "Task.of-ours_1"
"""Names have letters, digits and these: nothing hostile can be one."""


def hostile_site(once: Once) -> Path:
    """The HTML pages of the site of a hostile benchmark."""

    def build(folder: Path) -> None:
        benchmark, code = hostile_benchmark(folder), folder / "model.py"
        code.write_text('"""A model."""\n')
        for seed in range(3):
            entry = record(benchmark, 0.3 + 0.2 * seed, seed=seed)
            entry.save(folder / "submissions" / f"noise-{seed}", code=code)
        publish(make_site(check_entries(folder / "submissions", benchmark=benchmark), benchmark), folder / "build")
        shutil.rmtree(folder / "build" / "docs" / "reference")
        _leave_out_reference(folder / "build" / "mkdocs.yml")
        render_site(folder / "build")

    return once("hostile-site", build) / "build" / "site"


def hostile_board(once: Once) -> Path:
    """The HTML pages of a hostile event."""

    def build(folder: Path) -> None:
        benchmark, now = hostile_benchmark(folder), clock()
        event = create_event(
            Event(
                folder=folder / "event",
                name="event",
                title=HOSTILE,
                description=HOSTILE,
                mode="predictions",
                opening=now - timedelta(days=2),
                public_opening=now - timedelta(days=2),
                closing=now + timedelta(days=1),
                metric="mae",
                inner_folds=3,
            ),
            benchmark_source(benchmark, benchmark[NAME]),
            split_seed=0,
        )
        public = public_board(event)
        build_board(event, public, private_board(event, public), folder / "board", now=now)

    return once("hostile-board", build) / "board" / "site"


def hostile_pages(once: Once) -> Path:
    """Pages that are one file: the report of an evaluation, a judgement, and a dossier for experts."""

    def build(folder: Path) -> None:
        (folder / "report.html").write_text(as_page(hostile_results(Folder(folder / "evaluation"), HOSTILE)))
        write_datasets(FORMULAS, folder / "datasets", seed=7)
        (dataset,) = (each for each in load_datasets(folder / "datasets") if each.name == "saddle")
        told = replace(dataset.task, name=HOSTILE, target=HOSTILE, unit=HOSTILE, description=HOSTILE)
        about = replace(dataset, name=HOSTILE, title=HOSTILE, feature_set="magpie", task=told)
        values = tuple(dataset.testing(0).y)
        runs = [
            Run(
                algorithm=name,
                dataset=HOSTILE,
                run=number,
                r2=r2,
                components=5,
                property_value=1.0,
                expression=formula,
                predictions=values,
                problem=HOSTILE if number == 2 else None,
                notes=(HOSTILE,),
                asked=HOSTILE,
            )
            for name, r2, formula in ((HOSTILE, 0.9, HOSTILE), ("b", 0.8, "x1 + 2*x2"))
            for number in range(3)
        ]
        written = {letter: dict.fromkeys(("accuracy", "simplicity", "soundness"), HOSTILE) for letter in "AB"}
        key = {"k": {"dataset": HOSTILE, "A": HOSTILE, "B": "b"}}
        trust = combine([Opinion(expert=HOSTILE, dossier="k", trust={"A": 1, "B": 2}, notes=written)], key)
        judgement = judge(runs, rule_set("final"), draws=5)
        (folder / "judgement.html").write_text(judgement_page(judgement, title=HOSTILE, trust=trust))
        dossier = make_dossier(arrange(runs), HOSTILE, rule_set("draft"), about=about)
        (folder / "dossier.html").write_text(dossier_page(dossier))

    return once("hostile-pages", build)


def hostile_benchmark(folder: Path) -> Benchmark:
    """Write a benchmark and its data, and load it."""
    rows = range(60)
    table = pd.DataFrame({"id": [f"r{row}" for row in rows], "formula": [f"Fe{row + 1}O2" for row in rows]})
    table["gap"] = [(row * 7 % 60) / 10 for row in rows]
    table["metal"] = [row % 3 == 0 for row in rows]
    table.to_csv(folder / "rows.csv", index=False)
    text = json.dumps(HOSTILE)
    data = '[tasks.data]\npath = "rows.csv"\nid = "id"\ninput = "formula"\n'
    about = f'input = "composition"\ntarget = {text}\ndescription = {text}\nreferences = [{text}]\n'
    (folder / "benchmark.toml").write_text(
        f'name = "ours"\ntitle = {text}\ndescription = {text}\nreferences = [{text}]\n'
        f'[[tasks]]\nname = "{NAME}"\nkind = "regression"\nunit = {text}\n{about}{data}target = "gap"\n'
        f'[[tasks]]\nname = "metal"\nkind = "classification"\n{about}{data}target = "metal"\n'
    )
    return load_benchmark(folder / "benchmark.toml")


def _leave_out_reference(path: Path) -> None:
    """The API reference takes most of the time of rendering, and is always the same."""
    comment, _, content = path.read_text(encoding="utf-8").partition("\n")
    settings = json.loads(content)
    settings["nav"] = [tab for tab in settings["nav"] if "Python" not in tab]
    path.write_text(f"{comment}\n{json.dumps(settings)}", encoding="utf-8")
