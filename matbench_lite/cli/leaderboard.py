"""`mbl leaderboard` and `mbl compare`: which model is best at what, and is the difference real?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from matbench_lite.cli.options import BenchmarkOption, CsvOption, JsonOption, OwnBenchmarkOption, SubmissionsOption
from matbench_lite.cli.output import errors, out, print_fitted, print_json, width
from matbench_lite.cli.prediction_commands import is_entry, print_comparisons
from matbench_lite.tasks import Benchmark, load_benchmark
from matbench_lite.text import count, in_words

if TYPE_CHECKING:
    from matbench_lite.board import CompareBoard, Entries, GeneralBoard, TaskBoard
    from matbench_lite.view import Column

    Tables = Mapping[str, Sequence[Column]]
    """What each shows, and its columns."""

MarkdownOption = Annotated[bool, typer.Option("--markdown", help="Print Markdown: the most important columns.")]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print LaTeX, to be used with the package booktabs.")]


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
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
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

        mbl leaderboard --task matbench_dielectric --latex > table.tex
    """
    from matbench_lite.board import Results, TaskBoard, general_board, read_entries, task_board

    output = one_output(csv=csv, json=json, markdown=markdown, latex=latex)
    bench = load_benchmark(benchmark)
    chosen = None if task is None else bench[task]
    entries = read_entries(submissions, bench)
    results = Results(bench, entries.read)
    board = general_board(results, task_set) if chosen is None else task_board(results, chosen)
    if output:
        _print_document(board, bench, output)
    elif isinstance(board, TaskBoard):
        _print_task(board, _tables(board, bench))
    else:
        _print_general(board, _tables(board, bench))
    return print_refused(entries)


def one_output(**outputs: bool) -> str | None:
    """The format that was chosen, or None; two at once are refused."""
    chosen = [name for name, wanted in outputs.items() if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter(f"choose one of {in_words([f'--{name}' for name in chosen])}")
    return chosen[0] if chosen else None


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
            "[yellow]unverified:[/] the published targets are not here, so these are scores that entries state (†); "
            "mbl data fetch --targets-only gets them",
            highlight=False,
        )


def _tables(board: TaskBoard | GeneralBoard | CompareBoard, bench: Benchmark) -> Tables:
    """What people see of a board."""
    from matbench_lite import view
    from matbench_lite.board import GeneralBoard, TaskBoard

    if isinstance(board, TaskBoard):
        return {f"Leaderboard of {board.task}": view.task_columns(board)}
    if isinstance(board, GeneralBoard):
        names = next(column for column in view.rank_columns(board.rows) if column.key == "entry")
        return {
            "The best general-purpose entry on each task": view.best_columns(board.best, bench),
            f"Ranks over {count(len(board.ranked_tasks), 'task')}": view.rank_columns(board.ranked),
            "Scaled errors": [replace(names, header="scaled error"), *view.matrix_columns(board, bench)],
        }
    slugs = {slug: slug for slug in board.slugs}
    by_pair = {
        pair: [row for row in board.rows if (row.first, row.second) == pair] for pair in combinations(board.slugs, 2)
    }
    return {
        f"{first} − {second}": view.compare_columns(rows, (first, second), slugs)
        for (first, second), rows in by_pair.items()
        if rows
    }


def _print_document(board: TaskBoard | GeneralBoard | CompareBoard, bench: Benchmark, output: str) -> None:
    """Print a board in a format that is read by a machine, or pasted somewhere."""
    from matbench_lite import view
    from matbench_lite.cleaner import for_markdown

    if output == "json":
        print_json(view.board_document(board, bench))
        return
    if output == "csv":
        typer.echo(view.csv(view.all_columns(board, bench)), nl=False)
        return
    titled = {title: columns for title, columns in _tables(board, bench).items() if columns[0].cells}
    tables = {_with_key(title, columns): columns for title, columns in titled.items()}
    if output == "latex":
        parts = [view.latex(columns, title) for title, columns in tables.items()]
    else:
        parts = [f"**{for_markdown(title)}**\n\n{view.markdown(columns)}" for title, columns in tables.items()]
        parts.insert(0, f"{for_markdown(board.headline)}\n")
    typer.echo("\n".join(parts), nl=False)


def _with_key(title: str, columns: Sequence[Column]) -> str:
    stated = any(cell.stated for column in columns for cell in column.cells)
    return f"{title} (†: stated by the entry, not recomputed)" if stated else title


