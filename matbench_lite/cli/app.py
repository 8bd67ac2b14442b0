"""The `mbl` program: its commands, and what happens when one fails."""

from __future__ import annotations

import warnings
from collections import UserDict
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from matbench_lite._version import __version__
from matbench_lite.cli.output import errors, say
from matbench_lite.errors import MatbenchLiteError, UnknownNameError

# click's own class, or that of the copy of click that newer versions of typer carry.
_WrongUse: Any = typer.BadParameter.__base__

_COMMANDS = {
    "demo": "site_commands:demo",
    "tasks": "data_commands:tasks",
    "data": "data_commands:app",
    "from-matbench": "matbench_commands:from_matbench",
    "to-matbench": "matbench_commands:to_matbench",
    "new": "entry_commands:new",
    "run": "run:run",
    "gather": "run:gather",
    "try": "local_test:try_model",
    "blend": "local_test:blend",
    "score": "entry_commands:score",
    "check": "check:check",
    "leaderboard": "leaderboard:leaderboard",
    "compare": "leaderboard:compare",
    "predictions": "leaderboard:predictions",
    "site": "site_commands:app",
    "evaluate": "evaluate:evaluate",
    "judge": "judge:app",
    "event": "event:app",
    "seal": "entry_commands:seal",
    "review": "entry_commands:review",
    "submit": "entry_commands:submit",
    "reproduce": "reproduce:reproduce",
}
"""Where each command is: the module in this package, and the function or the group in it."""


class _Commands(UserDict[str, Any]):
    """The commands by name; the module of one is imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        return _load(name, self.data[name])


@cache
def _load(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"matbench_lite.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
        command.name = name
        return command
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    alone.command(name)(found)
    return typer.main.get_command(alone)


class _Group(typer.core.TyperGroup):
    """All commands, none of them loaded before it is needed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = _Commands(_COMMANDS)


app = typer.Typer(
    name="mbl",
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"matbench_lite {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """Leaderboards for models that predict materials properties."""


@cache
def commands() -> Any:
    """All commands as one object of click's: it takes a tenth of a second to make, which `app()` does at every call."""
    return typer.main.get_command(app)


def run(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code; an error of the user's is a message, never a traceback."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        result = commands().main(arguments, prog_name="mbl", standalone_mode=False)
    except MatbenchLiteError as error:
        say(("error:", "bold red"), f" {error.message}", to=errors)
        if error.fix:
            say(("fix:", "bold"), f" {error.fix}", to=errors)
        return 2 if isinstance(error, UnknownNameError) else 1
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


def _show_warning(message: Warning | str, *_: object) -> None:
    say(("warning:", "bold yellow"), f" {message}", to=errors)
