"""The log of a run: what was done when, what models printed, every traceback; a run that goes on adds to it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from matbench_lite.run.unit import Outcome

LOG_FILE = Path(".run") / "log.txt"


class Journal:
    r"""Appends to the log of an output folder.

    Args:
        output: The output folder.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Journal(Path(folder)).note("begun")
        ...     (Path(folder) / LOG_FILE).read_text().endswith("begun\n")
        True
    """

    def __init__(self, output: Path) -> None:
        self.path = output / LOG_FILE
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def note(self, text: str) -> None:
        """Add a line, with the time in UTC."""
        now = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(f"{now} {text}\n")

    def note_outcome(self, outcome: Outcome, summary: str) -> None:
        """Add what became of a fold, with the traceback and what the model printed."""
        parts = [summary]
        for title, text in (("traceback", outcome.details), ("printed", outcome.output)):
            if text.strip():
                parts += [f"  {title}:", *(f"    {line}" for line in text.strip().splitlines())]
        self.note("\n".join(parts))
