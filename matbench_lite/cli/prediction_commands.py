"""`mbl predictions`, and what `mbl compare` says of folders that are no entries: one table for all results."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from matbench_lite.cli.options import JsonOption
from matbench_lite.cli.output import print_fitted, print_json, say, text_column
from matbench_lite.text import count

if TYPE_CHECKING:
    from matbench_lite.train import Comparison


def predictions(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The output folder of a run.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table to this file: .parquet or .csv.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """The predictions of `mbl run`, `try`, `evaluate` or `judge run` as one table, and models by their mean loss.

    The loss is the absolute error, 1 for a wrong class, the score of an evaluation:
    smaller is better.

    Examples:
        mbl predictions submissions/my-model --output predictions.parquet

        mbl predictions judging --json
    """
    from matbench_lite.cleaner import for_csv
    from matbench_lite.train import predictions_table

    table = predictions_table(folder)
    if output is not None:
        if output.suffix == ".csv":
            cells = table.map(lambda cell: for_csv(cell) if isinstance(cell, str) else cell)
            cells.to_csv(output, index=False)
        elif output.suffix == ".parquet":
            table.to_parquet(output, index=False)
        else:
            raise typer.BadParameter(f"{output} is neither .parquet nor .csv", param_hint="--output")
    which = ["task", "protocol", "part", "model"]
    means = table.groupby(which)["loss"].agg(["mean", "size"]).reset_index()
    means["rank"] = means.groupby(which[:-1])["mean"].rank(method="min")
    means = means.sort_values([*which[:-1], "rank", "model"])
    if json:
        print_json(means.rename(columns={"mean": "loss", "size": "rows"}).to_dict("records"))
        return
    columns = [text_column(name, means[name].astype(str).tolist()) for name in which]
    columns.append(text_column("rank", [f"{rank:g}" for rank in means["rank"]], right=True))
    columns.append(text_column("mean loss", [f"{loss:.4g}" for loss in means["mean"]], right=True))
    columns.append(text_column("rows", [f"{size:,}" for size in means["size"]], right=True))
    print_fitted(columns)
    if output is not None:
        say(f"{count(len(table), 'prediction')} in {output}")


def is_entry(folder: Path) -> bool:
    """Whether a folder is that of an entry."""
    return (folder / "submission.json").is_file()


def print_comparisons(first: Path, second: Path, *, json: bool) -> None:
    """Compare two folders by their predictions."""
    from matbench_lite.train import compare_tables, predictions_table

    found = compare_tables(predictions_table(first), predictions_table(second))
    if json:
        print_json([asdict(one) | {"difference": one.difference} for one in found])
        return
    print_fitted(
        [
            text_column("task", [one.task for one in found]),
            text_column("part", [one.part for one in found]),
            text_column("models", [f"{one.first} - {one.second}" for one in found]),
            text_column("losses", [f"{one.losses[0]:.4g} - {one.losses[1]:.4g}" for one in found], right=True),
            text_column("difference", [f"{one.difference:.4g}" for one in found], right=True),
            text_column("95 % interval", [_interval(one) for one in found], right=True),
            text_column("p", ["–" if one.p is None else f"{one.p:.2g}" for one in found], right=True),
            text_column("pieces", [str(one.pieces) for one in found], right=True),
            text_column("rows", [f"{one.rows:,}" for one in found], right=True),
        ]
    )
    say("below 0 the first is better; p: would the order hold with other pieces? interval: on other rows?")


def _interval(one: Comparison) -> str:
    return f"{one.interval.low:.4g} to {one.interval.high:.4g}"
