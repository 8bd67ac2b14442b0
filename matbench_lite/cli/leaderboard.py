"""`mbl leaderboard`, `mbl compare`, `mbl predictions`: which model is best at what, and is the difference real?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from matbench_lite import board as boards
from matbench_lite import submission, train, view
from matbench_lite.cleaner import for_csv, for_markdown
from matbench_lite.cli.options import BenchmarkOption, CsvOption, JsonOption, OwnBenchmarkOption, SubmissionsOption
from matbench_lite.cli.output import errors, out, print_fitted, print_json, say, targets_of, width
from matbench_lite.errors import unknown_name
from matbench_lite.tasks import Benchmark, load_benchmark
from matbench_lite.text import count, in_words

if TYPE_CHECKING:
    import pandas as pd

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
            help="Tasks over which entries are ranked: all, regression, structure, or the common ones (regression on "
            "structures), which every general-purpose entry has and which are taken by default.",
        ),
    ] = None,
    csv: CsvOption = False,
    json: JsonOption = False,
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
) -> int:
    """Rank entries: on one task, or general-purpose entries over many.

    Two entries are told apart if their difference is too large for the scatter
    of the rows, plus whatever the folds scatter beyond that: p is below 1 %. The
    leading group are the best, and all that are not told apart from it or are
    equivalent to it; places are behind all that are better, before all that are
    worse. The 95 % interval of a score is for these trained models.

    Examples:
        mbl leaderboard

        mbl leaderboard --set structure

        mbl leaderboard --task matbench_dielectric --csv

        mbl leaderboard --task matbench_dielectric --latex > table.tex
    """
    output = one_output(csv=csv, json=json, markdown=markdown, latex=latex)
    bench = load_benchmark(benchmark)
    chosen = None if task is None else bench[task]
    entries = boards.read_entries(submissions, bench)
    reproduced = submission.read_reproductions(submissions / slug for slug in entries.read)
    results = boards.Results(bench, entries.read, reproduced=reproduced)
    board = boards.general_board(results, task_set) if chosen is None else boards.task_board(results, chosen)
    if output:
        _print_document(board, bench, output)
    elif isinstance(board, boards.TaskBoard):
        _print_task(board, bench)
    else:
        _print_general(board, bench)
    return print_refused(entries)


def one_output(**outputs: bool) -> str | None:
    """The format that was chosen, or None; two at once are refused."""
    chosen = [name for name, wanted in outputs.items() if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter(f"choose one of {in_words([f'--{name}' for name in chosen])}")
    return chosen[0] if chosen else None


def print_refused(entries: boards.Entries) -> int:
    """Name the entries that could not be read; the exit code is 1 if there are any."""
    for slug, error in entries.refused.items():
        say((f"{slug} is left out:", "yellow"), f" {error}", to=errors)
    return int(bool(entries.refused))


def print_state(verified: Sequence[bool], bench: Benchmark) -> None:
    """Say in plain sight whether the numbers were computed here."""
    if all(verified):
        say(f"verified: every score is computed from the predictions and {targets_of(bench)}", soft_wrap=False)
    else:
        text = f" {targets_of(bench)} are not here, so these are scores that entries state (†); "
        say(("unverified:", "yellow"), f"{text}mbl data fetch --targets-only gets them", soft_wrap=False)


def _tables(
    board: boards.TaskBoard | boards.GeneralBoard | boards.CompareBoard, bench: Benchmark
) -> Mapping[str, Sequence[view.Column]]:
    """What each table shows, and its columns."""
    if isinstance(board, boards.TaskBoard):
        return {f"Leaderboard of {board.task}": view.task_columns(board)}
    if isinstance(board, boards.GeneralBoard):
        names = next(column for column in view.rank_columns(board.rows) if column.key == "entry")
        return {
            "The best general-purpose entry on each task": view.best_columns(board.best, bench),
            f"Ranks over {count(len(board.ranked_tasks), 'task')}": view.rank_columns(board.ranked),
            "Scaled errors": [replace(names, header="scaled error"), *view.matrix_columns(board, bench)],
        }
    slugs = {slug: slug for slug in board.slugs}
    return {
        f"{first} − {second}": view.compare_columns(rows, (first, second), slugs)
        for first, second in combinations(board.slugs, 2)
        if (rows := [row for row in board.rows if (row.first, row.second) == (first, second)])
    }


def _print_document(
    board: boards.TaskBoard | boards.GeneralBoard | boards.CompareBoard, bench: Benchmark, output: str
) -> None:
    """Print a board in a format that is read by a machine, or pasted somewhere."""
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


def _with_key(title: str, columns: Sequence[view.Column]) -> str:
    stated = any(cell.stated for column in columns for cell in column.cells)
    return f"{title} (†: stated by the entry, not recomputed)" if stated else title


def _print_task(board: boards.TaskBoard, bench: Benchmark) -> None:
    say((board.task, "bold"), f": {board.headline}\n", soft_wrap=False)
    if board.rows:
        (columns,) = _tables(board, bench).values()
        left_out = print_fitted(columns)
        if board.compared:
            say(
                "\nbold: the leading group; places: behind all that are better, before all that are worse",
                soft_wrap=False,
            )
        else:
            say("\nwithout targets nothing says how sure this order is", soft_wrap=False)
        if left_out:
            say(f"no room for {', '.join(left_out)}: widen the terminal, or --csv", soft_wrap=False)
        print_state([row.verified for row in board.rows], bench)
    for slug, reason in board.left_out.items():
        say(f"{slug} is not listed: {reason}", soft_wrap=False)


def _print_general(board: boards.GeneralBoard, bench: Benchmark) -> None:
    (title, best), (over, ranks), (_, errors_by_task) = _tables(board, bench).items()
    say((f"{title}\n", "bold"), soft_wrap=False)
    print_fitted(best)
    say(("\nAll general-purpose entries", "bold"), f": {board.headline}", soft_wrap=False)
    if not board.rows:
        return
    if board.ranked:
        say()
        print_fitted(ranks, title=over)
    say()
    for columns in _chunks(errors_by_task):
        print_fitted(columns)
        say()
    say(
        "scaled error: MAE divided by the mean absolute deviation of the targets, or 2 (1 - balanced accuracy); "
        "0 is perfect, 1 a constant guess. * best; = in its leading group; ~ in it, but wide; – not recorded",
        soft_wrap=False,
    )
    print_state([cell.verified for row in board.rows for cell in row.tasks.values()], bench)
    for slug, reason in board.left_out.items():
        say(f"{slug} has all tasks of the set and is not ranked: {reason}", soft_wrap=False)


def _chunks(columns: Sequence[view.Column]) -> Iterator[list[view.Column]]:
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
    """Compare entries task by task: who is better, by how much, with what certainty.

    Two output folders of `mbl run`, `try`, `evaluate` or `judge run` are compared
    by their predictions, paired by piece and row; FOLDER/MODEL is one of several
    models in a folder.

    Better: told apart, with p below 1 %, by the scatter of clusters of rows and
    whatever the folds scatter beyond that; the 99 % interval of the difference
    then excludes zero. Equivalent: 90 % sure to differ by less than 5 % of the
    smaller error.

    Examples:
        mbl compare my-forest their-network

        mbl compare submissions/a submissions/b /elsewhere/c --csv

        mbl compare my-forest their-network --markdown

        mbl compare leave-one-out-results other-results

        mbl compare judging/linear judging/search

        mbl compare gaps/private/received/0001-anna gaps/private/received/0002-ben
    """
    output = one_output(csv=csv, json=json, markdown=markdown, latex=latex)
    if any(_has_predictions(Path(entry)) for entry in entries):
        if len(entries) != 2:
            raise typer.BadParameter("of output folders that are no entries, two are compared at a time")
        _print_comparisons(*(_folder(entry, submissions) for entry in entries), benchmark=benchmark, output=output)
        return
    folders = {path.name: path for path in (_folder(entry, submissions) for entry in entries)}
    if len(folders) < len(entries):
        raise typer.BadParameter("two of the entries have the same name")
    loaded = {slug: submission.Submission.load(path, benchmark) for slug, path in folders.items()}
    bench = next(iter(loaded.values())).benchmark
    board = boards.compare(boards.Results(bench, loaded), list(loaded))
    if output:
        _print_document(board, bench, output)
        return
    say((board.headline, "bold"), soft_wrap=False)
    for title, columns in _tables(board, bench).items():
        say()
        print_fitted(columns, title=title if len(board.slugs) > 2 else None)
    if board.rows:
        say("\nbetter: p below 1 %; equivalent: 90 % sure to be within 5 % of the smaller error", soft_wrap=False)
        print_state([row.verified for row in board.rows], bench)


def _folder(entry: str, submissions: Path) -> Path:
    """The folder that was meant: a path, or a slug under the folder of entries."""
    path = Path(entry)
    return path.resolve() if path.is_dir() or _has_predictions(path) else submissions / entry


def predictions(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The output folder of a run, or an event.")],
    benchmark: OwnBenchmarkOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table to this file: .parquet or .csv.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """The predictions of `mbl run`, `try`, `evaluate`, `judge run` or `event score` as one table; models by loss.

    The loss is the absolute error, 1 for a wrong class, the score of an evaluation:
    smaller is better. Places and words are those of leaderboards; models of
    classes are ranked by one less the balanced accuracy.

    Examples:
        mbl predictions submissions/my-model --output predictions.parquet

        mbl predictions judging --json

        mbl predictions gaps                # the folder of an event, when its submissions were scored
    """
    table = train.predictions_table(folder, benchmark)
    if output is not None:
        if output.suffix == ".csv":
            cells = table.map(lambda cell: for_csv(cell) if isinstance(cell, str) else cell)
            cells.to_csv(output, index=False)
        elif output.suffix == ".parquet":
            table.to_parquet(output, index=False)
        else:
            raise typer.BadParameter(f"{output} is neither .parquet nor .csv", param_hint="--output")
    columns = view.ranking_columns(train.ranking(table))
    if json:
        print_json(view.records(columns))
        return
    print_fitted(columns)
    if output is not None:
        say(f"{count(len(table), 'prediction')} in {output}")


def _has_predictions(folder: Path) -> bool:
    """Whether this is the output folder of a run, but no entry; or such a folder and one of several models in it."""
    if folder.is_dir():
        return (folder / "files").is_dir() or not (folder / "submission.json").is_file()  # the former in an event
    several = (folder.parent / ".run" / "runs", folder.parent / "results.parquet")
    return len(folder.parts) > 1 and any(path.exists() for path in several)


def _table(folder: Path, benchmark: str | None) -> pd.DataFrame:
    if folder.is_dir():
        return train.predictions_table(folder, benchmark)
    table = train.predictions_table(folder.parent, benchmark)
    if folder.name not in set(table["model"]):
        raise unknown_name("model", folder.name, sorted(set(table["model"])), where=f" in {folder.parent}")
    return table[table["model"] == folder.name]


def _print_comparisons(first: Path, second: Path, *, benchmark: str | None, output: str | None) -> None:
    tables = {folder: _table(folder, benchmark) for folder in (first, second)}
    found = train.compare_tables(tables[first], tables[second])
    for folder, compared in ((first, {one.first for one in found}), (second, {one.second for one in found})):
        if left_out := sorted(set(tables[folder]["model"]) - compared):
            say((f"left out of {folder.name}:", "yellow"), f" {in_words(left_out)}, not in the other", to=errors)
    columns = view.comparison_columns(found)
    if output == "json":
        print_json(view.records(columns))
    elif output:
        texts = {"csv": view.csv, "markdown": view.markdown}
        typer.echo(texts.get(output, partial(view.latex, caption="Two runs"))(columns), nl=False)
    else:
        print_fitted(columns)
        say("\nbetter: p below 1 %; equivalent: 90 % sure to be within 5 % of the smaller error", soft_wrap=False)
        for note in dict.fromkeys(one.note for one in found if one.note):
            say(note, soft_wrap=False)
