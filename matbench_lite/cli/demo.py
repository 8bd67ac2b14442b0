"""`mbl demo`: the whole job on the embedded benchmark, offline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from matbench_lite.cli import leaderboard, site
from matbench_lite.cli.output import errors, out
from matbench_lite.progress import progress

if TYPE_CHECKING:
    from matbench_lite.site import Built

MODELS = ("dummy", "ridge-magpie", "rf-magpie", "rf-structure")
"""The baselines of the demo: those that are done in a minute."""


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the entries and the site.")] = Path(
        "mbl-demo"
    ),
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="How many folds are trained at a time; two by default.")
    ] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Open the site in a browser, and serve it.")] = False,
) -> int:
    """Train baselines on every task of `mini`, check them, rank them, build the site: offline, in under a minute.

    Examples:
        mbl demo

        mbl demo --output somewhere/else --serve
    """
    submissions = output / "submissions"
    for model in MODELS:
        _train(model, submissions / model, workers=jobs or min(2, os.cpu_count() or 1))
    built = _build(submissions, output)
    code = leaderboard.leaderboard(benchmark="mini", submissions=submissions)
    _say_where(submissions, built)
    if serve:
        site.serve(output, port=0, open_=True)
    return code or int(bool(built.with_errors))


def _train(name: str, folder: Path, *, workers: int) -> None:
    from matbench_lite.errors import RunError
    from matbench_lite.run import Plan, load_model, run_model
    from matbench_lite.tasks import load_benchmark

    model = load_model(name)
    folds = sum(task.n_folds for task in load_benchmark("mini") if model.takes(task))
    plan = Plan(model=model, benchmark="mini", output=folder, workers=workers, fresh=True)
    with progress(f"training {name}", folds) as advance:
        result = run_model(plan, report=lambda _: advance(1))
    if result.failed:
        raise RunError(f"{len(result.failed)} folds of {name} failed: {result.failed[0]}", fix=f"see {result.log}")
    errors.print(f"{name}: {result.trained} folds of {len(result.submission.tasks)} tasks trained", highlight=False)


def _build(submissions: Path, output: Path) -> Built:
    from matbench_lite.site import build_site
    from matbench_lite.tasks import load_benchmark

    built = build_site(submissions, output, load_benchmark("mini"))
    for slug, checked in built.with_errors.items():
        errors.print(f"[red]{escape(slug)} has errors:[/] mbl check {escape(str(checked.folder))}", highlight=False)
    return built


def _say_where(submissions: Path, built: Built) -> None:
    lines = {
        "the site": built.html and (built.html / "index.html").resolve(),
        "the entries": submissions,
        "their check": f"mbl check {submissions}/*",
        "one task": f"mbl leaderboard --benchmark mini --submissions {submissions} --task mini_gap",
    }
    out.print()
    for what, where in lines.items():
        out.print(f"{what + ':':<13} {where}", highlight=False, markup=False, soft_wrap=True)
