"""`mbl site`: the boards and entries as static pages; `mbl demo`: the whole job on the embedded benchmark, offline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from matbench_lite import site, train
from matbench_lite.cli.leaderboard import leaderboard
from matbench_lite.cli.options import BenchmarkOption, SubmissionsOption
from matbench_lite.cli.output import errors, say
from matbench_lite.errors import MatbenchLiteError, RunError, raising
from matbench_lite.tasks import load_benchmark
from matbench_lite.text import count

app = typer.Typer(help="The boards and entries as a static site.", no_args_is_help=True)

OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Folder for the pages; the site is in its `site`.")]


@app.command()
def build(
    submissions: SubmissionsOption = Path("submissions"),
    output: OutputOption = Path("build"),
    benchmark: BenchmarkOption = "matbench_v0.1",
    docs: Annotated[Path, typer.Option(help="Folder of hand-written pages, added to the site where it exists.")] = Path(
        "leaderboard_docs"
    ),
    render: Annotated[
        bool, typer.Option("--render/--no-render", help="Make HTML of the pages; they stay as Markdown in `docs`.")
    ] = True,
) -> int:
    """Check all entries, rank them and build the site; it opens from its folder, without a server or a network.

    An entry with errors stays off the boards and is listed with what was found;
    the exit code is 1 then, after everything else was built. Without the targets
    on this machine the site has the scores that entries state, marked so.

    Examples:
        mbl site build

        mbl site build --benchmark mini --submissions mbl-demo/submissions --output pages
    """
    own = docs if docs.is_dir() else None
    built = site.build_site(submissions, output, load_benchmark(benchmark), docs=own, render=render)
    for slug, checked in built.with_errors.items():
        found = "; ".join(f"{item.code} {item.message}" for item in checked.findings if item.severity == "error")
        say((f"{slug} is left out:", "yellow"), f" {found}", to=errors)
    say(f"{count(built.entries, 'entry')}, {count(built.pages, 'file')} in {built.folder / 'docs'}")
    if built.html is not None:
        say(f"open {built.html / 'index.html'}")
    return int(bool(built.with_errors))


@app.command("serve")
def serve_site(
    output: OutputOption = Path("build"),
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)] = 8000,
    open_: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
) -> None:
    """Serve a built site, to this machine alone.

    Examples:
        mbl site serve

        mbl site serve --output pages --port 0 --open
    """
    with raising(MatbenchLiteError, f"port {port} cannot be used", fix="choose another --port"):
        server = site.site_server(output / "site", port)
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    say(f"{address}  (end with Ctrl+C)")
    if open_:
        typer.launch(address)
    with server:
        server.serve_forever()


MODELS = ("dummy", "ridge-magpie", "rf-magpie", "rf-structure")
"""The baselines of the demo: those that are done in a minute."""
_DEMO = Path("mbl-demo")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the entries and the site.")] = _DEMO,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="How many folds are trained at a time; by default two.")
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
    built = site.build_site(submissions, output, load_benchmark("mini"))
    for slug, checked in built.with_errors.items():
        say((f"{slug} has errors:", "red"), f" mbl check {checked.folder}", to=errors)
    code = leaderboard(benchmark="mini", submissions=submissions)
    lines = {
        "the site": built.html and (built.html / "index.html").resolve(),
        "the entries": submissions,
        "their check": f"mbl check {submissions}/*",
        "one task": f"mbl leaderboard --benchmark mini --submissions {submissions} --task mini_gap",
    }
    say()
    for what, where in lines.items():
        say(f"{what + ':':<13} {where}")
    if serve:
        serve_site(output, port=0, open_=True)
    return code or int(bool(built.with_errors))


def _train(name: str, folder: Path, *, workers: int) -> None:
    model = train.load_model(name)
    plan = train.Plan(
        model=model, benchmark="mini", output=folder, resources=train.Resources(workers=workers), fresh=True
    )
    result = train.run_model(plan)
    if result.failed:
        failed = count(len(result.failed), "fold")
        raise RunError(f"{failed} of {name} failed: {result.failed[0]}", fix=f"see {result.log}")
    tasks = count(len(result.submission.tasks), "task")
    say(f"{name}: {count(result.trained, 'fold')} of {tasks} trained", to=errors)
