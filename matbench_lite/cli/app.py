"""The `mbl` program: its commands, and what happens when one fails."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Annotated, Any

import typer

from matbench_lite._version import __version__
from matbench_lite.cli import (
    blend,
    check,
    compare,
    data,
    demo,
    evaluate,
    event,
    from_matbench,
    judge,
    leaderboard,
    new,
    review,
    score,
    seal,
    site,
    submit,
    tasks,
    to_matbench,
    try_model,
)
from matbench_lite.cli import run as run_command
from matbench_lite.cli.output import errors
from matbench_lite.errors import MatbenchLiteError, UnknownNameError

# click's own class, or that of the copy of click that newer versions of typer carry.
_WrongUse: Any = typer.BadParameter.__base__

app = typer.Typer(
    name="mbl",
    help="Leaderboards for models that predict materials properties.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("tasks")(tasks.tasks)
app.add_typer(data.app, name="data")
app.command("from-matbench")(from_matbench.from_matbench)
app.command("to-matbench")(to_matbench.to_matbench)
app.command("new")(new.new)
app.command("run")(run_command.run)
app.command("try")(try_model.try_model)
app.command("blend")(blend.blend)
app.command("score")(score.score)
app.command("check")(check.check)
app.command("leaderboard")(leaderboard.leaderboard)
app.command("compare")(compare.compare)
app.add_typer(site.app, name="site")
app.command("evaluate")(evaluate.evaluate)
app.add_typer(judge.app, name="judge")
app.add_typer(event.app, name="event")
app.command("seal")(seal.seal)
app.command("review")(review.review)
app.command("submit")(submit.submit)


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and stop.", is_eager=True, callback=lambda v: _version(v)),
    ] = False,
) -> None:
    """Leaderboards for models that predict materials properties."""


@lru_cache(maxsize=1)
def commands() -> Any:
    """All commands as one object of click's: it takes a tenth of a second to make, which `app()` does at every call."""
    return typer.main.get_command(app)


def run(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code; an error of the user's is a message, never a traceback."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        result = commands().main(arguments, prog_name="mbl", standalone_mode=False)
    except UnknownNameError as error:
        _show(error)
        return 2
    except MatbenchLiteError as error:
        _show(error)
        return 1
    except _WrongUse as error:
        error.show()
        return 2
    except (KeyboardInterrupt, typer.Abort):
        errors.print("stopped")
        return 130
    except SystemExit as stop:
        # How typer and rich end a program whose reader is gone, e.g. `mbl tasks | head`: not an error.
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        return 0
    return result if isinstance(result, int) else 0


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"matbench_lite {__version__}")
        raise typer.Exit


def _show(error: MatbenchLiteError) -> None:
    errors.print("[bold red]error:[/]", end=" ")
    errors.print(error.message, markup=False, highlight=False)
    if error.fix:
        errors.print("[bold]fix:[/]", end=" ")
        errors.print(error.fix, markup=False, highlight=False)


def _show_warning(message: Warning | str, *_: object) -> None:
    errors.print("[bold yellow]warning:[/]", end=" ")
    errors.print(str(message), markup=False, highlight=False)
