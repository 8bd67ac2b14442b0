"""The peer's side of perf/site.py: the pages of a leaderboard with what matbench 0.6 offers.

The program that makes matbench's pages is not in its wheel. This does the same work in the same order, with the same
calls: open every result with `MatbenchBenchmark.from_file`, keep all of them, write a page per result (scores and
parameters of every fold), a page per task (a table) with a plotly figure of errors with bars, one figure of scaled
errors, and the first page.

Arguments: a small result to warm up with, a folder of results as plain JSON, the folder to write to.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections import defaultdict
from pathlib import Path

import pandas as pd
import plotly.express as px
from matbench.bench import MatbenchBenchmark
from matbench.constants import REG_KEY
from matbench.metadata import mbv01_metadata

logging.disable(logging.CRITICAL)


def result_page(name: str, result: MatbenchBenchmark) -> str:
    complete = [result.is_complete, result.is_structure_complete, result.is_regression_complete]
    parts = [f"# {name}", str(result.user_metadata), f"complete: {complete}"]
    for task in result.tasks:
        metrics = list(task.scores.keys())
        parts.append(f"## {task.dataset_name}\n\n| fold | {' | '.join(metrics)} |\n{'|---' * (len(metrics) + 1)}|")
        for fold, held in task.results.items():
            parts.append(f"| {fold} | {' | '.join(f'{held.scores[metric]:.4f}' for metric in metrics)} |")
        for metric, stats in task.scores.items():
            parts.append(f"| {metric} | {stats.mean:.4f} | {stats.max:.4f} | {stats.min:.4f} | {stats.std:.4f} |")
        parts += [f"| {fold} | `{held.parameters}` |" for fold, held in task.results.items()]
    return "\n".join(parts)


def task_page(name: str, entries: dict, figure: Path) -> str:
    metric = "mae" if mbv01_metadata[name].task_type == REG_KEY else "rocauc"
    scores = {entry: getattr(task.scores, metric) for entry, task in entries.items()}
    frame = pd.DataFrame({"mean": {k: v.mean for k, v in scores.items()}, "std": {k: v.std for k, v in scores.items()}})
    frame = frame.sort_values("mean", ascending=metric == "mae")
    px.scatter(frame[["mean", "std"]], error_y="std", log_y=True).write_html(figure)
    lines = [f"| {entry} | {row['mean']:.4f} | {row['std']:.4f} |" for entry, row in frame.iterrows()]
    return "\n".join([f"# {name}", str(mbv01_metadata[name]), *lines, f'<iframe src="{figure.name}"></iframe>'])


def scaled(task: str, score: float) -> float:
    about = mbv01_metadata[task]
    return score / about.mad if about.task_type == REG_KEY else 2 * (1 - score)


def make_pages(results: Path, output: Path) -> None:
    opened = {path.stem: MatbenchBenchmark.from_file(str(path)) for path in sorted(results.glob("*.json"))}
    tasks: dict[str, dict] = defaultdict(dict)
    errors: dict[str, dict[str, float]] = defaultdict(dict)
    for name, result in opened.items():
        for task in result.tasks:
            tasks[task.dataset_name][name] = task
            score = (task.scores.mae if task.metadata.task_type == REG_KEY else task.scores.rocauc).mean
            if result.is_complete or result.is_structure_complete or result.is_regression_complete:
                errors[task.dataset_name][name] = scaled(task.dataset_name, score)
    for name, result in opened.items():
        (output / f"{name}.md").write_text(result_page(name, result))
    for task, entries in tasks.items():
        (output / f"{task}.md").write_text(task_page(task, entries, output / f"{task}.html"))
    frame = pd.DataFrame(errors).T
    px.scatter(frame, log_y=True).write_html(output / "scaled_errors.html")
    (output / "index.md").write_text(frame.to_string())


def main() -> None:
    small, results, output = (Path(argument) for argument in sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    MatbenchBenchmark.from_file(str(small))
    px.scatter(pd.DataFrame({"a": [1.0, 2.0]}), log_y=True).write_html(output / "warm.html")
    began, spent = time.perf_counter(), time.process_time()
    make_pages(results, output)
    print(json.dumps({"pages": time.perf_counter() - began, "processor": time.process_time() - spent}))


main()
