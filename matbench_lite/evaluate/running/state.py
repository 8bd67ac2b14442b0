"""What is done is kept: one line per piece, in a file named after all that the result follows from."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.data.plan import Plan
from matbench_lite.evaluate.running.engine import Done, Piece
from matbench_lite.evaluate.scoring.scorers import Scored, Scorer

FOLDER = ".evaluate"
"""The hidden folder, inside the output folder."""
_FORM = 1


def fingerprint(plan: Plan, scorers: Sequence[Scorer], name: str, digest: str) -> str:
    """A digest over all that the results of a model follow from: setting, data, seed, scoring, its name and code."""
    about = [
        _FORM,
        __version__,
        plan.evaluation.type,
        plan.evaluation.corresponding_data,
        plan.evaluation.seed,
        plan.digest,
        [[scorer.target.column, scorer.target.predict, scorer.target.adapt, scorer.digest] for scorer in scorers],
        name,
        digest,
    ]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


class State:
    """The finished pieces of one model.

    Args:
        output: The output folder.
        fingerprint: Of the model's results.
    """

    def __init__(self, output: Path, fingerprint: str) -> None:
        self.path = output / FOLDER / f"{fingerprint}.jsonl"

    @staticmethod
    def kept_in(output: Path) -> bool:
        """Whether an earlier run has kept something in a folder."""
        return (output / FOLDER).is_dir()

    def read(self, pieces: Iterable[Piece]) -> dict[Piece, Done]:
        """The pieces that are done. A line that was cut off is a piece that is not done."""
        wanted = set(pieces)
        found: dict[Piece, Done] = {}
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                done = _parsed(line)
                if done is not None and done.piece in wanted:
                    found[done.piece] = done
        return found

    def forget(self) -> None:
        """Begin anew."""
        self.path.unlink(missing_ok=True)

    def add(self, every: Iterable[Done]) -> None:
        """Keep pieces; they are on disk when this returns.

        Raises:
            EvaluationError: If they cannot be written.
        """
        lines = "".join(_line(done) for done in every)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as stream:
                # A line that was cut off must not swallow the next one.
                stream.write(lines.encode() if stream.tell() == 0 else b"\n" + lines.encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise EvaluationError(
                f"{self.path} cannot be written: {error.strerror}", fix="free some space, or choose another --output"
            ) from error


def _line(done: Done) -> str:
    about: dict[str, Any] = {
        "piece": [done.piece.group, done.piece.start, done.piece.stop],
        "rows": done.rows,
        "log": done.log,
        "seconds": done.seconds,
    }
    return json.dumps(about, separators=(",", ":")) + "\n"


def _parsed(line: str) -> Done | None:
    try:
        about = json.loads(line)
        rows = [[Scored(*scored) for scored in row] for row in about["rows"]]
        return Done(piece=Piece(*about["piece"]), rows=rows, log=about["log"], seconds=about["seconds"])
    except (ValueError, KeyError, TypeError):
        return None


def cached_state(cache: Path, fingerprint: str) -> State:
    """The state of the same model in an earlier output folder, or in the folder of an earlier result file.

    Raises:
        EvaluationError: If there are no earlier results.
    """
    folder = cache if cache.is_dir() else cache.parent
    if not State.kept_in(folder):
        raise EvaluationError(f"there are no earlier results in {folder}", fix="give an output folder of mbl evaluate")
    return State(folder, fingerprint)
