"""How a submission looks in a terminal and in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matbench_lite.digits import spread
from matbench_lite.errors import DataError
from matbench_lite.metrics import ranking_metric, shown_metrics

if TYPE_CHECKING:
    from matbench_lite.submission.scores import TaskScores
    from matbench_lite.submission.submission import Submission


@dataclass(frozen=True)
class Row:
    """One task in the overview."""

    task: str
    folds: str
    metric: str
    value: str
    unit: str
    others: str


def as_text(submission: Submission) -> str:
    """A short table: one line per recorded task."""
    rows = _rows(submission)
    lines = [
        f"Submission: {submission.algorithm} on {submission.benchmark.name}",
        f"{submission.category} ({submission.category.reason})",
    ]
    if rows:
        widths = [max(len(getattr(row, name)) for row in rows) for name in ("task", "folds", "metric", "value")]
        lines += [
            f"  {row.task:<{widths[0]}}  {row.folds:>{widths[1]}}  {row.metric:<{widths[2]}}"
            f"  {row.value:>{widths[3]}} {row.unit}".rstrip()
            for row in rows
        ]
    return "\n".join(lines)


def as_html(submission: Submission) -> str:
    """The same for a notebook; every text is escaped."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True
    )
    template = environment.get_template("submission.html.j2")
    return template.render(submission=submission, category=submission.category, rows=_rows(submission))


def _rows(submission: Submission) -> list[Row]:
    try:
        scores = submission.scores
    except DataError:
        return [
            Row(
                task.name, f"{len(submission.recorded(task.name))}/{task.n_folds} folds", "no targets here", "–", "", ""
            )
            for task in submission.tasks
        ]
    return [_row(task.n_folds, scores[task.name]) for task in submission.tasks]


def _row(n_folds: int, scores: TaskScores) -> Row:
    metric = ranking_metric(scores.kind)
    others = ", ".join(
        f"{metric.name} {spread(scores.metrics[metric.name])}"
        for metric in shown_metrics(scores.kind, "overview")
        if metric.name in scores.metrics
    )
    value = spread(scores.metrics[metric])
    return Row(scores.task, f"{len(scores.folds)}/{n_folds} folds", metric, value, scores.unit, others)
