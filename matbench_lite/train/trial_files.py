"""The folders of local tests, each a journal, and who has looked at the official test part.

```
<output>/.run/try/<benchmark>/<task>/fold-0/    fold-0-official/ where the official test part was shown
```

Whoever has looked at the official test part is noted beside it, in `.run/official-test`, and in every entry made there
afterwards.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import RunError
from matbench_lite.train.journal import HEADER, Journal
from matbench_lite.train.trial_record import TrialSettings

if TYPE_CHECKING:
    from matbench_lite.tasks import Benchmark, Task

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
    ended = []
    for name in bench.names:
        journal = Journal(trial_path(output, bench.name, name, fold, official_test=official_test))
        if journal.header() is not None and len(journal.read()) == read_settings(journal).inner_folds:
            ended.append(name)
    return tuple(ended)


def trial_path(output: Path, benchmark: str, task: str, fold: int, *, official_test: bool) -> Path:
    """The folder of a local test."""
    return output / TRIALS / benchmark / task / (f"fold-{fold}-official" if official_test else f"fold-{fold}")


def trial_journal(output: Path, settings: TrialSettings) -> Journal:
    """Where the test with these settings is kept."""
    return Journal(
        trial_path(output, settings.benchmark, settings.task, settings.fold, official_test=settings.official_test)
    )


def read_settings(journal: Journal) -> TrialSettings:
    """What was tested; a `RunError` if nothing was."""
    header = journal.header()
    if header is None:
        raise RunError(
            f"there is no {journal.folder}: nothing was tried there", fix="run `mbl try` first, without --rescore"
        )
    try:
        return TrialSettings(**header)
    except TypeError as error:
        raise RunError(
            f"{journal.folder / HEADER} is damaged: {error}", fix="run `mbl try` without --rescore to train again"
        ) from error


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
