"""Who made a model and what it is: the header of its entry, from `about.toml` beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matbench_lite.run.model import Model
from matbench_lite.submission import ABOUT_FILE, checked_about, read_about, read_toml

_BASELINES = Path(__file__).parent / "baselines" / ABOUT_FILE


def about_model(model: Model) -> dict[str, Any]:
    """The header of a model's entry, as arguments of `Submission`: from `about.toml` in its folder, or its name alone.

    Raises:
        ModelError: If the file has a mistake.

    Examples:
        >>> from matbench_lite.run import load_model
        >>> about_model(load_model("dummy"))["algorithm"]
        'Dummy'
    """
    named = {"algorithm": model.name}
    if model.path is None:
        return named | checked_about(read_toml(_BASELINES)[model.name], _BASELINES)
    file = model.path / ABOUT_FILE
    # Beside a single file it would be anybody's.
    return named | (read_about(file) if model.path.is_dir() and file.is_file() else {})
