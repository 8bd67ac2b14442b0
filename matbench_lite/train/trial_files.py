"""The folder of a local test: settings, and per inner fold its state, scores and predictions, each file in one piece.

```
<output>/.run/try/<benchmark>/<task>/fold-0/    fold-0-official/ where the official test part was shown
  trial.json       what is tested
  inner-0.json     state, times, scores or the error of one inner fold
  inner-0.npz      its predictions, with the positions of the rows
  scores.json      mean and bagged scores; there when the test has ended
```

Whoever has looked at the official test part is noted beside it, in `.run/official-test`, and in every entry made there
afterwards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from filelock import FileLock, Timeout

from matbench_lite.atomic import LOCK_SECONDS, write_bytes
from matbench_lite.documents import plain
from matbench_lite.errors import RunError
from matbench_lite.train.bagging import from_npz, to_npz
from matbench_lite.train.trial_record import PARTS, InnerResult, Predictions, TrialScores, TrialSettings

if TYPE_CHECKING:
    from matbench_lite.tasks import Benchmark, Task

T = TypeVar("T")
TRIALS = Path(".run") / "try"
_NOTES = Path(".run") / "official-test"


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
    """Where one local test is kept, inside the output folder of its model.

    What cannot be written, is damaged, or was never tried is a `RunError`.
    """

    def __init__(self, output: Path, benchmark: str, task: str, fold: int, *, official_test: bool) -> None:
        name = f"fold-{fold}-official" if official_test else f"fold-{fold}"
        self.path = output / TRIALS / benchmark / task / name

    def begin(self, settings: TrialSettings, *, fresh: bool = False) -> dict[int, InnerResult]:
        """Make room for a test, or go on with one that was interrupted if its settings are the same and not `fresh`.

        Gives the inner folds that are there already, scored.
        """
        if not fresh and (self.path / "trial.json").is_file() and not (self.path / "scores.json").is_file():
            try:
                if self.settings() == settings:
                    return {result.number: result for result in self.results() if result.state == "scored"}
            except RunError:
                pass  # damaged: begin anew
        with self._writing():
            for old in self.path.glob("*.*"):
                old.unlink()
            self._write("trial.json", asdict(settings))
        return {}

    def locked(self) -> AbstractContextManager[object]:
        """Keep a second test out; the lock of a process that was killed is free."""
        with self._writing():
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                return FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS).acquire()
            except Timeout:
                raise RunError(
                    f"a test is going on in {self.path}", fix="wait for it, or give another --output"
                ) from None

    def settings(self) -> TrialSettings:
        """What was tested."""
        return self._read("trial.json", TrialSettings)

    def keep(self, result: InnerResult, predictions: Predictions | None = None) -> InnerResult:
        """Put the state of an inner fold on disk, with its predictions if they are new: their digest is added to it."""
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
        """The predictions of an inner fold, if they are those that were saved."""
        path = self.path / f"inner-{result.number}.npz"
        try:
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != result.predictions_sha256:
                raise ValueError("its checksum is wrong")
            return from_npz(content, PARTS)
        except (OSError, ValueError, KeyError) as error:
            raise _damaged(path, error) from error

    def results(self) -> tuple[InnerResult, ...]:
        """Every inner fold that was begun, in order."""
        every = (self.result(number) for number in range(self.settings().inner_folds))
        return tuple(result for result in every if result is not None)

    def result(self, number: int) -> InnerResult | None:
        """One inner fold; None if it was not begun."""
        if not (self.path / f"inner-{number}.json").is_file():
            return None
        return self._read(f"inner-{number}.json", _inner_result)

    def _read(self, name: str, record: Callable[..., T]) -> T:
        """The record that a file holds."""
        path = self.path / name
        if not path.is_file():
            raise RunError(f"there is no {path}: nothing was tried there", fix="run `mbl try` first, without --rescore")
        try:
            return record(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise _damaged(path, error) from error

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


def _inner_result(*, scores: Mapping[str, Mapping[str, float | None]], **fields: Any) -> InnerResult:
    numbers = {
        part: {name: float("nan") if value is None else value for name, value in metrics.items()}
        for part, metrics in scores.items()
    }
    return InnerResult(scores=numbers, **fields)


def _damaged(path: Path, error: Exception) -> RunError:
    return RunError(f"{path} is damaged: {error}", fix="run `mbl try` without --rescore to train again")


@dataclass(frozen=True, kw_only=True)
class OfficialTestUse:
    """One fold whose official test part was looked at while a model was being made: how often, and when (UTC)."""

    benchmark: str
    task: str
    fold: int
    first: str
    last: str
    times: int


def note_official_test(folder: Path, task: Task, fold: int) -> OfficialTestUse:
    """Note that the official test part of a fold is shown to whoever makes the model in `folder`.

    A note that cannot be written is a `RunError`: then nothing may be shown.
    """
    # One file per fold, so that two programs at work in one folder cannot lose each other's notes.
    path = folder / _NOTES / f"{task.benchmark}.{task.name}.{fold}.json"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = _read(path) if path.is_file() else None
    use = OfficialTestUse(
        benchmark=task.benchmark,
        task=task.name,
        fold=fold,
        first=before.first if before else now,
        last=now,
        times=1 + (before.times if before else 0),
    )
    try:
        write_bytes(path, json.dumps(asdict(use), indent=2).encode() + b"\n")
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror}", fix="choose another output folder") from error
    return use


def official_test_uses(folder: Path) -> tuple[OfficialTestUse, ...]:
    """What was noted in a folder, by benchmark, task and fold; empty where nobody looked."""
    uses = [_read(path) for path in (folder / _NOTES).glob("*.json")]
    return tuple(sorted(uses, key=lambda use: (use.benchmark, use.task, use.fold)))


def _read(path: Path) -> OfficialTestUse:
    try:
        return OfficialTestUse(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise RunError(
            f"the note {path} about the official test part cannot be read: {error}", fix="restore it, or delete it"
        ) from error
