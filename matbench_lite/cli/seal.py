"""`mbl seal`: an entry after its README, code or `about.toml` was edited."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matbench_lite.cli.output import out
from matbench_lite.tasks import load_benchmark


def seal(
    entries: Annotated[list[Path], typer.Argument(metavar="ENTRY…", help="Folders of entries.")],
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="Path of the TOML file, if the benchmark is not built in.")
    ] = None,
) -> None:
    """Bring an entry up to date after you edited its README, its code or about.toml; nothing is trained again.

    An entry lists a checksum of every file, so that no later change goes
    unseen. Predictions cannot be sealed anew: record them again.

    Examples:
        mbl seal submissions/my-model
    """
    from matbench_lite.submission import seal as seal_entry

    bench = None if benchmark is None else load_benchmark(benchmark)
    for entry in entries:
        changes = seal_entry(entry, benchmark=bench)
        for change in changes:
            out.print(f"{entry}: {change}", highlight=False, markup=False, soft_wrap=True)
        state = "sealed" if changes else "was sealed already"
        out.print(f"{entry}: {state}", highlight=False, markup=False, soft_wrap=True)
