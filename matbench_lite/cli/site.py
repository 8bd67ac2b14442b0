"""`mbl site`: the boards and entries as static pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from matbench_lite.cli.leaderboard import SubmissionsOption
from matbench_lite.cli.output import errors, out
from matbench_lite.cli.tasks import BenchmarkOption
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.tasks import load_benchmark

if TYPE_CHECKING:
    from matbench_lite.site import Built

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
    """Check all entries, rank them and make the site; it opens from its folder, without a server and a network.

    An entry with errors stays off the boards and is listed with what was found;
    the exit code is 1 then, after everything else was built. Without the targets
    on this machine the site has the scores that entries state, marked so.

    Examples:
        mbl site build

        mbl site build --benchmark mini --submissions mbl-demo/submissions --output pages
    """
    from matbench_lite.site import build_site

    built = build_site(
        submissions, output, load_benchmark(benchmark), docs=docs if docs.is_dir() else None, render=render
    )
    return _report(built)


@app.command()
def serve(
    output: OutputOption = Path("build"),
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)] = 8000,
    open_: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
) -> None:
    """Serve a site that was built, to this machine alone.

    Examples:
        mbl site serve

        mbl site serve --output pages --port 0 --open
    """
    from matbench_lite.site.serving import site_server

    try:
        server = site_server(output / "site", port)
    except OSError as error:
        raise MatbenchLiteError(f"port {port} cannot be used: {error.strerror}", fix="choose another --port") from error
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    out.print(f"{address}  (end with Ctrl+C)", highlight=False)
    if open_:
        typer.launch(address)
    with server:
        server.serve_forever()


def _report(built: Built) -> int:
    for slug, checked in built.with_errors.items():
        found = "; ".join(f"{item.code} {item.message}" for item in checked.findings if item.severity == "error")
        errors.print(f"[yellow]{escape(slug)} is left out:[/] {escape(found)}", highlight=False)
    what = "entry" if built.entries == 1 else "entries"
    out.print(f"{built.entries} {what}, {built.pages} files in {escape(str(built.folder / 'docs'))}", highlight=False)
    if built.html is not None:
        out.print(f"open {escape(str(built.html / 'index.html'))}", highlight=False, soft_wrap=True)
    return int(bool(built.with_errors))
