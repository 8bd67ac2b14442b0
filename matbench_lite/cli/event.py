"""`mbl event`: a public board, a private test, a final ranking."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from matbench_lite import event as events
from matbench_lite import train
from matbench_lite.cli import competition_text as text
from matbench_lite.cli.options import DeviceOption, JsonOption, ThreadsOption, TrainedAtATime, resources_of
from matbench_lite.cli.output import errors, print_json, say
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.tasks import Kind, load_benchmark

app = typer.Typer(
    help="Run an event: a public board of validation scores, a private test, a final ranking.", no_args_is_help=True
)

Combining = Literal["mean", "bagged"]
EventArgument = Annotated[Path, typer.Argument(metavar="EVENT", help="The organiser's folder.")]
KitOption = Annotated[Path, typer.Option("--kit", help="The folder of the kit.")]
_DAYS = 14
_SHARES = (
    "Public train, public test, private train, private test; by default 0.5,0.125,0.125,0.25; for code 0.4,0.1,0.3,0.2"
)


def _time(value: str) -> datetime:
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise typer.BadParameter(f"{value!r} is not a time such as 2026-11-16T09:00Z") from None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _shares(value: str) -> events.Shares:
    try:
        public_train, public_test, private_train, private_test = map(float, value.split(","))
    except ValueError:
        raise typer.BadParameter(f"{value!r} is not four numbers such as 0.4,0.1,0.3,0.2") from None
    return events.Shares(public_train, public_test, private_train, private_test)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the event: letters, digits, '-', '_'.")],
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="matbench_v0.1, mini, or the path of a TOML file.")
    ] = None,
    task: Annotated[str | None, typer.Option("--task", "-t", help="The task of the benchmark.")] = None,
    data: Annotated[Path | None, typer.Option(help="A CSV or Parquet file of your own.")] = None,
    target: Annotated[str | None, typer.Option(help="Its column with the target.")] = None,
    input_: Annotated[
        Literal["composition", "structure", "table"], typer.Option("--input", help="What models get to see.")
    ] = "composition",
    column: Annotated[
        str | None, typer.Option(help="Its column with formulas or structures; by default formula.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Of a table, the columns that models get, as a,b,c; by default all others.")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="Its column with row ids; rows are numbered by default.")
    ] = None,
    kind: Annotated[Kind | None, typer.Option(help="What is predicted; by default by the target.")] = None,
    unit: Annotated[str, typer.Option(help="Unit of the target.")] = "",
    structure_format: Annotated[
        Literal["json", "cif", "poscar"], typer.Option(help="How structures are written.")
    ] = "json",
    mode: Annotated[
        Literal["predictions", "code"], typer.Option("--mode", "-m", help="What participants send.")
    ] = "predictions",
    title: Annotated[str | None, typer.Option(help="Name for people.")] = None,
    description: Annotated[str, typer.Option(help="What it is about.")] = "",
    opening: Annotated[
        datetime | None, typer.Option(parser=_time, help="When submissions are taken from, in UTC; by default now.")
    ] = None,
    public_opening: Annotated[
        datetime | None,
        typer.Option(parser=_time, help="When the public board is shown from; by default at the opening."),
    ] = None,
    closing: Annotated[
        datetime | None, typer.Option(parser=_time, help=f"When it ends; by default {_DAYS} days after the opening.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="What ranks; by default mae or balanced_accuracy.")] = None,
    public: Annotated[Combining, typer.Option(help="Which validation score the public board shows.")] = "mean",
    final: Annotated[Combining, typer.Option(help="Which test score decides at the end.")] = "mean",
    inner_folds: Annotated[int, typer.Option(min=2, max=100, help="Number of inner folds.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the inner folds and of the models.")] = 0,
    shares: Annotated[str | None, typer.Option(help=_SHARES)] = None,
    split_seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the split; keep it secret; by default random.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder to make; by default NAME.")] = None,
) -> None:
    """Make an event: the kit for participants, and the private folder.

    The rows come from a task of a benchmark, or from a table of your own. They
    are shared out at random; all rows of one formula go to the same dataset, and
    all of a table that have the same inputs, or are of one group.

    Examples:
        mbl event create gaps --benchmark mini --task mini_gap

        mbl event create hardness --data my.csv --target hardness --unit GPa --closing 2026-12-24T12:00Z

        mbl event create glass --data my.csv --target glassy --mode code --metric balanced_accuracy --final bagged
    """
    if (benchmark is None) == (data is None):
        raise typer.BadParameter("say either --benchmark and --task, or --data and --target")
    if benchmark is not None:
        if task is None:
            raise typer.BadParameter("--benchmark needs --task")
        bench = load_benchmark(benchmark)
        source = events.benchmark_source(bench, bench[task])
    else:
        if data is None or target is None:
            raise typer.BadParameter("--data needs --target")
        source = events.table_source(
            data,
            target=target,
            input=input_,
            column=column,
            columns=columns.split(",") if columns else (),
            id=id_,
            kind=kind,
            unit=unit,
            structure_format=structure_format,
        )
    opens = opening or events.clock()
    settings = events.Event(
        folder=output or Path(name),
        name=name,
        title=title or name,
        description=description,
        mode=mode,
        opening=opens,
        public_opening=public_opening or opens,
        closing=closing or opens + timedelta(days=_DAYS),
        metric=metric or "",
        public=public,
        final=final,
        inner_folds=inner_folds,
        seed=seed,
    )
    event = events.create_event(settings, source, shares=_shares(shares) if shares else None, split_seed=split_seed)
    text.print_created(event, already_public=source.already_public)


@app.command()
def pack(
    model: Annotated[Path, typer.Argument(help="A folder with model.py and submission.toml.")],
    kit: KitOption = Path(),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; by default submission-MODEL.zip.")
    ] = None,
    jobs: TrainedAtATime = 1,
    threads: ThreadsOption = 1,
    device: DeviceOption = None,
) -> None:
    """Make a submission of a model, to be sent to the organiser. For participants.

    Where predictions are sent, the model is trained on every inner fold, as by
    `mbl try`, and predicts what was held out and the private inputs. The model
    file is executed then.

    Examples:
        mbl event pack models/mine

        mbl event pack models/mine --jobs 4 --output round-2.zip

        mbl event pack models/mine --jobs 2 --threads 4 --device 0,1
    """
    opened = events.open_kit(kit)
    path = output or Path(f"submission-{model.resolve().name}.zip")
    resources = resources_of(device, workers=jobs, threads=threads)
    events.pack(opened, train.load_model(model), path, resources=resources)
    say(f"written: {path}; send it to the organiser")


@app.command()
def check(submission: Annotated[Path, typer.Argument(help="A folder or a zip file.")], kit: KitOption = Path()) -> None:
    """See whether the organiser will be able to use a submission. For participants; nothing is executed.

    Examples:
        mbl event check submission-mine.zip
    """
    opened = events.open_kit(kit)
    with TemporaryDirectory() as folder:
        taken = events.take(submission, Path(folder) / "files", limits=opened.event.arrival)
        events.check_submission(opened, Path(folder) / "files")
    say(f"{submission} is complete: {len(taken.files)} files")


@app.command()
def receive(
    event: EventArgument,
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help="Folders, zip files, or git repositories.")],
    participant: Annotated[
        str | None, typer.Option("--participant", "-p", help="Who sent it; by default what its submission.toml says.")
    ] = None,
    branch: Annotated[str | None, typer.Option(help="The branch, of a repository.")] = None,
    path: Annotated[str, typer.Option(help="The folder in the repository.")] = "",
    json: JsonOption = False,
) -> int:
    """Take submissions in. Nothing of them is executed; late, early and repeated ones are kept and marked.

    Examples:
        mbl event receive gaps inbox/*.zip

        mbl event receive gaps inbox/submission.zip --participant "Team A"

        mbl event receive gaps ../gaps-submissions --branch team-a --path models/mine
    """
    opened = events.load_event(event)
    taken: list[events.Received] = []
    for source in sources:
        try:
            taken.append(events.receive(opened, source, participant=participant, branch=branch, path=path))
        except MatbenchLiteError as error:
            say((f"{source} was not taken: {error}", "red"), to=errors)
    print_json(taken) if json else text.print_received(taken)
    return int(len(taken) < len(sources))


@app.command()
def score(
    event: EventArgument,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Submissions; by default all that count and wait.")
    ] = None,
    run_submitted_code: Annotated[
        bool, typer.Option("--run-submitted-code", help="Execute what strangers sent; needs mode = code, too.")
    ] = False,
    without_isolation: Annotated[
        bool,
        typer.Option(
            "--without-isolation", help="Where this machine has no namespaces: code could read the private folder."
        ),
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Also those that were scored, or have failed.")] = False,
    jobs: TrainedAtATime = 1,
    threads: ThreadsOption = 1,
    device: DeviceOption = None,
    json: JsonOption = False,
) -> int:
    """Score what was received. One that fails does not stop the others.

    The scores stay in the private folder: `mbl event board` shows what may be
    shown. --jobs, --threads and --device are for submitted code; a sandbox has
    no devices, whatever the code is told of them. The same command again goes
    on where it stopped. Exit code 1 if a submission failed.

    Examples:
        mbl event score gaps

        mbl event score glass --run-submitted-code --jobs 2 --threads 4

        mbl event score gaps 0003-team-a --again
    """
    opened = events.load_event(event)
    done = events.score_submissions(
        opened,
        events.waiting(opened, ids or (), again=again),
        run_submitted_code=run_submitted_code,
        isolated=not without_isolation,
        again=again,
        resources=resources_of(device, workers=jobs, threads=threads),
        seen=(lambda _: None) if json else text.print_scored,
    )
    if json:
        print_json(done)
    elif not done:
        say("nothing waits to be scored")
    return int(any(each.state == "error" for each in done))


@app.command()
def board(
    event: EventArgument,
    private: Annotated[
        bool, typer.Option("--private", help="Also the private board, before the closing: for the organiser alone.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the pages; by default EVENT/board.")
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Make pages of the boards.")] = True,
    json: JsonOption = False,
) -> None:
    """Show the public board and, after the closing, the final ranks.

    The public board has scores on validation rows alone, rounded, so that it
    tells little of hidden targets. With --private before the
    closing, the private board goes to the terminal and to EVENT/private/board.

    Examples:
        mbl event board gaps

        mbl event board gaps --private --no-page
    """
    opened, now = events.load_event(event), events.clock()
    closed = opened.phase(now) == "closed"
    if not private:
        events.require_public(opened, now)
    public = events.public_board(opened)
    final = events.private_board(opened, public) if closed or private else None
    if json:
        print_json(events.board_document(opened, public, final, now))
    else:
        text.print_boards(opened, public, final, now)
    if page:
        secret = final is not None and not closed
        folder = output or (opened.private if secret else opened.folder) / "board"
        built = events.build_board(opened, public, final, folder, now=now)
        if not json:
            say(f"open {built}")
            if secret:
                say(("this board is secret until the closing", "yellow"))


@app.command()
def status(event: EventArgument, json: JsonOption = False) -> None:
    """Show when the event opens and closes, and what was received. For the organiser: with errors in full.

    Examples:
        mbl event status gaps
    """
    opened, now = events.load_event(event), events.clock()
    received = events.ReceivedFolder(opened).all()
    if json:
        print_json({**events.event_document(opened, now), "submissions": received})
    else:
        text.print_status(opened, received, now)
