"""Who made a model and what it is: the header of its entry, from `about.toml` beside it."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from matbench_lite.errors import ModelError
from matbench_lite.run.model import Model

ABOUT_FILE = "about.toml"
_BASELINES = Path(__file__).parent / "baselines" / ABOUT_FILE


@dataclass(frozen=True, kw_only=True)
class About:
    """The header of an entry; see `matbench_lite.Submission`.

    Args:
        algorithm: Name of the algorithm.
        authors: Who made it.
        description: What it does, in a few sentences.
        references: BibTeX entries.
        requirements: Packages needed to run the code.
        single_configuration: Whether people chose one configuration for all tasks.
        external_data: Whether, and on what, it was trained beside the training part of each fold.
    """

    algorithm: str
    authors: tuple[str, ...] = ()
    description: str = ""
    references: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    single_configuration: bool | None = None
    external_data: bool | str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """As arguments of `Submission`."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def about_model(model: Model) -> About:
    """The header of a model's entry: from `about.toml` in its folder, or its name where there is none.

    Raises:
        ModelError: If the file has a mistake.

    Examples:
        >>> from matbench_lite.run import load_model
        >>> about_model(load_model("dummy")).algorithm
        'Dummy'
    """
    if model.path is None:
        return _about(_read(_BASELINES)[model.name], model.name, _BASELINES)
    file = (model.path if model.path.is_dir() else model.path.parent) / ABOUT_FILE
    # Beside a single file it would be anybody's.
    if not model.path.is_dir() or not file.is_file():
        return About(algorithm=model.name)
    return read_about(file, model.name)


def read_about(file: Path, name: str) -> About:
    """The header that an `about.toml` holds.

    Args:
        file: The file.
        name: The name of the algorithm where the file does not say.

    Raises:
        ModelError: If it has a mistake.
    """
    return _about(_read(file), name, file)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} cannot be read: {error}", fix="correct it; it is TOML") from error


def _about(fields: dict[str, Any], name: str, file: Path) -> About:
    known = About.__dataclass_fields__
    if unknown := sorted(set(fields) - set(known)):
        raise ModelError(f"{file} has {', '.join(unknown)}", fix=f"use {', '.join(known)}")
    for key, value in fields.items():
        if not isinstance(value, _TYPES[key]) or (isinstance(value, list) and not all(map(_is_text, value))):
            raise ModelError(f"{file}: {key} = {value!r}", fix=f"{key} is {_SHOULD_BE[_TYPES[key]]}")
    lists = {key: tuple([value] if isinstance(value, str) else value) for key, value in fields.items() if key in _LISTS}
    return About(**{"algorithm": name, **fields, **lists})


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_LISTS = ("authors", "references", "requirements")
_TYPES: dict[str, Any] = {
    "algorithm": str,
    "description": str,
    **dict.fromkeys(_LISTS, list | str),
    "single_configuration": bool,
    "external_data": bool | str,
}
_SHOULD_BE: dict[Any, str] = {
    str: "a text",
    list | str: "a list of texts",
    bool: "true or false",
    bool | str: "false, or a text that says what else the model has seen",
}
