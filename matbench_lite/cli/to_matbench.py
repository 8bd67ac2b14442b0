"""`mbl to-matbench`: an entry becomes a Matbench result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matbench_lite.cli.output import out


def to_matbench(
    entry: Annotated[Path, typer.Argument(help="Folder of an entry on matbench_v0.1.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
) -> None:
    """Write an entry as a file that matbench 0.6 opens and finds valid: plain JSON, the only form that 0.6 reads.

    Examples:
        mbl to-matbench submissions/my-forest --output results.json
    """
    from matbench_lite.matbench import write_results
    from matbench_lite.submission import Submission

    write_results(Submission.load(entry), output)
    out.print(f"written: {output}", highlight=False, markup=False, soft_wrap=True)
