"""`mbl compare`: A or B?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from matbench_lite.cli.board_text import Column, print_fitted
from matbench_lite.cli.leaderboard import CsvOption, SubmissionsOption, one_output, print_state
from matbench_lite.cli.output import out, print_json
from matbench_lite.cli.tasks import JsonOption
from matbench_lite.digits import ends, p_value, share, spread

if TYPE_CHECKING:
    from matbench_lite.board import CompareRow


def compare(
    entries: Annotated[list[str], typer.Argument(metavar="A B…", help="Folders of entries, or their slugs.")],
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="Path of the TOML file, if the benchmark is not built in.")
    ] = None,
    submissions: SubmissionsOption = Path("submissions"),
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Compare entries task by task: who wins, by how much, with what certainty.

    The p-value is that of a paired test over the folds (Nadeau-Bengio; Holm
    for more than two entries). The interval is a 95 % paired bootstrap interval
    of the difference over test rows; it says nothing about training again.

    Examples:
        mbl compare my-forest their-network

        mbl compare submissions/a submissions/b /elsewhere/c --csv
    """
    from matbench_lite.board import Results, to_csv
    from matbench_lite.board import compare as compare_entries
    from matbench_lite.submission import Submission

    one_output(csv=csv, json=json)
    folders = {path.name: path for path in (_folder(entry, submissions) for entry in entries)}
    if len(folders) < len(entries):
        raise typer.BadParameter("two of the entries have the same name")
    loaded = {slug: Submission.load(path, benchmark) for slug, path in folders.items()}
    bench = next(iter(loaded.values())).benchmark
    board = compare_entries(Results(bench, loaded), list(loaded))
    if json:
        print_json({"headline": board.headline, **asdict(board)})
        return
    if csv:
        typer.echo(to_csv(board.rows), nl=False)
        return
    out.print(escape(board.headline), highlight=False, style="bold")
    for first, second in combinations(board.slugs, 2):
        if rows := [row for row in board.rows if (row.first, row.second) == (first, second)]:
            out.print()
            print_fitted(list(_columns(rows)), title=f"{first} − {second}" if len(board.slugs) > 2 else None)
    if board.rows:
        out.print("\np: would the order hold with other splits? interval: on other test rows?")
        print_state([row.verified for row in board.rows])


def _folder(entry: str, submissions: Path) -> Path:
    """The folder that was meant: a path, or a slug under the folder of entries."""
    path = Path(entry)
    return path.resolve() if path.is_dir() else submissions / entry


def _columns(rows: Sequence[CompareRow]) -> Iterator[Column]:
    from matbench_lite.metrics import metric_name

    first, second = rows[0].first, rows[0].second
    yield Column(header="task", cells=[row.task for row in rows])
    yield Column(header="metric (unit)", cells=[metric_name(row.metric, row.unit) for row in rows], spare=3)
    for slug, scores in ((first, [row.first_score for row in rows]), (second, [row.second_score for row in rows])):
        ahead = [row.ahead == slug for row in rows]
        yield Column(header=slug, cells=[spread(score) for score in scores], right=True, strong=ahead, spare=2)
    yield Column(
        header="difference\n95 % interval", cells=[ends(row.interval, sign=True) for row in rows], right=True, spare=1
    )
    yield Column(header="p", cells=[p_value(row.p) for row in rows], right=True)
    yield Column(header="winner", cells=[row.winner or "tied" for row in rows], strong=[True] * len(rows))
    yield Column(header=f"rows won\nby {first}", cells=[share(row.first_wins) for row in rows], right=True, spare=4)
    yield Column(header=f"rows won\nby {second}", cells=[share(row.second_wins) for row in rows], right=True, spare=5)
