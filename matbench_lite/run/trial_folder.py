"""The folder of a local test: settings, and per inner fold its state, scores and predictions, each file in one piece.

```
<output>/.run/try/<benchmark>/<task>/fold-0/    fold-0-official/ where the official test part was shown
  trial.json       what is tested
  inner-0.json     state, times, scores or the error of one inner fold
  inner-0.npz      its predictions, with the positions of the rows
  scores.json      mean and bagged scores; there when the test has ended
```
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from matbench_lite.atomic import write_bytes
from matbench_lite.documents import plain
from matbench_lite.errors import RunError
from matbench_lite.run.saved_predictions import from_npz, to_npz
from matbench_lite.run.trial_record import PARTS, InnerResult, Trial, TrialScores, TrialSettings

if TYPE_CHECKING:
    from matbench_lite.run.trial_scores import Predictions
    from matbench_lite.tasks import Benchmark

TRIALS = Path(".run") / "try"


def default_output(model: str) -> Path:
    """The output folder of a model: its own folder if it is one, else `submissions/<name>`; no code is executed.

    Examples:
        >>> str(default_output("rf-magpie")), str(default_output("models/my_forest.py"))
        ('submissions/rf-magpie', 'submissions/my-forest')
    """
    path = Path(model)
    return path if path.is_dir() else Path("submissions") / path.stem.replace("_", "-")


def tried_tasks(output: Path, bench: Benchmark, fold: int, *, official_test: bool = False) -> tuple[str, ...]:
    """The tasks of a benchmark that have a finished test in an output folder, in registry order.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> tried_tasks(Path("nowhere"), load_benchmark("mini"), 0)
        ()
    """
    folders = {name: TrialFolder(output, bench.name, name, fold, official_test=official_test) for name in bench.names}
    return tuple(name for name, folder in folders.items() if (folder.path / "scores.json").is_file())


class TrialFolder:
    """Where one local test is kept.

    Args:
        output: The model's output folder.
        benchmark: Name of the benchmark.
        task: Name of the task.
        fold: The fold whose training part is used.
        official_test: Whether the official test part is shown.
    """

    def __init__(self, output: Path, benchmark: str, task: str, fold: int, *, official_test: bool) -> None:
        name = f"fold-{fold}-official" if official_test else f"fold-{fold}"
        self.path = output / TRIALS / benchmark / task / name

    def begin(self, settings: TrialSettings, *, fresh: bool = False) -> dict[int, InnerResult]:
        """Make room for a test; one that was interrupted goes on if its settings are the same.

        Args:
            settings: What is tested.
            fresh: Begin anew in any case.

        Returns:
            The inner folds that are there already, scored.
        """
        if not fresh and (self.path / "trial.json").is_file() and not (self.path / "scores.json").is_file():
            try:
                if self.settings() == settings:
                    return {each.number: each for each in self._results(settings) if each.state == "scored"}
            except RunError:
                pass  # damaged: begin anew
        with self._writing():
            for old in self.path.glob("*.*"):
                old.unlink()
            self._write("trial.json", asdict(settings))
        return {}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second test out; the lock of a process that was killed is free.

        Raises:
            RunError: If one is going on here.
        """
        lock = FileLock(self.path.with_suffix(".lock"), timeout=0)
        with self._writing():
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise RunError(
                    f"a test is going on in {self.path}", fix="wait for it, or give another --output"
                ) from None
        try:
            yield
        finally:
            lock.release()

    def settings(self) -> TrialSettings:
        """What was tested.

        Raises:
            RunError: If nothing was, or the file is damaged.
        """
        return TrialSettings(**self._read("trial.json"))

    def keep(self, result: InnerResult, predictions: Predictions | None = None) -> InnerResult:
        """Put the state of an inner fold on disk, with its predictions if they are new.

        Returns:
            The result, with the digest of its predictions.

        Raises:
            RunError: If the folder cannot be written.
        """
        with self._writing():
            if predictions is not None:
                content = to_npz(predictions)
                write_bytes(self.path / f"inner-{result.number}.npz", content)
                result = replace(result, predictions_sha256=hashlib.sha256(content).hexdigest())
            self._write(f"inner-{result.number}.json", asdict(result))
        return result

    def finish(self, scores: TrialScores | None) -> None:
        """Put the scores on disk: the test has ended."""
        with self._writing():
            self._write("scores.json", {} if scores is None else asdict(scores))

    def predictions(self, result: InnerResult) -> Predictions:
        """The saved predictions of an inner fold.

        Raises:
            RunError: If they are not there or not those that were saved.
        """
        path = self.path / f"inner-{result.number}.npz"
        try:
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != result.predictions_sha256:
                raise ValueError("its checksum is wrong")
            return from_npz(content, PARTS)
        except (OSError, ValueError, KeyError) as error:
            raise _damaged(path, error) from error

    def results(self) -> tuple[InnerResult, ...]:
        """Every inner fold that was begun, in order.

        Raises:
            RunError: If nothing was, or a file is damaged.
        """
        return self._results(self.settings())

    def result(self, number: int) -> InnerResult | None:
        """One inner fold; None if it was not begun.

        Raises:
            RunError: If the file is damaged.
        """
        if not (self.path / f"inner-{number}.json").is_file():
            return None
        document = self._read(f"inner-{number}.json")
        document["scores"] = {
            part: {name: float("nan") if value is None else value for name, value in metrics.items()}
            for part, metrics in document["scores"].items()
        }
        return InnerResult(**document)

    def _results(self, settings: TrialSettings) -> tuple[InnerResult, ...]:
        every = (self.result(number) for number in range(settings.inner_folds))
        return tuple(result for result in every if result is not None)

    def _read(self, name: str) -> dict[str, Any]:
        path = self.path / name
        if not path.is_file():
            raise RunError(f"there is no {path}: nothing was tried there", fix="run `mbl try` first, without --rescore")
        try:
            document: dict[str, Any] = json.loads(path.read_bytes())
        except ValueError as error:
            raise _damaged(path, error) from error
        return document

    def _write(self, name: str, document: Mapping[str, Any]) -> None:
        write_bytes(self.path / name, json.dumps(plain(document), indent=2, ensure_ascii=False).encode() + b"\n")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunError(
                f"{self.path} cannot be written: {error.strerror}", fix="free some space, or give another --output"
            ) from error


def plain_trial(trial: Trial) -> dict[str, Any]:
    """A test as plain JSON; NaN becomes null."""
    document: dict[str, Any] = plain(asdict(trial))
    return document


def _damaged(path: Path, error: Exception) -> RunError:
    return RunError(f"{path} is damaged: {error}", fix="run `mbl try` without --rescore to train again")
