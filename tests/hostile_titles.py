"""A benchmark and an event of somebody's own, with something hostile in every text that they may have.

`whole_site` has an entry of this kind; here it is those who set up the board that cannot be trusted.
"""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pandas as pd

from matbench_lite import Benchmark, load_benchmark
from matbench_lite.event import Event, benchmark_source, clock, create_event, private_board, public_board
from matbench_lite.event.pages import build_board
from matbench_lite.review import check_entries
from matbench_lite.site.build import make_site, publish
from matbench_lite.site.rendering import render_site

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
