"""`mbl new`: a folder to start an entry from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matbench_lite.cli.leaderboard import SubmissionsOption
from matbench_lite.cli.output import out


def new(
    slug: Annotated[str, typer.Argument(help="Name of the entry: lowercase letters, digits and dashes.")],
    baseline: Annotated[str, typer.Option("--from", help="The baseline that the model starts from.")] = "rf-magpie",
    submissions: SubmissionsOption = Path("submissions"),
) -> None:
    """Make a folder to start an entry from: a model that runs, who made it, and a page about it.

    Examples:
        mbl new my-model

        mbl new my-boosting --from gbt-magpie
    """
    from matbench_lite.review.scaffold import make_entry_folder

    for path in make_entry_folder(submissions / slug, baseline=baseline):
        out.print(f"written: {path}", highlight=False, markup=False, soft_wrap=True)
    folder = submissions / slug
    out.print("\nnext: the model runs as it is; edit model.py and about.toml as you like, then")
    steps = (
        (f"mbl try {folder} --benchmark mini", "a first test"),
        (f"mbl run {folder}", "train on every fold, record"),
        (f"mbl check {folder}", "what the review will say"),
        (f"mbl submit {folder}", "how to send it in"),
    )
    width = max(len(command) for command, _ in steps)
    for command, why in steps:
        out.print(f"  {command:<{width}}  # {why}", highlight=False, markup=False, soft_wrap=True)