def _print_task(board: TaskBoard, tables: Tables) -> None:
    out.print(f"[bold]{escape(board.task)}[/]: {escape(board.headline)}\n", highlight=False)
    if board.rows:
        (columns,) = tables.values()
        left_out = print_fitted(columns)
        out.print()
        out.print("tie: entries of one letter cannot be told apart over the folds; ± std over folds", highlight=False)
        if left_out:
            out.print(f"no room for {escape(', '.join(left_out))}: widen the terminal, or --csv", highlight=False)
        print_state([row.verified for row in board.rows])
    for slug, reason in board.left_out.items():
        out.print(f"{escape(slug)} is not listed: {escape(reason)}", highlight=False)


def _print_general(board: GeneralBoard, tables: Tables) -> None:
    (title, best), (over, ranks), (_, errors_by_task) = tables.items()
    out.print(f"[bold]{title}[/]\n")
    print_fitted(best)
    out.print(f"\n[bold]All general-purpose entries[/]: {escape(board.headline)}", highlight=False)
    if not board.rows:
        return
    if board.ranked:
        out.print()
        print_fitted(ranks, title=over)
    out.print()
    for columns in _chunks(errors_by_task):
        print_fitted(columns)
        out.print()
    out.print(
        "scaled error: MAE divided by the mean absolute deviation of the targets, or 2 (1 - balanced accuracy); "
        "0 is perfect, 1 a constant guess. * best; a: cannot be told apart from the best; – not recorded",
        highlight=False,
    )
    print_state([cell.verified for row in board.rows for cell in row.tasks.values()])


def _chunks(columns: Sequence[Column]) -> Iterator[list[Column]]:
    """The first column, and as many of the others side by side as there is room for."""
    names, *others = columns
    chunk = [names]
    for column in others:
        if len(chunk) > 1 and sum(map(width, (*chunk, column))) > out.width:
            yield chunk
            chunk = [names]
        chunk.append(column)
    yield chunk


def compare(
    entries: Annotated[list[str], typer.Argument(metavar="A B…", help="Folders of entries, or their slugs.")],
    benchmark: OwnBenchmarkOption = None,
    submissions: SubmissionsOption = Path("submissions"),
    csv: CsvOption = False,
    json: JsonOption = False,
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
) -> None:
    """Compare entries task by task: who wins, by how much, with what certainty.

    Two output folders of `mbl run`, `try`, `evaluate` or `judge run` are compared
    by their predictions, paired by piece and row.

    The p-value is that of a paired test over the folds (Nadeau-Bengio; Holm
    for more than two entries). The interval is a 95 % paired bootstrap interval
    of the difference over test rows; it says nothing about training again.

    Examples:
        mbl compare my-forest their-network

        mbl compare submissions/a submissions/b /elsewhere/c --csv

        mbl compare my-forest their-network --markdown

        mbl compare leave-one-out-results other-results
    """
    from matbench_lite.board import Results
    from matbench_lite.board import compare as compare_entries
    from matbench_lite.submission import Submission

    output = one_output(csv=csv, json=json, markdown=markdown, latex=latex)
    if len(entries) == 2 and any(Path(entry).is_dir() and not is_entry(Path(entry)) for entry in entries):
        print_comparisons(*(_folder(entry, submissions) for entry in entries), json=output == "json")
        return
    folders = {path.name: path for path in (_folder(entry, submissions) for entry in entries)}
    if len(folders) < len(entries):
        raise typer.BadParameter("two of the entries have the same name")
    loaded = {slug: Submission.load(path, benchmark) for slug, path in folders.items()}
    bench = next(iter(loaded.values())).benchmark
    board = compare_entries(Results(bench, loaded), list(loaded))
    if output:
        _print_document(board, bench, output)
        return
    out.print(escape(board.headline), highlight=False, style="bold")
    for title, columns in _tables(board, bench).items():
        out.print()
        print_fitted(columns, title=title if len(board.slugs) > 2 else None)
    if board.rows:
        out.print("\np: would the order hold with other splits? interval: on other test rows?")
        print_state([row.verified for row in board.rows])


def _folder(entry: str, submissions: Path) -> Path:
    """The folder that was meant: a path, or a slug under the folder of entries."""
    path = Path(entry)
    return path.resolve() if path.is_dir() else submissions / entry
