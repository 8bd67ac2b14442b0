"""`mbl leaderboard`: which model is best at what, and is the difference real?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from matbench_lite.cli.board_text import Column, print_fitted
from matbench_lite.cli.output import errors, out, print_json
from matbench_lite.cli.tasks import BenchmarkOption, JsonOption
from matbench_lite.digits import MISSING, ends, mean_of, number, p_value, share, spread
from matbench_lite.tasks import load_benchmark

if TYPE_CHECKING:
    from matbench_lite.board import Cell, Entries, GeneralBoard, GeneralRow, TaskBoard

CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV: every column, every digit.")]
SubmissionsOption = Annotated[Path, typer.Option("--submissions", "-s", help="Folder with one folder per entry.")]


def leaderboard(
    task: Annotated[str | None, typer.Option("--task", "-t", help="One task; without it, the general board.")] = None,
    benchmark: BenchmarkOption = "matbench_v0.1",
    submissions: SubmissionsOption = Path("submissions"),
    task_set: Annotated[
        str | None,
        typer.Option(
            "--set",
            help="Tasks that decide about ranks: all, regression, structure, or the common ones (regression on "
            "structures), which every general-purpose entry has and which are taken by default.",
        ),
    ] = None,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> int:
    """Rank entries: on one task, or general-purpose entries over many.

    Entries with the same letter are statistically tied: a paired test over the
    folds (Nadeau-Bengio, Holm, 5 %) cannot tell them from the best of their
    group. Intervals are 95 % bootstrap intervals over test rows: they say
    nothing about training again.

    Examples:
        mbl leaderboard

        mbl leaderboard --set structure

        mbl leaderboard --task matbench_dielectric --csv
    """
    from matbench_lite.board import Results, TaskBoard, general_board, read_entries, task_board, to_csv

    one_output(csv=csv, json=json)
    bench = load_benchmark(benchmark)
    chosen = None if task is None else bench[task]
    entries = read_entries(submissions, bench)
    results = Results(bench, entries.read)
    board = general_board(results, task_set) if chosen is None else task_board(results, chosen)
    if json:
        print_json({"headline": board.headline, **asdict(board)})
    elif csv:
        typer.echo(to_csv(board.rows), nl=False)
    elif isinstance(board, TaskBoard):
        _print_task(board)
    else:
        _print_general(board)
    return print_refused(entries)


def one_output(*, csv: bool, json: bool) -> None:
    """Refuse two formats at once."""
    if csv and json:
        raise typer.BadParameter("choose one of --csv and --json")


def print_refused(entries: Entries) -> int:
    """Name the entries that could not be read; the exit code is 1 if there are any."""
    for slug, error in entries.refused.items():
        errors.print(f"[yellow]{escape(slug)} is left out:[/] {escape(str(error))}", highlight=False)
    return int(bool(entries.refused))


def print_state(verified: Sequence[bool]) -> None:
    """Say in plain sight whether the numbers were computed here."""
    if all(verified):
        out.print("verified: every score is computed from the predictions and the published targets", highlight=False)
    else:
        out.print(
            "[yellow]unverified:[/] the published targets are not here, so these are scores that entries state; "
            "mbl data fetch --targets-only gets them",
            highlight=False,
        )


def _print_task(board: TaskBoard) -> None:
    out.print(f"[bold]{escape(board.task)}[/]: {escape(board.headline)}\n", highlight=False)
    if board.rows:
        left_out = print_fitted(list(_task_columns(board)))
        out.print()
        out.print("tie: entries of one letter cannot be told apart over the folds; ± std over folds", highlight=False)
        if left_out:
            out.print(f"no room for {escape(', '.join(left_out))}: widen the terminal, or --csv", highlight=False)
        print_state([row.verified for row in board.rows])
    for slug, reason in board.left_out.items():
        out.print(f"{escape(slug)} is not listed: {escape(reason)}", highlight=False)


def _task_columns(board: TaskBoard) -> Iterator[Column]:
    from matbench_lite.metrics import metric_header

    rows = board.rows
    first = [row.tie_group == "a" for row in rows]
    yield Column(header="rank", cells=[str(row.rank) for row in rows], right=True)
    yield Column(header="tie", cells=[row.tie_group for row in rows])
    yield Column(header="entry", cells=[row.algorithm for row in rows], strong=first)
    header = metric_header(board.metric, board.unit)
    yield Column(header=header, cells=[spread(row.score) for row in rows], right=True, strong=first)
    yield Column(header="95 % interval", cells=[ends(row.interval) for row in rows], right=True, spare=1)
    if board.unseen_share is not None and board.unseen_share < 1:
        cells = [MISSING if row.unseen is None else number(row.unseen.mean, row.score.std) for row in rows]
        yield Column(header=f"unseen formulas\n({share(board.unseen_share)})", cells=cells, right=True, spare=2)
    differences = [ends(row.difference_interval, sign=True) for row in rows]
    yield Column(header="difference to first\n95 % interval", cells=differences, right=True, spare=3)
    yield Column(header="p", cells=[p_value(row.p) for row in rows], right=True, spare=4)
    for place, metric in enumerate(dict.fromkeys(name for row in rows for name in row.metrics)):
        yield _metric_column(board, metric, spare=5 + place)
    if any(row.seconds is not None for row in rows):
        cells = [number(row.seconds, None) for row in rows]
        yield Column(header="training (s)", cells=cells, right=True, spare=30)
    yield Column(header="category", cells=[row.category for row in rows], spare=31)
    if any(row.hardware for row in rows):
        yield Column(header="hardware", cells=[row.hardware or MISSING for row in rows], spare=32)


def _metric_column(board: TaskBoard, metric: str, *, spare: int) -> Column:
    from matbench_lite.metrics import metric_header

    header = metric_header(metric, board.unit)
    values = [row.metrics.get(metric) for row in board.rows]
    cells = [mean_of(value) for value in values]
    if metric == "max_error":  # the worst row of all, not the mean of five
        cells = [MISSING if value is None else number(value.max, value.std) for value in values]
    if metric == "mape" and (used := board.rows[0].mape_share) is not None:
        header += f"\n({share(used)} of rows)"
    if metric == "rocauc":
        cells = ["labels only" if row.labels_only else cell for row, cell in zip(board.rows, cells, strict=True)]
    return Column(header=header, cells=cells, right=True, spare=spare)


def _print_general(board: GeneralBoard) -> None:
    out.print("[bold]The best general-purpose entry on each task[/]\n")
    print_fitted(list(_best_columns(board)))
    out.print(f"\n[bold]All general-purpose entries[/]: {escape(board.headline)}", highlight=False)
    if not board.rows:
        return
    if board.ranked:
        out.print()
        print_fitted(list(_rank_columns(board.ranked)), title=f"ranks over {len(board.ranked_tasks)} tasks")
    out.print()
    for columns in _chunks(board):
        print_fitted(columns)
        out.print()
    out.print(
        "scaled error: MAE by the mean absolute deviation of the targets, or 2 (1 - balanced accuracy); 0 is perfect, "
        "1 a constant guess. * best; a: cannot be told apart from the best; – not recorded",
        highlight=False,
    )
    print_state([cell.verified for row in board.rows for cell in row.tasks.values()])


def _best_columns(board: GeneralBoard) -> Iterator[Column]:
    from matbench_lite.metrics import metric_name

    best = board.best
    yield Column(header="task", cells=[row.task for row in best])
    yield Column(header="rows", cells=[f"{row.samples:,}" for row in best], right=True, spare=3)
    yield Column(header="best entry", cells=[row.algorithm or MISSING for row in best], strong=[True] * len(best))
    yield Column(header="score", cells=[spread(row.score) for row in best], right=True)
    yield Column(header="metric (unit)", cells=[metric_name(row.metric, row.unit) for row in best], spare=1)
    yield Column(header="scaled\nerror", cells=[_scaled(row.scaled_error) for row in best], right=True, spare=4)
    yield Column(header="tied", cells=[str(row.tied) if row.slug else MISSING for row in best], right=True, spare=2)
    yield Column(header="95 % interval", cells=[ends(row.interval) for row in best], right=True, spare=5)


def _scaled(value: float | None) -> str:
    return number(value, None if value is None else 0.01)


def _rank_columns(rows: Sequence[GeneralRow]) -> Iterator[Column]:
    yield Column(header="rank", cells=[str(row.rank) for row in rows], right=True)
    yield Column(header="95 %", cells=[_places(row) for row in rows])
    yield Column(header="entry", cells=[row.algorithm for row in rows], strong=[row.rank == 1 for row in rows])
    yield Column(header="mean rank", cells=[number(row.mean_rank, 0.1) for row in rows], right=True)
    yield Column(header="95 %", cells=[_mean_ranks(row) for row in rows], spare=1)
    yield Column(header="tasks led", cells=[str(row.led) for row in rows], right=True)
    yield Column(header="category", cells=[row.category for row in rows], spare=2)


def _places(row: GeneralRow) -> str:
    interval = row.rank_interval
    return MISSING if interval is None else f"{interval.low:.0f} to {interval.high:.0f}"


def _mean_ranks(row: GeneralRow) -> str:
    interval = row.mean_rank_interval
    return MISSING if interval is None else f"{interval.low:.1f} to {interval.high:.1f}"


def _chunks(board: GeneralBoard) -> Iterator[list[Column]]:
    """Entries down, tasks across: as many tasks side by side as there is room for."""
    names = Column(header="scaled error", cells=[row.algorithm for row in board.rows])
    chunk = [names]
    for best in board.best:
        column = _task_column(board, best.task)
        if len(chunk) > 1 and sum(item.width for item in (*chunk, column)) > out.width:
            yield chunk
            chunk = [names]
        chunk.append(column)
    yield chunk


def _task_column(board: GeneralBoard, task: str) -> Column:
    cells = [row.tasks.get(task) for row in board.rows]
    spreads = sorted(cell.scaled_std for cell in cells if cell is not None and cell.scaled_std > 0)
    # One number of decimals down a column, by the scatter of the typical entry.
    typical = spreads[len(spreads) // 2] if spreads else None
    prefix = board.best[0].task.partition("_")[0] + "_"
    return Column(
        header=task.removeprefix(prefix).replace("_", "\n"),
        cells=[_cell(cell, typical) for cell in cells],
        right=True,
        strong=[cell is not None and cell.tie_group == "a" for cell in cells],
    )


def _cell(cell: Cell | None, typical: float | None) -> str:
    if cell is None:
        return MISSING
    mark = "*" if cell.best else ""
    return f"{mark}{number(cell.scaled_error, typical)} {cell.tie_group}"
